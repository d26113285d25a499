"""Line ranges of `file` provenance: `L10` is one line, `L10-20` eleven.

The SPEC only shows the form (SPEC 6); the reference implementation settled the grammar: counting starts at 1, no leading
zeros, no blanks, no second `L`, both ends included. A range in another form is not wrong, only not checkable.
"""

from __future__ import annotations

import re
from typing import Final

import msgspec

_GRAMMAR: Final = re.compile(r"L([1-9][0-9]*)(?:-([1-9][0-9]*))?")

MANY_LINES: Final = 10**18
"""Stands for every greater number: no resource has so many lines, and a number may have a million digits."""


class LineRange(msgspec.Struct, frozen=True):
    """Lines `first` to `last` of a resource, from 1, both included."""

    first: int
    last: int


def parse_range(text: str) -> LineRange | None:
    """The lines that `text` names, or None where it names none: another form, line 0, or an end before its start."""
    match = _GRAMMAR.fullmatch(text)
    if match is None:
        return None
    first: str = match[1]
    last: str = match[2] or first
    if (len(last), last) < (len(first), first):
        return None
    return LineRange(_number(first), _number(last))


def _number(digits: str) -> int:
    return int(digits) if len(digits) <= 18 else MANY_LINES
