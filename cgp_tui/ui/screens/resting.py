"""A screen that rests while another one is in front of it.

The one in front lets the screen behind show through, so any change there repaints all of it. Textual 8.2 then asks the
screen behind for a repaint of its own, which changes nothing and asks for the next one, sixty times a second for as long as
the front is there.
"""

from __future__ import annotations

from textual.screen import Screen, ScreenResultType


class RestingScreen(Screen[ScreenResultType]):
    """What changes behind is painted once."""

    def _compositor_refresh(self) -> None:
        wanted = self._repaint_required
        super()._compositor_refresh()
        if self is not self.app.screen:
            self._repaint_required = wanted
