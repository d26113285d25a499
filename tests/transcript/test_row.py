"""Rows: from the first and last bytes the same as from the whole record."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cgp_tui.transcript.record import encode_line, encode_note
from cgp_tui.transcript.row import HEAD, TAIL, Peeked, bare_row, damaged_row, record_row, whole_row
from cgp_tui.wire.line import Line
from cgp_tui.wire.note import GaveUp


def message(size: int, **members: Any) -> bytes:
    """A frames line of about `size` bytes, its id last as many serializers put it."""
    return json.dumps({"type": "frames", "result": {"x": "y" * size}, **members}, separators=(",", ":")).encode()


def cheap(record: bytes) -> Peeked | None:
    return record_row(record[:HEAD], record[-TAIL:] if len(record) > HEAD else b"", len(record))


@pytest.mark.parametrize("size", [0, 300, HEAD - 150, HEAD, HEAD + 1, 5000])
@pytest.mark.parametrize("sender", ["host", "provider", None])
def test_a_line_of_any_length(size: int, sender: Any) -> None:
    raw = message(size, id="q1")
    record = encode_line(Line(12, 3, sender, 1.25, raw))[:-1]
    row = cheap(record)
    assert row is not None
    assert row.head
    assert raw.startswith(row.head)
    wanted = Peeked("line", 12, 3, sender, 1.25, "frames", "q1", len(raw), row.head)
    assert row == wanted
    whole = whole_row(record)
    assert (whole.kind, whole.n, whole.connection, whole.sender, whole.t, whole.type, whole.id, whole.size) == (
        *("line", 12, 3, sender, 1.25, "frames", "q1"),
        len(raw),
    )


@given(st.integers(700, 9000))
def test_a_line_kept_as_base64_has_its_own_size(size: int) -> None:
    record = encode_line(Line(1, 1, "provider", 0.5, b"\xff" * size))[:-1]
    row = cheap(record)
    assert row is not None
    assert (row.n, row.size, row.type) == (1, size, None)


def test_a_line_kept_as_text_is_read_whole_where_it_is_short() -> None:
    record = encode_line(Line(1, 1, "provider", 0.5, b" plain"))[:-1]
    assert cheap(record) is None
    assert whole_row(record).size == 6
    long = encode_line(Line(2, 1, "provider", 0.5, b"x" * 5000))[:-1]
    row = cheap(long)
    assert row is not None
    assert (row.n, row.size) == (2, 5000)


def test_a_note() -> None:
    record = encode_note(GaveUp(t=2.5, connection=4, exchange=1, after_s=30.0))[:-1]
    assert cheap(record) == whole_row(record) == Peeked("note", None, 4, None, 2.5, "gave_up", None, len(record), record)


def test_another_spelling_is_read_whole() -> None:
    record = b'{"connection":1,"t":0,"n":1,"from":"host","line":{"type":"query","id":"a"}}'
    assert cheap(record) is None
    row = whole_row(record)
    assert (row.kind, row.n, row.sender, row.type, row.id) == ("line", 1, "host", "query", "a")


def test_what_nobody_can_read() -> None:
    assert whole_row(b"{") == damaged_row(b"{", 1)
    assert damaged_row(b"{", 1).kind == "damaged"


def test_a_bare_line_has_the_sender_of_its_type() -> None:
    raw = message(5000, id="q9")
    row = bare_row(4, 2, raw[:HEAD], raw[-TAIL:], len(raw))
    assert (row.n, row.connection, row.sender, row.t, row.type, row.id, row.size) == (
        4,
        2,
        "provider",
        None,
        "frames",
        "q9",
        len(raw),
    )
    assert bare_row(1, 1, b'{"type":"query"}', b"", 16).sender == "host"
    assert bare_row(1, 1, b'{"type":"later"}', b"", 16).sender is None
    assert bare_row(1, 1, b"", b"", 0).type is None
