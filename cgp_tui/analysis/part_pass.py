"""Judges one part of a bare transcript by itself, where that provably gives what a pass over all of it gives.

Most of what is said of a line depends on its own exchange and on the ack in force. A part that does not open its connection
is read behind the connection's greeting, and counts only where nothing else of what came before could matter: the greeting
was answered and left nothing open, every request of the part is answered by its own reply, and in the end the connection is
at rest again. Keys that an ack publishes are held against all earlier ones (only the first ack may carry any), what a
provider with `graph` or `verify` says against all that it served, and a request without a reply waits for it until the end:
such parts do not count.
"""

from __future__ import annotations

from collections.abc import Callable

import msgspec

from cgp_tui.analysis.full_pass import FullPass
from cgp_tui.checks.types import Judged
from cgp_tui.protocol.envelope import HandshakeAck
from cgp_tui.protocol.requirements import Finding
from cgp_tui.transcript.excerpt import Excerpt
from cgp_tui.transcript.reader import Transcript


class PartPass(msgspec.Struct, frozen=True):
    """What was found in one part. The exchange of a finding is counted from the part's first one, which is 1; `requests` is
    how many there are. `left_out` counts the findings that were not taken."""

    findings: tuple[Finding, ...]
    requests: int
    left_out: int


Make = Callable[[Transcript, Callable[[Judged], None]], FullPass]
"""Makes the pass over an excerpt; what it is given has to be told of every exchange that is judged."""


def judge_part(whole: Transcript, first: int, after: int, make: Make) -> PartPass | None:
    """The findings of the records `first` to `after`; None where that part cannot be judged by itself."""
    part = Excerpt(whole, first, after)
    watch = _Watch(part, first)
    passed = make(part, watch.hear)
    if not watch.greeted(passed):
        return None
    part.open_all()
    found = tuple(passed.findings())
    if watch.doubt or (not part.ends and not all(session.settled for session in passed.analysis.sessions)):
        return None
    if any(finding.line <= first for finding in found):
        return None
    shift = 1 if part.lead else 0
    return PartPass(tuple(moved(finding, -shift) for finding in found), watch.requests - shift, passed.left_out)


def moved(finding: Finding, by: int) -> Finding:
    """A finding whose exchange is counted from another start."""
    if not by or finding.exchange is None:
        return finding
    return msgspec.structs.replace(finding, exchange=finding.exchange + by)


class _Watch:
    """Looks at every exchange of a part for what only the whole could tell."""

    def __init__(self, part: Excerpt, first: int) -> None:
        self.doubt = False
        self.requests = 0
        self._first = first
        self._keyed = 0
        self._carried = 0
        self._part = part
        self._greeting = bool(part.lead)

    def greeted(self, passed: FullPass) -> bool:
        """Pass over the greeting; whether it left its connection at rest. What is said of it was said elsewhere."""
        if not self._part.lead:
            return self._part.begun
        passed.analysis.advance()
        self._greeting = False
        sessions = passed.analysis.sessions
        passed.forget()
        self._carried = sessions[0].connection if sessions else 0
        return len(sessions) == 1 and sessions[0].settled

    def hear(self, judged: Judged) -> None:
        exchange = judged.exchange
        self.requests = max(self.requests, exchange.number or 0)
        if self._greeting:
            return
        reply = None if exchange.reply is None else exchange.reply.decoded.envelope
        if isinstance(reply, HandshakeAck) and reply.attester_keys:
            self._keyed += 1
            self.doubt = self.doubt or self._first > 0 or self._keyed > 1
        if exchange.state == "failed" and exchange.reply is None:
            self.doubt = self.doubt or not self._part.last
        elif exchange.connection == self._carried and exchange.state not in ("pending", "answered"):
            self.doubt = True
