"""The traffic list's columns: which there are, how wide, and what stands in them."""

from __future__ import annotations

import msgspec
import pytest

from cgp_tui.present.layout import cell_width
from cgp_tui.present.spans import span
from cgp_tui.present.symbols import ASCII, UNICODE, Look, Symbols
from cgp_tui.present.traffic import (
    COLUMNS,
    SUMMARY,
    Entry,
    column_at,
    column_rows,
    columns,
    counts,
    damaged_entry,
    entry_row,
    latency,
    note_entry,
)
from cgp_tui.store.settings import Column, TimeMode
from cgp_tui.text import own
from cgp_tui.wire.note import GateNote, Spawn, Stderr

ENTRY = Entry(
    number=6,
    seconds=1.5,
    delta=0.0098,
    connection=1,
    sender="provider",
    type=own("frames"),
    id=own("q2"),
    summary=(span("2 fr 48/500 tok"),),
    size=2387,
    state=latency(0.0098, "answered"),
    violations=1,
    advice=1,
)
START = 1_764_417_871.0


@pytest.mark.parametrize(
    ("width", "gone"),
    [
        (120, ()),
        (104, ()),
        (103, ("time",)),
        (88, ("time",)),
        (87, ("time", "delta")),
        (76, ("time", "delta")),
        (75, ("time", "delta", "size")),
        (59, ("time", "delta", "size")),
        (58, ("time", "delta", "size", "id")),
        (56, ("time", "delta", "size", "id")),
    ],
)
def test_columns_go_in_their_order(width: int, gone: tuple[str, ...]) -> None:
    kept = columns(width, 13, 1)
    assert tuple(name for name in ("time", "delta", "size", "id") if not getattr(kept, name)) == gone
    assert kept.summary >= 17


def test_marks_take_room_once_there_are_some() -> None:
    assert [columns(width, 13, 2, marks=False).id for width in (57, 58)] == [0, 4]
    kept = columns(59, 13, 2, marks=False)
    assert kept.mark == 0 and kept.id == 4 and not columns(59, 13, 2).id
    assert cell_width(entry_row(ENTRY, kept, Look(width=59), START).text) == 59
    assert not any("mark" in row.text and "No room" in row.text for row in column_rows((), kept, Look()))


@pytest.mark.parametrize("hidden", [(), ("size",), ("number", "type", "state"), tuple(COLUMNS)])
@pytest.mark.parametrize("mode", ["clock", "start", "delta"])
def test_what_is_left_out_leaves_its_room_to_the_others(hidden: tuple[Column, ...], mode: TimeMode) -> None:
    for width in (55, 66, 75, 80, 100, 120):
        kept = columns(width, 13, 2, mode, hidden)
        assert not any(getattr(kept, name) for name in hidden)
        assert cell_width(entry_row(ENTRY, kept, Look(width=width), START).text) == width
        before = columns(width, 13, 2, mode)
        assert all(getattr(kept, name) >= getattr(before, name) for name in COLUMNS if name not in hidden)


def test_a_column_comes_into_the_room_of_one_that_is_left_out() -> None:
    without_id: tuple[Column, ...] = ("id",)
    without_size: tuple[Column, ...] = ("size",)
    assert not columns(75, 13, 1).size and columns(75, 13, 1, hidden=without_id).size
    assert not columns(100, 13, 1).time and columns(100, 13, 1, hidden=without_size).time


def test_every_cell_belongs_to_a_column_that_says_what_it_is() -> None:
    kept = columns(110, 13, 2)
    row = entry_row(ENTRY, kept, Look(), START).text
    assert column_at(kept, row.index("12:04")) == COLUMNS["time"]
    assert column_at(kept, row.index("2 fr")) == SUMMARY
    assert column_at(kept, row.index("2.3K")) == COLUMNS["size"]
    assert column_at(kept, row.index("\u2717")) == COLUMNS["findings"]
    assert column_at(kept, 4) == "" and column_at(kept, 110) == ""


def test_a_column_that_is_wanted_and_has_no_room_says_so() -> None:
    rows = [row.text for row in column_rows({"size"}, columns(80, 13, 1, hidden={"size"}), Look())]
    assert rows[1].startswith("[x] time ") and rows[1].endswith("No room for it now.")
    assert rows[6].startswith("[ ] size ") and "No room" not in rows[6]
    assert len(rows) == len(COLUMNS)


@pytest.mark.parametrize("width", [55, 56, 59, 60, 66, 78, 90, 118, 198])
@pytest.mark.parametrize("symbols", [UNICODE, ASCII])
def test_a_row_is_as_wide_as_its_pane(width: int, symbols: object) -> None:
    alphabet = ASCII if symbols is ASCII else UNICODE
    kept = columns(width, 13, 1, arrow=len(alphabet.sent))
    row = entry_row(ENTRY, kept, Look(alphabet, width), START)
    assert cell_width(row.text) == width


