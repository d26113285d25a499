"""A text in front of everything: a receipt in full, a refusal explained, what consent promises."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Vertical
from textual.screen import ModalScreen

from cgp_tui.consent.promise import PROMISE
from cgp_tui.present.spans import EMPTY, Rows, row
from cgp_tui.present.symbols import Look, Symbols
from cgp_tui.text import Shown, own
from cgp_tui.ui.keys import Key, bindings, hints
from cgp_tui.ui.stylesheets import stylesheet
from cgp_tui.ui.widgets.bars import KeyLine, PaneTitle
from cgp_tui.ui.widgets.rows import RowsView


class Reader(ModalScreen[None]):
    """Rows to read; esc, q or enter goes back."""

    CSS = stylesheet("reader")
    BINDINGS: ClassVar[list[BindingType]] = [
        *[binding for binding in bindings("screen", "app") if binding.id in ("app.back", "app.leave")]
    ]

    def __init__(self, title: Shown, make: Callable[[Look], Rows], symbols: Symbols) -> None:
        super().__init__()
        self._make = make
        self._title = PaneTitle(symbols)
        self._title.say(title, own("esc goes back"))
        self.view = RowsView(symbols=symbols)
        self._keys = KeyLine(symbols)

    def compose(self) -> ComposeResult:
        with Vertical():
            yield self._title
            yield self.view
            yield self._keys

    def on_mount(self) -> None:
        self._title.focused(True)
        self._keys.say([*self.offers(), *[key for key in hints(("screen",)) if key.id == "app.back"]])
        self.view.show(self._make)
        self.view.focus()

    def offers(self) -> Sequence[Key]:
        """What the keys do here beside leading back."""
        return ()

    def action_app_back(self) -> None:
        self.dismiss()

    def action_app_leave(self) -> None:
        self.dismiss()


def promise_rows(look: Look) -> Rows:
    """What consent here promises and what it does not, word for word."""
    for paragraph in PROMISE:
        yield row(own(paragraph))
        yield EMPTY


def promise(symbols: Symbols) -> Reader:
    return Reader(own("What consent here promises"), promise_rows, symbols)
