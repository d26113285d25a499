"""The terminal of the tests: what counts as said, and when."""

from __future__ import annotations

import time

import pytest

from tests.terminal import Terminal, words

PAINT = b"\x1b[?1049h\x1b]0;a title\x07\x1b_apc\x1b\\\x1bP+q544e\x1b\\\x1b(B\x1b7\x1b[1;31mtext\x1b[0m"


@pytest.mark.parametrize("cut", range(len(PAINT) + 1))
def test_wherever_it_is_cut_only_text_is_said(cut: int) -> None:
    assert b"text".startswith(words(PAINT[:cut]))
    assert words(PAINT) == b"text"


def test_a_title_is_nothing_said_and_words_are_told_from_others() -> None:
    start = time.perf_counter()
    with Terminal(
        [
            "sh",
            "-c",
            "stty -echo; printf '\\033]0;up\\007'; sleep 0.4; printf up; read line; printf ' down'; "
            "read line; printf .; sleep 0.2; printf ' down'; sleep 30",
        ]
    ) as terminal:
        first = terminal.moment("")
        assert first - start >= 0.4
        assert terminal.text.strip() == "up"
        asked = time.perf_counter()
        terminal.send("\n")
        assert terminal.moment("up down") > asked
        terminal.send("\n")
        before, asked = len(terminal.raw), time.perf_counter()
        assert terminal.moment("down", since=before) - asked >= 0.1


def test_what_is_never_said_is_not_waited_for_beyond_the_end() -> None:
    with Terminal(["sh", "-c", "printf never"]) as terminal, pytest.raises(AssertionError, match="not seen"):
        terminal.moment("ever after", 60)
