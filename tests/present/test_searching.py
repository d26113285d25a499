"""Where a text stands, in rows that go on in the next and in the bytes of what is folded."""

from __future__ import annotations

import pytest

from cgp_tui.present import searching
from cgp_tui.present.envelope import raw_rows
from cgp_tui.present.searching import MOST, holds, offsets
from cgp_tui.present.spans import Row, span
from cgp_tui.present.symbols import Look


def found(rows: list[Row], wanted: str) -> list[int]:
    return [at for at in range(len(rows)) if holds(rows, at, wanted)]


def test_a_text_is_found_where_rows_cut_it() -> None:
    raw = b'{"type":"frames","id":"q1","content":"where does the Retry loop give up"}'
    rows = list(raw_rows(raw, Look(width=20)))
    for start in range(len(raw) - 5):
        for length in (1, 2, 5, 30):
            wanted = raw[start : start + length].decode().lower()
            assert found(rows, wanted), wanted
    assert found(rows, "give down") == []
    assert found(list(raw_rows(b"abc" * 9, Look(width=16))), "bca")[0] == 1


def test_a_text_that_ends_with_its_row_is_not_found_in_the_next() -> None:
    rows = [Row((span("retry"),)), Row((span("loop"),)), Row((span("tail"),), lead=span("  12  "), on=True)]
    assert found(rows, "retryloop") == [] and found(rows, "loop") == [1]
    assert found(rows, "12") == [2], "what stands before a row is found too"
    assert found(rows, "tailx") == []


def test_bytes_are_searched_whatever_the_case_of_letters_unless_they_are_many(monkeypatch: pytest.MonkeyPatch) -> None:
    raw = '{"a":"Zürich","b":"zürich"}'.encode()
    assert [raw[at : at + 7].decode() for at in offsets(raw, "zürich")] == ["Zürich", "zürich"]
    monkeypatch.setattr(searching, "EITHER_CASE", 4)
    assert [raw[at : at + 7].decode() for at in offsets(raw, "zürich")] == ["zürich"]
    assert offsets(raw, "") == offsets(raw, "nobody") == []
    assert offsets(b"\xff", "\ud800") == []


def test_of_many_places_the_first_are_told() -> None:
    assert offsets(b"aa" * MOST, "a") == list(range(MOST))
    assert offsets(b"aaaa" * MOST, "a", 5) == [*range(5), *range(5, 5 + MOST)]
    assert offsets(b"xaab", "aa", 2) == [1]
