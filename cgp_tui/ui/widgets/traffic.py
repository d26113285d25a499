"""The traffic list: every record of the transcript, of which only the visible ones are read.

It follows the end until the person moves; then it stays put and counts what is new. New records never move the cursor of
someone who reads. A record is identified by its number from 0 everywhere; only here a filter gives it another row.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import ClassVar, Final, Protocol

from textual import events
from textual.binding import BindingType
from textual.message import Message
from textual.reactive import var
from textual.strip import Strip

from cgp_tui.present.layout import cell_width, fold
from cgp_tui.present.spans import Row, Span
from cgp_tui.present.symbols import Look, Symbols
from cgp_tui.present.traffic import Columns, Entry, column_at, columns, entry_row
from cgp_tui.store.settings import Column, TimeMode
from cgp_tui.text import Shown, own
from cgp_tui.ui.content import plain
from cgp_tui.ui.keys import bindings
from cgp_tui.ui.widgets.painted import Painted

STRIPS: Final = 512
"""How many painted rows are kept."""


class Taken(Protocol):
    """The records that a filter accepts, in order."""

    @property
    def matches(self) -> Sequence[int]: ...

    def place(self, at: int) -> int:
        """The place that record `at` has, or would have, among them."""
        ...


class Records(Protocol):
    """What the list reads: the numbers of records and lines so far, and one record's columns."""

    @property
    def count(self) -> int: ...

    @property
    def lines(self) -> int: ...

    @property
    def connections(self) -> int: ...

    @property
    def start(self) -> float | None:
        """When the recording began, in seconds since 1970."""
        ...

    @property
    def has_marks(self) -> bool:
        """Whether any line has a mark of the person's, as far as is known."""
        ...

    def entry(self, index: int) -> Entry: ...