@pytest.mark.parametrize("room", range(17, 24))
def test_a_part_that_is_left_out_leaves_a_mark(room: int) -> None:
    summary = (span("5 fr 91/60 tok"), span(" OVER"))
    whole = entry_row(msgspec.structs.replace(ENTRY, summary=summary), columns(110, 13, 1), Look(), START)
    assert "tok OVER " in whole.text
    parts = (span("x" * room), span(" OVER"))
    narrow = msgspec.structs.replace(columns(80, 13, 1), summary=room)
    shown = entry_row(msgspec.structs.replace(ENTRY, summary=parts), narrow, Look(), START).text
    assert "x" * (room - 1) + "…" in shown


@pytest.mark.parametrize("width", range(34, 56))
@pytest.mark.parametrize(("connections", "symbols"), [(1, UNICODE), (2, UNICODE), (2, ASCII)])
def test_the_narrowest_panes_still_show_what_is_wrong(width: int, connections: int, symbols: Symbols) -> None:
    """Whatever else gives way: the type, the summary, at last the latency."""
    kept = columns(width, 13, connections, marks=False, arrow=len(symbols.sent))
    row = entry_row(ENTRY, kept, Look(symbols, width), START).text
    assert cell_width(row) == width
    assert f"{symbols.received} frames" in row and f"{symbols.bad}1{symbols.doubt}1" in row and "2 fr 4" in row
    assert kept.state == 0 or "9.8 ms" in row


def test_a_wide_row_says_everything() -> None:
    row = entry_row(ENTRY, columns(110, 13, 2), Look(), START)
    assert row.text == (
        "   6 12:04:32.500  +9.8 ms 1← frames        q2     2 fr 48/500 tok                        2.3K  9.8 ms ✗1!1   "
    )


def test_the_ascii_alphabet_has_no_other_sign() -> None:
    row = entry_row(ENTRY, columns(110, 13, 2, arrow=2), Look(ASCII), START)
    assert row.text.isascii()
    assert "1<- frames" in row.text
    assert "X1!1" in row.text


def test_line_numbers_get_the_room_they_need() -> None:
    assert columns(80, 9_999, 1).number == 4
    assert columns(80, 1_000_000, 1).number == 7
    assert columns(80, 1, 12).direction == 3


@pytest.mark.parametrize(
    ("seconds", "state", "seen"),
    [
        (0.0124, "answered", "12.4 ms"),
        (None, "answered", ""),
        (None, "pending", "pending"),
        (0.2, "failed", "failed"),
        (None, "duplicate", "dup"),
        (1.0, "late", "late"),
        (None, "", ""),
    ],
)
def test_the_state_is_a_latency_or_a_word(seconds: float | None, state: str, seen: str) -> None:
    assert latency(seconds, state).text == seen


def test_notes_are_rows_of_their_own() -> None:
    note = note_entry(Stderr(t=0.5, connection=2, text="boom\nmore\n"), None)
    row = entry_row(note, columns(80, 13, 2), Look(), START)
    assert row.text.startswith("   · 2  stderr ")
    assert "boom  and 1 more line" in row.text


def test_a_gate_note_says_its_answer_in_a_word() -> None:
    refused = note_entry(GateNote(t=0.0, connection=1, allowed=False, bytes=164), None)
    allowed = note_entry(GateNote(t=0.0, connection=1, allowed=True, bytes=164), None)
    assert (refused.state.text, allowed.state.text) == ("refused", "allowed")
    without_state: tuple[Column, ...] = ("state",)
    for hidden in ((), without_state):
        for note, word in ((refused, "refused"), (allowed, "allowed")):
            assert entry_row(note, columns(80, 13, 1, hidden=hidden), Look()).text.count(word) == 1, hidden


def test_a_time_that_was_not_recorded_is_left_blank() -> None:
    row = entry_row(note_entry(Spawn(t=0.0, connection=1, pid=1, sandbox="none"), None), columns(110, 1, 1), Look(), None)
    assert row.text.startswith("   ·" + " " * 14)


def test_unknown_senders_are_asked_about() -> None:
    row = entry_row(damaged_entry(3, "not JSON", 12, Look()), columns(80, 13, 1), Look(), None)
    assert "?" in row.text
    assert "unreadable record: not JSON" in row.text


def test_counts_beyond_their_column_stay_inside_it() -> None:
    assert "".join(part.text for part in counts(1234, 0, UNICODE)) == "✗99"
    assert counts(0, 0, UNICODE) == ()


def test_a_mark_stands_at_the_end_of_its_row() -> None:
    marked = msgspec.structs.replace(ENTRY, mark=True)
    for width in (60, 110):
        cells = columns(width, 13, 2)
        assert entry_row(marked, cells, Look(), START).text == entry_row(ENTRY, cells, Look(), START).text[:-1] + "*"
