"""What is proved of bytes that decode."""

from __future__ import annotations

import json
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cgp_tui import limits
from cgp_tui.protocol.frame import Provenance
from cgp_tui.wire import slices
from cgp_tui.wire.proof import extras, goes_deep, is_deep, is_utf8, repeats_nothing


@pytest.mark.parametrize(
    ("raw", "known"),
    [
        (b'{"type":"file","uri":"a"}', False),
        (b'{ "type": "file" }', False),
        (b'{"type":"file","x":1}', True),
        (b'{"type":"file","x":"\xff"}', None),
        (b'{"type":"file","x":1,"x":1}', True),
        (b'{"type":"file","type":"file"}', None),
        (b'{"type":"file","x":[[[]]]}', None),
    ],
)
def test_extras_are_told_only_where_all_three_are_proved(raw: bytes, known: bool | None) -> None:
    assert extras(Provenance, raw, levels=3) is known


@given(st.binary(max_size=20))
def test_bytes_are_utf8_or_the_first_that_is_none_is_named(raw: bytes) -> None:
    bad = slices.first_bad_byte(raw)
    assert is_utf8(raw) == (bad < 0)
    raw[: bad if bad >= 0 else None].decode()


_values = st.recursive(st.none() | st.text('[]{}"\\', max_size=4), lambda inner: st.lists(inner, max_size=3), max_leaves=8)


def depth(value: object) -> int:
    return 1 + max(map(depth, value), default=0) if isinstance(value, list) else 0


@given(_values, st.integers(1, 5), st.integers(1, 40))
def test_depth_is_counted_outside_of_strings(value: object, levels: int, portion: int) -> None:
    """Wherever the text is cut to be taken apart."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(slices, "SLICE", portion)
        assert is_deep(json.dumps(value).encode(), levels) == (depth(value) > levels)


def test_text_that_is_no_json_goes_deep_where_it_opens_too_many_levels() -> None:
    assert goes_deep(b"[" * (limits.JSON_DEPTH + 1))
    assert not goes_deep(b"[" * limits.JSON_DEPTH + b'"[[["')
    assert not goes_deep(b"[" * limits.JSON_DEPTH + b'"\\"[[[')


def test_a_string_without_an_end_is_looked_over_once() -> None:
    begun = time.process_time()
    assert not goes_deep(b'{"' + b'\\"' * 40_000)
    assert time.process_time() - begun < 2


@pytest.mark.parametrize(
    ("raw", "proved"),
    [
        (b'{"a": 1, "b": [2]}', True),
        (b'{"a":1,"b":{"a":1}}', True),
        (b'{"a":1,"a":1}', False),
        (b'{"a":"\xff"}', False),
        (b"[" * limits.JSON_DEPTH + b"]" * limits.JSON_DEPTH, True),
        (b"[" * (limits.JSON_DEPTH + 1) + b"]" * (limits.JSON_DEPTH + 1), False),
    ],
)
def test_that_nothing_repeats_is_proved_of_text_that_could_be_read(raw: bytes, proved: bool) -> None:
    assert repeats_nothing(raw) is proved
