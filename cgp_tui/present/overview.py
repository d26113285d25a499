"""The whole session in one line: how much traffic was where, of which types, and where something is wrong."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING, Final, Literal

import msgspec

from cgp_tui.present.numbers import exact_bytes
from cgp_tui.present.spans import Span, Token, span
from cgp_tui.present.symbols import Symbols
from cgp_tui.text import Shown, compose, join, own

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

_MEANT: Final[dict[Worst, str]] = {
    "violation": "a rule is broken",
    "failed": "something came to nothing",
    "advice": "there is advice",
}
LOOKED_AT: Final = 256
"""Of so many records of a cell the types are looked at, however many there are."""
_RUN: Final = 16
"""So many neighbours of a long cell at a time: requests and replies take turns, and every nth record may be a request."""
_TYPES: Final = 4
"""The most types that are counted apart."""


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


def looked_at(first: int, after: int) -> Sequence[int]:
    """The records of a cell whose types are looked at: all of them, or runs of neighbours, spread evenly from end to end."""
    count = after - first
    if count <= LOOKED_AT:
        return range(first, after)
    runs = LOOKED_AT // _RUN
    begins = [first + (count - _RUN) * run // (runs - 1) for run in range(runs)]
    return [at for begin in begins for at in range(begin, begin + _RUN)]


def type_words(types: Sequence[Shown], of: int) -> Shown:
    """`12 query, 12 frames, 1 error`: the types of the records looked at, among `of`, the most frequent first."""
    if of == 1:
        return join(", ", types)
    counted = Counter(types).most_common()
    words = [compose("{count:,} {type}", count=count, type=name) for name, count in counted[:_TYPES]]
    others = sum(count for _, count in counted[_TYPES:])
    rest = [own(f"{others:,} others")] if others else []
    sample = own("" if len(types) == of else f"of {len(types):,} looked at ")
    return compose("{sample}{words}", sample=sample, words=join(", ", (*words, *rest)))


def stretch_words(first: int, after: int, count: int, types: Shown, cell: Cell) -> Shown:
    """What a cell stands for: which of `count` records, of what types (see `type_words`), and the meaning of its sign."""
    records = f"Record {after:,}" if after - first == 1 else f"Records {first + 1:,} to {after:,}"
    sound = f"{exact_bytes(cell.size)}, {'nothing wrong' if cell.judged else 'not checked yet'}"
    meant = _MEANT[cell.worst] if cell.worst else sound
    return compose("{records}: {types}; {meant}", records=own(f"{records} of {count:,}"), types=types, meant=own(meant))
