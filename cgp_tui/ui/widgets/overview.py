"""The whole session in one line; a click goes there."""

from __future__ import annotations

from collections.abc import Sequence
from time import monotonic
from typing import Final

from textual import events
from textual.message import Message

from cgp_tui.present.numbers import plural
from cgp_tui.present.overview import Cell, cell_of, looked_at, overview_spans, stretch_words, stretches, type_words
from cgp_tui.present.spans import Span, span
from cgp_tui.present.symbols import Symbols
from cgp_tui.text import Shown, compose
from cgp_tui.ui import pace
from cgp_tui.ui.source import Source
from cgp_tui.ui.widgets.bars import Bar

HIDDEN: Final = 60
"""The number of cells that the session is divided into where there is no room for the strip."""

PLACE_FROM: Final = 40
"""The width, in cells, from which on there is room for the place beside the strip."""


class Overview(Bar):
    """Draws a source; the cell of record `at` is marked. With `numbered` the line that it is stands at the right."""

    class Chosen(Message):
        """The person clicked on a stretch of the session: its first record that something is wrong with, else its first."""

        def __init__(self, at: int) -> None:
            super().__init__()
            self.at = at

    def __init__(self, source: Source, symbols: Symbols) -> None:
        super().__init__(symbols, id="overview")
        self._source = source
        self._at = 0
        self.numbered = False
        self._drawn: tuple[object, ...] = ()
        self._next = 0.0
        self._cells: list[Cell] = []
        self._types: tuple[tuple[int, ...], Shown] | None = None

    def look(self, at: int) -> None:
        """Mark the cell of record `at`, and draw what is new; at a steady pace while new records keep coming."""
        news, now = self._news(), monotonic()
        if news != self._drawn and (now >= self._next or self._source.count <= pace.SHORT_RECORDS):
            self._drawn, self._next = news, now + pace.OVERVIEW_SECONDS
            self._cells = []
            self.refresh()
        if at != self._at:
            self._at = at
            self.refresh()

    def _news(self) -> tuple[object, ...]:
        source = self._source
        return source.count, source.done, source.found, source.transcript.generation

    def line(self, width: int) -> Sequence[Span]:
        count = self._source.count
        if not count:
            return ()
        at, room = min(self._at, count - 1), self._room(width)
        if len(self._cells) != min(count, room):
            self._cells = [self._cell(first, after) for first, after in stretches(count, room)]
        strip = overview_spans(self._cells, cell_of(at, count, room), self.symbols)
        if room == width:
            return strip
        line, lines = self._source.transcript.row(at).n, self._source.lines
        place = plural(lines, "line") if line is None else f"{line:,} of {lines:,}"
        return (*strip, span(place.rjust(width - len(strip)), "muted"))

    def _room(self, width: int) -> int:
        """The cells of the strip, of `width` in all."""
        lines = f"{self._source.lines:,}"
        return width - len(f"  {lines} of {lines}") if self.numbered and width >= PLACE_FROM else width

    def _cell(self, first: int, after: int) -> Cell:
        source = self._source
        return Cell(source.transcript.size(first, after), source.worst(first, after), source.done >= after)

    def tip_at(self, x: int) -> Shown | None:
        """Which records a cell stands for, and what they are."""
        words = self._words(x, self._room(self.size.width))
        return None if words is None else compose("{words}; a click goes to it", words=words)

    def words_at(self, at: int) -> Shown | None:
        """The same of the cell of record `at`."""
        count, width = self._source.count, self._room(self.size.width) or HIDDEN
        return self._words(cell_of(at, count, width), width) if at < count else None

    def _words(self, place: int, width: int) -> Shown | None:
        count = self._source.count
        places = stretches(count, width) if count else []
        if place >= len(places):
            return None
        first, after = places[place]
        return stretch_words(first, after, count, self._types_of(first, after), self._cell(first, after))

    def _types_of(self, first: int, after: int) -> Shown:
        """Those of a cell; kept while the pointer rests on it."""
        source = self._source
        which = (first, after, source.transcript.generation)
        if self._types is None or self._types[0] != which:
            self._types = which, type_words([source.type(at) for at in looked_at(first, after)], after - first)
        return self._types[1]

    def on_click(self, event: events.Click) -> None:
        count, width = self._source.count, self._room(self.size.width)
        places = stretches(count, width) if count else []
        if event.x < len(places):
            self.post_message(self.Chosen(self._first(*places[event.x])))

    def _first(self, first: int, after: int) -> int:
        """The first record of a stretch that something is wrong with, else its first."""
        worst = self._source.worst
        wrong = (at for at in range(first, after) if worst(at, at + 1))
        return next(wrong, first)

    def beside(self, at: int, by: int) -> int | None:
        """The record to which the cell leads that is `by` cells after that of record `at`; None where there is none."""
        count, width = self._source.count, self._room(self.size.width) or HIDDEN
        places = stretches(count, width) if count else []
        place = cell_of(at, count, width) + by if places else -1
        return self._first(*places[place]) if 0 <= place < len(places) else None
