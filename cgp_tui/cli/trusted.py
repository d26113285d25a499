"""The keys that the person trusts, for every command that judges evidence; a store that cannot be used is told once."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from cgp_tui.cli import diagnostics
from cgp_tui.errors import Error
from cgp_tui.text import join, show

if TYPE_CHECKING:
    from cgp_tui.protocol.attestation import TrustedKey
    from cgp_tui.protocol.timestamp import Instant


def trusted_keys() -> tuple[TrustedKey, ...]:
    """The trusted keys; none, and a line on stderr, where the store is damaged, not ours alone or of a newer format."""
    from cgp_tui.consent.trusting import store_at

    trusted = store_at().read()
    tell(trusted.problem())
    return trusted.keys


def tell(error: Error | None) -> None:
    """One line of narration about something that was done without."""
    if error is not None:
        diagnostics.say(join(" ", [part for part in (show(error.message), show(error.fix)) if part]))


def this_moment() -> Instant | None:
    """The time that windows of keys are judged by, where nothing says when evidence was received."""
    from cgp_tui.protocol.timestamp import parse, utc_text

    return parse(utc_text(time.time()))
