"""A question before something is taken away; the focus stands on the answer that takes it away, which is the safe one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Horizontal, Vertical
from textual.widgets import Button, Static

from cgp_tui.present.spans import Span, span
from cgp_tui.present.symbols import Symbols
from cgp_tui.text import Shown, own
from cgp_tui.ui.content import plain
from cgp_tui.ui.keys import SIDEWAYS, bindings
from cgp_tui.ui.screens.front import Front
from cgp_tui.ui.stylesheets import stylesheet
from cgp_tui.ui.widgets.bars import Line


class Sure(Front[bool]):
    """True for `yes`. `lines` list what it is about, at most eight of them."""

    CSS = stylesheet("sure")
    AUTO_FOCUS = "#yes"
    BINDINGS: ClassVar[list[BindingType]] = [
        *[binding for binding in bindings("screen") if binding.id == "app.back"],
        *SIDEWAYS,
    ]

    def __init__(self, question: Shown, lines: Sequence[Shown], yes: str, no: str, symbols: Symbols) -> None:
        super().__init__()
        kept = [Span(line) for line in lines[:8]]
        if len(lines) > len(kept):
            kept.append(span(f"and {len(lines) - len(kept)} more", "muted"))
        self._question = Static(plain(question), id="question")
        self._lines = []
        for part in kept:
            line = Line(symbols)
            line.say((span("  "), part))
            self._lines.append(line)
        self._yes, self._no = own(yes), own(no)

    def compose(self) -> ComposeResult:
        with Vertical():
            yield self._question
            yield from self._lines
            with Horizontal():
                yield Button(plain(self._yes), id="yes", compact=True)
                yield Button(plain(self._no), id="no", compact=True)

    @on(Button.Pressed)
    def _answered(self, event: Button.Pressed) -> None:
        event.stop()
        self.dismiss(event.button.id == "yes")

    def action_app_back(self) -> None:
        self.dismiss(False)
