"""Half a surrogate pair (`\\ud800`): legal JSON, but no Unicode text; msgspec refuses the whole line for one.

To refuse only the string that holds it, such escapes are replaced, byte for byte as long, by one the line does not use.
"""

from __future__ import annotations

import re
from typing import Final, NamedTuple

MOST: Final = 1000
"""With more halves than this a line is refused as a whole."""

_PAIR: Final = rb"\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}"
_TO_LONE: Final = re.compile(
    rb"(?:[^\\]++|\\[^u]|\\u(?![dD][89a-fA-F])|" + _PAIR + rb")*+(\\u[dD][89a-fA-F][0-9a-fA-F]{2})", re.DOTALL
)
_STAND_INS: Final = tuple(f"\\u{text}".encode() for text in ("fdd0", "fdd1", "FDD0", "FDD1", "fDd0", "FdD1"))


class Replaced(NamedTuple):
    """The line with every half replaced by `stand_in`, which is empty where there was none."""

    text: bytes
    stand_in: bytes


def replace(raw: bytes) -> Replaced | None:
    """The line without halves; None where it holds more than `MOST` of them."""
    if b"\\ud" not in raw and b"\\uD" not in raw:
        return Replaced(raw, b"")
    # Where a line uses every stand-in, its strings that use the first are refused as well: they are no text for people.
    stand_in = next((text for text in _STAND_INS if text not in raw), _STAND_INS[0])
    pieces: list[bytes] = []
    at = 0
    while (lone := _TO_LONE.match(raw, at)) is not None:
        if len(pieces) >= 2 * MOST:
            return None
        pieces += (raw[at : lone.start(1)], stand_in)
        at = lone.end()
    return Replaced(raw, b"") if not pieces else Replaced(b"".join((*pieces, raw[at:])), stand_in)
