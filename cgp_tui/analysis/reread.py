"""Reads and decodes an exchange again when somebody looks at it, since the pass keeps only columns."""

from __future__ import annotations

from collections.abc import Mapping

from cgp_tui import limits
from cgp_tui.analysis.columns import Columns
from cgp_tui.analysis.connections import Connections
from cgp_tui.protocol.envelope import HandshakeAck
from cgp_tui.session import Exchange, Past
from cgp_tui.session.past import NOTHING
from cgp_tui.transcript.reader import Transcript
from cgp_tui.wire.decode import decode
from cgp_tui.wire.line import Line, Seen
from cgp_tui.wire.memo import FrameMemo


class ExchangeReader:
    """Reads from a transcript with what one pass noted about it: `columns`, the records that tell about each connection,
    and by line number what came before a line (`pasts`)."""

    def __init__(
        self, transcript: Transcript, columns: Columns, connections: Connections, pasts: Mapping[int, Past]
    ) -> None:
        self._transcript = transcript
        self._columns = columns
        self._connections = connections
        self._pasts = pasts

    def exchange(self, at: int) -> Exchange | None:
        """The exchange of record `at` as the pass left it, decoded again; None where it belongs to none."""
        standing = self._columns.standing(at)
        if standing is None:
            return None
        kind, state, why = standing
        partner = self._columns.partner_of(at)
        number = self._columns.exchange[at] or None
        if number is None:
            asked, answered = None, at
        elif partner is None:
            asked, answered = at, None
        else:
            asked, answered = sorted((at, partner))
        request, reply = self.seen(asked), self.seen(answered)
        connection = next((seen.line.connection for seen in (request, reply) if seen is not None), 0)
        ack = self._ack(connection, answered if request is None else asked)
        if kind == "handshake" and reply is not None and isinstance(reply.decoded.envelope, HandshakeAck):
            ack = reply.decoded.envelope
        first = request or reply
        past = NOTHING if first is None else self._pasts.get(first.line.n, NOTHING)
        return Exchange(number, connection, kind, state, request, reply, ack, why, past)

    def _ack(self, connection: int, at: int | None) -> HandshakeAck | None:
        """The ack in force when record `at` was made."""
        found = self._connections.acks.get(connection)
        seen = self.seen(found) if found is not None and at is not None and found < at else None
        return seen.decoded.envelope if seen is not None and isinstance(seen.decoded.envelope, HandshakeAck) else None

    def seen(self, at: int | None) -> Seen | None:
        """The line that record `at` is, decoded again; None where it is no line."""
        if at is None:
            return None
        record = self._transcript.record(at)
        if not isinstance(record, Line):
            return None
        # A long answer is read frame by frame: in one go it would hold up other threads.
        return Seen(record, decode(record.raw, FrameMemo() if len(record.raw) > limits.FRAMES_AT_ONCE_BYTES else None))
