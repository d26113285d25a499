"""What the parser says about a long text that is not JSON, without being given all of it at once.

The part before the first fault that is proved to be sound is left out: a few bytes stand for it, and the parser finds the
same fault after them.
"""

from __future__ import annotations

import re
from typing import Final

import msgspec

from cgp_tui.wire import portions

_SURE: Final = 64
"""A fault at least this far before the end of a part lies in the text, not in where it was cut."""

_ANY: Final = msgspec.json.Decoder(msgspec.Raw).decode
_BYTE: Final = re.compile(r"\(byte (\d+)\)")


def check(raw: bytes) -> None:
    """Raises what the parser raises for `raw`, a text that is not JSON: DecodeError with the same words and the same byte,
    or RecursionError."""
    found = portions.unproved(raw)
    if found is None:
        return
    before, at = found
    size = 2 * portions.PORTION
    while True:
        part = raw if size == len(raw) and not before else before + raw[at : at + size]
        try:
            _ANY(part)
        except msgspec.DecodeError as error:
            match = _BYTE.search(str(error))
            place = None if match is None else int(match[1])
            if at + size >= len(raw) or (place is not None and place < len(part) - _SURE):
                moved = _BYTE.sub(lambda found: f"(byte {int(found[1]) - len(before) + at})", str(error))
                raise msgspec.DecodeError(moved) from None
        if at + size >= len(raw):
            return
        size = len(raw) - at
