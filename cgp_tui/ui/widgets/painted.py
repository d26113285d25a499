"""The base of every long widget: a line is painted, in the theme's tokens, only when it is visible."""

from __future__ import annotations

from collections.abc import Iterable
from time import monotonic
from typing import Final

from rich.style import Style
from textual import events
from textual.geometry import Size
from textual.scroll_view import ScrollView
from textual.strip import Strip

from cgp_tui.present.spans import Span
from cgp_tui.present.symbols import UNICODE, Symbols
from cgp_tui.text import Shown, own
from cgp_tui.ui.content import strip
from cgp_tui.ui.tokens import tokens
from cgp_tui.ui.toolkit import paint_at_once

RESTS: Final = 3
"""After an immediate repaint the next one waits for this many times as long as it took."""
FINEST: Final = 512
"""The scrollbar is repainted once the whole has grown by more than this fraction of itself: less cannot be seen."""


class Painted(ScrollView):
    """A line-API view with a cursor over `self.total` items; subclasses say how an item is drawn.

    The cursor is a sign in the first cell as well as a colour. Nothing is animated: a key is answered in one repaint.
    """

    ALLOW_SELECT = False

    def __init__(self, *, symbols: Symbols = UNICODE, id: str | None = None) -> None:
        super().__init__(id=id)
        self.symbols = symbols
        self._base: Style | None = None
        self._blank: Strip | None = None
        self._answer_again = 0.0
        self._barred = 0
        """The number of lines that the scrollbar knows of."""

    def notify_style_update(self) -> None:
        """A new theme or focus: the ground is looked up anew."""
        self._base = self._blank = None
        super().notify_style_update()

    @property
    def base(self) -> Style:
        """The style under every token."""
        if self._base is None:
            self._base = self.rich_style
        return self._base

    def paint(self, spans: Iterable[Span], *, cursor: bool = False, after: bool = False, first: bool = True) -> Strip:
        """One visual line across the widget, the cursor's sign in its first cell."""
        styles = tokens(self)
        base = self.base
        width = self.scrollable_content_region.width
        if after:
            plain = [Span(span.text) for span in spans]
            return strip([Span(self.mark(False)), *plain], {}, width, base + styles["after"])
        if cursor and self.has_focus:
            # The cursor's own colours win; whatever a token says, its sign or word says too.
            return strip([Span(self.mark(first)), *spans], {}, width, base + styles["cursor"])
        if cursor:
            base += styles["unfocused"]
        return strip([Span(self.mark(cursor and first)), *spans], styles, width, base)

    def mark(self, cursor: bool) -> Shown:
        return own(self.symbols.cursor if cursor else " ")

    def blank(self) -> Strip:
        """An empty line; the same object for as long as it would look the same, so that it is rendered once."""
        width = self.scrollable_content_region.width
        if self._blank is None or self._blank.cell_length != width:
            self._blank = Strip.blank(width, self.base)
        return self._blank

    def set_lines(self, lines: int) -> None:
        """Tell the scrollbar how long the whole is."""
        if self.virtual_size.height == lines:
            return
        if not (self.show_vertical_scrollbar and FINEST <= self._barred <= lines):
            self._barred = lines
            self.virtual_size = Size(0, lines)
            return
        # Not by assignment for a long list that keeps growing: that would lay out the whole screen for each new line.
        self.set_reactive(Painted.virtual_size, Size(0, lines))
        if lines - self._barred >= self._barred // FINEST:
            self._barred = lines
            self._scroll_update(self.virtual_size)

    def paint_now(self) -> None:
        """Answer a key at once, since the screen itself waits for its next sixtieth of a second. If repainting takes long,
        keys that follow soon share a repaint as usual."""
        begun = monotonic()
        if begun >= self._answer_again:
            paint_at_once(self)
            self._answer_again = monotonic() + (monotonic() - begun) * RESTS

    @property
    def page(self) -> int:
        """Lines of a page: all that are in view but one, which shows where it continues."""
        return max(self.scrollable_content_region.height - 1, 1)

    def move_by(self, lines: int) -> None:
        """Move the cursor by about this many lines, down or, below 0, up."""

    def action_nav_page(self) -> None:
        self.move_by(self.page)

    def action_nav_page_back(self) -> None:
        self.move_by(-self.page)

    def action_nav_half(self) -> None:
        self.move_by((self.page + 1) // 2)

    def action_nav_half_back(self) -> None:
        self.move_by(-((self.page + 1) // 2))

    def line_at(self, event: events.MouseEvent) -> int | None:
        """The visual line under the mouse, counted from the first of the whole."""
        offset = event.get_content_offset(self)
        return None if offset is None else offset.y + self.scroll_offset.y

    def show_lines(self, first: int, last: int) -> None:
        """Scroll no further than it takes to have `first` to `last` in view; `first` wins where both do not fit."""
        height = max(self.scrollable_content_region.height, 1)
        top = self.scroll_offset.y
        if last >= top + height:
            top = last - height + 1
        top = min(top, first)
        if top != self.scroll_offset.y:
            self.begin_at(top)

    def watch_show_vertical_scrollbar(self, shown: bool) -> None:
        """The scrollbar may appear after scrolling and takes a cell, without a resize event. As that happens during a
        layout, fitting the lines waits."""
        if shown:
            self.vertical_scrollbar.position = self.scroll_y
        self.call_later(self.refit)

    def refit(self) -> None:
        """The lines may have another width."""

    def begin_at(self, line: int) -> None:
        """Scroll so that `line` comes first. This is forced, because until the scrollbar appears, which is after the lines,
        scrolling would be refused."""
        self.scroll_to(y=line, animate=False, immediate=True, force=True)
