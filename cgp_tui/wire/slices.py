"""Goes over a long text in slices, since no other thread runs during a search through all of it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

SLICE: Final = 1024 * 1024
"""How many bytes are looked at in one go: about a millisecond's worth."""
_BLANKS: Final = b" \t\r"


def holds(raw: bytes, needle: bytes) -> bool:
    """Whether the short `needle` occurs anywhere in `raw`."""
    if len(raw) <= SLICE:
        return needle in raw
    more = len(needle) - 1
    return any(raw.find(needle, at, at + SLICE + more) >= 0 for at in range(0, len(raw), SLICE))


def first_bad_byte(raw: bytes) -> int:
    """The offset of the first byte that is not UTF-8; -1 where there is none."""
    at = 0
    while at < len(raw):
        end = min(at + SLICE, len(raw))
        while at < end < len(raw) and raw[end] & 0xC0 == 0x80:
            end -= 1
        end = end if end > at else at + SLICE
        part = raw[at:end]
        try:
            if not part.isascii():
                part.decode()
        except UnicodeDecodeError as error:
            return at + error.start
        at = end
    return -1


def strip(raw: bytes) -> bytes:
    """`raw` without the blanks around it, like `bytes.strip`."""
    begin, end = 0, len(raw)
    while end - begin > SLICE and not raw[begin : begin + SLICE].strip(_BLANKS):
        begin += SLICE
    while end - begin > SLICE and not raw[end - SLICE : end].strip(_BLANKS):
        end -= SLICE
    return (raw if end - begin == len(raw) else raw[begin:end]).strip(_BLANKS)


def blank(raw: bytes) -> bool:
    """Whether `bytes.strip` would leave nothing of `raw`."""
    return all(raw[at : at + SLICE].isspace() for at in range(0, len(raw), SLICE))


def apart(raw: bytes) -> Iterator[bytes]:
    """All of `raw`, in slices that do not end in a backslash."""
    at = 0
    while at < len(raw):
        end = min(at + SLICE, len(raw))
        while end < len(raw) and raw[end - 1] == 0x5C:
            end += 1
        yield raw[at:end]
        at = end
