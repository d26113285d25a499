"""The whole session in one line: how much traffic was where, and where something is wrong."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final, Literal

import msgspec

from cgp_tui.present.spans import Span, Token, span
from cgp_tui.present.symbols import Symbols
from cgp_tui.text import Shown, own

if TYPE_CHECKING:
    from cgp_tui.analysis.columns import Worst


class Cell(msgspec.Struct, frozen=True):
    """One stretch of records: its bytes, the worst in it, and whether the analysis has covered it."""

    size: int
    worst: Worst = ""
    judged: bool = True


Sign = Literal["bad", "question", "doubt"]

_SIGNS: Final[dict[Worst, tuple[Sign, Token]]] = {
    "violation": ("bad", "bad"),
    "failed": ("question", "bad"),
    "advice": ("doubt", "doubt"),
}


def stretches(count: int, width: int) -> list[tuple[int, int]]:
    """Distribute `count` records over at most `width` cells: where the stretch of each cell begins and ends."""
    cells = min(count, max(width, 1))
    return [(count * at // cells, count * (at + 1) // cells) for at in range(cells)]


def cell_of(at: int, count: int, width: int) -> int:
    """The cell that record `at` is in."""
    cells = min(count, max(width, 1))
    place = at * cells // count
    return place + 1 if count * (place + 1) // cells <= at else place


def overview_spans(cells: Sequence[Cell], at: int, symbols: Symbols) -> tuple[Span, ...]:
    """A sign for each cell: what is wrong in it, else its share of the bytes as a height; `at` is the cell of the cursor."""
    most = max((cell.size for cell in cells), default=1).bit_length()
    return tuple(_drawn(cell, most, place == at, symbols) for place, cell in enumerate(cells))


def _drawn(cell: Cell, most: int, here: bool, symbols: Symbols) -> Span:
    if cell.worst:
        sign, token = _SIGNS[cell.worst]
        return span(getattr(symbols, sign), "strong" if here and token != "bad" else token)  # noqa: S105 - a colour
    if not cell.judged:
        return span(symbols.quiet, "strong" if here else "muted")
    heights = symbols.heights
    # On a logarithmic scale, so that one long line does not flatten all others.
    height = heights[min(len(heights) - 1, max(0, cell.size.bit_length() - most + len(heights) - 1))]
    return span(height, "strong" if here else "muted")


def stretch_words(first: int, after: int, count: int) -> Shown:
    """What a cell stands for: which of `count` records, and the meaning of its sign."""
    records = f"record {after:,}" if after - first == 1 else f"records {first + 1:,} to {after:,}"
    return own(f"{records} of {count:,}: how many bytes, or the worst that is wrong there; a click goes to it".capitalize())
