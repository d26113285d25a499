"""The framer: the same lines whatever the pieces, nothing but LF splits, and an overlong line is the end."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cgp_tui.errors import PeerError
from cgp_tui.wire.framer import Framer, LineTooLong

CAP = 16


def fed(framer: Framer, data: bytes, cuts: list[int]) -> list[bytes]:
    """The lines of `data` given in pieces that end at `cuts`."""
    places = sorted({0, len(data), *(cut % (len(data) + 1) for cut in cuts)})
    return [line for a, b in itertools.pairwise(places) for line in framer.feed(data[a:b])]


@given(
    lines=st.lists(st.binary(max_size=40).map(lambda raw: raw.replace(b"\n", b"")), max_size=12),
    cuts=st.lists(st.integers(0, 999)),
)
def test_any_cutting_gives_the_same_lines(lines: list[bytes], cuts: list[int]) -> None:
    framer = Framer(cap=40)
    assert fed(framer, b"".join(line + b"\n" for line in lines), cuts) == lines
    assert framer.pending == 0
    assert framer.finish() is None


@given(st.binary(max_size=200), st.lists(st.integers(0, 999)))
def test_every_byte_comes_out_again(data: bytes, cuts: list[int]) -> None:
    framer = Framer(cap=200)
    lines = fed(framer, data, cuts)
    rest = data.rpartition(b"\n")[2]
    assert framer.pending == len(rest)
    assert framer.finish() == (rest or None)
    assert b"".join(line + b"\n" for line in lines) + rest == data


@pytest.mark.parametrize("mark", ["\r", "\u2028", "\u2029", "\x85", "\x0b", "\x0c", "\x1c", "\x00"])
def test_only_lf_splits(mark: str) -> None:
    data = f"a{mark}b".encode()
    assert Framer().feed(data + b"\n" + data + b"\r\n") == [data, data + b"\r"]


def test_a_line_of_the_cap_passes_and_one_byte_more_does_not() -> None:
    assert Framer(CAP).feed(b"x" * CAP + b"\n") == [b"x" * CAP]
    with pytest.raises(PeerError) as caught:
        Framer(CAP).feed(b"x" * (CAP + 1) + b"\n")
    assert caught.value.code == "line_too_long"


@given(st.integers(1, 60), st.lists(st.integers(0, 999)))
def test_an_overlong_line_is_found_however_it_comes(excess: int, cuts: list[int]) -> None:
    with pytest.raises(PeerError):
        fed(Framer(CAP), b"ok\n" + b"x" * (CAP + excess) + b"\n", cuts)


def test_without_a_newline_the_cap_holds_at_once() -> None:
    framer = Framer(CAP)
    framer.feed(b"x" * CAP)
    with pytest.raises(PeerError):
        framer.feed(b"x")


def test_the_lines_before_an_overlong_one_are_not_lost() -> None:
    for data in (b"a\nb\n" + b"x" * 99 + b"\nc\n", b"a\nb\n" + b"x" * 99):
        with pytest.raises(LineTooLong) as caught:
            Framer(CAP).feed(data)
        assert caught.value.lines == [b"a", b"b"]


def test_what_follows_an_overlong_line_never_becomes_one() -> None:
    """A forged message behind padding: the framer is spent, its tail is nobody's line."""
    framer = Framer(CAP)
    with pytest.raises(LineTooLong):
        framer.feed(b"x" * 99)
    with pytest.raises(LineTooLong) as caught:
        framer.feed(b'\n{"type":"shutdown"}\n')
    assert caught.value.lines == []
    assert framer.finish() is None


@pytest.mark.parametrize("at", range(9))
@pytest.mark.parametrize("more", [b"", b"\n", b"\nx"])
def test_a_line_of_the_cap_passes_in_two_pieces_too(at: int, more: bytes) -> None:
    line = b"12345678"
    framer = Framer(cap=8)
    assert framer.feed(line[:at]) == []
    lines = framer.feed(line[at:] + more)
    assert [*lines, framer.finish() or b""] == ([line, more[1:]] if more else [line])
    longer = Framer(cap=7)
    with pytest.raises(LineTooLong):
        longer.feed(line[:at])
        longer.feed(line[at:] + more)
