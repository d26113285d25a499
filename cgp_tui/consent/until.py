"""Until when a yes holds: how an end is written, on the command line and in the prompt alike, and the default end."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from typing import Final

from cgp_tui.consent.receipt import NEVER
from cgp_tui.errors import InputError
from cgp_tui.protocol import timestamp
from cgp_tui.store import canon
from cgp_tui.target import Target

GRANT_DAYS: Final = 30
FLOATING_DAYS: Final = 7
"""How long a grant holds where nobody says: for pinned code, and where a launcher decides which code runs."""

FORMS: Final = "30d, fri, 2031-01-01, 2031-01-01T12:00:00Z or never"

_DAY: Final = 86_400
_LONGEST_DAYS: Final = 36_500
_SPAN: Final = re.compile(r"([0-9]{1,5})d")
_DATE: Final = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
_WEEKDAYS: Final = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")


def default_until(target: Target, now: float) -> str:
    """The end of a grant for which nobody named one; `now` is in seconds since 1970."""
    return canon.time_text(now + (FLOATING_DAYS if target.floating else GRANT_DAYS) * _DAY)


def parse_until(text: str, now: float) -> str:
    """The end as the ledger writes it: `30d` from now, `fri` (the last second of the next Friday, UTC, today included),
    the last second of a date (UTC), an instant (SPEC 6.1), or `never`. `now` is seconds since 1970.

    Raises InputError usage for anything else, and for an end that is not after `now`.
    """
    said = text.strip().lower()
    if said == NEVER:
        return NEVER
    span = _SPAN.fullmatch(said)
    if span is not None and 0 < int(span[1]) <= _LONGEST_DAYS:
        return canon.time_text(now + int(span[1]) * _DAY)
    dated = text.strip()
    if said in _WEEKDAYS:
        today = datetime.fromtimestamp(now, UTC).date()
        dated = (today + timedelta(days=(_WEEKDAYS.index(said) - today.weekday()) % 7)).isoformat()
    instant = timestamp.parse(f"{dated}T23:59:59Z" if _DATE.fullmatch(dated) else dated)
    if instant is None:
        raise InputError("usage", f"{text!r} is not a valid end of a grant.", f"Name it as {FORMS}.")
    if timestamp.epoch(instant) <= now:
        raise InputError("usage", f"{text} is in the past.", f"Give one in the future: {FORMS}.")
    return end_at(instant)


def end_at(instant: timestamp.Instant) -> str:
    """The end at an instant, as the ledger writes it: without its fraction, so that a grant may end a little early but never
    late. That is dropped before anything is computed, or a float might round it up; and no year follows 9999."""
    return canon.time_text(timestamp.epoch(timestamp.Instant(instant.second)))
