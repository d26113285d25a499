"""What this app needs of Textual 8.2 and Textual does not promise: private names, and what it leaves undone.

Everything that other modules would have to reach for stands here under a name of ours. A subclass that has to override
something private does so where it is: the driver (`driver`), the way an app ends (`crash`), the command palette (`palette`)
and the height of a frame (`widgets.fitted`). The tests hold the list of all of it, and name what a later version lacks.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from textual.geometry import Size
from textual.screen import Screen, ScreenResultType

if TYPE_CHECKING:
    from textual.app import App
    from textual.strip import Strip
    from textual.widget import Widget


class RestingScreen(Screen[ScreenResultType]):
    """A screen that rests while another one is in front of it, and that is told its size before it is laid out.

    The one in front lets the screen behind show through, so any change there repaints all of it. Textual then asks the
    screen behind for a repaint of its own, which changes nothing and asks for the next one, sixty times a second for as
    long as the front is there. Here what changes behind is painted once.
    """

    def _compositor_refresh(self) -> None:
        wanted = self._repaint_required
        super()._compositor_refresh()
        if self is not self.app.screen:
            self._repaint_required = wanted

    def _screen_resized(self, size: Size) -> None:
        # Textual's breakpoints are not updated on a screen behind another one, and its resize event comes after the layout.
        self.fit_to(size)
        super()._screen_resized(size)

    def fit_to(self, size: Size) -> None:
        """The terminal has this size now; the layout follows."""


def drawn(screen: Screen[Any]) -> Iterable[Strip]:
    """The lines of a screen as they are drawn."""
    return screen._compositor.render_strips()


def paint_at_once(widget: Widget) -> None:
    """Repaint a widget without waiting for the screen's next sixtieth of a second."""
    widget.screen._dirty_widgets.add(widget)
    widget.screen._on_timer_update()


def scope_of(kind: type[Screen[Any]]) -> str:
    """The type name to which the style sheet of a screen is confined."""
    return kind._css_type_name


def renew_colors(app: App[Any]) -> None:
    """Give the filter for terminals of sixteen colours the theme that was set without the usual notice."""
    app._refresh_truecolor_filter(app.ansi_theme)
