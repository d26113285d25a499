"""Searches for a text: in rows, and in the bytes of a JSON text that is drawn folded."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from cgp_tui.present.spans import Row

EITHER_CASE: Final = 4_000_000
"""Up to this many bytes a text is searched ignoring case; in a longer one case counts."""
MOST: Final = 500
"""The most matches reported in a folded text."""


def holds(rows: Sequence[Row], at: int, wanted: str) -> bool:
    """Whether row `at` holds a text (given in lower case), or the text begins there and continues in the rows after it."""
    row = rows[at]
    if wanted in row.text.casefold():
        return True
    body, after = row.body.casefold(), ""
    while rows[at].on and at + 1 < len(rows) and len(after) < len(wanted) - 1:
        at += 1
        after += rows[at].body.casefold()
    return wanted in body[-len(wanted) + 1 :] + after[: len(wanted) - 1] if after and len(wanted) > 1 else False


def offsets(raw: bytes, text: str, begin: int = 0) -> list[int]:
    """The offsets of a text in bytes as they are spelled; of many, the first ones from `begin` on, and as many before it."""
    needle = text.encode("utf-8", "surrogatepass")
    if len(raw) <= EITHER_CASE:
        raw, needle = raw.lower(), needle.lower()
    return [*_between(raw, needle, 0, begin), *_between(raw, needle, begin, len(raw))]


def _between(raw: bytes, needle: bytes, begin: int, end: int) -> list[int]:
    """Its offsets from `begin` up to `end`."""
    found: list[int] = []
    at = raw.find(needle, begin) if needle else -1
    while 0 <= at < end and len(found) < MOST:
        found.append(at)
        at = raw.find(needle, at + len(needle))
    return found
