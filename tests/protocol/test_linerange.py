"""Line ranges: the grammar, exactly."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cgp_tui.protocol.linerange import MANY_LINES, LineRange, parse_range


@pytest.mark.parametrize(
    ("text", "first", "last"),
    [("L1", 1, 1), ("L10-20", 10, 20), ("L7-7", 7, 7), ("L9-10", 9, 10), ("L120-160", 120, 160)],
)
def test_reads(text: str, first: int, last: int) -> None:
    assert parse_range(text) == LineRange(first, last)


@pytest.mark.parametrize(
    "text",
    [
        "", "L", "L0", "L05", "L+5", "L-5", "L1-", "L1-0", "L1-02", "L2-L3", "l2", " L2", "L2 ", "L2\n", "L1,2", "L1-2-3",
        "B0-5", "2-3", "L３", "L1.5", "L20-10", "L10-9", "L1_0", "L1:L2",
    ],
)  # fmt: skip
def test_names_no_lines(text: str) -> None:
    assert parse_range(text) is None


@given(st.integers(1, 10**17), st.integers(1, 10**17))
def test_any_two_numbers(first: int, last: int) -> None:
    expected = LineRange(first, last) if first <= last else None
    assert parse_range(f"L{first}-{last}") == expected


def test_numbers_of_any_length_keep_their_order() -> None:
    huge = "9" * 50_000
    assert parse_range(f"L1-{huge}") == LineRange(1, MANY_LINES)
    assert parse_range(f"L{huge}") == LineRange(MANY_LINES, MANY_LINES)
    assert parse_range(f"L{huge}-{'8' * 50_000}") is None
    assert parse_range("L" + "9" * 18) == LineRange(10**18 - 1, 10**18 - 1)
