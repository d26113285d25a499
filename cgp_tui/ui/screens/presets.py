"""Saved queries: the list of them, and the name of another one."""

from __future__ import annotations

from functools import partial
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Vertical
from textual.screen import ModalScreen
from textual.widgets import Input

from cgp_tui.present.form import preset_rows
from cgp_tui.present.spans import span
from cgp_tui.present.symbols import Symbols
from cgp_tui.protocol.query import ContextQuery
from cgp_tui.store.queries import NAME_CHARS, Queries
from cgp_tui.text import own
from cgp_tui.ui.keys import Where, bindings, by_id, hints
from cgp_tui.ui.stylesheets import stylesheet
from cgp_tui.ui.widgets.bars import KeyLine, Line, PaneTitle
from cgp_tui.ui.widgets.rows import RowsView


class PresetScreen(ModalScreen[ContextQuery]):
    """The query that was chosen; None where the person left."""

    CSS = stylesheet("presets")
    AUTO_FOCUS = "#presets"
    BINDINGS: ClassVar[list[BindingType]] = [
        *bindings("preset"),
        *[binding for binding in bindings("screen", "app") if binding.id in ("app.back", "app.leave")],
    ]
    answers: ClassVar[tuple[Where, ...]] = ("list", "preset")

    def __init__(self, queries: Queries, symbols: Symbols) -> None:
        super().__init__()
        self._queries = queries
        self._title = PaneTitle(symbols, "Presets")
        self.view = RowsView(symbols=symbols, id="presets")
        self._keys = KeyLine(symbols)

    def compose(self) -> ComposeResult:
        with Vertical():
            yield self._title
            yield self.view
            yield self._keys

    def on_mount(self) -> None:
        self._title.focused(True)
        self._keys.say([*hints(self.answers), by_id("app.back")])
        self._draw(0)

    def _draw(self, stand: int) -> None:
        self._title.say(own("Presets"), own(f"{len(self._queries.presets):,} saved"))
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

    @on(KeyLine.Pressed)
    async def _pressed(self, event: KeyLine.Pressed) -> None:
        event.stop()
        await self.app.run_row(event.key)  # type: ignore[attr-defined]

    def action_app_back(self) -> None:
        self.dismiss(None)

    def action_app_leave(self) -> None:
        self.dismiss(None)


class NameScreen(ModalScreen[str]):
    """The name as it was typed, empty for none; None where the person left."""

    CSS = stylesheet("presets")
    AUTO_FOCUS = "#name"
    BINDINGS: ClassVar[list[BindingType]] = [*[one for one in bindings("screen") if one.id == "app.back"]]

    def __init__(self, symbols: Symbols) -> None:
        super().__init__()
        self._title = PaneTitle(symbols)
        self._title.say(own("Save the query"), own("esc leaves"))
        self._field = Input("", own("a name for it"), id="name", compact=True, max_length=NAME_CHARS)
        self._where = Line(symbols)
        self._where.say((span(" enter keeps it under this name, in place of one that has it", "muted"),))

    def compose(self) -> ComposeResult:
        with Vertical():
            yield self._title
            yield self._field
            yield self._where

    def on_mount(self) -> None:
        self._title.focused(True)

    @on(Input.Submitted)
    def _submitted(self, event: Input.Submitted) -> None:
        event.stop()
        self.dismiss(event.value.strip())

    def action_app_back(self) -> None:
        self.dismiss(None)
