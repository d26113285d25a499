"""The question before leaving would stop a provider. The safe answer has the focus."""

from __future__ import annotations

from collections.abc import Sequence

from textual import on
from textual.widgets import Button

from cgp_tui.present.spans import row, span
from cgp_tui.present.symbols import Symbols
from cgp_tui.text import own
from cgp_tui.ui.content import plain
from cgp_tui.ui.screens.question import Question


class LeaveScreen(Question[bool]):
    """True for leaving, False for staying."""

    AUTO_FOCUS = "#stay"
    no = "Stay"

    def __init__(self, symbols: Symbols) -> None:
        super().__init__(symbols)
        self.ask(row(span("A provider is still running. Leaving stops all that run; the recording is kept.")))

    def answers(self) -> Sequence[Button]:
        return (
            Button(plain(own("Stay")), id="stay", compact=True),
            Button(plain(own("Leave")), id="leave", compact=True),
        )

    @on(Button.Pressed)
    def _answered(self, event: Button.Pressed) -> None:
        self.dismiss(event.button.id == "leave")

    def action_app_back(self) -> None:
        self.dismiss(False)
