"""What can be searched: a text, or a list that is read like one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from textual.widget import Widget


class Searched(Protocol):
    """`wanted` is what is searched for, empty for nothing; `matches` are the places that hold it, as far as it was looked,
    and `match_place` is which of them the cursor is on, from 0."""

    wanted: str

    @property
    def matches(self) -> Sequence[object]: ...

    @property
    def match_place(self) -> int | None: ...

    def search(self, text: str) -> None:
        """Search for another text, and go to where it is next, from the cursor on."""
        ...

    def step_match(self, forward: bool) -> object | None:
        """To the next place that holds it, round the end; None where there is none."""
        ...

    def focus(self, scroll_visible: bool = True) -> Widget: ...
