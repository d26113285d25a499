"""The list of findings: all that is wrong in the session, grouped."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from time import perf_counter
from typing import ClassVar, Final

from textual import events
from textual.binding import BindingType
from textual.message import Message
from textual.strip import Strip

from cgp_tui.present.grouped import (
    ORDERS,
    At,
    Grouped,
    Key,
    Order,
    entry_spans,
    entry_text,
)
from cgp_tui.present.layout import fold
from cgp_tui.present.spans import Row, Span
from cgp_tui.present.symbols import Look, Symbols
from cgp_tui.text import Shown, compose, own, show
from cgp_tui.ui.keymap import look_of
from cgp_tui.ui.keys import bindings
from cgp_tui.ui.pace import AT_ONCE_SECONDS
from cgp_tui.ui.source import Source
from cgp_tui.ui.widgets.painted import Painted
from cgp_tui.ui.widgets.rows import SLICE

NAMED_CHARS: Final = 24
"""How much of a line's type stands beside its number."""


class FindingsList(Painted, can_focus=True):
    """Groups and their findings, a line each. What comes in moves neither the cursor nor what is in view."""

    BINDINGS: ClassVar[list[BindingType]] = [*bindings("list", "group")]

    class Moved(Message):
        """The person moved the cursor to another row."""

    class Opened(Message):
        """The person opened a finding."""

    def __init__(self, source: Source, symbols: Symbols) -> None:
        super().__init__(symbols=symbols, id="findings-list")
        self.source = source
        self.grouped = Grouped("anchor")
        self.cursor: At | None = None
        self.empty: Shown = own("")
        self._known = (-1, 0, 0)
        self.wanted = ""
        """The text that is searched for; empty for none."""
        self._hits: list[tuple[tuple[int, int], At]] = []
        self._unseen: Iterator[tuple[tuple[int, int], At]] = iter(())
        self._goes = False

    # -- what there is

    def look_again(self) -> bool:
        """Take in what the analysis has found since; whether there was anything."""
        analysis, generation = self.source.analysis, self.source.transcript.generation
        known = (generation, analysis.taken_back, len(analysis.findings))
        before, self._known = self._known, known
        if known == before:
            return False
        if known[:2] == before[:2]:
            self._keep_still(lambda: self.grouped.take(analysis.findings[before[2] :]))
        else:
            same = generation == before[0]
            self.cursor = self.cursor if same else None
            self._build(self.grouped.order, self.grouped.turned if same else ())
        self._seek(goes=False)
        return True

    def _build(self, order: Order, turned: Collection[Key] = ()) -> None:
        """The list anew: in another order, or without what does not hold any more."""

        def build() -> None:
            self.grouped = Grouped(order, turned)
            self.grouped.take(self.source.analysis.findings)

        self._keep_still(build)

    def _keep_still(self, change: Callable[[], None]) -> None:
        """Do something to the list; the row under the cursor stays where it is on the screen."""
        above = (self.row or 0) - self.scroll_offset.y
        old_row = self.row or 0
        change()
        self.set_lines(len(self.grouped))
        if self.cursor is not None and self.row is None:
            self.cursor = self.grouped.at(min(old_row, len(self.grouped) - 1)) if len(self.grouped) else None
        if self.cursor is not None:
            self.begin_at(max((self.row or 0) - above, 0))
        self.refresh()

    @property
    def row(self) -> int | None:
        """Where the cursor stands; None where its row is gone."""
        return None if self.cursor is None else self.grouped.place(self.cursor)

    # -- drawing

    @property
    def look(self) -> Look:
        return look_of(self, self.symbols, max(self.scrollable_content_region.width - 2, 20))

    def named(self, line: int) -> Shown:
        """What a wire line is: `← frames q2`."""
        place = self.source.transcript.place(line)
        if place is None:
            return own("")
        row = self.source.transcript.row(place)
        arrow = {"host": self.symbols.sent, "provider": self.symbols.received}.get(row.sender or "", " ")
        name = own("no type") if row.type is None else show(row.type, NAMED_CHARS)
        ident = own("") if row.id is None else show(row.id, NAMED_CHARS)
        return compose("{arrow} {name} {id}", arrow=own(arrow), name=name, id=ident)

    def render_line(self, y: int) -> Strip:
        place = self.scroll_offset.y + y
        if not len(self.grouped):
            lines = fold(Row((Span(self.empty, "muted"),)), self.look.width)
            return self.paint(lines[y]) if y < len(lines) else self.blank()
        if place >= len(self.grouped):
            return self.blank()
        at = self.grouped.at(place)
        return self.paint(entry_spans(self.grouped, at, self.named, self.look), cursor=place == self.row)

    def on_resize(self) -> None:
        self._reveal()

    def _reveal(self) -> None:
        if self.row is not None:
            self.show_lines(self.row, self.row)
        self.refresh()

    # -- moving

    def stand_on(self, at: At | None) -> None:
        """Put the cursor on a row, for which its group is opened; nobody is told."""
        if at is None:
            return
        if at.finding is not None:
            self.grouped.fold(at.key, True)
        self.set_lines(len(self.grouped))
        self.cursor = at
        self._reveal()

    def stand_on_line(self, line: int) -> None:
        """Put the cursor on the worst finding of a wire line, unless it is on one of that line or there is none."""
        here = None if self.cursor is None or self.cursor.finding is None else self.cursor.finding.line
        if here != line:
            self.stand_on(self.grouped.of_line(line))

    def _go(self, place: int) -> None:
        if len(self.grouped):
            self.cursor = self.grouped.at(max(0, min(place, len(self.grouped) - 1)))
            self._reveal()
            self.post_message(self.Moved())

    # -- searching

    @property
    def matches(self) -> list[At]:
        """The rows that hold the text searched for, folded ones too, as far as it was looked."""
        return [at for _, at in self._hits]

    @property
    def match_place(self) -> int | None:
        """Which of the matches the cursor is on, from 0."""
        return next((place for place, (_, at) in enumerate(self._hits) if at == self.cursor), None)

    def search(self, text: str) -> None:
        """Search for another text, and go to where it is next, from the cursor on."""
        self.wanted = text
        self._seek(goes=bool(text))

    def step_match(self, forward: bool) -> At | None:
        """To the next row that holds the text, round the end; None where no row does."""
        if not self._hits:
            return None
        here = self._rank
        if forward:
            at = next((at for rank, at in self._hits if rank > here), self._hits[0][1])
        else:
            at = next((at for rank, at in reversed(self._hits) if rank < here), self._hits[-1][1])
        self._find(at)
        return at

    @property
    def _rank(self) -> tuple[int, int]:
        return (-1, 0) if self.cursor is None else self.grouped.rank(self.cursor)

    def _find(self, at: At) -> None:
        self._goes = False
        self.stand_on(at)
        self.post_message(self.Moved())

    def _seek(self, *, goes: bool) -> None:
        """Look through all rows anew; with `goes` the cursor is put on the first that holds the text."""
        self._hits = []
        self._unseen = self.grouped.all() if self.wanted else iter(())
        self._goes = goes
        self._seek_on(self._unseen)

    def _seek_on(self, unseen: Iterator[tuple[tuple[int, int], At]]) -> None:
        """Look for a slice of time; come back for the rest when keys have been looked at."""
        if unseen is not self._unseen:
            return
        wanted, end = self.wanted.casefold(), perf_counter() + SLICE
        for rank, at in unseen:
            if wanted in entry_text(self.grouped, at, self.named).casefold():
                self._hits.append((rank, at))
            if perf_counter() > end:
                self.set_timer(AT_ONCE_SECONDS, lambda: self._seek_on(unseen))
                return
        if self._goes and self._hits:
            here = self._rank
            self._find(next((at for rank, at in self._hits if rank >= here), self._hits[0][1]))

    def move_by(self, lines: int) -> None:
        self._go((self.row or 0) + lines)

    def action_nav_down(self) -> None:
        self.move_by(1)

    def action_nav_up(self) -> None:
        self.move_by(-1)

    def action_nav_top(self) -> None:
        self._go(0)

    def action_nav_bottom(self) -> None:
        self._go(len(self.grouped) - 1)

    def action_nav_left(self) -> None:
        """From a finding to its group, from an open group to a folded one."""
        if self.cursor is None:
            return
        if self.cursor.finding is not None:
            self._go(self.grouped.place(self.grouped.parent(self.cursor)) or 0)
        else:
            self._fold(self.cursor.key, False)

    def action_nav_right(self) -> None:
        """Open the group, or go on to its first finding."""
        if self.cursor is not None and self.cursor.finding is None and not self._fold(self.cursor.key, True):
            self._go((self.row or 0) + 1)

    def _fold(self, key: Key, opened: bool) -> bool:
        if not self.grouped.fold(key, opened):
            return False
        self.set_lines(len(self.grouped))
        self._reveal()
        return True

    def action_nav_open(self) -> None:
        if self.cursor is None:
            return
        if self.cursor.finding is None:
            self._fold(self.cursor.key, not self.grouped.is_open(self.cursor.key))
        else:
            self.post_message(self.Opened())

    def action_list_order(self) -> None:
        """The next grouping; the cursor stays on its finding."""
        order = ORDERS[(ORDERS.index(self.grouped.order) + 1) % len(ORDERS)]
        kept = self.grouped.first() if self.cursor is None or self.cursor.finding is None else self.cursor
        self._build(order)
        self._seek(goes=False)
        if kept is not None and kept.finding is not None:
            self.stand_on(At(getattr(kept.finding, order), kept.finding))
        self.post_message(self.Moved())

    def on_click(self, event: events.Click) -> None:
        line = self.line_at(event)
        if line is None or line >= len(self.grouped):
            return
        self._go(line)
        if event.chain > 1:
            self.action_nav_open()

    def on_focus(self) -> None:
        self.refresh()

    def on_blur(self) -> None:
        self.refresh()
