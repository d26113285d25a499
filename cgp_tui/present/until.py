"""How a person names the end of a grant at the prompt: days, a weekday, or what the ledger takes."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from typing import Final

from cgp_tui.consent.drafts import FLOATING_DAYS, GRANT_DAYS, parse_until
from cgp_tui.consent.receipt import NEVER
from cgp_tui.errors import InputError
from cgp_tui.present.numbers import plural
from cgp_tui.protocol import timestamp
from cgp_tui.target import Target
from cgp_tui.text import Shown, compose, own, show

FORMS: Final = own("30d, fri, 2031-01-01, 2031-01-01T12:00:00Z or never")

_LONGEST_DAYS: Final = 36_500
_SPAN: Final = re.compile(r"([0-9]{1,5})d")
_WEEKDAYS: Final = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")


def offered(target: Target) -> str:
    """The end that stands in the field at first: shorter where a launcher chooses the code at each start."""
    return f"{FLOATING_DAYS if target.floating else GRANT_DAYS}d"


def read_until(text: str, now: float) -> str:
    """The end as the ledger writes it: `30d` from now, `fri` (the last second of the next Friday, UTC, today included), a
    date, an instant, or `never`. `now` is seconds since 1970.

    Raises InputError usage for anything else, and for an end that has passed.
    """
    said = text.strip().lower()
    span = _SPAN.fullmatch(said)
    if span is not None and 0 < int(span[1]) <= _LONGEST_DAYS:
        return timestamp.utc_text(now + int(span[1]) * 86_400)
    if said in _WEEKDAYS:
        today = datetime.fromtimestamp(now, UTC).date()
        day = today + timedelta(days=(_WEEKDAYS.index(said) - today.weekday()) % 7)
        return parse_until(day.isoformat(), now)
    try:
        return parse_until(NEVER if said == NEVER else text.strip(), now)
    except InputError as error:
        raise InputError("usage", error.message, f"Name it as {FORMS}.") from None


def until_meaning(expires_at: str, now: float) -> Shown:
    """What an end means, for the eye: `2026-12-29T12:00:00Z, in 30 days`."""
    if expires_at == NEVER:
        return own("no end: it holds until you revoke it")
    end = timestamp.parse(expires_at)
    hours = 0.0 if end is None else (timestamp.epoch(end) - now) / 3600
    ahead = plural(round(hours / 24), "day") if hours >= 24 else f"{hours:.0f} h"
    return compose("{end}, in {ahead}", end=show(expires_at), ahead=own(ahead))
