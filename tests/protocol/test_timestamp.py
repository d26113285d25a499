"""Timestamps: what F4 admits, and instants in exact order."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cgp_tui.protocol.timestamp import Instant, epoch, parse, utc_text

GOOD = (
    "2026-01-01T00:00:00Z",
    "2024-02-29T23:59:59Z",
    "2000-02-29T00:00:00Z",
    "0000-02-29T00:00:00Z",
    "0000-01-01T00:00:00Z",
    "9999-12-31T23:59:60Z",
    "2026-06-30T12:34:60Z",
    "2026-07-20T18:00:00.5Z",
    "2026-07-20T18:00:00.000000000000000000000001Z",
    "2026-04-30T00:00:00Z",
    "2026-12-31T00:00:00Z",
)

BAD = (
    "",
    "2026-02-30T00:00:00Z",
    "2026-02-29T00:00:00Z",
    "1900-02-29T00:00:00Z",
    "2100-02-29T00:00:00Z",
    "2026-04-31T00:00:00Z",
    "2026-06-31T00:00:00Z",
    "2026-01-32T00:00:00Z",
    "2026-00-01T00:00:00Z",
    "2026-13-01T00:00:00Z",
    "2026-01-00T00:00:00Z",
    "2026-01-01T24:00:00Z",
    "2026-01-01T00:60:00Z",
    "2026-01-01T00:00:61Z",
    "2026-01-01t00:00:00Z",
    "2026-01-01T00:00:00z",
    "2026-01-01 00:00:00Z",
    "2026-01-01T00:00:00",
    "2026-01-01T00:00:00+00:00",
    "2026-01-01T00:00:00-05:00",
    "2026-01-01T00:00:00.Z",
    "2026-01-01T00:00:00,5Z",
    "2026-01-01T00:00:00.5",
    "2026-01-01T00:00:00.5.5Z",
    "2026-01-01T00:00:00Z\n",
    " 2026-01-01T00:00:00Z",
    "2026-01-01T00:00Z",
    "12026-01-01T00:00:00Z",
    "-2026-01-01T00:00:00Z",
    "２０２６-01-01T00:00:00Z",
    "2026-01-01T00:00:00.٥Z",
    "last tuesday",
)


@pytest.mark.parametrize("text", GOOD)
def test_takes_the_profile(text: str) -> None:
    assert parse(text) is not None


@pytest.mark.parametrize("text", BAD)
def test_refuses_everything_else(text: str) -> None:
    assert parse(text) is None


def test_every_day_of_the_calendar_and_no_other() -> None:
    for year in (1, 4, 100, 400, 1900, 1999, 2000, 2024, 2026, 2100, 9999):
        for month in range(14):
            for day in range(33):
                try:
                    datetime(year, month, day, tzinfo=UTC)
                    exists = True
                except ValueError:
                    exists = False
                assert (parse(f"{year:04}-{month:02}-{day:02}T00:00:00Z") is not None) is exists


def instant(text: str) -> Instant:
    parsed = parse(text)
    assert parsed is not None
    return parsed


def test_equal_instants_have_many_spellings() -> None:
    assert instant("2026-01-01T00:00:00.5Z") == instant("2026-01-01T00:00:00.500Z")
    assert instant("2026-01-01T00:00:00.000Z") == instant("2026-01-01T00:00:00Z")
    assert hash(instant("2026-01-01T00:00:00.50Z")) == hash(instant("2026-01-01T00:00:00.5Z"))


def test_order_where_strings_would_mislead() -> None:
    rising = [
        "2026-01-01T00:00:59Z",
        "2026-01-01T00:00:59.00000000000000000001Z",
        "2026-01-01T00:00:59.09Z",
        "2026-01-01T00:00:59.5Z",
        "2026-01-01T00:00:59.51Z",
        "2026-01-01T00:00:60Z",
        "2026-01-01T00:00:60.9Z",
        "2026-01-01T00:01:00Z",
    ]
    instants = [instant(text) for text in rising]
    assert sorted(instants, reverse=True)[::-1] == instants
    assert len(set(instants)) == len(instants)


spellings = st.builds(
    lambda moment, digits: (moment.replace(tzinfo=UTC), digits),
    st.datetimes(min_value=datetime(1, 1, 1), max_value=datetime(9999, 12, 31)).map(lambda d: d.replace(microsecond=0)),
    st.text("0123456789", max_size=30),
)


def spell(moment: datetime, digits: str) -> str:
    return moment.isoformat()[:19] + (f".{digits}" if digits else "") + "Z"


def exactly(moment: datetime, digits: str) -> Fraction:
    whole = (moment - datetime(1970, 1, 1, tzinfo=UTC)) // timedelta(seconds=1)
    return whole + Fraction(int(digits or "0"), 10 ** len(digits))


@given(spellings, spellings)
def test_order_is_the_order_of_the_numbers(one: tuple[datetime, str], other: tuple[datetime, str]) -> None:
    left, right = instant(spell(*one)), instant(spell(*other))
    assert (left < right) == (exactly(*one) < exactly(*other))
    assert (left == right) == (exactly(*one) == exactly(*other))


@given(spellings)
def test_epoch_is_the_nearest_float(spelling: tuple[datetime, str]) -> None:
    assert epoch(instant(spell(*spelling))) == pytest.approx(float(exactly(*spelling)), rel=1e-15)


def test_epoch_counts_a_leap_second_as_the_next() -> None:
    assert epoch(instant("1970-01-01T00:00:60Z")) == 60.0
    assert epoch(instant("1969-12-31T23:59:59.5Z")) == -0.5
    assert epoch(instant("0000-03-01T00:00:00Z")) == -719_468 * 86_400.0


@given(st.floats(min_value=-62_135_596_800, max_value=253_402_300_799, exclude_max=True))
def test_a_clock_value_is_written_in_whole_seconds(seconds: float) -> None:
    text = utc_text(seconds)
    moment = datetime(1970, 1, 1, tzinfo=UTC) + timedelta(seconds=int(seconds // 1))
    assert text == spell(moment, "")
    assert epoch(instant(text)) == seconds // 1


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (0.999, "1970-01-01T00:00:00Z"),
        (-0.001, "1969-12-31T23:59:59Z"),
        (-62_167_219_200, "0000-01-01T00:00:00Z"),
        (253_402_300_799.9, "9999-12-31T23:59:59Z"),
        (951_782_400, "2000-02-29T00:00:00Z"),
    ],
)
def test_known_seconds(seconds: float, text: str) -> None:
    assert utc_text(seconds) == text


def test_every_end_of_february() -> None:
    for year in range(1, 10_000):
        for month, day in ((2, 28), (3, 1)):
            moment = datetime(year, month, day, tzinfo=UTC)
            seconds = (moment - datetime(1970, 1, 1, tzinfo=UTC)) // timedelta(seconds=1)
            assert utc_text(seconds) == spell(moment, "")


@pytest.mark.parametrize("seconds", [-62_167_219_200.5, 253_402_300_800])
def test_years_without_four_digits_have_no_spelling(seconds: float) -> None:
    with pytest.raises(ValueError, match="0000 to 9999"):
        utc_text(seconds)


def test_a_very_long_fraction_is_kept() -> None:
    digits = "0" * 100_000 + "1"
    assert instant(f"2026-01-01T00:00:00.{digits}Z") > instant("2026-01-01T00:00:00Z")
    assert epoch(instant(f"2026-01-01T00:00:00.{digits}Z")) == epoch(instant("2026-01-01T00:00:00Z"))
