"""Which columns the traffic has: ticked and unticked, seen at once."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from textual import on
from textual.binding import BindingType

from cgp_tui.present.spans import Rows
from cgp_tui.present.symbols import Look, Symbols
from cgp_tui.present.traffic import COLUMNS, column_rows
from cgp_tui.text import own
from cgp_tui.ui.keys import Key, Where, bindings
from cgp_tui.ui.screens.dialog import ListDialog
from cgp_tui.ui.widgets.rows import RowsView
from cgp_tui.ui.widgets.traffic import TrafficList


class ColumnScreen(ListDialog[None]):
    """The columns of a list."""

    BINDINGS: ClassVar[list[BindingType]] = [*bindings("tick")]
    answers: ClassVar[tuple[Where, ...]] = ("list", "tick")

    def __init__(self, traffic: TrafficList, symbols: Symbols) -> None:
        super().__init__(own("Columns"), own("kept for this transcript or provider"), symbols)
        self._traffic = traffic

    def on_mount(self) -> None:
        self.view.show(self._rows)

    def offers(self) -> Sequence[Key]:
        """Enter ticks as well, which is told once."""
        return [row for row in super().offers() if row.id != "nav.open"]

    def _rows(self, look: Look) -> Rows:
        return column_rows(self._traffic.hidden, self._traffic.columns, look)

    @on(RowsView.Opened)
    def _opened(self, event: RowsView.Opened) -> None:
        event.stop()
        self.action_item_tick()

    def action_item_tick(self) -> None:
        name = tuple(COLUMNS)[self.view.cursor]
        self._traffic.hide(self._traffic.hidden ^ {name})
        self.view.show(self._rows, self.view.cursor, hold=True)
