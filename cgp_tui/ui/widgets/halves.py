"""Two halves of a screen: how they share its room, and which one has all of it."""

from __future__ import annotations

from typing import Final

from textual.widget import Widget

from cgp_tui.store.settings import SHARE_LEAST, SHARE_MOST
from cgp_tui.text import Shown, own

STEP: Final = 5
"""Percent of the room that one key moves."""

SHARE: Final = {True: 50, False: 60}
"""Percent of the room that the first half has at first: beside the second one, or above it."""


def bounded(share: int) -> int:
    """The nearest share, in percent, that leaves both halves some room."""
    return max(SHARE_LEAST, min(share, SHARE_MOST))


def share_out(first: Widget, second: Widget, share: int, *, beside: bool) -> None:
    """Give `first` that much of the room, in percent, and `second` the rest."""
    for half, part in ((first, share), (second, 100 - share)):
        wanted = (f"{part}fr", "1fr") if beside else ("1fr", f"{part}fr")
        if (str(half.styles.width), str(half.styles.height)) != wanted:
            half.styles.width, half.styles.height = wanted


def single_words(why: str) -> Shown:
    """What is said to who moves the border between halves of which only one is shown."""
    return own(f"Only one pane is shown now: {why}.")


class Halves:
    """`holder` has the class `-one` while one half has all of the room, and `-second` where that is, or would be, the second
    one; its style sheet hides the other. Both ways round keep a share of their own."""

    def __init__(self, holder: Widget, first: Widget, second: Widget) -> None:
        self.zoomed = False
        self._holder = holder
        self._halves = (first, second)
        self._shares = dict(SHARE)
        self._beside = False
        self._cramped = False

    def place(self, *, cramped: bool, beside: bool = False) -> None:
        """There is room for one of them only (`cramped`), or they are `beside` each other."""
        self._cramped, self._beside = cramped, beside
        self._lay_out()

    def _lay_out(self) -> None:
        self._holder.set_class(self.zoomed or self._cramped, "-one")
        share_out(*self._halves, self._shares[self._beside], beside=self._beside)

    def bring(self, *, second: bool) -> None:
        """Show this half where there is room for one; what is hidden cannot have the focus."""
        self._holder.set_class(second, "-second")

    def zoom(self) -> None:
        """Give all of the room to the half that has the focus, or share it again."""
        self.zoomed = not self.zoomed
        self._lay_out()

    def give(self, percent: int) -> Shown | None:
        """Give the half with the focus that much more room. What is to be said where that cannot be seen."""
        sign = -1 if self._holder.has_class("-second") else 1
        self._shares[self._beside] = bounded(self._shares[self._beside] + sign * percent)
        self._lay_out()
        if self.zoomed or self._cramped:
            return single_words("zoomed" if self.zoomed else "there are too few rows")
        return None
