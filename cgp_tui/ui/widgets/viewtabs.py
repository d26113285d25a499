"""The first line: the views by their numbers, the open one in brackets, and whose transcript this is."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

import msgspec
from textual import events
from textual.message import Message

from cgp_tui.present.layout import cell_width, cut_middle, spans_width, within
from cgp_tui.present.spans import Span, Token, span
from cgp_tui.text import Shown, own
from cgp_tui.ui.keymap import keymap_of
from cgp_tui.ui.keys import Key, by_id
from cgp_tui.ui.widgets.bars import Bar

_LEAST: Final = 12
"""Cells below which the name of the transcript is left out."""
_NAME: Final = 8
"""Cells that the name keeps beside its counts."""


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

    def _text(self, tab: Tab) -> Shown:
        """`2 Findings 4`, by the key that the person has for it."""
        return own(" ".join(word for word in (keymap_of(self).shown(tab.key), tab.key.label, tab.aside) if word))

    def _places(self) -> Iterator[tuple[int, int, Tab]]:
        at = 0
        for tab in self.tabs:
            end = at + cell_width(self._text(tab)) + 2
            yield at, end, tab
            at = end

    def line(self, width: int) -> Sequence[Span]:
        out: list[Span] = []
        for _, _, tab in self._places():
            left, right = ("[", "]") if tab.open else (" ", " ")
            token: Token = "strong" if tab.open else "muted"
            text = self._text(tab)
            out += [span(left, token), Span(text, token, own(tab.key.sentence)), span(right, token)]
        room = width - spans_width(out) - 2
        if room < _LEAST:
            return out
        kept = within(self._short(room), room, self.symbols)
        return [*out, span(" " * (room - spans_width(kept) + 1)), *kept]

    def _short(self, room: int) -> tuple[Span, ...]:
        """What is at the right; where there is less room, the name gives way before the counts behind it do."""
        over = spans_width(self.right) - room
        if over <= 0 or not self.right:
            return self.right
        name, *rest = self.right
        text = cut_middle(name.text, max(cell_width(name.text) - over, _NAME), self.symbols)
        return (Span(text, name.token, name.tip), *rest)

    def on_click(self, event: events.Click) -> None:
        for start, end, tab in self._places():
            if start <= event.x < end:
                self.post_message(self.Chosen(tab.key))
                return
