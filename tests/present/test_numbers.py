"""Numbers as people read them."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cgp_tui.present import numbers


@pytest.mark.parametrize(
    ("count", "seen"),
    [
        (0, "0"),
        (164, "164"),
        (999, "999"),
        (1000, "1.0K"),
        (5787, "5.7K"),
        (102_400, "100K"),
        (22_000_000, "21.0M"),
        (2**40, "1.0T"),
    ],
)
def test_sizes_have_one_decimal_or_none(count: int, seen: str) -> None:
    assert numbers.size(count) == seen


@given(st.integers(0, 10**15))
def test_a_size_fits_its_column(count: int) -> None:
    assert len(numbers.size(count)) <= 5


@pytest.mark.parametrize(
    ("seconds", "seen"),
    [
        (-1, ""),
        (math.nan, ""),
        (math.inf, ""),
        (0.9, "just now"),
        (59.9, "59 s ago"),
        (60, "1 min ago"),
        (3599, "59 min ago"),
        (86_399, "23 h ago"),
        (86_400, "1 day ago"),
        (364 * 86_400, "364 days ago"),
        (800 * 86_400, "2 years ago"),
    ],
)
def test_an_age_is_told_in_words(seconds: float, seen: str) -> None:
    assert numbers.ago(seconds) == seen


def test_exact_sizes_are_counted_in_full() -> None:
    assert numbers.exact_bytes(1) == "1 byte"
    assert numbers.exact_bytes(5787) == "5,787 bytes"


@pytest.mark.parametrize(
    ("seconds", "seen"),
    [
        (0.0, "0.0 ms"),
        (0.0004, "0.4 ms"),
        (0.0124, "12.4 ms"),
        (0.412, "412 ms"),
        (1.24, "1.24 s"),
        (12.44, "12.4 s"),
        (125.0, "2m05s"),
        (11_220.0, "3h07m"),
        (-0.5, "-500 ms"),
        (math.inf, "?"),
    ],
)
def test_durations_change_their_unit(seconds: float, seen: str) -> None:
    assert numbers.duration(seconds) == seen


@given(st.floats(0, 3_000_000))
def test_a_duration_fits_its_column(seconds: float) -> None:
    assert len(numbers.duration(seconds)) <= 7


def test_the_clock_is_utc_with_milliseconds() -> None:
    assert numbers.clock(1_764_417_871.0, 0.207) == "12:04:31.207"
    assert numbers.clock(None, 3.0) == ""
    assert numbers.clock(0.0, math.nan) == ""
    assert numbers.clock(1e300, 0.0) == "?"


def test_words_follow_their_number() -> None:
    assert numbers.plural(1, "frame") == "1 frame"
    assert numbers.plural(2_000, "frame") == "2,000 frames"
    assert numbers.plural(2, "identity", "identities") == "2 identities"
