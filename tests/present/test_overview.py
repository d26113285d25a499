"""The session in one line: every record is in one cell, and what is wrong is seen before how much was said."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from cgp_tui.present.overview import Cell, cell_of, overview_spans, stretch_words, stretches
from cgp_tui.present.symbols import ASCII, UNICODE


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


def test_a_cell_says_which_records_it_stands_for() -> None:
    assert stretch_words(3, 4, 17).startswith("Record 4 of 17: ")
    assert stretch_words(1000, 2000, 20_000).startswith("Records 1,001 to 2,000 of 20,000: ")
