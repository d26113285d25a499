"""How each transcript and each provider was last looked at: panes, columns, filter, place. It helps and permits nothing.

A view is found by a digest of what it is about, so that the names in the folder tell nobody what was opened.
"""

from __future__ import annotations

import hashlib
import re
from pathlib import Path
from typing import Final

import msgspec

from cgp_tui import limits
from cgp_tui.store.settings import SHARE_LEAST, SHARE_MOST, Column, TimeMode, Turn
from cgp_tui.store.shelf import Shelf

_TARGET: Final = "[0-9a-f]{32}"


class View(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How one target was left. `beside` and `stacked` are the share of the traffic list in percent, `filter` is what was
    typed, `connection` the only one that was shown, `line` the wire line that the cursor was on or after, `hidden` the
    columns that were left out."""

    target: str
    panes: Turn = "auto"
    beside: int = 50
    stacked: int = 40
    time: TimeMode = "clock"
    filter: str = ""
    suspended: bool = False
    connection: int | None = None
    line: int | None = None
    hidden: tuple[Column, ...] = ()


class Views:
    """What is kept in `folder` about one target, the digest that `of_file` or `of_provider` gives."""

    def __init__(self, folder: Path, target: str) -> None:
        self.target = target
        self._shelf = Shelf(folder, View, _fault, "target")

    def put(self, view: View) -> bool:
        """Keep how the target is looked at. Returns whether that worked. Never raises."""
        if len(view.filter) > limits.FILTER_CHARS:
            view = msgspec.structs.replace(view, filter="", suspended=False)
        return self._shelf.put(view)

    def get(self) -> tuple[View | None, str]:
        """How the target was left, or None and why that is not known (empty for a new target)."""
        return self._shelf.get(self.target)


def of_file(path: Path) -> str:
    """The digest that stands for the transcript at a path."""
    return _digest(f"file:{path.absolute()}")


def of_provider(name: str) -> str:
    """The digest that stands for every session with a provider."""
    return _digest(f"provider:{name}")


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogateescape")).hexdigest()[:32]


def _fault(view: View) -> str:
    if not re.fullmatch(_TARGET, view.target):
        return "it names no target"
    if not all(SHARE_LEAST <= share <= SHARE_MOST for share in (view.beside, view.stacked)):
        return "its panes do not fit"
    if len(view.filter) > limits.FILTER_CHARS:
        return "its filter is too long"
    return "" if all(number is None or number > 0 for number in (view.connection, view.line)) else "it counts from 1"
