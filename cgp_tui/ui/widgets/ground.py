"""What lies under other widgets: containers whose lines are all alike, so that one is painted and stands for all.

The toolkit paints what a container itself would show, line by line, where its children leave nothing of it to be seen: half
of what is painted of a screen.
"""

from __future__ import annotations

from collections.abc import Callable

from textual.containers import Vertical
from textual.geometry import Region
from textual.strip import Strip


def alike(paint: Callable[[Region], list[Strip]], crop: Region) -> list[Strip]:
    """The lines of a part of a widget that has at most an edge at its sides, from its first one, painted by `paint`."""
    return paint(Region(crop.x, 0, crop.width, 1)) * crop.height


class Ground(Vertical):
    """A container without an edge above or below."""

    def render_lines(self, crop: Region) -> list[Strip]:
        return alike(super().render_lines, crop)
