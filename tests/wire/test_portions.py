"""What is told of a long text in portions is what is told of it in one go."""

from __future__ import annotations

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cgp_tui import limits
from cgp_tui.wire import portions, spent
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


@pytest.mark.parametrize(
    ("raw", "at", "end"),
    [
        (b'[7,  "abcdefghijklmnop"   ]', 5, 26),
        (b'[7,  "abcdefghijklmnop"   ]', 1, 2),
        (b"[[1,2,3,4,5,6,7,8],0]", 1, 18),
        (b" " * 30 + b"1" + b" " * 40, 30, 71),
        (b'{"a":"abcdefghijklmno}', 5, None),
        (b"[1,2,3,4,5,6,7,8,", 0, None),
    ],
)
def test_where_a_value_ends(raw: bytes, at: int, end: int | None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(portions, "PORTION", 8)
    assert portions.value_end(raw, at) == end


@pytest.mark.parametrize("blanks", range(6, 20))
def test_blanks_longer_than_a_portion_are_passed_over(blanks: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(portions, "PORTION", 8)
    assert portions.unproved(b" " * blanks + b"[1," + b"\t" * blanks + b"2]" + b"\n" * blanks) is None


@pytest.mark.parametrize("raw", [b"", b"7", b'["a"]', b'"a', b'"a"b', b' "a"'])
def test_what_is_no_text_is_not_read_as_one(raw: bytes) -> None:
    assert portions.utf8(raw) is None


def test_the_values_of_a_text_that_is_not_proved_are_let_go() -> None:
    """A few at a time: releasing many at once keeps other threads waiting."""
    passage = portions.Passage(b"")
    passage.lists = [list(range(2 * spent.AT_ONCE + 1)), [], [0]]

    def ask(_: portions.Passage) -> None:
        raise portions.Unproved

    assert portions.attempt(passage, ask) is None
    assert passage.lists == [[], [], []]


@pytest.mark.parametrize(("inner", "sound"), [(b'"\xff"', False), (b"[[[[0]]]]", False), (b"[[[0]]]", True)])
@pytest.mark.parametrize("strict", [True, False])
def test_what_is_passed_over_is_sound_where_that_is_asked_for(
    inner: bytes, sound: bool, strict: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(limits, "JSON_DEPTH", 4)
    passage = portions.Passage(b"[" + inner + b"]")
    passage.strict = strict
    assert portions.attempt(passage, lambda one: one.skip(0, 0)) == (len(inner) + 2 if sound or not strict else None)


def test_items_among_commas_of_their_own_are_read_one_by_one(monkeypatch: pytest.MonkeyPatch) -> None:
    """No guess where a portion ends comes to an end: nothing is said before every look has been taken."""
    monkeypatch.setattr(portions, "PORTION", 400)
    text = b'"' + b'x\\",' * 90 + b'"'
    raw = b"[" + b",".join([text] * 3) + b"]"
    passage = portions.Passage(raw)
    assert portions.attempt(passage, portions.Passage.is_value)
    assert passage.one_by_one > 0


@pytest.mark.parametrize(
    ("raw", "end"),
    [
        (b"123456789,", None),
        (b"1234,", None),
        (b"123,", 3),
        (b"123 ,", 4),
        (b"12   ,", 4),
        (b"1234", 4),
        (b'"ab",', None),
        (b'"a" ,', 4),
        (b'"abcd",', None),
        (b"x", None),
    ],
)
def test_a_value_at_the_end_of_a_portion_may_go_on(raw: bytes, end: int | None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(portions, "PORTION", 4)
    assert portions.Passage(raw).end(0) == end


def test_a_part_is_guessed_to_begin_only_behind_a_comma_and_not_for_ever(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(portions, "PORTION", 40)
    taken: list[bytes] = []

    def take(text: bytes) -> None:
        taken.append(text)
        msgspec.json.decode(text)

    quoted = portions.Passage(b'"aaaa","b' + b'\\"b' * 40 + b'"]')
    assert quoted.portion(0, b"[%b]", take) == 6
    assert taken == [b'["aaaa"]']

    def refuse(text: bytes) -> None:
        taken.append(text)
        raise portions.Unproved

    taken.clear()
    many = portions.Passage(b"1," * 40 + b"1]")
    assert many.portion(2, b"[%b]", refuse) is None
    assert len(taken) == 3
    assert many.one_by_one == 42
    assert many.portion(40, b"[%b]", refuse) is None and len(taken) == 3, "the items up to there are read one by one"
    assert many.portion(42, b"[%b]", take) == 79
