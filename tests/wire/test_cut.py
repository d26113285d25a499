"""A string that is cut in two is two strings."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cgp_tui.wire.cut import cut

BITS = st.sampled_from(["a", "é", "解", "😀", "\\n", "\\\\", '\\"', "\\u00e9", "\\ud83d\\ude00"])


@given(st.lists(BITS, min_size=8, max_size=40), st.integers(12, 30))
def test_the_parts_come_to_the_whole(bits: list[str], size: int) -> None:
    raw = "".join(bits).encode() + b'",1]'
    inside = len(raw) - 4
    at, parts = 0, []
    while (end := cut(raw, at, size)) < inside and end > at:
        assert end - at <= size
        parts.append(raw[at:end])
        at = end
    parts.append(raw[at:inside])
    assert "".join([json.loads(b'"%b"' % part) for part in parts]) == json.loads(f'"{"".join(bits)}"')


@pytest.mark.parametrize(("raw", "end"), [(b'",1]', 1), (b"abc", 0), (b'abc"', 4), (b"", 0), (b"\x80" * 9, 0)])
def test_where_a_string_ends_or_cannot_be_cut(raw: bytes, end: int) -> None:
    assert cut(raw, 0, 5) == end
