"""What stands in front of a screen and is answered once.

A quick hand, or a key that repeats, answers again before the first answer has taken the question away. The toolkit would
then take away whatever stands behind it, and end the app where that is the last screen.

Where the terminal is small it fills it, without a frame (`more.tcss` has the rules).
"""

from __future__ import annotations

from typing import Final

from textual.await_complete import AwaitComplete
from textual.geometry import Size
from textual.screen import ModalScreen, ScreenResultType

from cgp_tui.ui.screens.calm import Calm

LOW_ROWS: Final = 16
"""Below this height it is `-low`."""
NARROW_CELLS: Final = 56
"""Below this width it is `-narrow`."""
TINY_CELLS: Final = 30
"""Below this one `-tiny` too."""


class Front(ModalScreen[ScreenResultType], Calm[ScreenResultType]):
    """`answered` is whether it has been; whoever acts on an answer asks that first."""

    answered = False

    def dismiss(self, result: ScreenResultType | None = None) -> AwaitComplete:
        """Go away with `result`; a later answer is none."""
        if self.answered:
            return AwaitComplete()
        self.answered = True
        return super().dismiss(result)

    def _screen_resized(self, size: Size) -> None:
        # Not by the toolkit's breakpoints: it leaves them as they were on what stands behind another front.
        self.set_class(size.height < LOW_ROWS, "-low")
        self.set_class(size.width < NARROW_CELLS, "-narrow")
        self.set_class(size.width < TINY_CELLS, "-tiny")
        super()._screen_resized(size)
