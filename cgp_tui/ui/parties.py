"""The providers of a transcript: each connection by its number, our id of its provider, and the provider's declared name."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, NamedTuple

from cgp_tui.protocol.envelope import HandshakeAck
from cgp_tui.text import Shown, compose, own, show
from cgp_tui.transcript.record import Record
from cgp_tui.ui.source import Source
from cgp_tui.wire.decode import decode
from cgp_tui.wire.line import Line
from cgp_tui.wire.note import Connect

NAMED_BYTES: Final = 64 * 1024
"""A longer record is not read for a name, so that no key waits for it."""


class Party(NamedTuple):
    """A connection, the first record that tells about it, our id of its provider, the provider's declared name (either may
    be empty, and both are foreign), and its version."""

    connection: int
    at: int
    id: str
    name: str
    version: str

    def is_called(self, text: str) -> bool:
        """Whether one of its names contains a text, ignoring case."""
        return any(text.casefold() in name.casefold() for name in (self.id, self.name))

    @property
    def said(self) -> Shown:
        """`acme-search, says acme 2.4.1`."""
        declared = compose("says {name} {version}", name=show(self.name, 40), version=show(self.version, 20))
        if not self.id:
            return declared if self.name else own("")
        ours = show(self.id, 40)
        return compose("{id}, {says}", id=ours, says=declared) if self.name else ours


def parties(source: Source) -> Iterator[Party]:
    """The connections that the analysis has met so far, by number; two records are read for each."""
    connections = source.analysis.connections
    for number in connections.numbers:
        connect, ack = connections.of(number).connect, connections.acks.get(number)
        note, line = _short(source, connect), _short(source, ack)
        told = decode(line.raw).envelope if isinstance(line, Line) else None
        at = next((at for at in (connect, ack) if at is not None), None)
        if at is not None:
            provider = told.provider if isinstance(told, HandshakeAck) else None
            yield Party(
                number,
                at,
                note.provider_id if isinstance(note, Connect) else "",
                "" if provider is None else provider.name,
                "" if provider is None else provider.version,
            )


def _short(source: Source, at: int | None) -> Record | None:
    """A record, None where there is none or it is too long to be read for a name."""
    there = at is not None and at < source.count and source.transcript.size(at, at + 1) <= NAMED_BYTES
    return source.transcript.record(at) if there and at is not None else None
