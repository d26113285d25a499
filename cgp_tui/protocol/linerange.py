"""Line ranges of `file` provenance: `L10` is one line, `L10-20` eleven.

The SPEC only shows the form (SPEC 6); the grammar is the reference implementation's: counting starts at 1, no leading
zeros, no blanks, no second `L`, both ends included. A range in another form is not wrong; it just cannot be checked.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from functools import cached_property
from itertools import accumulate
from typing import Final

import msgspec

_GRAMMAR: Final = re.compile(r"L([1-9][0-9]*)(?:-([1-9][0-9]*))?")

_MOST_DIGITS: Final = 18
MANY_LINES: Final = 10**_MOST_DIGITS
"""Stands for every greater number: no resource has that many lines, and a peer's number may have a million digits."""


class LineRange(msgspec.Struct, frozen=True):
    """Lines `first` to `last` of a resource, from 1, both included."""

    first: int
    last: int


def parse_range(text: str) -> LineRange | None:
    """The lines that `text` names, or None where it names none: it has another form, line 0, or an end before its start."""
    match = _GRAMMAR.fullmatch(text)
    if match is None:
        return None
    first: str = match[1]
    last: str = match[2] or first
    if (len(last), last) < (len(first), first):
        return None
    return LineRange(_number(first), _number(last))


class Lines:
    """The lines of a resource. An LF ends a line and belongs to it; the last line may lack one, and a final LF opens no
    further line. A CR is content. An empty resource has no lines."""

    def __init__(self, data: bytes) -> None:
        self._data = data

    def cut(self, lines: LineRange) -> memoryview | None:
        """The exact bytes of `lines`, cut short at the last line there is; None where even their first is beyond it."""
        start = self._after(lines.first - 1)
        if start is None or start >= len(self._data):
            return None
        end = self._after(lines.last)
        return memoryview(self._data)[start : len(self._data) if end is None else end]

    @cached_property
    def _counted(self) -> list[int]:
        """The number of LFs up to the end of each block."""
        data = self._data
        return list(accumulate(data.count(b"\n", at, at + _BLOCK) for at in range(0, len(data), _BLOCK)))

    def _after(self, number: int) -> int | None:
        """The offset just behind the LF of line `number`, 0 for line 0; None where no LF ends that line."""
        if number == 0:
            return 0
        block = bisect_left(self._counted, number)
        if block == len(self._counted):
            return None
        left = number - (self._counted[block - 1] if block else 0)
        low, high = block * _BLOCK, (block + 1) * _BLOCK
        # Bisected, as a block may hold as many lines as bytes.
        while high - low > 1:
            middle = (low + high) // 2
            found = self._data.count(b"\n", low, middle)
            if found >= left:
                high = middle
            else:
                low, left = middle, left - found
        return high


_BLOCK: Final = 1 << 12


def _number(digits: str) -> int:
    return int(digits) if len(digits) <= _MOST_DIGITS else MANY_LINES
