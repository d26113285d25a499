"""Text in cells: measured as the terminal measures it, cut and folded without loss."""

from __future__ import annotations

import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from cgp_tui.present.layout import (
    cell_width,
    cut,
    cut_middle,
    digest,
    fit,
    fold,
    labelled,
    quoted,
    spans_width,
    tip_at,
    within,
)
from cgp_tui.present.spans import Row, Span, span
from cgp_tui.present.symbols import ASCII, UNICODE, Look
from cgp_tui.text import own, show

FOREIGN = st.text(max_size=80).map(show)


def test_every_drawable_character_is_as_wide_as_the_toolkit_takes_it() -> None:
    drawable = (char for char in map(chr, range(0x20, sys.maxunicode + 1)) if show(char) == char)
    assert [hex(ord(char)) for char in drawable if cell_width(char) != cell_len(char)] == []


def test_an_emoji_style_makes_its_base_wide() -> None:
    assert cell_width("❤️") == 2
    assert cell_width("日本") == 4


def test_a_cut_shows_that_it_is_one() -> None:
    assert cut(own("why does the retry"), 8, UNICODE) == "why doe…"
    assert cut(own("why does the retry"), 8, ASCII) == "why doe$"
    assert cut(own("short"), 8, UNICODE) == "short"
    assert cut(own("short"), 0, UNICODE) == ""
    assert cut(own("日本語"), 4, UNICODE) == "日…"


@pytest.mark.parametrize(
    ("width", "seen"),
    [
        (20, "one two three"),
        (13, "one two three"),
        (12, "one two thr…"),
        (9, "one two …"),
        (8, "one two…"),
        (7, "one tw…"),
        (0, ""),
    ],
)
def test_what_has_no_room_on_a_line_leaves_a_mark(width: int, seen: str) -> None:
    line = (span("one "), span("two "), span("three", "bad"), span("  "))
    kept = within(line, width, UNICODE)
    assert "".join(part.text for part in kept) == seen
    assert spans_width(kept) <= width


def test_both_ends_of_an_id_stay() -> None:
    assert cut_middle(own("file:///repo/src/net.rs"), 11, UNICODE) == "file:…et.rs"
    assert cut_middle(own("file:///repo"), 4, UNICODE) == "fil…"


@given(FOREIGN, st.integers(0, 40), st.booleans(), st.sampled_from(["left", "right"]))
def test_a_cell_is_exactly_as_wide_as_asked(text: str, width: int, middle: bool, align: str) -> None:
    fitted = fit(own(text), width, UNICODE, middle=middle, align="left" if align == "left" else "right")
    assert cell_width(fitted) == width


def test_a_hash_is_shortened_for_rows_only() -> None:
    assert digest(own("sha256:" + "ab" * 32), UNICODE) == "abababab…abab"
    assert digest(own("sha256:9f2c"), UNICODE) == "9f2c"


@given(FOREIGN, st.integers(8, 60))
def test_folding_keeps_every_character_and_the_width(text: str, width: int) -> None:
    row = Row((Span(own(text)),), lead=span("label "), rest=span("      "))
    lines = ["".join(part.text for part in line) for line in fold(row, width)]
    assert all(cell_width(line) <= width for line in lines)
    kept = lines[0].removeprefix("label ") + "".join(line.removeprefix("      ") for line in lines[1:])
    assert kept.replace(" ", "") == text.replace(" ", "")


def test_folding_breaks_at_blanks_and_only_then_inside_words() -> None:
    row = Row((span("one two three"),))
    assert [line[0].text for line in fold(row, 8)] == ["one two ", "three"]
    assert [line[0].text for line in fold(Row((span("abcdefghij"),)), 4)] == ["abcd", "efgh", "ij"]


def test_indentation_is_no_place_to_break() -> None:
    row = Row((span("      abcdefghij"),))
    assert [line[0].text for line in fold(row, 10)] == ["      abcd", "efghij"]


def test_an_empty_row_is_one_line() -> None:
    assert fold(Row(), 10) == ((),)
    assert fold(Row(lead=span("x")), 10) == ((span("x"),),)


def test_tokens_survive_folding() -> None:
    row = Row((span("good ", "good"), span("and bad", "bad")))
    assert [[(part.text, part.token) for part in line] for line in fold(row, 8)] == [
        [("good ", "good"), ("and", "bad")],
        [("bad", "bad")],
    ]


@pytest.mark.parametrize(("width", "lines"), [(78, ["key         value"]), (30, ["key", "  value"])])
def test_a_label_stands_beside_its_value_or_above_it(width: int, lines: list[str]) -> None:
    assert [row.text for row in labelled("key", Look(width=width), span("value"))] == lines


def test_a_hash_that_would_break_gets_a_line_of_its_own() -> None:
    rows = list(labelled("digest", Look(width=76), span("sha256:" + "ab" * 32)))
    assert [row.text for row in rows] == ["digest", "  sha256:" + "ab" * 32]


def test_every_line_of_a_quote_is_marked() -> None:
    rows = list(quoted([own("one two three")], Look(ASCII, 20)))
    lines = ["".join(part.text for part in line) for line in fold(rows[0], 10)]
    assert lines == ["| one two ", "| three"]


def test_a_tip_follows_its_text_into_the_next_line() -> None:
    lines = fold(Row((Span(own("one two three"), tip=own("numbers")), span(" four"))), 8)
    assert [[tip_at(line, x) for x in (0, 4)] for line in lines] == [
        ["numbers", "numbers"],
        ["numbers", "numbers"],
        [None, None],
    ]
