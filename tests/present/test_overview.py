"""The session in one line: every record is in one cell, and what is wrong is seen before how much was said."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from cgp_tui.present.overview import (
    LOOKED_AT,
    Cell,
    cell_of,
    looked_at,
    overview_spans,
    stretch_words,
    stretches,
    type_words,
)
from cgp_tui.present.symbols import ASCII, UNICODE
from cgp_tui.text import Shown, own


@given(st.integers(1, 500), st.integers(0, 120))
def test_every_record_is_in_one_cell_and_is_found_there(count: int, width: int) -> None:
    cells = stretches(count, width)
    assert len(cells) == min(count, max(width, 1))
    assert [at for first, after in cells for at in range(first, after)] == list(range(count))
    for place, (first, after) in enumerate(cells):
        assert after > first
        assert {cell_of(at, count, width) for at in range(first, after)} == {place}


def signs(*cells: Cell, at: int = -1, ascii: bool = False) -> str:
    return "".join(one.text for one in overview_spans(cells, at, ASCII if ascii else UNICODE))


def test_the_worst_of_a_cell_is_drawn_over_its_height() -> None:
    assert signs(Cell(1000), Cell(1000, "violation"), Cell(1000, "failed"), Cell(1000, "advice")) == "█✗?!"
    tokens = [one.token for one in overview_spans([Cell(1, "violation"), Cell(1, "failed"), Cell(1, "advice")], -1, UNICODE)]
    assert tokens == ["bad", "bad", "doubt"]
    assert signs(Cell(5, judged=False), Cell(5)) == "·█"


def test_heights_are_in_doublings_of_the_largest() -> None:
    assert signs(*(Cell(1 << at) for at in range(12))) == "▁▁▁▁▁▂▃▄▅▆▇█"
    assert signs(Cell(0), Cell(1 << 40), ascii=True) == "_@"
    assert signs() == ""


def test_the_cell_of_the_cursor_stands_out() -> None:
    drawn = overview_spans([Cell(1), Cell(1), Cell(1, "advice"), Cell(1, "violation")], 1, UNICODE)
    assert [one.token for one in drawn] == ["muted", "strong", "doubt", "bad"]
    assert overview_spans([Cell(1, "advice")], 0, UNICODE)[0].token == "strong"


def types(text: str, of: int = 0) -> Shown:
    words = [own(word) for word in text.split()]
    return type_words(words, of or len(words))


def test_a_cell_says_which_records_it_stands_for_and_what_they_are() -> None:
    assert stretch_words(3, 4, 17, types("Frames"), Cell(900)) == "Record 4 of 17: Frames; 900 bytes, nothing wrong"
    many = stretch_words(1000, 2000, 20_000, types("query frames query"), Cell(2_048))
    assert many == "Records 1,001 to 2,000 of 20,000: 2 query, 1 frames; 2,048 bytes, nothing wrong"


def test_a_cell_says_what_its_sign_means() -> None:
    def said(cell: Cell) -> str:
        return stretch_words(0, 1, 1, types("query"), cell).partition("; ")[2]

    assert said(Cell(1, "violation")) == said(Cell(1, "violation", judged=False)) == "a rule is broken"
    assert said(Cell(1, "failed")) == "something came to nothing"
    assert said(Cell(1, "advice")) == "there is advice"
    assert said(Cell(1, judged=False)) == "1 byte, not checked yet"


def test_types_are_counted_the_most_frequent_first_and_the_rare_ones_together() -> None:
    assert types("query frames " * 12 + "error") == "12 query, 12 frames, 1 error"
    assert types("a b b c c c d d d d e e e e e f") == "5 e, 4 d, 3 c, 2 b, 2 others"
    assert types("query frames query", 70) == "of 3 looked at 2 query, 1 frames"
    assert types("query") == "query"


@given(st.integers(0, 10_000), st.integers(1, 5_000))
def test_of_a_long_stretch_a_few_hundred_records_are_looked_at_neighbours_among_them(first: int, count: int) -> None:
    looked = looked_at(first, first + count)
    assert len(set(looked)) == len(looked) == min(count, LOOKED_AT)
    assert looked[0] == first and looked[-1] == first + count - 1 and sorted(looked) == list(looked)
    requests = sum(at % 2 for at in looked)
    assert abs(requests - len(looked) / 2) <= LOOKED_AT / 8, "requests and replies take turns, and both are seen"
