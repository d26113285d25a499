"""The end of a grant at the prompt."""

from __future__ import annotations

import sys

import msgspec

from cgp_tui.present.until import offered, until_meaning
from cgp_tui.target import stdio_target

NOW = 1_795_953_600.0  # 2026-11-29T12:00:00Z, a Sunday


def test_what_is_offered_first() -> None:
    target = stdio_target([sys.executable, "/dev/null"])
    assert offered(target) == "30d"
    assert offered(msgspec.structs.replace(target, floating="uvx")) == "7d"


def test_what_an_end_means() -> None:
    assert until_meaning("never", NOW) == "no end: it holds until you revoke it"
    assert until_meaning("2026-12-29T12:00:00Z", NOW) == "2026-12-29T12:00:00Z, in 30 days"
    assert until_meaning("2026-11-29T18:00:00Z", NOW) == "2026-11-29T18:00:00Z, in 6 h"
