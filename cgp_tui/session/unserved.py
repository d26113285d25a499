"""Lines that opened no exchange, and what may still come for them.

A host line that no provider could serve asks for one `error` (R1). In a bare file, which does not say who sent a line
without a known type, such a line may be one of these. And a line that we cannot read may be a request to a peer who can.
"""

from __future__ import annotations

from collections import Counter, deque

from cgp_tui.session.exchange import Exchange
from cgp_tui.wire.line import Seen


class Unserved:
    """Such lines of one connection. `ident` is the id by which a reply is known, None where ids say nothing."""

    def __init__(self) -> None:
        self._by_host: dict[str | None, deque[int]] = {}
        self._by_nobody: Counter[str | None] = Counter()
        self._unread = 0
        self._last = 0

    def __bool__(self) -> bool:
        """Whether something may still come for one of them."""
        return bool(self._by_host or +self._by_nobody or self._unread)

    def add(self, seen: Seen, ident: str | None, by_host: bool) -> None:
        """A line of the host, or one whose sender is not known."""
        if by_host:
            self._by_host.setdefault(ident, deque()).append(seen.line.n)
        else:
            self._by_nobody[ident] += 1
        self._unread += seen.decoded.type is None
        self._last = seen.line.n

    def error(self, ident: str | None, claimed: Exchange | None, readable: bool) -> int | None:
        """The number of the line that this `error` answers, 0 for a line of an unknown sender; None where there is no such
        line, or the exchange that `claimed` the `error` is older."""
        if claimed is None and readable and self._by_nobody[ident]:
            self._by_nobody[ident] -= 1
            self._unread = max(0, self._unread - 1)
            return 0
        lines = self._by_host.get(ident)
        if not lines or (claimed is not None and claimed.request is not None and claimed.request.line.n < lines[0]):
            return None
        line = lines.popleft()
        self._unread = max(0, self._unread - 1)
        if not lines:
            del self._by_host[ident]
        return line

    def settle(self, answered: Exchange, by: str | None) -> None:
        """A request has its answer, of type `by`. Older lines that only may have asked for an `error` will not get one any
        more: a provider that reads in order would have written it first. An answer that is itself an `error` may be it."""
        if self._last and by != "error" and answered.request is not None and answered.request.line.n > self._last:
            self._by_nobody.clear()
            self._unread = self._last = 0

    def answers(self) -> bool:
        """Whether a reply that nobody claims may answer a line that only the other side could read. Each counts once."""
        if not self._unread:
            return False
        self._unread -= 1
        return True