class TrafficList(Painted, can_focus=True):
    """Rows over an index; memory does not grow with the transcript."""

    BINDINGS: ClassVar[list[BindingType]] = [*bindings("list")]

    following = var(False)

    class Moved(Message):
        """The cursor is on another record."""

        def __init__(self, index: int) -> None:
            super().__init__()
            self.index = index

    class Opened(Message):
        """The person asked to go into the record under the cursor."""

    class FirstPaint(Message):
        """The list is on the screen for the first time."""

    def __init__(self, records: Records, *, symbols: Symbols, id: str | None = None) -> None:
        super().__init__(symbols=symbols, id=id)
        self.records = records
        self.cursor = 0
        self.known = 0
        self.fresh = 0
        self.after: int | None = None
        self.empty: Shown = own("No line yet.")
        self.taken: Taken | None = None
        self._aim: range | None = None
        """From the record that the cursor belongs on to the last that may stand for it, until the filter gets there."""
        self.time: TimeMode = "clock"
        self.hidden: frozenset[Column] = frozenset()
        self._painted = False
        self._rows = 0
        self._connections = 1
        self._columns = columns(80, 0, 1)
        self._width = 0
        self._strips: dict[int, tuple[Entry, tuple[bool, bool, bool], Strip]] = {}

    def on_mount(self) -> None:
        self.look_again()

    def on_resize(self) -> None:
        self.refit()
        row = self.row_of(self.cursor)
        self.show_lines(row, row)

    def refit(self) -> None:
        width = max(self.scrollable_content_region.width - 1, 1)
        records = self.records
        wanted = columns(
            width,
            records.lines,
            records.connections,
            self.time,
            self.hidden,
            marks=records.has_marks,
            arrow=cell_width(self.symbols.sent),
        )
        if wanted != self._columns or width != self._width:
            self._columns, self._width = wanted, width
            self._strips.clear()
            self.refresh()

    def show_time(self, mode: TimeMode) -> None:
        """Show time in another way."""
        self.time = mode
        if self.is_mounted:
            self.refit()

    def hide(self, hidden: Collection[Column]) -> None:
        """Hide these columns, and show all others."""
        self.hidden = frozenset(hidden)
        if self.is_mounted:
            self.refit()

    @property
    def columns(self) -> Columns:
        """How wide each column is drawn."""
        return self._columns

    @property
    def shows_time(self) -> bool:
        """Whether the pane has room for what was asked for."""
        return bool(self._columns.delta if self.time == "delta" else self._columns.time)

    @property
    def rows(self) -> int:
        """The number of rows: all records, or those that the filter accepts."""
        return self.known if self.taken is None else len(self.taken.matches)

    def row_of(self, index: int) -> int:
        """The row of a record, or the row that it would precede."""
        return index if self.taken is None else self.taken.place(index)

    def record_at(self, row: int) -> int:
        """The record of a row."""
        return row if self.taken is None else self.taken.matches[row]

    def sift(self, taken: Taken | None) -> None:
        """Show only what a filter accepts, None for everything. The cursor stays, or goes to the nearest record that is
        shown."""
        at = self.cursor if self._aim is None else self._aim.start
        self.taken = taken
        self.known = self.records.count
        self._strips.clear()
        self._show_rows()
        self.refresh()
        self._settle(at)

    def _settle(self, at: int) -> None:
        """Put the cursor on a record, or where the filter hides it on the next one that is shown. A filter that has not come
        to it yet gets as far unless the person moves; until then the cursor is on the last one shown."""
        row = self.row_of(at)
        self._aim = range(at, self.known) if row >= self.rows and not self.following else None
        if self.rows:
            self._place(self.rows - 1 if self.following else min(row, self.rows - 1))

    def _show_rows(self) -> None:
        self._rows = self.rows
        self.set_lines(self._rows)
        self.refit()

    def look_again(self) -> None:
        """Take in what the transcript has gained, and what the filter has accepted of it."""
        count = self.records.count
        if self._connections != self.records.connections:
            self._connections = self.records.connections
            self.refit()
        if count == self.known and self.rows == self._rows:
            return
        if count < self.known:
            self.start_over()
        before, rows = self.known, self._rows
        self.known = count
        self._show_rows()
        if self.taken is not None or rows < self.scroll_offset.y + self.size.height:
            self.refresh()  # else what is new lies below what is seen
        if self.following and self.rows:
            self._place(self.rows - 1)
        elif self._aim is not None and self.rows:
            row = self.row_of(self._aim.start)
            if row >= self.rows:
                if not rows:
                    self._place(self.rows - 1)
            elif self.record_at(row) in self._aim:
                self._settle(self._aim.start)
            else:
                self._aim = None  # only what came later is shown
        if before and not self.following:
            self.fresh += max(0, self.rows - rows)
        if not before and count:
            self.post_message(self.Moved(self.cursor))

    def start_over(self) -> None:
        """The transcript has become another one."""
        self.known = self.cursor = self.fresh = self._rows = 0
        self.after = self._aim = None
        self._strips.clear()
        self.begin_at(0)
        self.refresh()

    def render_line(self, y: int) -> Strip:
        if not self._painted:
            self._painted = True
            self.call_later(self._stands)
        place = self.scroll_offset.y + y
        if not self.rows:
            return self._empty_line(y)
        if place >= self.rows:
            return self.blank()
        index = self.record_at(place)
        entry = self.records.entry(index)
        after = self.after is not None and index > self.after
        cursor = index == self.cursor
        kept = self._strips.get(index)
        if kept is not None and kept[0] is entry and kept[1] == (cursor, after, self.has_focus):
            return kept[2]
        row = entry_row(entry, self._columns, Look(self.symbols, self._columns.summary), self.records.start)
        strip = self.paint(row.spans, cursor=cursor, after=after)
        if len(self._strips) >= STRIPS:
            self._strips.clear()
        self._strips[index] = (entry, (cursor, after, self.has_focus), strip)
        return strip

    def _stands(self) -> None:
        # Not posted while painting: the screen would be the sender, and a screen's own messages do not bubble up to it.
        self.post_message(self.FirstPaint())

    def notify_style_update(self) -> None:
        self._strips.clear()
        super().notify_style_update()

    def repaint_news(self) -> None:
        """Repaint the visible rows about which something new is known."""
        top = self.scroll_offset.y
        for place in range(top, min(top + self.scrollable_content_region.height, self.rows)):
            index = self.record_at(place)
            kept = self._strips.get(index)
            if kept is None or kept[0] is not self.records.entry(index):
                self.refresh_line(place)

    def marks_changed(self) -> None:
        """A mark was set or removed: the column of marks comes with the first, and goes with the last."""
        self.refit()
        self.repaint_news()

    def _empty_line(self, y: int) -> Strip:
        width = max(self.scrollable_content_region.width - 2, 1)
        lines = fold(Row((Span(self.empty, "muted"),)), width)
        return self.paint(lines[y]) if y < len(lines) else self.blank()

    def say_empty(self, text: Shown | None) -> None:
        """Show this while there is no line."""
        if text is not None and text != self.empty:
            self.empty = text
            if not self.rows:
                self.refresh()

    def watch_following(self) -> None:
        if self.following:
            self.fresh = 0
            if self.rows:
                self._place(self.rows - 1)

    def hold(self) -> None:
        """The person took over, so stay where they are."""
        self.following, self._aim = False, None

    def aim(self, index: int) -> None:
        """Put the cursor where it was left, also where the filter has not come so far yet."""
        self.hold()
        self._settle(index)

    def move_to(self, index: int) -> None:
        """Put the cursor on a record because the person asked; where the filter hides it, on the next one that is shown."""
        self.hold()
        if self.rows:
            self._place(max(0, min(self.row_of(index), self.rows - 1)))

    def move_by(self, lines: int) -> None:
        self.hold()
        if self.rows:
            self._place(max(0, min(self.row_of(self.cursor) + lines, self.rows - 1)))
            self.paint_now()

    def _place(self, row: int) -> None:
        old, self.cursor = self.cursor, self.record_at(row)
        self.show_lines(row, row)
        if old != self.cursor:
            self.refresh_lines(self.row_of(old))
            self.refresh_lines(row)
            self.post_message(self.Moved(self.cursor))

    def action_nav_down(self) -> None:
        self.move_by(1)

    def action_nav_up(self) -> None:
        self.move_by(-1)

    def action_nav_top(self) -> None:
        self.move_to(0)

    def action_nav_bottom(self) -> None:
        self.move_by(self.rows)

    def action_nav_open(self) -> None:
        self.hold()
        if self.rows:
            self.post_message(self.Opened())

    def on_click(self, event: events.Click) -> None:
        line = self.line_at(event)
        if line is None or line >= self.rows:
            return
        self.move_to(self.record_at(line))
        if event.chain > 1:
            self.action_nav_open()

    def on_mouse_move(self, event: events.MouseMove) -> None:
        """Over a column, show what the column means."""
        offset = event.get_content_offset(self)
        said = column_at(self._columns, offset.x - 1) if offset is not None and self.rows else ""
        self.tooltip = plain(own(said)) if said else None

    def on_mouse_scroll_up(self) -> None:
        self.hold()

    def on_focus(self) -> None:
        self.refresh()

    def on_blur(self) -> None:
        self.refresh()
