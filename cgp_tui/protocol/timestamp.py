"""Instants as the wire writes them (SPEC 6.1, F4): UTC in one spelling, compared exactly.

Seconds may be 60 in any minute: which leap seconds were announced is not for us to know. Such a second comes after `:59`
and before the next minute. A fraction may have any number of digits, and none of them is rounded away.
"""

from __future__ import annotations

import math
import re
from functools import lru_cache
from typing import Final

import msgspec

_GRAMMAR: Final = re.compile(
    r"([0-9]{4}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])T(?:[01][0-9]|2[0-3]):[0-5][0-9]:(?:[0-5][0-9]|60))(?:\.([0-9]+))?Z"
)
_LONG_MONTHS: Final = frozenset({1, 3, 5, 7, 8, 10, 12})

_DAY: Final = 86_400
_DAYS_IN_ERA: Final = 146_097
"""Four hundred Gregorian years."""
_EPOCH_DAY: Final = 719_468
"""Days from 0000-03-01 to 1970-01-01. Years that begin in March end with their leap day."""
_FIRST: Final = -62_167_219_200
"""0000-01-01T00:00:00Z in seconds since 1970."""
_LAST: Final = 253_402_300_799
"""9999-12-31T23:59:59Z in seconds since 1970."""


class Instant(msgspec.Struct, frozen=True, order=True):
    """A point in time; the order of instants is the order of times.

    `second` is the first 19 characters of the spelling, `fraction` its fraction digits without trailing zeros, so that
    `.5` and `.50` are one instant. Both compare as strings because their digits stand in order of weight.
    """

    second: str
    fraction: str = ""


def parse(text: str) -> Instant | None:
    """The instant `text` spells, or None where it breaks F4: ASCII digits only, upper-case T and Z, a day that exists."""
    return _remembered(text) if len(text) <= _SHORT else _parsed(text)


def _parsed(text: str) -> Instant | None:
    match = _GRAMMAR.fullmatch(text)
    if match is None:
        return None
    second, month, day, fraction = match.groups()
    if day > "28" and int(day) > _days_in_month(int(text[:4]), int(month)):
        return None
    return Instant(second, fraction.rstrip("0") if fraction else "")


_SHORT: Final = 40
"""A longer spelling is not cached."""

_remembered = lru_cache(maxsize=4096)(_parsed)


def utc_text(seconds: float) -> str:
    """The F4 spelling of `seconds` since 1970, without their fraction (never rounded up).

    Raises ValueError where the year would not have four digits.
    """
    return _spelled(math.floor(seconds))


@lru_cache(maxsize=64)
def _spelled(whole: int) -> str:
    if not _FIRST <= whole <= _LAST:
        raise ValueError(f"{whole} s since 1970 is outside the years 0000 to 9999")
    days, rest = divmod(whole, _DAY)
    year, month, day = _civil(days)
    return f"{year:04}-{month:02}-{day:02}T{rest // 3600:02}:{rest // 60 % 60:02}:{rest % 60:02}Z"


def epoch(instant: Instant) -> float:
    """Seconds since 1970, as precisely as a float can hold. For distances; to order instants, compare them directly."""
    text = instant.second
    days = _days(int(text[:4]), int(text[5:7]), int(text[8:10]))
    whole = days * _DAY + int(text[11:13]) * 3600 + int(text[14:16]) * 60 + int(text[17:19])
    return whole + float(f"0.{instant.fraction}") if instant.fraction else float(whole)


def _days_in_month(year: int, month: int) -> int:
    if month == 2:
        return 29 if year % 4 == 0 and (year % 100 != 0 or year % 400 == 0) else 28
    return 31 if month in _LONG_MONTHS else 30


def _days(year: int, month: int, day: int) -> int:
    """Days from 1970-01-01 to the given date, counted in years that begin in March."""
    year -= month < 3
    era, year_of_era = divmod(year, 400)
    day_of_year = (153 * ((month + 9) % 12) + 2) // 5 + day - 1
    return era * _DAYS_IN_ERA + year_of_era * 365 + year_of_era // 4 - year_of_era // 100 + day_of_year - _EPOCH_DAY


def _civil(days: int) -> tuple[int, int, int]:
    """The inverse of `_days`."""
    era, day_of_era = divmod(days + _EPOCH_DAY, _DAYS_IN_ERA)
    year_of_era = (day_of_era - day_of_era // 1460 + day_of_era // 36_524 - day_of_era // 146_096) // 365
    day_of_year = day_of_era - (365 * year_of_era + year_of_era // 4 - year_of_era // 100)
    shifted = (5 * day_of_year + 2) // 153
    month = shifted + 3 if shifted < 10 else shifted - 9
    return era * 400 + year_of_era + (month < 3), month, day_of_year - (153 * shifted + 2) // 5 + 1
