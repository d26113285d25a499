"""A long text that is no JSON is complained about as a parser does that is given all of it; but none is."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cgp_tui.wire import complaint, portions
from cgp_tui.wire.complaint import check
from tests.wire.test_long import LIMITS, damaged

_ANY = msgspec.json.Decoder(msgspec.Raw).decode
CUT = [
    b"",
    b"1",
    b"1.",
    b"-",
    b"1e",
    b"tru",
    b"truE",
    b'"\\',
    b'"\\u12',
    b'"\\ux',
    b'"\x01',
    b"{",
    b'{"a"',
    b'{"a":',
    b"[1,",
    b'{"a":1,',
]
"""What may stand last in a text that is no JSON."""


def said(parse: Any, raw: bytes) -> str:
    try:
        parse(raw)
    except (msgspec.DecodeError, RecursionError) as error:
        return str(error)
    return ""


@settings(max_examples=75)
@given(st.one_of(damaged(), damaged().map(lambda raw: b" " * 90 + raw + b" " * 90)), st.integers(8, 200))
def test_a_long_text_is_complained_about_as_in_one_go(raw: bytes, portion: int) -> None:
    with LIMITS() as patch:
        patch.setattr(portions, "PORTION", portion)
        assert said(check, raw) == said(_ANY, raw)


@pytest.mark.parametrize("end", CUT)
@pytest.mark.parametrize("length", range(56, 74))
def test_where_a_part_was_cut_is_no_fault_of_the_text(length: int, end: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(portions, "PORTION", 32)
    for begin in (b"[" + b"1," * length, b'{"a":' + b" " * length, b'"' + b"a" * length):
        for more in (b"", b"5", b"]", b" " * 90, b"12.5" * 40):
            assert said(check, begin + end + more) == said(_ANY, begin + end + more)


@pytest.mark.parametrize(
    ("begin", "end"),
    [
        (b"", b"x"),
        (b"", b""),
        (b"{", b"x"),
        (b'{"a":', b"x"),
        (b'{"a":1', b"x"),
        (b'{"a":1}', b"x"),
        (b'{"a":[' + b"1," * 4000, b""),
        (b'{"a":[' + b'{"b":"c"},' * 900, b"]"),
        (b'["' + b"a" * 9000, b""),
        (b'["' + b"a" * 9000, b'\x01"]'),
    ],
)
def test_no_parser_is_given_what_is_far_from_the_fault(begin: bytes, end: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    portion, lengths = 300, []

    def counted(raw: Any) -> Any:
        lengths.append(len(raw))
        return _ANY(raw)

    raw = begin + b" " * 9000 + end
    whole = said(_ANY, raw)
    monkeypatch.setattr(portions, "PORTION", portion)
    monkeypatch.setattr(portions, "_ANY", counted)
    monkeypatch.setattr(complaint, "_ANY", counted)
    assert said(check, raw) == whole != ""
    assert max(lengths) <= 2 * portion + 16
