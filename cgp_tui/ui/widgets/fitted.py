"""A frame that is as tall as what is in it, up to what its style allows."""

from __future__ import annotations

from textual.containers import Vertical
from textual.geometry import Size

from cgp_tui.ui.widgets.rows import RowsView


class Fitted(Vertical):
    """Of what is in it, `view` takes the rest of the height (`1fr`): all its lines, or as many as there is room for."""

    def __init__(self, view: RowsView) -> None:
        super().__init__()
        self._view = view

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        # The toolkit counts one line for what takes the rest.
        others = super().get_content_height(container, viewport, width) - 1
        return others + max(self._view.lines_at(width, viewport.height), 1)

    @property
    def _has_relative_children_height(self) -> bool:
        # The toolkit would make it as tall as the screen because a child takes the rest.
        return False
