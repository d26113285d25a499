"""Peeking: what a list may show of a line without decoding it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cgp_tui import limits
from cgp_tui.wire.peek import Peek, peek, prefix

LINES: list[tuple[bytes, Peek]] = [
    (b'{"type":"query","id":"q1"}', Peek("query", "q1")),
    (b' {"id" : "q1" , "type" : "query"} ', Peek("query", "q1")),
    (b'{"t\\u0079pe":"query","id":"\\u0071"}', Peek("query", "q")),
    (b'{"type":"later","id":7}', Peek("later", None)),
    (b'{"type":7,"id":"x"}', Peek(None, "x")),
    (b'{"type":"frames","score":NaN}', Peek("frames", None)),
    (b'{"type":"frames","content":"fir{"type":"error"', Peek("frames", None)),
    (b'{"type":"x\xff"}', Peek(None, None)),
    (b"[]", Peek(None, None)),
    (b"", Peek(None, None)),
    (b"[" * 100_000, Peek(None, None)),
]


@pytest.mark.parametrize(("raw", "seen"), LINES, ids=lambda value: str(value)[:40])
def test_a_line_shows_its_type_and_id(raw: bytes, seen: Peek) -> None:
    assert peek(raw) == seen


@given(st.binary(max_size=60))
def test_any_bytes_are_peeked_at_without_an_exception(raw: bytes) -> None:
    for seen in (peek(raw), prefix(raw, raw)):
        assert all(text is None or text.encode() in raw or b"\\" in raw for text in (seen.type, seen.id))


def test_a_long_line_shows_its_id_at_either_end() -> None:
    body = b'"result":{"frames":[],"truncated":false}'
    first = b'{"type":"frames","id":"q1",' + body + b"}"
    last = b'{"type":"frames",' + body + b',"id":"q\\u0031"}\r'
    assert prefix(first[:30], first[-20:]) == Peek("frames", "q1")
    assert prefix(last[:30], last[-20:]) == Peek("frames", "q1")


def test_an_id_inside_a_frame_is_not_the_lines() -> None:
    line = b'{"type":"frames","result":{"frames":[{"id":"f1"}],"truncated":false,"x":{"id":"f2"}}}'
    assert prefix(line[:60], line[-30:]) == Peek("frames", None)


@pytest.mark.parametrize(("raw", "seen"), LINES, ids=lambda value: str(value)[:40])
def test_a_long_line_shows_the_same(raw: bytes, seen: Peek, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "SHELL_AT_ONCE_BYTES", 4)
    assert peek(raw) == seen
