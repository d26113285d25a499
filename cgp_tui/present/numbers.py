"""Numbers as people read them: sizes, times, durations."""

from __future__ import annotations

import math
from datetime import UTC, datetime, timedelta

from cgp_tui.text import Shown, own

_UNITS = ("", "K", "M", "G", "T")


def size(count: int) -> Shown:
    """Bytes in at most five characters: `164`, `5.7K`, `21M`. K is 1,024."""
    value = float(count)
    unit = 0
    while value >= 999.5 and unit < len(_UNITS) - 1:
        value /= 1024
        unit += 1
    if unit == 0:
        return own(str(count))
    return own(f"{value:.1f}{_UNITS[unit]}" if value < 99.95 else f"{value:.0f}{_UNITS[unit]}")


def exact_bytes(count: int) -> Shown:
    """Bytes in full: `5,787 bytes`."""
    return own(f"{count:,} byte" if count == 1 else f"{count:,} bytes")


def duration(seconds: float) -> Shown:
    """A duration in at most seven characters: `0.4 ms`, `412 ms`, `1.24 s`, `2m05s`, `3h07m`."""
    if not math.isfinite(seconds):
        return own("?")
    sign = "-" if seconds < 0 else ""
    value = abs(seconds)
    if value < 0.09995:
        return own(f"{sign}{value * 1000:.1f} ms")
    if value < 0.9995:
        return own(f"{sign}{value * 1000:.0f} ms")
    if value < 9.995:
        return own(f"{sign}{value:.2f} s")
    if value < 99.95:
        return own(f"{sign}{value:.1f} s")
    whole = round(value)
    if whole < 3600:
        return own(f"{sign}{whole // 60}m{whole % 60:02d}s")
    return own(f"{sign}{whole // 3600}h{whole % 3600 // 60:02d}m")


_AGES = (
    (86_400.0 * 365, "year", "years"),
    (86_400.0, "day", "days"),
    (3600.0, "h", "h"),
    (60.0, "min", "min"),
    (1.0, "s", "s"),
)


def ago(seconds: float) -> Shown:
    """An age in words, in at most twelve characters up to 99 years: `3 min ago`, `1 day ago`; empty for the future."""
    if not 0 <= seconds < math.inf:
        return own("")
    for unit, one, many in _AGES:
        count = int(seconds // unit)
        if count:
            return own(f"{count:,} {one if count == 1 else many} ago")
    return own("just now")


def clock(start: float | None, seconds: float) -> Shown:
    """The time of day in UTC, `12:04:31.207`; `start` is the recording's start as seconds since 1970, None where unknown."""
    if start is None or not math.isfinite(seconds):
        return own("")
    try:
        moment = datetime.fromtimestamp(start, UTC) + timedelta(seconds=seconds)
    except (OverflowError, ValueError, OSError):
        return own("?")
    return own(f"{moment:%H:%M:%S}.{moment.microsecond // 1000:03d}")


def plural(count: int, one: str, many: str = "") -> str:
    """`1 frame`, `2 frames`; the words are ours."""
    return f"{count:,} {one if count == 1 else many or one + 's'}"
