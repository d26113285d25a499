"""The first line: the views by their numbers, the open one in brackets, and whose transcript this is."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate
from typing import Final

import msgspec
from textual import events
from textual.message import Message

from cgp_tui.present.layout import cell_width, cut_middle, spans_width, within
from cgp_tui.present.spans import Span, Token, span
from cgp_tui.text import own
from cgp_tui.ui.keymap import keymap_of
from cgp_tui.ui.keys import Key, by_id
from cgp_tui.ui.widgets.bars import Bar

_LEAST: Final = 12
"""Cells below which the name of the transcript is left out."""
_NAME: Final = 8
"""Cells that the name keeps beside its counts."""
_LETTERS: Final = 3
"""Letters that a view's name keeps."""


class Tab(msgspec.Struct, frozen=True):
    """A view by the id of its key; `aside` stands behind its name."""

    id: str
    open: bool = False
    aside: str = ""

    @property
    def key(self) -> Key:
        return by_id(self.id)


class ViewTabs(Bar):
    """Views and the transcript's name; a click opens a view."""

    class Chosen(Message):
        """The person clicked on a view."""

        def __init__(self, key: Key) -> None:
            super().__init__()
            self.key = key

    tabs: tuple[Tab, ...] = ()
    right: tuple[Span, ...] = ()

    def say(self, tabs: tuple[Tab, ...], right: tuple[Span, ...]) -> None:
        if (tabs, right) != (self.tabs, self.right):
            self.tabs, self.right = tabs, right
            self.refresh()

    def _words(self, tab: Tab, letters: int) -> tuple[str, str]:
        """`2` and ` Findings 4`: the key that the person has for it, then its name with no more than that many letters."""
        shown = keymap_of(self).shown(tab.key)
        name = " ".join(word for word in (tab.key.label[:letters], tab.aside) if word)
        return shown, f" {name}" if shown else name

    def _places(self, width: int) -> list[tuple[int, int, Tab, tuple[str, str]]]:
        """Where each tab begins and ends, and its words. Names that do not fit are shortened evenly: of each there must be
        enough to recognise it."""
        longest = max((len(tab.key.label) for tab in self.tabs), default=_LETTERS)
        for letters in range(longest, _LETTERS - 1, -1):
            words = [self._words(tab, letters) for tab in self.tabs]
            ends = list(accumulate(cell_width(key + name) + 2 for key, name in words))
            if not ends or ends[-1] <= width:
                break
        return list(zip([0, *ends], ends, self.tabs, words, strict=False))

    def line(self, width: int) -> Sequence[Span]:
        out: list[Span] = []
        for _, _, tab, (key, name) in self._places(width):
            left, right = ("[", "]") if tab.open else (" ", " ")
            token: Token = "strong" if tab.open else "muted"
            tip = own(tab.key.sentence)
            # The number is as bright as in the key line, so that it does not pass for a count of the name before it.
            out += [span(left, token), Span(own(key), "strong", tip), Span(own(name), token, tip), span(right, token)]
        room = width - spans_width(out) - 2
        if room < _LEAST:
            return out
        kept = within(self._short(room), room, self.symbols)
        return [*out, span(" " * (room - spans_width(kept) + 1)), *kept]

    def _short(self, room: int) -> tuple[Span, ...]:
        """What is at the right; where there is less room, the name gives way before the counts behind it do, but rather than
        leave nothing of either, the name stands alone."""
        if spans_width(self.right) <= room or not self.right:
            return self.right
        name, *rest = self.right
        left = room - spans_width(rest)
        if left < _NAME:
            rest, left = [], room
        return (Span(cut_middle(name.text, left, self.symbols), name.token, name.tip), *rest)

    def on_click(self, event: events.Click) -> None:
        for start, end, tab, _ in self._places(self.size.width):
            if start <= event.x < end:
                self.post_message(self.Chosen(tab.key))
                return
