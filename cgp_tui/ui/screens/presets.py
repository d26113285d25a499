"""Saved queries: the list of them, and the name of another one."""

from __future__ import annotations

from functools import partial
from typing import ClassVar

from textual import on
from textual.binding import BindingType
from textual.widgets import Input

from cgp_tui.present.form import preset_rows
from cgp_tui.present.symbols import Symbols
from cgp_tui.protocol.query import ContextQuery
from cgp_tui.store.queries import NAME_CHARS, Queries
from cgp_tui.text import own
from cgp_tui.ui.keys import Where, bindings
from cgp_tui.ui.screens.dialog import LineDialog, ListDialog
from cgp_tui.ui.widgets.rows import RowsView


class PresetScreen(ListDialog[ContextQuery]):
    """The query that was chosen; None where the person left."""

    BINDINGS: ClassVar[list[BindingType]] = [*bindings("preset")]
    answers: ClassVar[tuple[Where, ...]] = ("list", "preset")

    def __init__(self, queries: Queries, symbols: Symbols) -> None:
        super().__init__(own("Presets"), own(""), symbols)
        self._queries = queries

    def on_mount(self) -> None:
        self._draw(0)

    def _draw(self, stand: int) -> None:
        self.heading.say(own("Presets"), own(f"{len(self._queries.presets):,} saved"))
        self.view.show(partial(preset_rows, self._queries.presets), stand)

    @property
    def _chosen(self) -> str | None:
        """The name under the cursor."""
        names = list(self._queries.presets)
        return names[self.view.cursor] if self.view.cursor < len(names) else None

    @on(RowsView.Opened)
    def _opened(self, event: RowsView.Opened) -> None:
        event.stop()
        name = self._chosen
        if name is not None:
            self.dismiss(self._queries.presets[name])

    def action_preset_forget(self) -> None:
        name = self._chosen
        if name is not None:
            at = self.view.cursor
            self._queries.forget(name)
            self._draw(max(min(at, len(self._queries.presets) - 1), 0))


class NameScreen(LineDialog):
    """The name for a query."""

    def __init__(self, symbols: Symbols) -> None:
        field = Input("", own("a name for it"), compact=True, max_length=NAME_CHARS)
        hint = "enter keeps it under this name, in place of one that has it"
        super().__init__(own("Save the query"), field, hint, symbols)
