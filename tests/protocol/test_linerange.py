"""Line ranges: the grammar, exactly."""

from __future__ import annotations

from hashlib import sha256

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cgp_tui.protocol.linerange import _BLOCK, MANY_LINES, LineRange, Lines, parse_range


@pytest.mark.parametrize(
    ("text", "first", "last"),
    [("L1", 1, 1), ("L10-20", 10, 20), ("L7-7", 7, 7), ("L9-10", 9, 10), ("L120-160", 120, 160)],
)
def test_a_range_names_its_first_and_last_line(text: str, first: int, last: int) -> None:
    assert parse_range(text) == LineRange(first, last)


@pytest.mark.parametrize(
    "text",
    [
        "", "L", "L0", "L05", "L+5", "L-5", "L1-", "L1-0", "L1-02", "L2-L3", "l2", " L2", "L2 ", "L2\n", "L1,2", "L1-2-3",
        "B0-5", "2-3", "L３", "L1.5", "L20-10", "L10-9", "L1_0", "L1:L2",
    ],
)  # fmt: skip
def test_names_no_lines(text: str) -> None:
    assert parse_range(text) is None


@given(st.integers(1, 10**17), st.integers(1, 10**17))
def test_any_two_numbers(first: int, last: int) -> None:
    expected = LineRange(first, last) if first <= last else None
    assert parse_range(f"L{first}-{last}") == expected


def test_numbers_of_any_length_keep_their_order() -> None:
    huge = "9" * 50_000
    assert parse_range(f"L1-{huge}") == LineRange(1, MANY_LINES)
    assert parse_range(f"L{huge}") == LineRange(MANY_LINES, MANY_LINES)
    assert parse_range(f"L{huge}-{'8' * 50_000}") is None
    assert parse_range("L" + "9" * 18) == LineRange(10**18 - 1, 10**18 - 1)


def cut(data: bytes, text: str) -> bytes | None:
    lines = parse_range(text)
    assert lines is not None
    found = Lines(data).cut(lines)
    return None if found is None else bytes(found)


@pytest.mark.parametrize(
    ("text", "digest"),
    [
        ("L1", "b6a98d9ce9a2d9149288fa3df42d377c3e42737afdcdaf714e33c0a100b51060"),
        ("L2-3", "aa5989aacb57830a365b63654addd2b3e7427ce3e8869f52e261ac98cc318734"),
        ("L1-3", "4fdbc441ea7b546100e086ac1e4fc5ae6749b7314311c99db05be450eca12996"),
    ],
)
def test_the_bytes_of_a_range_are_those_of_the_reference(text: str, digest: str) -> None:
    found = cut(b"alpha\nbeta\ngamma\n", text)
    assert found is not None
    assert sha256(found).hexdigest() == digest


def test_the_last_line_needs_no_end() -> None:
    assert sha256(cut(b"one\ntwo", "L2") or b"").hexdigest() == (
        "3fc4ccfe745870e2c0d99f71f30ff0656c8dedd41cc1d7d3d376b0dbe685e2f3"
    )


@pytest.mark.parametrize(
    ("data", "text", "found"),
    [
        (b"", "L1", None),
        (b"\n", "L1", b"\n"),
        (b"\n", "L2", None),
        (b"a\n", "L2", None),
        (b"a\nb", "L3", None),
        (b"a\nb", "L2-9", b"b"),
        (b"a\r\nb\rc\n", "L1", b"a\r\n"),
        (b"a\r\nb\rc\n", "L2", b"b\rc\n"),
        (b"a\x0bb\x0cc\xe2\x80\xa8d\n", "L1-1", b"a\x0bb\x0cc\xe2\x80\xa8d\n"),
        (b"a\nb\n", f"L1-{'9' * 30}", b"a\nb\n"),
        (b"a\nb\n", f"L{'9' * 30}", None),
    ],
)
def test_lines_end_at_lf_only(data: bytes, text: str, found: bytes | None) -> None:
    assert cut(data, text) == found


@given(st.binary(max_size=200).map(lambda data: data.replace(b"\x01", b"\n")), st.integers(1, 30), st.integers(0, 30))
def test_as_a_plain_reading_of_the_rule(data: bytes, first: int, more: int) -> None:
    lines = data.split(b"\n")
    whole = [line + b"\n" for line in lines[:-1]] + ([lines[-1]] if lines[-1] else [])
    wanted = b"".join(whole[first - 1 : first + more]) if first <= len(whole) else None
    assert cut(data, f"L{first}-{first + more}") == wanted


def test_lines_across_blocks() -> None:
    data = b"".join(b"%07d" % number + b"x" * (number % 40) + b"\n" for number in range(1, 30_001))
    assert len(data) > 10 * _BLOCK
    lines = Lines(data)
    for first in (1, 2, 2470, 2471, 15_000, 29_999, 30_000):
        found = lines.cut(LineRange(first, first + 1))
        assert found is not None
        assert bytes(found).startswith(b"%07d" % first)
        assert bytes(found).count(b"\n") == min(2, 30_001 - first)


def test_a_number_is_told_to_eighteen_digits() -> None:
    assert parse_range("L" + "9" * 18) == LineRange(MANY_LINES - 1, MANY_LINES - 1)
    assert parse_range("L" + "9" * 19) == LineRange(MANY_LINES, MANY_LINES)
