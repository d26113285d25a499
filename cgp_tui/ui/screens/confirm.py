"""A question before something is taken away. The answer that takes it away has the focus, because it is the safe one."""

from __future__ import annotations

from collections.abc import Sequence

from textual import on
from textual.widgets import Button

from cgp_tui.present.spans import Row, Span, row, span
from cgp_tui.present.symbols import Symbols
from cgp_tui.text import Shown, own
from cgp_tui.ui.content import plain
from cgp_tui.ui.screens.question import Question


class ConfirmScreen(Question[bool]):
    """True for `yes`. `lines` list what it is about, at most eight of them."""

    AUTO_FOCUS = "#yes"

    def __init__(self, question: Shown, lines: Sequence[Shown], yes: str, no: str, symbols: Symbols) -> None:
        super().__init__(symbols)
        self.no = no
        self._yes = yes
        kept = [Span(line) for line in lines[:8]]
        if len(lines) > len(kept):
            kept.append(span(f"and {len(lines) - len(kept)} more", "muted"))
        self.ask(row(Span(question, "strong")), *(Row((part,), lead=span("  "), rest=span("    ")) for part in kept))

    def answers(self) -> Sequence[Button]:
        return (
            Button(plain(own(self._yes)), id="yes", compact=True),
            Button(plain(own(self.no)), id="no", compact=True),
        )

    @on(Button.Pressed)
    def _answered(self, event: Button.Pressed) -> None:
        event.stop()
        self.dismiss(event.button.id == "yes")

    def action_app_back(self) -> None:
        self.dismiss(False)
