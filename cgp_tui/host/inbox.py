"""What arrives on one connection: recorded, decoded, paired, and handed to whoever waits for it.

Everything that changes an exchange is in the recording, a line or a note, and passes through the same `Session` that reads
it later: what is seen live is what a replay sees. Whatever can no longer be answered fails at once, by name.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from cgp_tui import limits
from cgp_tui.errors import PeerError
from cgp_tui.host.journal import At, Journal
from cgp_tui.host.link import Link
from cgp_tui.host.problems import CRASHED
from cgp_tui.host.process import Exited
from cgp_tui.session import Exchange, Session
from cgp_tui.wire.decode import decode
from cgp_tui.wire.line import Seen
from cgp_tui.wire.note import Exit, KnownNote, Poisoned, Refused


class Inbox:
    """The listener of one link. `ended_by` is the code of what made the connection unusable, empty while it can be used;
    `stop` is called when the process tree has to go, perhaps more than once."""

    def __init__(self, link: Link, number: int, journal: Journal, stop: Callable[[], None]) -> None:
        self.number = number
        self.ended_by = ""
        self.exited: Exited | None = None
        self.gone = asyncio.Event()
        self.session = Session(number, journal.numbers, journal.keys)
        self._link = link
        self._journal = journal
        self._stop = stop
        self._waiters: dict[int, asyncio.Future[Exchange]] = {}
        self._broken = False
        self._unasked_lines = 0
        self._unasked_bytes = 0

    # From the link

    def line(self, raw: bytes) -> None:
        line = self._journal.line(self.number, "provider", raw)
        seen = Seen(line, decode(raw))
        first_ack = self.session.ack
        changed = self.session.feed(seen)
        self._tell(changed)
        # One that cannot be read is a second ack all the same.
        if first_ack is not None and seen.decoded.type == "handshake_ack":
            self.note(Refused(**self.at, line=line.n, fault="unexpected_envelope"))
            self.end("unexpected_envelope")
        elif all(exchange.number is None for exchange in changed):
            self._count_unasked(len(raw))

    def _count_unasked(self, size: int) -> None:
        self._unasked_lines += 1
        self._unasked_bytes += size
        if self._unasked_lines > limits.UNSOLICITED_LINES or self._unasked_bytes > limits.UNSOLICITED_BYTES:
            self.end("flood")

    def narration(self, text: str) -> None:
        self._journal.stderr(self.number, text)

    def broken(self, error: PeerError) -> None:
        self.end(error.code)

    def ended(self, exited: Exited) -> None:
        self.exited = exited
        self.ended_by = self.ended_by or CRASHED
        self.gone.set()
        self.note(Exit(**self.at, code=exited.code, signal=exited.signal, ours=exited.ours))
        self._stop()

    # For the connection

    def request(self, raw: bytes) -> Exchange:
        """Record a handshake, query or verify that is about to be sent: the exchange it opens."""
        (opened,) = self._record(raw)
        assert opened.number is not None  # noqa: S101 - every request has one
        self._waiters[opened.number] = asyncio.get_running_loop().create_future()
        return opened

    def record(self, raw: bytes) -> None:
        """Record a message that nobody answers."""
        self._record(raw)

    def _record(self, raw: bytes) -> tuple[Exchange, ...]:
        line = self._journal.line(self.number, "host", raw)
        return self.session.feed(Seen(line, decode(raw)))

    async def reply(self, number: int) -> Exchange:
        """The exchange as soon as it is no longer pending."""
        return await self._waiters[number]

    def settled(self, number: int) -> bool:
        """Whether the exchange is over, one way or another."""
        return all(exchange.number != number for exchange in self.session.pending)

    def forget(self, number: int) -> None:
        """Nobody waits for this exchange any more."""
        self._waiters.pop(number, None)

    @property
    def at(self) -> At:
        """Time and connection of a note that is made now."""
        return self._journal.at(self.number)

    def note(self, note: KnownNote) -> tuple[Exchange, ...]:
        """Record a note; what it ends, ends here as it will in a replay."""
        self._journal.note(note)
        changed = self.session.feed(note)
        self._tell(changed)
        return changed

    def end(self, code: str) -> None:
        """The stream is of no use any more: everybody who waits hears why, and the process tree goes."""
        if not self._broken:
            self._broken = True
            self.poison(code)
        self._link.stop_reading()
        self._stop()

    def poison(self, code: str) -> None:
        """No request may follow, since a reply could no longer be told from another. The provider is left running."""
        self.ended_by = code
        self.note(Poisoned(**self.at, reason=code))

    def _tell(self, changed: tuple[Exchange, ...]) -> None:
        for exchange in changed:
            waiter = self._waiters.get(exchange.number or 0)
            if waiter is not None and not waiter.done():
                waiter.set_result(exchange)
