"""The end of a grant at the prompt: what is offered first, and what an end means."""

from __future__ import annotations

from cgp_tui.consent.receipt import NEVER
from cgp_tui.consent.until import FLOATING_DAYS, GRANT_DAYS
from cgp_tui.present.numbers import plural
from cgp_tui.protocol import timestamp
from cgp_tui.target import Target
from cgp_tui.text import Shown, compose, own, show


def offered(target: Target) -> str:
    """The end that stands in the field at first: shorter where a launcher chooses the code at each start."""
    return f"{FLOATING_DAYS if target.floating else GRANT_DAYS}d"


def until_meaning(expires_at: str, now: float) -> Shown:
    """What an end means, for the eye: `2026-12-29T12:00:00Z, in 30 days`."""
    if expires_at == NEVER:
        return own("no end: it holds until you revoke it")
    end = timestamp.parse(expires_at)
    hours = 0.0 if end is None else (timestamp.epoch(end) - now) / 3600
    ahead = plural(round(hours / 24), "day") if hours >= 24 else f"{hours:.0f} h"
    return compose("{end}, in {ahead}", end=show(expires_at), ahead=own(ahead))
