"""Lone surrogates (`\\ud800`): legal JSON but not Unicode text; msgspec refuses a whole line for a single one.

So that only the string around it is refused, each is replaced by another escape of equal length that the line does not use.
"""

from __future__ import annotations

import re
from typing import Final, NamedTuple

from cgp_tui.wire import slices

MOST: Final = 1000
"""A line with more lone surrogates than this is refused as a whole."""

_PAIR: Final = rb"\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}"
_NONE: Final = re.compile(rb"(?:[^\\]{1,256}+|\\[^u]|\\u(?![dD][89a-fA-F])|" + _PAIR + rb"){0,4096}+", re.DOTALL)
"""A stretch of text without lone surrogates."""
_HALF: Final = re.compile(rb"\\u[dD][89a-fA-F][0-9a-fA-F]{2}")
_STAND_INS: Final = tuple(f"\\u{text}".encode() for text in ("fdd0", "fdd1", "FDD0", "FDD1", "fDd0", "FdD1"))


class Replaced(NamedTuple):
    """The line with every lone surrogate replaced by `stand_in`, which is empty where there was none."""

    text: bytes
    stand_in: bytes


def replace(raw: bytes) -> Replaced | None:
    """The line without lone surrogates; None where it holds more than `MOST` of them."""
    if not slices.holds(raw, b"\\ud") and not slices.holds(raw, b"\\uD"):
        return Replaced(raw, b"")
    # In a line that uses every stand-in, strings with the first one are refused as well: they are no text for people.
    stand_in = next((text for text in _STAND_INS if not slices.holds(raw, text)), _STAND_INS[0])
    pieces: list[bytes] = []
    at = pos = 0
    while True:
        none = _NONE.match(raw, pos)
        assert none is not None  # noqa: S101 -- a stretch may be empty
        half = _HALF.match(raw, none.end())
        if half is not None:
            if len(pieces) >= 2 * MOST:
                return None
            pieces += (raw[at : half.start()], stand_in)
            at = pos = half.end()
        elif none.end() == pos:
            break
        else:
            pos = none.end()
    return Replaced(raw, b"") if not pieces else Replaced(b"".join((*pieces, raw[at:])), stand_in)
