"""What is told of a long text in portions is what is told of it in one go."""

from __future__ import annotations

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cgp_tui import limits
from cgp_tui.wire import portions
from cgp_tui.wire.peek import peek
from tests.wire.test_long import ANYTHING, HUGE, LIMITS, LINES, TEXTS


@given(LINES, st.integers(16, 60))
def test_members_are_found_as_in_one_go(line: str, portion: int) -> None:
    raw = line.encode()
    with LIMITS() as patch:
        patch.setattr(limits, "SHELL_AT_ONCE_BYTES", HUGE)
        whole = peek(raw)
        patch.setattr(limits, "SHELL_AT_ONCE_BYTES", 0)
        patch.setattr(portions, "PORTION", portion)
        assert peek(raw) == whole


@given(st.one_of(LINES, ANYTHING), st.sampled_from(["", " ", "}"]))
def test_a_value_is_known_by_itself(line: str, more: str) -> None:
    raw = (line + more).encode()
    with LIMITS() as patch:
        patch.setattr(portions, "PORTION", 30)
        if portions.is_value(raw):
            assert bytes(msgspec.json.decode(raw, type=msgspec.Raw)) == raw


@given(TEXTS)
def test_a_text_is_read_as_in_one_go(text: str) -> None:
    raw = text.encode()
    try:
        whole: bytes | None = msgspec.json.decode(raw, type=str).encode()
    except (msgspec.DecodeError, UnicodeEncodeError):
        whole = None
    with LIMITS() as patch:
        patch.setattr(portions, "PORTION", 20)
        assert portions.utf8(raw) == whole


@pytest.mark.parametrize(
    ("raw", "found"),
    [
        (b' {"a":[1,{"b":2}]} ', None),
        (b"", (b"", 0)),
        (b'{"abcdefgh":1}  x', (b"0 ", 16)),
        (b"[1,2,3,4,5,6,7 x]", (b"[0 ", 15)),
        (b"[1,2,3,4,5,6,7,  ", (b"[0,", 17)),
        (b'{"abcdefgh":1,"b" x}', (b'{"":0,', 14)),
        (b'{"abcdefgh":   tru', (b'{"":', 15)),
        (b'{"abcdefgh":[[   x]]}', (b'{"":[[', 17)),
        (b'["abcdefghijklmnop\\x', (b'["', 18)),
    ],
)
def test_the_spot_from_which_on_nothing_is_proved_and_what_stands_before_it(
    raw: bytes, found: tuple[bytes, int] | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(portions, "PORTION", 8)
    assert portions.unproved(raw) == found
