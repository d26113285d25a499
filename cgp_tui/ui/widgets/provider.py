"""The provider view: the connection of the selection, drawn only from the transcript."""

from __future__ import annotations

from typing import TypeVar

from textual import on
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.message import Message

from cgp_tui.present.provider import Card, card_aside, card_rows, card_title
from cgp_tui.present.symbols import Symbols
from cgp_tui.protocol.envelope import HandshakeAck
from cgp_tui.transcript.record import Record
from cgp_tui.ui.source import Source
from cgp_tui.ui.widgets.bars import PaneTitle
from cgp_tui.ui.widgets.rows import RowsView
from cgp_tui.wire.decode import decode
from cgp_tui.wire.line import Line
from cgp_tui.wire.note import Connect, Exit, Poisoned, Spawn, Stderr

_Kind = TypeVar("_Kind", bound=Record)


def card_of(source: Source, connection: int) -> Card:
    """What the transcript tells about a connection, as far as it has been analysed."""

    def read(at: int | None, kind: type[_Kind]) -> _Kind | None:
        record = None if at is None or at >= source.count else source.transcript.record(at)
        return record if isinstance(record, kind) else None

    records = source.analysis.connections.of(connection)
    ack = source.analysis.connections.acks.get(connection)
    line = read(ack, Line)
    envelope = None if line is None else decode(line.raw).envelope
    pieces = (read(at, Stderr) for at in records.stderr)
    return Card(
        number=connection,
        count=max(source.connections, connection),
        connect=read(records.connect, Connect),
        spawn=read(records.spawn, Spawn),
        ack=envelope if isinstance(envelope, HandshakeAck) else None,
        ack_record=ack,
        poisoned=read(records.poisoned, Poisoned),
        exit=read(records.exit, Exit),
        stderr=tuple(piece for piece in pieces if piece is not None),
        bare=source.transcript.format == "bare",
    )


class ProviderPane(Vertical):
    """A title and rows, made again when there is something new about the connection."""

    class Opened(Message):
        """The person opened record `record`."""

        def __init__(self, record: int) -> None:
            super().__init__()
            self.record = record

    def __init__(self, source: Source, symbols: Symbols) -> None:
        super().__init__(id="provider")
        self.source = source
        self._title = PaneTitle(symbols, "Provider")
        self.rows = RowsView(symbols=symbols, id="provider-rows")
        self._shown: object = None

    def compose(self) -> ComposeResult:
        yield self._title
        yield self.rows

    def on_mount(self) -> None:
        self._title.focused(True)

    def look_again(self, connection: int) -> None:
        """Draw a connection; nothing moves if it is the one already shown."""
        source = self.source
        known = (source.transcript.generation, connection, source.connections)
        connections = source.analysis.connections
        shown = (known, connections.acks.get(connection), connections.of(connection).marks())
        if shown == self._shown:
            return
        same = isinstance(self._shown, tuple) and self._shown[0] == known
        self._shown = shown
        card = card_of(source, connection)
        self._title.say(card_title(card), card_aside(card, self.rows.look))
        self.rows.show(lambda look: card_rows(card, look), self.rows.cursor if same else 0, hold=same)

    @on(RowsView.Opened)
    def _opened(self, event: RowsView.Opened) -> None:
        event.stop()
        if event.jump.place is not None:
            self.post_message(self.Opened(event.jump.place))
