"""What can be searched: a text, or a list that is read like one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from textual.widget import Widget


class Searched(Protocol):
    """`wanted` is the text searched for, empty for none; `matches` are the places found so far, and `match_place` is the
    index of the one that the cursor is on."""

    wanted: str

    @property
    def matches(self) -> Sequence[object]: ...

    @property
    def match_place(self) -> int | None: ...

    def search(self, text: str) -> None:
        """Search for another text, and go to its next place from the cursor on."""
        ...

    def step_match(self, forward: bool) -> object | None:
        """Go to the next place that holds it, wrapping around; None where there is none."""
        ...

    def focus(self, scroll_visible: bool = True) -> Widget: ...
