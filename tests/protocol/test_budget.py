"""What content costs."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cgp_tui.protocol.budget import token_cost


@pytest.mark.parametrize(
    ("content", "cost"),
    [
        (None, 0),
        ("", 0),
        ("a", 1),
        ("abcd", 1),
        ("abcde", 2),
        ("\u00e9" * 2, 1),
        ("\u65e5\u672c", 2),
        ("\U0001d11e", 1),
        ("\x00", 1),
    ],
)
def test_known_costs(content: str | None, cost: int) -> None:
    assert token_cost(content) == cost


@given(st.text())
def test_a_quarter_of_the_bytes_rounded_up(content: str) -> None:
    assert token_cost(content) == math.ceil(len(content.encode("utf-8")) / 4)


def test_a_lone_surrogate_has_a_cost_too() -> None:
    assert token_cost("\ud800") == 1
    assert token_cost("\ud800" * 4) == 3
