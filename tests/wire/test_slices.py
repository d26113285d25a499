"""Looking over a text in slices finds what looking at all of it finds."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cgp_tui.wire import slices

TEXTS = st.one_of(
    st.binary(max_size=30), st.text("a\\é解😀", max_size=20).map(str.encode), st.text("a\\", max_size=30).map(str.encode)
)


@pytest.fixture(autouse=True, scope="module")
def small() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(slices, "SLICE", 5)
        yield


@given(TEXTS, st.binary(min_size=1, max_size=4))
def test_what_a_text_holds_is_found_across_slices(raw: bytes, needle: bytes) -> None:
    assert slices.holds(raw, needle) == (needle in raw)
    assert all(slices.holds(raw, raw[at : at + 4]) for at in range(len(raw)))


@given(TEXTS, st.sampled_from([b"", b"\xff", b"\x80", b"\xe8\xa7"]), st.integers(0, 40))
def test_the_first_byte_that_is_no_utf8_is_found_across_slices(text: bytes, bad: bytes, at: int) -> None:
    raw = text[:at] + bad + text[at:]
    try:
        raw.decode()
        whole = -1
    except UnicodeDecodeError as error:
        whole = error.start
    assert slices.first_bad_byte(raw) == whole


@given(TEXTS)
def test_slices_come_to_the_whole_and_none_ends_in_a_backslash(raw: bytes) -> None:
    parts = list(slices.apart(raw))
    assert b"".join(parts) == raw
    assert not any(part.endswith(b"\\") for part in parts[:-1])
    assert all(len(part) <= 5 or part[4:-1].strip(b"\\") == b"" for part in parts)


@given(st.text(" \t\ra", max_size=25).map(str.encode))
def test_blanks_are_stripped_as_at_once(raw: bytes) -> None:
    assert slices.strip(raw) == raw.strip(b" \t\r")


@given(st.one_of(st.text(" \t\r\n\v\fa", max_size=12).map(str.encode), st.binary(max_size=12)))
def test_what_is_blank_is_what_nothing_is_left_of(raw: bytes) -> None:
    assert slices.blank(raw) == (not raw.strip())
