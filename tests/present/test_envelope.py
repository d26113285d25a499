"""The line itself: laid out, and byte by byte."""

from __future__ import annotations

import json

from hypothesis import given
from hypothesis import strategies as st

from cgp_tui.present import envelope
from cgp_tui.present.envelope import frame_bytes, json_rows, raw_rows
from cgp_tui.present.layout import cell_width
from cgp_tui.present.symbols import Look
from tests.present.samples import LOOK, frame, frames, raw_lines, text


def test_json_is_indented_and_spelled_as_it_came() -> None:
    assert text(json_rows(b'{"a":1e400,"b":[1.0,"\\u001b"]}', LOOK)) == (
        '{\n  "a": 1e400,\n  "b": [\n    1.0,\n    "\\u001b"\n  ]\n}'
    )


def test_what_is_no_json_is_shown_as_bytes() -> None:
    seen = text(json_rows(b"{nope", LOOK))
    assert seen.startswith("✗ Not JSON: the bytes as they came.\n5 bytes")
    assert seen.endswith("   0  {nope")


def test_hidden_codes_in_json_are_visible() -> None:
    raw = '{"a":"\x9b\u202e\x7f"}'.encode()
    assert '"a": "<U+009B><U+202E>␡"' in text(json_rows(raw, LOOK))


def test_raw_rows_carry_the_offset_of_their_first_byte() -> None:
    rows = list(raw_rows(b"x" * 150, Look(width=76)))
    assert rows[1].text == "   0  " + "x" * 70
    assert rows[2].text == "  70  " + "x" * 70
    assert rows[3].text == " 140  " + "x" * 10


def test_bytes_that_are_no_text_are_named() -> None:
    assert text(raw_rows(b"\xff\xc0\xaeA\x1b\x00", LOOK)).endswith("   0  <FF><C0><AE>A␛␀")


@given(st.binary(max_size=400), st.integers(20, 90))
def test_every_byte_has_its_place(raw: bytes, width: int) -> None:
    rows = list(raw_rows(raw, Look(width=width)))[1:]
    offsets = [int(row.lead.text) for row in rows if row.lead is not None]
    assert offsets == sorted(set(offsets))
    assert offsets[:1] == ([0] if raw else [])
    for row in rows:
        assert cell_width(row.text) <= width or len(row.spans[0].text) <= 10


@given(st.text(st.characters(exclude_categories=["Cs"]), max_size=80))
def test_text_of_any_script_reads_on_from_row_to_row(content: str) -> None:
    rows = list(raw_rows(content.encode(), Look(width=30)))[1:]
    plain = "".join(row.spans[0].text for row in rows)
    if content.isprintable() and content.isascii():
        assert plain == content


def test_a_very_long_line_says_what_is_not_drawn() -> None:
    raw = b'{"a":"' + b"x" * envelope.DRAWN_BYTES + b'"}'
    last = list(raw_rows(raw, LOOK))[-1]
    assert last.text == "8 more bytes are in the transcript, not drawn here."
    assert "more characters are in the transcript" in list(json_rows(raw, LOOK))[-1].text


def test_a_frame_is_cut_out_of_its_line_unknown_members_included() -> None:
    raw = raw_lines([frames(1, frame("a"), frame("b", colour="red"))])[0]
    cut = frame_bytes(raw, 1)
    assert cut is not None
    assert json.loads(cut)["colour"] == "red"
    assert frame_bytes(raw, 2) is None
    assert frame_bytes(b"{}", 0) is None
