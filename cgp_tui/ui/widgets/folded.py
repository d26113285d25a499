"""A bar that says a whole sentence, on as many lines as its width needs."""

from __future__ import annotations

from textual.geometry import Size
from textual.strip import Strip
from textual.widget import Widget

from cgp_tui.present.layout import fold
from cgp_tui.present.spans import Row, Span, span
from cgp_tui.present.symbols import Symbols
from cgp_tui.ui.content import strip
from cgp_tui.ui.tokens import tokens


class Folded(Widget):
    """One sentence behind the sign of a warning."""

    ALLOW_SELECT = False

    def __init__(self, symbols: Symbols, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self.symbols = symbols
        self.row = Row()

    def say(self, *spans: Span) -> None:
        row = Row(spans, lead=span(f" {self.symbols.doubt} ", "doubt"), rest=span("   "))
        if row != self.row:
            taller = self._height(self.row) != self._height(row)
            self.row = row
            self.refresh(layout=taller)

    def _height(self, row: Row) -> int:
        return len(fold(row, max(self.size.width, 20)))

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        return len(fold(self.row, max(width, 20)))

    def render_line(self, y: int) -> Strip:
        width = self.size.width
        lines = fold(self.row, max(width, 20))
        spans = lines[y] if y < len(lines) else ()
        return strip(spans, tokens(self), width, self.rich_style)
