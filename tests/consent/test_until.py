"""The ways to name the end of a grant, at the prompt and on the command line."""

from __future__ import annotations

import pytest

from cgp_tui.consent.until import default_until, parse_until
from cgp_tui.errors import InputError
from tests.consent.people import target

NOW = 1_795_953_600.0  # 2026-11-29T12:00:00Z, a Sunday


@pytest.mark.parametrize(
    ("said", "end"),
    [
        ("30d", "2026-12-29T12:00:00Z"),
        (" 7D ", "2026-12-06T12:00:00Z"),
        ("fri", "2026-12-04T23:59:59Z"),
        ("sun", "2026-11-29T23:59:59Z"),
        ("Mon", "2026-11-30T23:59:59Z"),
        ("2031-01-01", "2031-01-01T23:59:59Z"),
        (" 2031-01-01T12:00:00Z ", "2031-01-01T12:00:00Z"),
        ("2031-01-01T12:30:00.999Z", "2031-01-01T12:30:00Z"),
        ("2031-06-30T23:59:60Z", "2031-07-01T00:00:00Z"),
        ("2031-01-01T12:30:00.99999999999999999999Z", "2031-01-01T12:30:00Z"),
        ("9999-12-31", "9999-12-31T23:59:59Z"),
        ("9999-12-31T23:59:59.99999999999999999999Z", "9999-12-31T23:59:59Z"),
        ("9999-12-31T23:59:60Z", "9999-12-31T23:59:59Z"),
        ("never", "never"),
        ("NEVER", "never"),
    ],
)
def test_ends_that_a_person_can_name(said: str, end: str) -> None:
    assert parse_until(said, NOW) == end


@pytest.mark.parametrize(
    "said",
    [
        "",
        "soon",
        "tomorrow",
        "0d",
        "36501d",
        "-3d",
        "3 d",
        "２d",
        "friday",
        "2026-02-30",
        "2031-1-1",
        "2031-01-01T12:30Z",
        "2031-01-01 12:30:00Z",
        "２０３１-01-01",
        "2026-11-28",
        "2026-11-29T12:00:00Z",
    ],
)
def test_anything_else_is_refused_with_the_forms(said: str) -> None:
    with pytest.raises(InputError) as caught:
        parse_until(said, NOW)
    assert caught.value.code == "usage"
    assert "30d" in caught.value.fix


def test_an_end_that_is_now_is_over() -> None:
    moment = "2031-01-01T12:30:00Z"
    with pytest.raises(InputError, match="in the past"):
        parse_until(moment, 1_925_037_000)
    assert parse_until(moment, 1_925_036_999.5) == moment


def test_thirty_days_and_seven_where_a_launcher_chooses() -> None:
    assert default_until(target(), 0) == "1970-01-31T00:00:00Z"
    assert default_until(target(floating="npx"), 0) == "1970-01-08T00:00:00Z"


def test_a_clock_at_the_end_of_all_years_is_no_failure() -> None:
    last = 253_402_300_000.0
    assert default_until(target(), last) == parse_until("30d", last) == "9999-12-31T23:59:59Z"
