"""A bar with a whole sentence, or a few, on as many lines as its width needs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from textual.geometry import Size
from textual.strip import Strip
from textual.widget import Widget

from cgp_tui.present.layout import fold, trimmed, within
from cgp_tui.present.spans import Row, Span, span
from cgp_tui.present.symbols import Symbols
from cgp_tui.ui.content import strip
from cgp_tui.ui.tokens import tokens

_LEAST: Final = 12
"""Text is never folded to fewer cells: a bar without a width yet would be as high as its text is long."""


class Folded(Widget):
    """A sentence after a warning sign, or rows as they are. If there is no room for all lines, the last visible one ends in
    a mark."""

    ALLOW_SELECT = False

    def __init__(self, symbols: Symbols, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self.symbols = symbols
        self.rows: tuple[Row, ...] = ()

    def say(self, *spans: Span) -> None:
        self.say_rows(Row(spans, lead=span(f" {self.symbols.doubt} ", "doubt"), rest=span("   ")))

    def say_rows(self, *rows: Row) -> None:
        if rows != self.rows:
            before, self.rows = self.rows, rows
            width = self.size.width
            self.refresh(layout=len(_lines(before, width)) != len(_lines(rows, width)))

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        return len(_lines(self.rows, width))

    def render_line(self, y: int) -> Strip:
        width, height = self.size
        lines = _lines(self.rows, width)
        spans: Sequence[Span] = lines[y] if y < len(lines) else ()
        if y + 1 == height < len(lines):
            ended = [*spans[:-1], Span(trimmed(spans[-1].text), spans[-1].token)]
            spans = within([*ended, span(self.symbols.cut)], width, self.symbols)
        return strip(spans, tokens(self), width, self.rich_style)


def _lines(rows: tuple[Row, ...], width: int) -> list[tuple[Span, ...]]:
    return [line for row in rows for line in fold(row, max(width, _LEAST))]
