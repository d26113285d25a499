"""Frames that are kept: the same as frames that are read, bounded, and given up where they never come again."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cgp_tui import limits
from cgp_tui.protocol.frame import ContextFrame
from cgp_tui.wire import memo as module
from cgp_tui.wire.memo import FrameMemo
from tests.dialogue import frame

_RAWS = msgspec.json.Decoder(list[msgspec.Raw]).decode


def raws(*texts: bytes) -> list[msgspec.Raw]:
    return _RAWS(b"[%b]" % b",".join(texts))


def text(name: str, **members: object) -> bytes:
    return json.dumps(frame(name, members), separators=(",", ":")).encode()


def read(memo: FrameMemo, *texts: bytes) -> list[ContextFrame] | None:
    found = memo.read(raws(*texts))
    return None if found is None else [kept.frame for kept in found]


def test_a_frame_is_read_once_and_by_all_of_its_bytes() -> None:
    memo = FrameMemo()
    first = read(memo, text("a"), text("b"))
    again = read(memo, text("b"), text("c"), text("a"))
    assert first is not None
    assert again is not None
    assert [one.id for one in again] == ["b", "c", "a"]
    assert again[0] is first[1]
    assert again[2] is first[0]
    other = read(memo, text("a", content="texu"))
    assert other is not None
    assert other[0].content == "texu"


def test_members_that_no_type_knows_are_told_of_each_frame() -> None:
    found = FrameMemo().read(raws(text("a"), text("b", x=1), text("c")))
    assert found is not None
    assert [kept.extras for kept in found] == [False, True, False]


def nested(levels: int) -> bytes:
    return text("a", x=0).replace(b'"x":0', b'"x":' + b"[" * levels + b"]" * levels)


def test_nothing_is_kept_of_a_frame_that_is_not_proved_to_be_in_order() -> None:
    memo = FrameMemo()
    doubled = text("a")[:-1] + b',"score":0.5}'
    deep = nested(limits.JSON_DEPTH - 3)
    for bad in (
        b"{}",
        b"7",
        doubled,
        text("a", token_cost=2**32),
        text("a", canonical_token_cost=-1),
        deep,
        text("a").replace(b'"text"', b'"\xff"'),
    ):
        assert memo.read(raws(text("b"), bad)) is None
    assert memo.read(raws(nested(limits.JSON_DEPTH - 4))) is not None


def names(frames: Iterable[ContextFrame] | None) -> list[str]:
    return [one.id for one in frames or ()]


@given(st.lists(st.integers(0, 9), min_size=1, max_size=60))
def test_however_little_is_kept_what_is_read_is_the_same(order: list[int]) -> None:
    memo = FrameMemo(entries=3, size=1200)
    for number in order:
        assert names(read(memo, text(str(number)), text("x"))) == [str(number), "x"]


def sizes(memo: FrameMemo) -> list[int]:
    """How many bytes each frame has that is held."""
    return [len(kept.text) for one in (memo._young, memo._old) for alike in one.values() for kept in alike]


def test_memory_is_bounded_by_entries_and_by_bytes() -> None:
    few, small = FrameMemo(entries=10), FrameMemo(size=3000)
    for number in range(200):
        read(few, text(str(number)))
        read(small, text(str(number)))
        assert len(sizes(few)) <= 20
        assert sum(sizes(small)) <= 6000
    big = FrameMemo(size=300)
    assert names(read(big, text("a", content="x" * 400))) == ["a"]
    assert not sizes(big)
    exact = FrameMemo(size=len(text("a")))
    for name in "ab":
        assert names(read(exact, text(name))) == [name]
        assert sizes(exact)[0] == len(text(name)), "as large as it may be"


def test_of_frames_that_begin_alike_a_few_are_kept_and_none_is_taken_for_another() -> None:
    memo, start = FrameMemo(size=4000), "s" * 200
    for number in range(40):
        assert names(read(memo, text("a", title=start, content=f"c{number % 20}"))) == ["a"]
    found = memo.read(raws(text("a", title=start, content="c19"), text("a", title=start, content="c1")))
    assert found is not None
    assert [kept.frame.content for kept in found] == ["c19", "c1"]
    assert len(sizes(memo)) <= 2 * module._ALIKE
    assert memo._held == sum(len(kept.text) for alike in memo._young.values() for kept in alike)


def test_frames_that_are_known_are_followed_to_the_first_that_is_not() -> None:
    memo = FrameMemo(entries=4)
    a, b, c = (text(name, content="text" * 30) for name in "abc")
    kept = memo.read(raws(a, b)) or []
    for rest, known, left in (
        (b"%b,%b]}" % (a, b), "ab", b"]}"),
        (b"%b,%b,%b]}" % (b, a, c), "ba", c + b"]}"),
        (b"%b,]}" % a, "a", b"]}"),
        (b"%b ,%b]}" % (a, b), "", b"%b ,%b]}" % (a, b)),
        (a, "", a),
        (a[:-1], "", a[:-1]),
        (c + b"]}", "", c + b"]}"),
        (b"]}", "", b"]}"),
    ):
        found, end = memo.follow(b"[" + rest, 1)
        assert ("".join(one.frame.id for one in found), (b"[" + rest)[end:]) == (known, left)
    for number in range(4):  # the first ones grow old, and are young again for having been followed
        read(memo, text(f"x{number}"))
    assert len(memo.follow(a + b"]", 0)[0]) == 1
    assert any(one is kept[0] for alike in memo._young.values() for one in alike)


def test_a_frame_that_is_asked_for_again_stays_through_generations() -> None:
    memo = FrameMemo(entries=4)
    first = read(memo, text("kept")) or []
    for number in range(50):
        read(memo, text(str(number)))
        again = read(memo, text("kept")) or []
        assert [id(one) for one in again] == [id(one) for one in first]


def test_what_follows_from_a_frame_is_asked_once_by_each_that_asks() -> None:
    memo = FrameMemo()
    kept = memo.answer(memo.read(raws(text("a"), text("b"))) or [])
    asked: list[str] = []

    def ask(one: ContextFrame) -> str:
        asked.append(one.id)
        return one.title

    assert memo.told(kept, ask) == memo.told(kept, ask) == ["T a", "T b"]
    assert asked == ["a", "b"]
    assert memo.told(kept, lambda one: one.id) == ["a", "b"]
    assert memo.told(kept, ask) == ["T a", "T b"]
    strange = ContextFrame("z", "doc", "T z", 0.5, 1)
    assert memo.told([strange], ask) == memo.told([strange], ask) == ["T z"]
    assert asked[-2:] == ["z", "z"]
    other = memo.answer(memo.read(raws(text("b"), text("c"))) or [])
    del asked[:]
    assert (memo.told(other, ask), memo.told(kept, ask)) == (["T b", "T c"], ["T a", "T b"])
    assert asked == ["c"], "answers are asked about in any order"


def test_answers_are_remembered_until_they_are_asked_about_and_never_many() -> None:
    memo = FrameMemo()
    for number in range(1000):
        memo.answer(memo.read(raws(text(f"x{number}"))) or [])
        assert len(memo._answered) <= module._ANSWERS
    answer = memo.answer(memo.read(raws(text("a"))) or [])
    memo.forget_answers()
    asked: list[str] = []
    assert memo.told(answer, lambda one: asked.append(one.id)) == memo.told(answer, lambda one: asked.append(one.id))
    assert asked == ["a", "a"], "nothing is known of an answer that was forgotten"


def resting(memo: FrameMemo, names: Iterable[str]) -> int:
    rested = 0
    for name in names:
        if memo.rests():
            rested += 1
        else:
            read(memo, text(name))
    return rested


def test_it_rests_most_of_the_time_where_no_frame_comes_again() -> None:
    assert resting(FrameMemo(), map(str, range(8000))) > 6000
    assert resting(FrameMemo(), (str(number % 100) for number in range(8000))) == 0
    memo = FrameMemo()
    resting(memo, map(str, range(2000)))
    assert resting(memo, (str(number % 100) for number in range(8000))) < 2100


def test_many_frames_are_read_in_portions_and_in_order(monkeypatch: pytest.MonkeyPatch) -> None:
    sizes: list[int] = []
    decode = module._FRAMES

    def counted(text: bytes) -> Any:
        sizes.append(len(text))
        return decode(text)

    monkeypatch.setattr(module, "_FRAMES", counted)
    texts = [text(f"f{at}") for at in range(10)]
    most = max(map(len, texts))
    monkeypatch.setattr(limits, "FRAMES_AT_ONCE_BYTES", 2 * most)
    assert names(read(FrameMemo(), *texts)) == [f"f{at}" for at in range(10)]
    assert names(read(FrameMemo(), *texts[:9])) == [f"f{at}" for at in range(9)], "and with nothing left over"
    assert len(sizes) > 2 and max(sizes) <= 4 * most
    assert read(FrameMemo(), *texts[:8], b'{"id":1}') is None


def test_a_frame_of_the_old_generation_is_young_again_for_having_been_read() -> None:
    memo = FrameMemo(entries=4)
    (first,) = memo.read(raws(text("a"))) or []
    for number in range(4):
        read(memo, text(f"x{number}"))
    assert first in [kept for alike in memo._old.values() for kept in alike]
    assert (memo.read(raws(text("a"))) or [])[0] is first
    assert first in [kept for alike in memo._young.values() for kept in alike]


def test_what_stands_beside_a_frame_that_begins_alike_is_not_taken_for_it() -> None:
    memo, start = FrameMemo(entries=8), "s" * 200
    one, other = (text("a", title=start, content=content) for content in ("c1", "c2"))
    read(memo, one)
    read(memo, other)
    for number in range(8):
        read(memo, text(f"x{number}"))
    assert [kept.frame.content for kept in memo.read(raws(other, one)) or []] == ["c2", "c1"]


def test_frames_of_which_one_was_read_elsewhere_are_asked_of_one_by_one() -> None:
    memo = FrameMemo()
    known = read(memo, text("a"), text("b")) or []
    mixed = [known[0], ContextFrame("z", "doc", "T z", 0.5, 1)]
    assert memo.told(mixed, lambda one: one.id) == ["a", "z"]
    assert memo.told(known, lambda one: one.title) == ["T a", "T b"]
