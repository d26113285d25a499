"""The one spelling of each value in the ledger: a subset of TOML so narrow that equal values have equal bytes.

The regular expressions accept exactly what the writers below produce, so a block that matches is canonical. They are
possessive: a byte that does not fit ends the match at once, whatever the size.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import Final

from cgp_tui.errors import RefusedError
from cgp_tui.protocol import timestamp
from cgp_tui.protocol.utf8 import halved

_RAW: Final = r"[ !#-\[\]-~]*+"
_ESCAPE: Final = (
    r'\\(?:["\\]'
    r"|u(?:00[01][0-9A-F]|007F|00[89A-F][0-9A-F]|0[1-9A-F][0-9A-F]{2}|[1-9A-CEF][0-9A-F]{3}|D[0-7][0-9A-F]{2})"
    r"|U(?:000[1-9A-F]|0010)[0-9A-F]{4})"
)
TEXT: Final = f"{_RAW}(?:{_ESCAPE}{_RAW})*+"
"""The inside of a quoted string: printable ASCII as it is, the rest escaped, no surrogates."""

ITEMS: Final = f'(?:"{TEXT}"(?:, "{TEXT}")*+)?'
"""The inside of an array of strings."""

INTEGER: Final = "(?:0|[1-9][0-9]{0,15})"
HEX_128: Final = "[0-9a-f]{32}"
HEX_256: Final = "[0-9a-f]{64}"
TIME: Final = "[0-9]{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12][0-9]|3[01])T(?:[01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9]Z"
"""A time to the second. Whether the day exists is checked by `is_day`."""
_TIME_CHARS: Final = len("2026-01-31T23:59:59Z")

_LATEST: Final = 253_402_300_799
"""The last second of the year 9999."""

_STRING: Final = re.compile(f'"({TEXT})"')
_PLAIN: Final = re.compile(r"[ !#-\[\]-~]*")
_ODD: Final = re.compile(r"[^ !#-\[\]-~]")
_ESCAPED: Final = re.compile(r'\\(?:(["\\])|u([0-9A-F]{4})|U([0-9A-F]{8}))')


def _escape(found: re.Match[str]) -> str:
    char = found[0]
    code = ord(char)
    if char in '"\\':
        return "\\" + char
    return f"\\u{code:04X}" if code <= 0xFFFF else f"\\U{code:08X}"


def write_string(text: str) -> str:
    """`text` as a quoted string. Raises RefusedError `identity_unrepresentable` for a lone surrogate."""
    if not text or _PLAIN.fullmatch(text):
        return f'"{text}"'
    if halved(text):
        raise RefusedError(
            "identity_unrepresentable",
            "A name holds half a character (a lone surrogate), which no record can keep.",
            "The provider's author must fix it.",
        )
    return f'"{_ODD.sub(_escape, text)}"'


def write_array(items: Sequence[str]) -> str:
    """An array of strings on one line."""
    return f"[{', '.join(map(write_string, items))}]" if items else "[]"


def _unescape(found: re.Match[str]) -> str:
    return found[1] or chr(int(found[2] or found[3], 16))


def read_text(text: str) -> str:
    """The value of what matched `TEXT`."""
    return _ESCAPED.sub(_unescape, text) if "\\" in text else text


@lru_cache(maxsize=1024)
def read_items(items: str) -> tuple[str, ...]:
    """The values of what matched `ITEMS`."""
    return tuple(map(read_text, _STRING.findall(items)))


def is_day(text: str) -> bool:
    """Whether a text that matched `TIME` names a day of the calendar."""
    return text[8:10] <= "28" or seconds(text) is not None


def time_text(seconds: float) -> str:
    """The ledger's spelling of a time in seconds since 1970. A clock that stands where no record can be dated must not keep
    a no from being written, so the nearest time that can be spelled is taken."""
    return timestamp.utc_text(min(max(seconds, 0), _LATEST))


@lru_cache(maxsize=1024)
def seconds(text: str) -> int | None:
    """Seconds since 1970 of a time in the ledger's spelling; None for any other spelling or a day that does not exist."""
    instant = timestamp.parse(text)
    if instant is None or len(text) != _TIME_CHARS or instant.second.endswith("60"):
        return None
    return int(timestamp.epoch(instant))
