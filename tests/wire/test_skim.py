"""Finding the ends of JSON values in bounded steps: the same ends as a parser sees, and no step that takes long."""

from __future__ import annotations

import json
from time import process_time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cgp_tui.wire import skim
from cgp_tui.wire.skim import Broken, Steps, blanks_end, close, string_end, value_end

texts = st.text(st.characters(exclude_categories=["Cs"]))
values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | texts,
    lambda inner: st.lists(inner) | st.dictionaries(texts, inner),
    max_leaves=12,
)


def run(steps: Steps) -> int:
    """What a generator of steps returns."""
    while True:
        try:
            next(steps)
        except StopIteration as done:
            end: int = done.value
            return end


@pytest.fixture(params=[7, 64, skim.STRETCH])
def stretch(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> int:
    monkeypatch.setattr(skim, "STRETCH", request.param)
    return int(request.param)


@given(values, st.integers(0, 3), st.sampled_from(["", " ", ",1]", "}", "]", ' , "x"']), st.sampled_from([7, 50, 1 << 19]))
def test_a_value_ends_where_a_parser_ends_it(value: object, indent: int, after: str, stretch: int) -> None:
    spelled = json.dumps(value, indent=indent or None, ensure_ascii=bool(indent)).encode()
    before, skim.STRETCH = skim.STRETCH, stretch  # type: ignore[misc]
    try:
        assert run(value_end(b"xx" + spelled + after.encode(), 2)) == 2 + len(spelled)
    finally:
        skim.STRETCH = before  # type: ignore[misc]


def test_an_escape_on_the_edge_of_a_stretch_stays_whole(stretch: int) -> None:
    for shift in range(9):
        spelled = b'"' + b"a" * shift + b'\\\\\\"' * 9 + b'"'
        assert run(string_end(spelled + b'"', 0)) == len(spelled)


def test_the_end_is_found_from_inside(stretch: int) -> None:
    assert run(close(b'{"a":[1,{"b":"]}"}]},2', 1)) == 20
    assert run(close(b'{"a":[1,{"b":"]}"}]},2', 8)) == 19


def test_blanks_of_any_length_are_passed(stretch: int) -> None:
    assert run(blanks_end(b" " * 100 + b"1", 0)) == 100
    assert run(blanks_end(b"  ", 0)) == 2


@pytest.mark.parametrize(("text", "at"), [(b'"abc', 0), (b"[1,2", 4), (b'{"a":"b}', 5), (b"", 0), (b":", 0), (b'"a\\', 0)])
def test_what_does_not_end_is_broken(text: bytes, at: int, stretch: int) -> None:
    with pytest.raises(Broken) as raised:
        run(value_end(text, 0))
    assert raised.value.at == at


@pytest.mark.parametrize(
    "part",
    [b'{"a":{"b":[1,{"c":"d"}]}},', b"[],", b"1,", b'"' + b"x" * 300_000 + b'",', b'"\\"\\"",', b"[[[[[[[[[[1]]]]]]]]]],"],
    ids=["objects", "empty", "numbers", "strings", "escapes", "deep"],
)
def test_no_step_takes_long(part: bytes) -> None:
    raw = b"[" + part * (3_000_000 // len(part)) + b"1]"
    steps, worst = value_end(raw, 0), [0.0]
    while True:
        start = process_time()
        try:
            next(steps)
        except StopIteration as done:
            assert done.value == len(raw)
            break
        worst.append(process_time() - start)
    slow = max(worst)
    assert slow < 0.05, slow
    assert len(worst) >= 5
