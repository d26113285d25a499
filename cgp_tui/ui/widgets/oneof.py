"""A line of which one thing is chosen: `Version (o) exactly 2.4.1  ( ) any`, by left and right or the space bar."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, Final

from textual.binding import BindingType
from textual.message import Message
from textual.reactive import var

from cgp_tui.present.choices import Choice
from cgp_tui.present.layout import fit, spans_width, within
from cgp_tui.present.spans import GAP, Span, span
from cgp_tui.present.symbols import Symbols
from cgp_tui.text import Shown
from cgp_tui.ui.keys import bindings
from cgp_tui.ui.widgets.bars import Bar

_LABEL: Final = 9


class OneOf(Bar, can_focus=True):
    """`at` is the place of what is chosen. The mouse takes the focus and changes nothing."""

    BINDINGS: ClassVar[list[BindingType]] = [*bindings("choice")]

    at = var(0)

    class Changed(Message):
        """The person chose another thing."""

        def __init__(self, line: OneOf) -> None:
            super().__init__()
            self.line = line

    def __init__(self, symbols: Symbols, choice: Choice, *, id: str | None = None) -> None:
        super().__init__(symbols, id=id)
        self.choice = choice

    @property
    def value(self) -> str:
        return self.choice.options[self.at][0]

    def line(self, width: int) -> Sequence[Span]:
        focused = self.has_focus
        sign = self.symbols.cursor if focused else " "
        label = fit(self.choice.label, _LABEL - 1, self.symbols)
        head = [span(sign, "strong"), Span(label, "strong" if focused else "muted")]
        out: list[Span] = []
        for first in range(self.at + 1):
            # What is chosen is always in view; where there is no room, what stands before it is not.
            out = head + [span(f"{self.symbols.cut} ")] * bool(first)
            for place, (_, words) in enumerate(self.choice.options[first : self.at + 1], first):
                out += [GAP] if place > first else []
                out += self._option(place, words)
            if spans_width(out) <= width:
                break
        for place, (_, words) in enumerate(self.choice.options[self.at + 1 :], self.at + 1):
            out += [GAP, *self._option(place, words)]
        return within(out, width, self.symbols)

    def _option(self, place: int, words: Shown) -> list[Span]:
        chosen = place == self.at
        return [span("(o) " if chosen else "( ) "), Span(words, "strong" if chosen else "muted")]

    def watch_at(self) -> None:
        self.refresh()

    def _choose(self, step: int) -> None:
        self.at = (self.at + step) % len(self.choice.options)
        self.post_message(self.Changed(self))

    def action_choice_next(self) -> None:
        self._choose(1)

    def action_choice_next_back(self) -> None:
        self._choose(-1)

    def on_focus(self) -> None:
        self.refresh()

    def on_blur(self) -> None:
        self.refresh()
