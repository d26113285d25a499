"""Columns: what goes in comes out, whatever the numbers."""

from __future__ import annotations

from typing import get_args

from hypothesis import given
from hypothesis import strategies as st

from cgp_tui.analysis import columns as module
from cgp_tui.analysis.columns import Columns
from cgp_tui.session.exchange import ExchangeKind, State

marks = st.tuples(
    st.none() | st.integers(1, 2**32 - 1),
    st.sampled_from(get_args(ExchangeKind)),
    st.sampled_from(get_args(State)),
    st.text(max_size=3),
)


@given(st.lists(marks, max_size=20))
def test_every_record_keeps_its_own(rows: list[tuple[int | None, ExchangeKind, State, str]]) -> None:
    columns = Columns()
    for _ in range(len(rows) + 1):
        columns.append(None)
    for at, row in enumerate(rows):
        columns.set_exchange(at, *row)
    assert [(columns.exchange[at] or None, *(columns.standing(at) or ())) for at in range(len(rows))] == rows
    assert columns.standing(len(rows)) is None
    assert columns.exchange[len(rows)] == 0


def test_what_a_record_says_of_itself_stays_whatever_becomes_of_its_exchange() -> None:
    columns = Columns()
    for _ in range(3):
        columns.append(0.0)
    columns.fail(1)
    assert columns.standing(1) is None
    columns.set_exchange(1, 1, "query", "answered", "")
    columns.set_exchange(2, 1, "query", "answered", "")
    assert columns.standing(1) == columns.standing(2) == ("query", "answered", "")
    assert (columns.worst(0, 1), columns.worst(1, 2), columns.worst(2, 3)) == ("", "failed", "")
    assert columns.failed(0, True) == 1 and columns.failed(1, True) is None


def test_a_record_without_a_time_has_that_of_the_one_before() -> None:
    columns = Columns()
    for t in (None, 1.5, None, 2.0):
        columns.append(t)
    assert list(columns.time) == [0.0, 1.5, 1.5, 2.0]


def test_both_ends_are_tied() -> None:
    columns = Columns()
    for _ in range(3):
        columns.append(0.0)
    columns.pair(0, 2)
    assert [columns.partner_of(at) for at in range(3)] == [2, None, 0]


def test_findings_are_counted_up_to_what_a_row_shows() -> None:
    columns = Columns()
    columns.append(0.0)
    for _ in range(300):
        columns.charge(0, "violation")
    columns.charge(0, "advice")
    columns.charge(0, "note")
    columns.charge(0, "advice")
    columns.charge(0, "advice", -1)
    assert (columns.violations[0], columns.advice[0]) == (255, 1)


def test_reasons_without_end_do_not_grow_without_end(monkeypatch: object) -> None:
    columns = Columns()
    for at in range(module._WHYS + 10):
        columns.append(0.0)
        columns.set_exchange(at, at + 1, "query", "failed", f"reason {at}")
    assert columns.standing(5) == ("query", "failed", "reason 5")
    assert columns.standing(module._WHYS + 5) == ("query", "failed", "")


def test_the_worst_of_a_stretch() -> None:
    columns = Columns()
    for _ in range(8):
        columns.append(None)
    columns.set_exchange(1, 1, "query", "answered", "")
    columns.set_exchange(2, 2, "query", "pending", "")
    columns.set_exchange(3, 3, "verify", "failed", "timeout")
    columns.set_exchange(4, None, "handshake", "orphan", "")
    columns.set_exchange(5, 5, "query", "late", "")
    columns.charge(6, "advice")
    columns.charge(7, "violation")
    assert [columns.worst(at, at + 1) for at in range(8)] == [
        "",
        "",
        "",
        "failed",
        "failed",
        "failed",
        "advice",
        "violation",
    ]
    assert [columns.worst(0, 3), columns.worst(0, 7), columns.worst(6, 8), columns.worst(3, 3)] == [
        "",
        "failed",
        "violation",
        "",
    ]
    assert columns.worst(0, 100) == "violation"
    assert Columns().worst(0, 9) == ""


def test_the_next_failed_and_the_next_slow_one() -> None:
    columns = Columns()
    for at in range(8):
        columns.append(float(at))
    columns.set_exchange(2, 1, "query", "failed", "timeout")
    columns.set_exchange(5, None, "query", "duplicate", "")
    columns.set_exchange(6, 2, "query", "answered", "")
    columns.pair(1, 3)
    columns.pair(4, 7)
    assert [columns.failed(at, True) for at in (-1, 1, 2, 4, 5, 7)] == [2, 2, 5, 5, None, None]
    assert [columns.failed(at, False) for at in (8, 5, 3, 2, 0)] == [5, 2, 2, None, None]
    assert [columns.slow(at, True, 1.5) for at in (-1, 3, 6, 7)] == [3, 7, 7, None]
    assert [columns.slow(at, False, 1.5) for at in (8, 7, 3, 0)] == [7, 3, None, None]
    assert columns.slow(-1, True, 2.5) == 7 and columns.slow(-1, True, 3.0) is None
    assert Columns().charged(0, True) is None and Columns().failed(0, True) is None and Columns().slow(0, False, 1.0) is None


def test_the_next_record_that_is_charged_whatever_the_level() -> None:
    columns = Columns()
    for _ in range(8):
        columns.append(None)
    for at, level in ((2, "advice"), (4, "note"), (5, "violation"), (5, "advice")):
        columns.charge(at, level)
    assert [columns.charged(at, True) for at in (-1, 1, 2, 4, 5, 7)] == [2, 2, 5, 5, None, None]
    assert [columns.charged(at, False) for at in (8, 5, 3, 2, 0)] == [5, 2, 2, None, None]
