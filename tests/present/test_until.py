"""The end of a grant at the prompt."""

from __future__ import annotations

import sys
import time

import msgspec
import pytest

from cgp_tui.present.until import here, offered, until_meaning, until_words
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


@pytest.mark.skipif(not hasattr(time, "tzset"), reason="the clock's zone is set once and for all here")
@pytest.mark.parametrize(
    ("zone", "end", "said"),
    [
        ("UTC0", "2026-12-04T23:59:59Z", ""),
        ("CET-1", "2026-12-04T12:00:00Z", " (13:00 here)"),
        ("CET-1", "2026-12-04T23:59:59Z", " (2026-12-05 00:59 here)"),
        ("EST5", "2026-12-04T02:00:00Z", " (2026-12-03 21:00 here)"),
        ("IST-5:30", "2026-12-04T00:00:00Z", " (05:30 here)"),
        ("CET-1", "9999-12-31T23:59:59Z", ""),
        ("CET-1", "never", ""),
        ("CET-1", "\x1b", ""),
    ],
)
def test_an_end_stands_in_utc_and_by_the_clock_here(zone: str, end: str, said: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TZ", zone)
    time.tzset()
    try:
        assert here(end) == said
        if end.startswith("2026"):
            assert until_words(end) == f"until {end}{said}"
            assert until_meaning(end, NOW).endswith(f"days{said}")
        assert until_words("never") == "with no end, until you revoke it"
    finally:
        monkeypatch.undo()
        time.tzset()
