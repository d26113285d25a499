"""A list of rows of any height: cards, tables, texts. Rows are taken in slices of time and folded to the width."""

from __future__ import annotations

from array import array
from bisect import bisect_right
from collections.abc import Callable
from time import perf_counter
from typing import ClassVar, Final

from textual import events
from textual.binding import BindingType
from textual.message import Message
from textual.strip import Strip
from textual.timer import Timer

from cgp_tui.present.layout import fold, tip_at
from cgp_tui.present.spans import WAIT, Jump, Row, Rows
from cgp_tui.present.symbols import Look, Symbols
from cgp_tui.ui.content import plain
from cgp_tui.ui.keymap import look_of
from cgp_tui.ui.keys import bindings
from cgp_tui.ui.pace import AT_ONCE_SECONDS
from cgp_tui.ui.widgets.painted import Painted

SLICE: Final = 0.012
"""Seconds that rows are taken for before the keyboard gets its turn."""
_LOOK_EVERY: Final = 16
"""The number of rows between two looks at the clock."""

Stand = int | Callable[[Row], bool]


def leads(row: Row) -> bool:
    """Whether a row leads somewhere, and so is where the cursor begins."""
    return row.jump is not None


class RowsView(Painted, can_focus=True):
    """Rows made by a function of the look, and made again when the width changes. The cursor is on a row; a row taller than
    the view scrolls under it line by line."""

    BINDINGS: ClassVar[list[BindingType]] = [
        *bindings("list"),
        *[binding for binding in bindings("group") if binding.id in ("nav.left", "nav.right")],
    ]

    class Turned(Message):
        """The person wants the row under the cursor unfolded, or folded."""

        def __init__(self, row: Row, opens: bool) -> None:
            super().__init__()
            self.row = row
            self.opens = opens

    class Opened(Message):
        """The person opened a row that leads somewhere."""

        def __init__(self, jump: Jump) -> None:
            super().__init__()
            self.jump = jump

    class Sought(Message):
        """The person searches for another text, which folded parts may hold."""

    def __init__(self, *, symbols: Symbols, id: str | None = None) -> None:
        super().__init__(symbols=symbols, id=id)
        self.cursor = 0
        self._make: Callable[[Look], Rows] | None = None
        self._source: Rows = iter(())
        self._rows: list[Row] = []
        self._starts = array("Q", [0])
        self._width = 0
        self._guessed = False
        """The rows were folded before the view had a size: so they are not to be seen."""
        self._stand: Stand | None = None
        self._whole = False
        self._held: int | None = None
        self._busy = False
        self._timer: Timer | None = None
        self.wanted = ""
        """The text that is searched for; empty for none."""
        self._hits: list[int] = []
        self._looked = 0

    def show(self, make: Callable[[Look], Rows], stand: Stand = 0, *, whole: bool = False, hold: bool = False) -> None:
        """Draw other rows. `stand` is the row to put the cursor on, or a test for it; with `whole`, the rows under it that
        lead nowhere come into view with it. With `hold` the row is drawn where the cursor was."""
        self._make = make
        self._held = int(self._starts[self.cursor]) - self.scroll_offset.y if hold and self._rows else None
        self._whole = whole
        self._restart(stand)

    @property
    def look(self) -> Look:
        return self._look_at(self.scrollable_content_region.width)

    def _look_at(self, width: int) -> Look:
        return look_of(self, self.symbols, max(width - 2, 10))

    def _restart(self, stand: Stand) -> None:
        look = self.look
        if self._timer is not None:
            self._timer.stop()
        self._width = look.width
        self._guessed = not self.size.width
        self._source = self._make(look) if self._make is not None else iter(())
        self._rows = []
        self._starts = array("Q", [0])
        self._hits, self._looked = [], 0
        self.cursor = 0
        self._stand = stand
        self.begin_at(0)
        self._take()

    def _take(self) -> None:
        """Take rows for a slice of time; continue with the rest once keys have been answered."""
        self._busy = False
        end = perf_counter() + SLICE
        before = len(self._rows)
        for count, row in enumerate(self._source, 1):
            if row is not WAIT:
                self._rows.append(row)
                self._starts.append(self._starts[-1] + len(fold(row, self._width)))
            if (row is WAIT or count % _LOOK_EVERY == 0) and perf_counter() > end:
                self._busy = True
                break
        self.set_lines(self._starts[-1])
        self._take_stand(before)
        if self._busy:
            self._timer = self.set_timer(AT_ONCE_SECONDS, self._take)
        self.refresh()

    def _take_stand(self, before: int) -> None:
        """Put the cursor on the wanted row, once that has been taken."""
        stand = self._stand
        if stand is None:
            return
        if isinstance(stand, int):
            found = stand if stand < len(self._rows) else None
        else:
            found = next((at for at in range(before, len(self._rows)) if stand(self._rows[at])), None)
        if found is not None:
            self._stand = None
            self.cursor = found
            if self._held is not None:
                self.begin_at(max(int(self._starts[found]) - self._held, 0))
                self._held = None
            below = range(found + 1, len(self._rows))
            end = next((at for at in below if not self._whole or leads(self._rows[at])), len(self._rows))
            self.show_lines(self._starts[found], self._starts[end] - 1)

    @property
    def stands(self) -> bool:
        """Whether the cursor is on the wanted row, which may not have been taken yet."""
        return self._stand is None

    @property
    def busy(self) -> bool:
        """Whether rows are still being taken."""
        return self._busy

    @property
    def rows(self) -> list[Row]:
        """The rows taken so far."""
        return self._rows

    @property
    def folded_to(self) -> int:
        """The cells that the rows taken so far are folded to."""
        return self._width

    def lines_at(self, width: int, most: int) -> int:
        """The lines that all rows take where the view is `width` cells wide and nothing scrolls; `most` where there are that
        many, or where taking them would last."""
        look = self._look_at(width)
        if self._make is None:
            return 0
        if look.width == self._width and not self._busy:
            return min(self._starts[-1], most)
        lines = 0
        for row in self._make(look):
            if row is WAIT or lines >= most:
                return most
            lines += len(fold(row, look.width))
        return min(lines, most)

    def on_resize(self) -> None:
        self.refit()

    def refit(self) -> None:
        """Make the rows again if their width has changed."""
        if self._make is not None and (self._guessed or self.look.width != self._width):
            self._restart(self.cursor if self._stand is None else self._stand)

    def render_line(self, y: int) -> Strip:
        line = self.scroll_offset.y + y
        if line >= self._starts[-1] or self._guessed:
            return self.blank()
        index = bisect_right(self._starts, line) - 1
        part = line - self._starts[index]
        spans = fold(self._rows[index], self._width)[part]
        return self.paint(spans, cursor=index == self.cursor, first=part == 0)

    def _reveal(self) -> None:
        if self._rows:
            self.show_lines(self._starts[self.cursor], self._starts[self.cursor + 1] - 1)

    def move_to(self, index: int) -> None:
        """Put the cursor on a row, dropping any other row that was wanted."""
        if self._rows:
            self._stand = None
            self.cursor = max(0, min(index, len(self._rows) - 1))
            self._reveal()
            self.refresh()

    @property
    def matches(self) -> list[int]:
        """The rows taken so far that hold the text searched for, whatever its case."""
        wanted = self.wanted.casefold()
        # New rows may hold the end of a text that began in one of the last.
        until = len(self._rows) - (len(wanted) if self._busy else 0)
        if wanted and until > self._looked:
            from cgp_tui.present.searching import holds

            self._hits += [at for at in range(self._looked, until) if holds(self._rows, at, wanted)]
            self._looked = until
        return self._hits

    @property
    def match_place(self) -> int | None:
        """The index of the match that the cursor is on."""
        matches = self.matches
        return matches.index(self.cursor) if self.cursor in matches else None

    def search(self, text: str) -> None:
        """Search for another text, and go to its next place from the cursor on."""
        self.wanted, self._hits, self._looked = text, [], 0
        matches = self.matches
        if matches and self.stands:
            self.move_to(next((at for at in matches if at >= self.cursor), matches[0]))
        self.post_message(self.Sought())

    def step_match(self, forward: bool) -> int | None:
        """Go to the next row that holds the text, wrapping around; None where no row does."""
        matches = self.matches
        if not matches:
            return None
        after = [at for at in matches if at > self.cursor] if forward else [at for at in matches if at < self.cursor][::-1]
        self.move_to(after[0] if after else matches[0] if forward else matches[-1])
        return self.cursor

    def _scroll(self, lines: int) -> bool:
        """Scroll inside the row under the cursor if it is taller than the view. Returns whether that was possible."""
        if not self._rows:
            return False
        top, height = self.scroll_offset.y, max(self.scrollable_content_region.height, 1)
        first, last = self._starts[self.cursor], self._starts[self.cursor + 1] - 1
        if lines > 0 and last >= top + height:
            self.begin_at(min(top + lines, last - height + 1))
            return True
        if lines < 0 and first < top <= last:
            self.begin_at(max(top + lines, first))
            return True
        return False

    def _row_at(self, line: int) -> int:
        return max(0, min(bisect_right(self._starts, max(line, 0)) - 1, len(self._rows) - 1))

    def action_nav_down(self) -> None:
        if not self._scroll(1):
            self.move_to(self.cursor + 1)

    def action_nav_up(self) -> None:
        if not self._scroll(-1) and self.cursor:
            self.move_to(self.cursor - 1)
            # Coming from below, the end of a row taller than the view comes first.
            last, height = self._starts[self.cursor + 1] - 1, max(self.scrollable_content_region.height, 1)
            self.show_lines(max(last - height + 1, self._starts[self.cursor]), last)

    def action_nav_top(self) -> None:
        self.move_to(0)

    def action_nav_bottom(self) -> None:
        self.move_to(len(self._rows) - 1)

    def move_by(self, lines: int) -> None:
        if self._rows and not self._scroll(lines):
            there = self._row_at(int(self._starts[self.cursor]) + lines)
            self.move_to(max(there, self.cursor + 1) if lines > 0 else there)

    def action_nav_open(self) -> None:
        if self._rows and (jump := self._rows[self.cursor].jump) is not None:
            self.post_message(self.Opened(jump))

    def action_nav_left(self) -> None:
        if self._rows:
            self.post_message(self.Turned(self._rows[self.cursor], opens=False))

    def action_nav_right(self) -> None:
        if self._rows:
            self.post_message(self.Turned(self._rows[self.cursor], opens=True))

    def on_mouse_move(self, event: events.MouseMove) -> None:
        """Over a sign, show what it means."""
        line, offset = self.line_at(event), event.get_content_offset(self)
        tip = None
        if line is not None and offset is not None and line < self._starts[-1]:
            index = self._row_at(line)
            tip = tip_at(fold(self._rows[index], self._width)[line - self._starts[index]], offset.x - 1)
        self.tooltip = None if tip is None else plain(tip)

    def on_click(self, event: events.Click) -> None:
        line = self.line_at(event)
        if line is None or line >= self._starts[-1]:
            return
        self.move_to(self._row_at(line))
        if event.chain > 1:
            self.action_nav_open()

    def on_focus(self) -> None:
        self.refresh()

    def on_blur(self) -> None:
        self.refresh()
