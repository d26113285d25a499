"""A paste of several lines, where one line is typed. It never submits or answers anything.

Lines that are words of one text or one list are joined by blanks. Where they would be several answers, the first one that is
not blank is taken, and the foot of the screen says how many were left out. A paste that does not fit is named there too, and
none of it is taken.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Final

from textual.events import Paste
from textual.widgets import Input

from cgp_tui.present.numbers import plural
from cgp_tui.text import Shown, own
from cgp_tui.ui.widgets.bars import PaneTitle
from cgp_tui.ui.widgets.foot import TOLD_SECONDS, Foot

if TYPE_CHECKING:
    from textual.screen import Screen

JOINS: Final = "joins"
"""The class of a field into which several lines may be pasted, joined by blanks."""

PALETTE: Final = "CommandInput"
"""The toolkit's own field of the command list."""


def fit(event: Paste, field: Input, screen: Screen[object]) -> Callable[[], None] | None:
    """Turn a paste into `field`, on `screen`, into one line of text that fits. Returns a function that reports there what
    was left out; call it once the field has taken the paste, as a field that takes none yet leaves nothing out."""
    joins = field.has_class(JOINS) or type(field).__name__ == PALETTE
    event.text, dropped = one_line(event.text, joins=joins)
    long = len(field.value) - len(field.selected_text) + len(event.text)
    if field.max_length and long > field.max_length:
        _tell(screen, own(f"not pasted: {long:,} characters, at most {field.max_length:,}"))
        event.text = ""
    elif dropped:
        before = field.value

        def pasted() -> None:
            if field.value != before:
                _tell(screen, own(f"{plural(dropped + 1, 'line')} pasted: only the first is taken"))

        return pasted
    return None


def one_line(text: str, *, joins: bool) -> tuple[str, int]:
    """A text as one line, and how many lines that are not blank are left out of it."""
    lines = [line for line in text.splitlines() if line.strip()]
    if len(lines) < 2:
        return "".join(lines) or "".join(text.splitlines()[:1]), 0
    return (" ".join(line.strip() for line in lines), 0) if joins else (lines[0], len(lines) - 1)


def _tell(screen: Screen[object], said: Shown) -> None:
    """Say it at the foot of the screen or, for as long, beside its title."""
    foot = next(iter(screen.query(Foot)), None)
    if foot is not None:
        foot.tell(said)
        return
    for title in screen.query(PaneTitle):
        before = (title.aside, *title.shorter)
        title.say(title.title, said)
        screen.set_timer(TOLD_SECONDS, partial(_untell, title, said, *before))
        break


def _untell(title: PaneTitle, said: Shown, *before: Shown) -> None:
    if title.aside == said:
        title.say(title.title, *before)
