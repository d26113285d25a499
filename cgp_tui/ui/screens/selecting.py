"""The selection, and the detail beside it: which line is drawn, and when; and the ways into it.

The detail follows once the cursor rests or, while the list follows the end, at a steady pace. A line that takes long is
read outside the app's loop, and nothing else touches the file meanwhile.
"""

from __future__ import annotations

import gc
from collections.abc import Callable
from typing import TYPE_CHECKING, TypeVar

from textual import on, work
from textual.timer import Timer

from cgp_tui.present.numbers import size
from cgp_tui.present.spans import Jump, Rows, row, span
from cgp_tui.present.subject import Subject
from cgp_tui.present.symbols import Look
from cgp_tui.text import compose
from cgp_tui.ui import pace
from cgp_tui.ui.screens.views import Viewer
from cgp_tui.ui.source import Source
from cgp_tui.ui.widgets.bars import TabStrip
from cgp_tui.ui.widgets.rows import RowsView
from cgp_tui.ui.widgets.traffic import TrafficList

if TYPE_CHECKING:
    from cgp_tui.present.detail import Record

Found = TypeVar("Found")


class Selecting(Viewer):
    """Draws the selected line; `reading` is set while one is read in the background."""

    def __init__(self, source: Source) -> None:
        super().__init__(source)
        self.reading = False
        self._settle: Timer | None = None
        self._drawn: tuple[int, int] | None = None

    @property
    def settled(self) -> bool:
        """Whether the detail shows what the cursor is on."""
        return self._settle is None and not self.reading and self._drawn == self._selected

    @on(TrafficList.Moved)
    def _moved(self) -> None:
        """Let the detail follow once the cursor rests or, while following the end, at a steady pace."""
        if self.traffic.following:
            if self._settle is None:
                self._settle = self.set_timer(pace.FOLLOW_SECONDS, self.draw_detail)
            return
        if self._settle is not None:
            self._settle.stop()
        self._settle = self.set_timer(pace.SETTLE_SECONDS, self.draw_detail)

    @property
    def _selected(self) -> tuple[int, int]:
        return self.source.transcript.generation, self.traffic.cursor

    def draw_detail(self) -> None:
        """Draw what the cursor is on, unless it is drawn already; for a long line, say that it is being read."""
        if self._settle is not None:
            self._settle.stop()
            self._settle = None
        if self._drawn == self._selected or not self.source.count or self.reading or not self.source.begun:
            return
        index = self.traffic.cursor
        self._drawn = self._selected
        length = self.source.records.weight(index)
        if length > pace.LARGE_BYTES:
            title = compose("{size} line", size=size(length))
            self.detail.wait(title, lambda look: _decoding(length, look))
            # Only once the sentence is on the screen: reading keeps the interpreter busy.
            self.call_after_refresh(self._read, index, self.detail.show)
        else:
            self.detail.show(self.source.records.at(index), self.source.records.asked_by(index))

    def draw_first(self) -> None:
        """Draw what the cursor is on where nothing of this file has been drawn yet."""
        if self._drawn is None and self._settle is None:
            self.draw_detail()

    def forget_drawn(self) -> None:
        """Note that what is drawn belongs to another file."""
        self._drawn = None

    def look_anew(self) -> None:
        """Judge and draw the selected line again after a change outside the transcript; nothing moves."""
        self.detail.renew(self.source.records.at(self.traffic.cursor))

    def renew_detail(self) -> None:
        """Show what has become known about the selected line, without moving anything."""
        shown = self.detail.record
        if isinstance(shown, Subject) and not self.reading and self._drawn == self._selected:
            index = self.traffic.cursor
            if self.source.records.weight(index) > pace.LARGE_BYTES:
                if self.source.records.is_outdated(index, shown):
                    self._read(index, self.detail.renew)
                return
            fresh = self.source.records.news(index, shown)
            if fresh is not None:
                self.detail.renew(fresh)

    def _read(self, index: int, show: Callable[[Record], None]) -> None:
        """Read one long line, and show it where the cursor is still on it."""

        def have_read(record: Record) -> None:
            if self.traffic.cursor == index:
                show(record)
            else:
                self.draw_detail()

        if self.reading:
            self._drawn = None
        else:
            self.aside(lambda: self.source.records.at(index), have_read)

    def aside(self, task: Callable[[], Found], then: Callable[[Found], None]) -> None:
        """Do what takes long outside the app's loop; growth and analysis wait so that nothing else touches the file
        meanwhile."""
        self.reading = True
        self._do_aside(task, then)

    @work(thread=True, exit_on_error=True)
    def _do_aside(self, task: Callable[[], Found], then: Callable[[Found], None]) -> None:
        # The collector would scan a million objects again and again while they are made, and nothing else would run; nor
        # should it scan them later, as they go when the line goes.
        gc.disable()
        try:
            found = task()
        finally:
            gc.freeze()
            gc.enable()
            self.reading = False
        self.app.call_from_thread(then, found)

    # -- into what is drawn, and about in it

    @on(TrafficList.Opened)
    def _opened(self) -> None:
        self.draw_detail()
        self.go_into_line()

    @on(RowsView.Opened)
    def _row_opened(self, event: RowsView.Opened) -> None:
        event.stop()
        if event.jump.line is not None:
            if self.go_to_line(event.jump.line) and event.jump.place is not None:
                self.open_frame(event.jump.place)
        else:
            self.detail.follow(event.jump)

    @on(TabStrip.Chosen)
    def _tab_chosen(self, event: TabStrip.Chosen) -> None:
        self.detail.open_tab(event.index)

    def open_frame(self, place: int) -> None:
        """Go into a frame of the selected answer, by its wire position."""
        self.draw_detail()
        self.detail.follow(Jump(place=place))
        self.focus_pane(detail=True)

    def action_tab_next(self) -> None:
        self.detail.turn(1)

    def action_tab_next_back(self) -> None:
        self.detail.turn(-1)


def _decoding(length: int, _look: Look) -> Rows:
    yield row(span("decoding "), size(length), span(": the line is long, its content comes as soon as it is read"))
