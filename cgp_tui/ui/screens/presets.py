"""What is saved under a name, queries and filters: the list of them, and the name of another one."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import ClassVar, TypeVar

from textual import on
from textual.binding import BindingType
from textual.widgets import Input

from cgp_tui.present.filterbar import saved_rows
from cgp_tui.present.form import preset_rows
from cgp_tui.present.spans import Rows
from cgp_tui.present.symbols import Look, Symbols
from cgp_tui.protocol.query import ContextQuery
from cgp_tui.store.filters import Filters
from cgp_tui.store.queries import NAME_CHARS, Queries
from cgp_tui.text import Shown, own
from cgp_tui.ui.keys import Key, Where, bindings, by_id
from cgp_tui.ui.screens.dialog import LineDialog, ListDialog
from cgp_tui.ui.widgets.rows import RowsView

Kept = TypeVar("Kept")


class SavedScreen(ListDialog[Kept]):
    """What was saved under the name that was chosen; None where the person left. `saved` says what there is, `rows` draws a
    row for each, `forget` removes one."""

    BINDINGS: ClassVar[list[BindingType]] = [*bindings("preset")]
    answers: ClassVar[tuple[Where, ...]] = ("list", "preset")

    def __init__(
        self,
        title: Shown,
        saved: Callable[[], Mapping[str, Kept]],
        rows: Callable[[Mapping[str, Kept], Look], Rows],
        forget: Callable[[str], None],
        symbols: Symbols,
    ) -> None:
        super().__init__(title, own(""), symbols)
        self._title = title
        self._saved = saved
        self._rows = rows
        self._forget = forget

    def on_mount(self) -> None:
        self._draw(0)

    def offers(self) -> Sequence[Key]:
        return super().offers() if self._saved() else ()

    def _draw(self, stand: int) -> None:
        saved = self._saved()
        self.heading.say(self._title, own(f"{len(saved):,} saved"))
        self.view.show(partial(self._rows, saved), stand)
        self.keys.say([*self.offers(), by_id("app.back")])

    @property
    def _chosen(self) -> str | None:
        """The name under the cursor."""
        names = list(self._saved())
        return names[self.view.cursor] if self.view.cursor < len(names) else None

    @on(RowsView.Opened)
    def _opened(self, event: RowsView.Opened) -> None:
        event.stop()
        name = self._chosen
        if name is not None:
            self.dismiss(self._saved()[name])

    def action_preset_forget(self) -> None:
        name = self._chosen
        if name is not None:
            at = self.view.cursor
            self._forget(name)
            self._draw(max(min(at, len(self._saved()) - 1), 0))


class PresetScreen(SavedScreen[ContextQuery]):
    """The saved queries."""

    opens = "Fill in"

    def __init__(self, queries: Queries, symbols: Symbols) -> None:
        super().__init__(own("Presets"), lambda: queries.presets, preset_rows, queries.forget, symbols)


class FilterScreen(SavedScreen[str]):
    """The saved filters."""

    opens = "Filter"

    def __init__(self, filters: Filters, symbols: Symbols) -> None:
        super().__init__(own("Saved filters"), lambda: filters.texts, saved_rows, filters.forget, symbols)


class NameScreen(LineDialog):
    """The name for what is to be saved."""

    def __init__(self, symbols: Symbols, what: str = "query", most: int = NAME_CHARS) -> None:
        field = Input("", own("a name for it"), compact=True, max_length=most)
        hint = "enter saves it under this name, replacing any that has it"
        super().__init__(own(f"Save the {what}"), field, hint, symbols)
