"""Something in front of a screen that is answered once.

A quick hand, or a repeating key, answers again before the first answer has removed the question. The toolkit would then
remove whatever is behind it, and end the app if that is the last screen.

On a small terminal it fills the screen, without a frame (the rules are in `more.tcss`).
"""

from __future__ import annotations

from typing import Final

from textual.await_complete import AwaitComplete
from textual.geometry import Size
from textual.screen import ModalScreen, ScreenResultType

from cgp_tui.ui.toolkit import RestingScreen

LOW_ROWS: Final = 16
"""Below this height it is `-low`."""
NARROW_CELLS: Final = 56
"""Below this width it is `-narrow`."""
TINY_CELLS: Final = 30
"""Below this one `-tiny` too."""


class Modal(ModalScreen[ScreenResultType], RestingScreen[ScreenResultType]):
    """`answered` says whether it has been answered; check that before acting on an answer."""

    answered = False

    def dismiss(self, result: ScreenResultType | None = None) -> AwaitComplete:
        """Close with `result`; later answers are ignored."""
        if self.answered:
            return AwaitComplete()
        self.answered = True
        return super().dismiss(result)

    def fit_to(self, size: Size) -> None:
        self.set_class(size.height < LOW_ROWS, "-low")
        self.set_class(size.width < NARROW_CELLS, "-narrow")
        self.set_class(size.width < TINY_CELLS, "-tiny")
