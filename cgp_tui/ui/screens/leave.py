"""The question before leaving would stop a provider. The safe answer has the focus.

The key that asked it leaves when it is pressed again, as people expect of ctrl+c. A key that is held down is one press.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, Final

from textual import on
from textual.binding import BindingType
from textual.timer import Timer
from textual.widgets import Button

from cgp_tui.present.spans import row, span
from cgp_tui.present.symbols import Symbols
from cgp_tui.text import own
from cgp_tui.ui.content import plain
from cgp_tui.ui.keys import bindings
from cgp_tui.ui.screens.question import Question

HELD_SECONDS: Final = 0.15
"""A key that comes again sooner is held down: terminals repeat one about thirty times a second."""


class LeaveScreen(Question[bool]):
    """True for leaving, False for staying."""

    AUTO_FOCUS = "#stay"
    BINDINGS: ClassVar[list[BindingType]] = [binding for binding in bindings("app") if binding.id == "app.leave"]
    no = "Stay"

    def __init__(self, symbols: Symbols) -> None:
        super().__init__(symbols)
        self._again: Timer | None = None
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

    def action_app_leave(self) -> None:
        """Leave once the key has not come again for a moment; where it has, it is held down and counts for nothing."""
        alone = self._again is None
        if self._again is not None:
            self._again.stop()
        self._again = self.set_timer(HELD_SECONDS, lambda: self._let_go(alone))

    def _let_go(self, alone: bool) -> None:
        self._again = None
        if alone:
            self.dismiss(True)
