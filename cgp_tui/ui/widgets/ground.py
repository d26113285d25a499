"""The background of other widgets: containers whose lines are all alike, so that only one of them is painted.

The toolkit paints a container line by line even where its children cover all of it: half of all that is painted.
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
