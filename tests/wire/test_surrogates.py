"""Halves of surrogate pairs: found whatever stands around them, replaced byte for byte, bounded."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cgp_tui.wire.surrogates import MOST, replace

parts = st.lists(
    st.sampled_from(
        [
            r"\ud83d\ude00",
            r"\uD83D\uDE00",
            r"\\",
            r"\"",
            r"\n",
            r"\u0041",
            r"\\ud800",
            "x",
            "é",
            r"\ud800",
            r"\udfff",
            r"\uDBFF",
        ]
    ),
    max_size=8,
)


@given(parts)
def test_exactly_the_halves_go(pieces: list[str]) -> None:
    raw = f'"{"".join(pieces)}"'.encode()
    found = replace(raw)
    assert found is not None
    assert len(found.text) == len(raw)
    before, after = json.loads(raw), json.loads(found.text)
    assert not any("\ud800" <= char <= "\udfff" for char in after)
    stand_in = json.loads(b'"' + found.stand_in + b'"')
    assert after == "".join(stand_in if "\ud800" <= char <= "\udfff" else char for char in before)


@pytest.mark.parametrize("raw", [rb'"\\ud800"', rb'"\ud83d\ude00"', b'"plain"', b'"\\\\\\\\ud800"'])
def test_what_is_no_half_is_left_alone(raw: bytes) -> None:
    assert replace(raw) == (raw, b"")


def test_a_stand_in_is_not_what_the_line_uses() -> None:
    found = replace(rb'["\ufdd0","\ud800"]')
    assert found is not None
    assert found.text == rb'["\ufdd0","\ufdd1"]'


def test_too_many_halves_are_refused_at_once() -> None:
    assert replace(b'"' + rb"\ud800" * MOST + b'"') is not None
    assert replace(b'"' + rb"\ud800" * (MOST + 1) + b'"') is None
