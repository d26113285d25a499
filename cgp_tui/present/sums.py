"""What the frames of an answer add up to, and how wide they are as columns: one pass, in slices for a large answer."""

from __future__ import annotations

from collections import Counter
from collections.abc import Generator
from typing import Final, NamedTuple

from cgp_tui.present.layout import cell_width
from cgp_tui.present.spans import WAIT, Row
from cgp_tui.present.subject import Subject
from cgp_tui.protocol.budget import token_cost
from cgp_tui.text import show
from cgp_tui.wire.line import BadFrame

_AT_ONCE: Final = 256
"""Frames between two pauses."""

_KINDS: Final = 100
"""How many different kinds are measured: a hostile answer may have one for each frame."""


class Crossing(NamedTuple):
    """The frame with which the running sum goes over the budget, by wire position and id, and that sum."""

    place: int
    frame_id: str
    total: int


class Sums(NamedTuple):
    """Tokens declared and counted over all decoded frames, and how many there are of each representation; and the most cells
    that a kind, a declared cost and a counted one take. `wrong` is that of a false cost and its counted one together."""

    declared: int
    counted: int
    crossing: Crossing | None
    forms: Counter[str]
    kind: int
    declared_cells: int
    counted_cells: int
    wrong: int


def sums(subject: Subject) -> Generator[Row, None, Sums]:
    """Go through the frames once, with a `WAIT` between slices, and return what they add up to."""
    declared = counted = wrong = 0
    crossing: Crossing | None = None
    forms: Counter[str] = Counter()
    kinds: dict[str, None] = {}
    costs, counts = _Range(), _Range()
    limit = None if subject.asked is None else subject.asked.max_tokens
    for taken, place in enumerate(subject.places, 1):
        if taken % _AT_ONCE == 0:
            yield WAIT
        frame = subject.by_place[place]
        if isinstance(frame, BadFrame):
            continue
        cost, count = frame.token_cost, token_cost(frame.content)
        declared += cost
        counted += count
        if limit is not None and crossing is None and declared > limit:
            crossing = Crossing(place, frame.id, declared)
        forms[frame.representation] += 1
        if len(kinds) < _KINDS:
            kinds[frame.kind] = None
        costs.add(cost)
        counts.add(count)
        if cost != count:
            wrong = max(wrong, len(f"{cost:,}{count:,}"))
    kind = max((cell_width(show(one, 40)) for one in kinds), default=0)
    return Sums(declared, counted, crossing, forms, kind, costs.cells, counts.cells, wrong)


class _Range:
    """The least and the greatest of some numbers: one of these two takes the most digits."""

    __slots__ = ("greatest", "least")

    def __init__(self) -> None:
        self.least = self.greatest = 0

    def add(self, number: int) -> None:
        if number > self.greatest:
            self.greatest = number
        elif number < self.least:
            self.least = number

    @property
    def cells(self) -> int:
        return max(len(f"{self.least:,}"), len(f"{self.greatest:,}"))
