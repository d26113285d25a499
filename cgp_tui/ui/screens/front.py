"""What stands in front of a screen and is answered once.

A quick hand, or a key that repeats, answers again before the first answer has taken the question away. The toolkit would
then take away whatever stands behind it, and end the app where that is the last screen.
"""

from __future__ import annotations

from textual.await_complete import AwaitComplete
from textual.screen import ModalScreen, ScreenResultType

from cgp_tui.ui.screens.calm import Calm


class Front(ModalScreen[ScreenResultType], Calm[ScreenResultType]):
    """`answered` is whether it has been; whoever acts on an answer asks that first."""

    answered = False

    def dismiss(self, result: ScreenResultType | None = None) -> AwaitComplete:
        """Go away with `result`; a later answer is none."""
        if self.answered:
            return AwaitComplete()
        self.answered = True
        return super().dismiss(result)
