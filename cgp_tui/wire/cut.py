"""Where a long JSON string may be cut in two, so that each part with quotes around it is a string."""

from __future__ import annotations

import re
from typing import Final

_ESCAPE: Final = 6
"""The length of the longest escape in bytes; a surrogate pair takes two of them."""
_LOW: Final = re.compile(rb"\\u[dD][c-fC-F]")
_BACKSLASH: Final = ord("\\")


def cut(raw: bytes, pos: int, size: int) -> int:
    """Where to cut the string that continues at `pos`, about `size` bytes on and within no escape or character. Gives
    `pos + 1` where the string ends at `pos`, and `pos` itself where it does not end or cannot be cut.

    The place found lies behind the end of a string that ends sooner.
    """
    end = pos + size
    if raw[pos : pos + 1] == b'"':
        return pos + 1
    if end >= len(raw):
        return len(raw) if raw.rfind(b'"', pos) >= 0 else pos
    last = raw.rfind(b"\\", max(pos, end - _ESCAPE), end)
    if last >= 0:
        before = raw[pos : last + 1]
        begins = (len(before) - len(before.rstrip(b"\\"))) % 2
        end = last if begins else last + 1
        if _LOW.match(raw, end) is not None and end - _ESCAPE >= pos and raw[end - _ESCAPE] == _BACKSLASH:
            end -= _ESCAPE
    while end > pos and raw[end] & 0xC0 == 0x80:  # a continuation byte of UTF-8
        end -= 1
    return end
