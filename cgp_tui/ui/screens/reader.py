"""A text in front of everything: a receipt in full, a refusal explained, what consent promises."""

from __future__ import annotations

from collections.abc import Callable

from cgp_tui.consent.promise import PROMISE
from cgp_tui.present.marked import marked
from cgp_tui.present.spans import EMPTY, Rows, row
from cgp_tui.present.symbols import Look, Symbols
from cgp_tui.text import Shown, own
from cgp_tui.ui.screens.dialog import TextDialog


class Reader(TextDialog):
    """Rows to read; esc or q goes back."""

    def __init__(self, title: Shown, make: Callable[[Look], Rows], symbols: Symbols) -> None:
        super().__init__(title, "", symbols)
        self._make = make

    def on_mount(self) -> None:
        self.view.show(self._make)


def promise_rows(look: Look) -> Rows:
    """What consent here promises and what it does not, word for word."""
    for place, paragraph in enumerate(PROMISE):
        if place:
            yield EMPTY
        yield row(*marked(paragraph))


def promise(symbols: Symbols) -> Reader:
    return Reader(own("What consent here promises"), promise_rows, symbols)
