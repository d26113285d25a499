"""The traffic list: every record of the transcript, of which only the visible ones are read.

It follows the end until the person moves; then it stays put and counts what is new. New records never move the cursor of
someone who reads.
"""

from __future__ import annotations

from typing import ClassVar, Final, Protocol

from textual import events
from textual.binding import BindingType
from textual.message import Message
from textual.reactive import var
from textual.strip import Strip

from cgp_tui.present.layout import fold
from cgp_tui.present.spans import Row, Span
from cgp_tui.present.symbols import Look, Symbols
from cgp_tui.present.traffic import Entry, columns, entry_row
from cgp_tui.text import Shown, own
from cgp_tui.ui.keys import bindings
from cgp_tui.ui.widgets.painted import Painted

STRIPS: Final = 512
"""How many painted rows are kept."""


class Records(Protocol):
    """What the list reads: how many records and lines there are now, and one record's columns."""

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

    def __init__(self, records: Records, *, symbols: Symbols, id: str | None = None) -> None:
        super().__init__(symbols=symbols, id=id)
        self.records = records
        self.cursor = 0
        self.known = 0
        self.fresh = 0
        self.after: int | None = None
        self.empty: Shown = own("No line yet.")
        self._columns = columns(80, 0, 1)
        self._width = 0
        self._strips: dict[int, tuple[Entry, tuple[bool, bool, bool], Strip]] = {}

    def on_mount(self) -> None:
        self.look_again()

    def on_resize(self) -> None:
        self._lay_out()
        self.show_lines(self.cursor, self.cursor)

    def _lay_out(self) -> None:
        width = max(self.scrollable_content_region.width - 1, 1)
        wanted = columns(width, self.records.lines, self.records.connections)
        if wanted != self._columns or width != self._width:
            self._columns, self._width = wanted, width
            self._strips.clear()
            self.refresh()

    def look_again(self) -> None:
        """Take in what the transcript has gained."""
        count = self.records.count
        if count == self.known:
            return
        if count < self.known:
            self.start_over()
        before, self.known = self.known, count
        self.set_lines(count)
        self._lay_out()
        if self.following:
            self._place(count - 1)
        elif before:
            self.fresh += count - before
        self.refresh()
        if not before and count:
            self.post_message(self.Moved(self.cursor))

    def start_over(self) -> None:
        """The transcript has become another one."""
        self.known = self.cursor = self.fresh = 0
        self.after = None
        self._strips.clear()
        self.scroll_to(y=0, animate=False, immediate=True)
        self.refresh()

    def render_line(self, y: int) -> Strip:
        index = self.scroll_offset.y + y
        if not self.known:
            return self._empty_line(y)
        if index >= self.known:
            return self.blank()
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

    def notify_style_update(self) -> None:
        self._strips.clear()
        super().notify_style_update()

    def repaint_news(self) -> None:
        """Repaint the visible rows of which something new is known."""
        top = self.scroll_offset.y
        for index in range(top, min(top + self.scrollable_content_region.height, self.known)):
            kept = self._strips.get(index)
            if kept is None or kept[0] is not self.records.entry(index):
                self.refresh_line(index)

    def _empty_line(self, y: int) -> Strip:
        width = max(self.scrollable_content_region.width - 2, 1)
        lines = fold(Row((Span(self.empty, "muted"),)), width)
        return self.paint(lines[y]) if y < len(lines) else self.blank()

    def say_empty(self, text: Shown | None) -> None:
        """What stands here while there is no line."""
        if text is not None and text != self.empty:
            self.empty = text
            if not self.known:
                self.refresh()

    def watch_following(self) -> None:
        if self.following:
            self.fresh = 0
            if self.known:
                self._place(self.known - 1)

    def hold(self) -> None:
        """The person took over: stay where they are."""
        self.following = False

    def move_to(self, index: int) -> None:
        """Put the cursor on a record because the person asked."""
        self.hold()
        if self.known:
            self._place(max(0, min(index, self.known - 1)))

    def _place(self, index: int) -> None:
        old, self.cursor = self.cursor, index
        self.show_lines(index, index)
        if old != index:
            self.refresh_lines(old)
            self.refresh_lines(index)
            self.post_message(self.Moved(index))

    @property
    def page(self) -> int:
        return max(self.scrollable_content_region.height - 1, 1)

    def action_nav_down(self) -> None:
        self.move_to(self.cursor + 1)

    def action_nav_up(self) -> None:
        self.move_to(self.cursor - 1)

    def action_nav_top(self) -> None:
        self.move_to(0)

    def action_nav_bottom(self) -> None:
        self.move_to(self.known - 1)

    def action_nav_page(self) -> None:
        self.move_to(self.cursor + self.page)

    def action_nav_page_back(self) -> None:
        self.move_to(self.cursor - self.page)

    def action_nav_open(self) -> None:
        self.hold()
        if self.known:
            self.post_message(self.Opened())

    def on_click(self, event: events.Click) -> None:
        line = self.line_at(event)
        if line is None or line >= self.known:
            return
        self.move_to(line)
        if event.chain > 1:
            self.action_nav_open()

    def on_mouse_scroll_up(self) -> None:
        self.hold()

    def on_focus(self) -> None:
        self.refresh()

    def on_blur(self) -> None:
        self.refresh()
