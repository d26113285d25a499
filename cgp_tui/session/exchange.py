"""A request and its reply."""

from __future__ import annotations

from typing import Final, Literal

import msgspec

from cgp_tui.protocol.envelope import HandshakeAck
from cgp_tui.session.past import NOTHING, Past
from cgp_tui.wire.line import Seen

ExchangeKind = Literal["handshake", "query", "verify"]
State = Literal["pending", "answered", "failed", "late", "orphan", "duplicate"]

ANSWERED: Final[frozenset[State]] = frozenset({"answered", "late"})
"""The states in which the reply answers the request, in time or not."""


class Exchange(msgspec.Struct, frozen=True, gc=False):
    """`number` counts requests of the transcript from 1; an orphan or duplicate reply has none of its own.

    `ack` is the acknowledgement in force when the request was sent (for a handshake, its reply; for a reply without
    request, the one in force when it came). `why` is the code of what ended a failed exchange (an error code of the command
    contract, or `dropped` where lines are known to be missing) and stays when the reply comes late. On an orphan it is
    `unasked` where nothing was in flight and `dropped` as above; else it is empty. `reply` is the line that ended the
    exchange, whether or not it answers. `past` is what came before that bears on it. `waited` is how long the host waited
    before it gave up, None where it did not. Times are seconds of the transcript.
    """

    number: int | None
    connection: int
    kind: ExchangeKind
    state: State
    request: Seen | None = None
    reply: Seen | None = None
    ack: HandshakeAck | None = None
    why: str = ""
    past: Past = NOTHING
    waited: float | None = None

    @property
    def request_id(self) -> str | None:
        """The id of the request; a handshake has none, whatever its line says."""
        return self.request.decoded.id if self.request is not None and self.kind != "handshake" else None

    @property
    def latency(self) -> float | None:
        """Seconds between request and reply, where both were seen."""
        if self.request is None or self.reply is None:
            return None
        return self.reply.line.t - self.request.line.t
