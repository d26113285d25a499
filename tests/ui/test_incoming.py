"""What a terminal sends becomes text, whatever it sends and however it is cut."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cgp_tui.ui.incoming import Incoming


def text(*pieces: bytes) -> tuple[str, int]:
    incoming = Incoming()
    return "".join([incoming.text(piece) for piece in pieces]), incoming.strange


@pytest.mark.parametrize(
    ("data", "seen", "strange"),
    [
        (b"j", "j", 0),
        ("schön 日本".encode(), "schön 日本", 0),
        (b"sch\xf6n", "sch\ufffdn", 1),
        (b"\xff\xfe", "\ufffd\ufffd", 2),
        (b"\x1b[<0;120;5M", "\x1b[<0;120;5M", 0),
        (b"a\x1b[M \xc8!b", "ab", 1),
        (b"\x1b[M \xc8\xa0j", "j", 1),
        (b"\x1b[M #$\x1b[M##$", "", 2),
        (b"\x1b[M \n!", "\x1b[M \n!", 0),
        (b"\x1b", "\x1b", 0),
        (b"\xe2\x82", "", 0),
        (b"\x1b[M ", "", 0),
    ],
)
def test_bytes_become_text(data: bytes, seen: str, strange: int) -> None:
    assert text(data) == (seen, strange)


@given(st.lists(st.sampled_from([b"\x1b[M \xc8!", b"\x1b[A", "ö日".encode(), b"q", b"\xff"]), max_size=6), st.data())
def test_how_it_is_cut_makes_no_difference(pieces: list[bytes], data: st.DataObject) -> None:
    whole = b"".join(pieces)
    at = data.draw(st.integers(0, len(whole)))
    # A report cut right after its escape is not waited for: a lone escape is a key.
    begun = whole[:at].endswith((b"\x1b", b"\x1b["))
    assert text(whole[:at], whole[at:]) == text(whole) or begun


def test_a_lone_escape_is_told_at_once() -> None:
    assert Incoming().text(b"\x1b") == "\x1b"
