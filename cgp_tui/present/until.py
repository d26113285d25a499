"""The end of a grant at the prompt: what is offered first, and what an end means."""

from __future__ import annotations

from datetime import UTC, datetime

from cgp_tui.consent.receipt import NEVER
from cgp_tui.consent.until import FLOATING_DAYS, GRANT_DAYS
from cgp_tui.present.numbers import plural
from cgp_tui.protocol import timestamp
from cgp_tui.target import Target
from cgp_tui.text import Shown, compose, own, show


def offered(target: Target) -> str:
    """The end that stands in the field at first: shorter where a launcher chooses the code at each start."""
    return f"{FLOATING_DAYS if target.floating else GRANT_DAYS}d"


def here(expires_at: str) -> Shown:
    """An end by the clock of this machine, ` (13:00 here)`, with the day where that is another; empty where the clock shows
    UTC, and for what is not a valid time."""
    end = timestamp.parse(expires_at)
    try:
        moment = None if end is None else datetime.fromtimestamp(timestamp.epoch(end), UTC)
        local = None if moment is None else moment.astimezone()
    except (OverflowError, OSError, ValueError):  # beyond what the system counts
        return own("")
    if moment is None or local is None or not local.utcoffset():
        return own("")
    day = "" if local.date() == moment.date() else f"{local:%Y-%m-%d} "
    return own(f" ({day}{local:%H:%M} here)")


def until_words(expires_at: str) -> Shown:
    """`until 2026-12-29T20:00:00Z (21:00 here)`, or that nothing ends it but you."""
    if expires_at == NEVER:
        return own("with no end, until you revoke it")
    return compose("until {moment}{here}", moment=show(expires_at), here=here(expires_at))


def until_meaning(expires_at: str, now: float) -> Shown:
    """What an end means, for the eye: `2026-12-29T12:00:00Z, in 30 days (13:00 here)`."""
    if expires_at == NEVER:
        return own("no end: it holds until you revoke it")
    end = timestamp.parse(expires_at)
    hours = 0.0 if end is None else (timestamp.epoch(end) - now) / 3600
    ahead = plural(round(hours / 24), "day") if hours >= 24 else f"{hours:.0f} h"
    return compose("{end}, in {ahead}{here}", end=show(expires_at), ahead=own(ahead), here=here(expires_at))
