"""The format: every byte of a line comes back, the file stays useful to other tools, readers forgive what is new."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cgp_tui import limits
from cgp_tui.transcript import record as record_module
from cgp_tui.transcript.record import (
    FORMAT,
    Damaged,
    Header,
    decode_header,
    decode_record,
    encode_header,
    encode_line,
    encode_note,
)
from cgp_tui.wire import note as notes
from cgp_tui.wire import portions
from cgp_tui.wire.line import Line
from tests.wire.notes import WRITTEN

wire_json = st.dictionaries(st.text(), st.recursive(st.none() | st.text() | st.integers(), st.lists, max_leaves=5)).map(
    lambda value: json.dumps(value, ensure_ascii=False)
)
raws = (st.binary(max_size=80) | wire_json.map(lambda text: text.encode("utf-8", "surrogatepass"))).map(
    lambda raw: raw.replace(b"\n", b"\r")
)


@given(raws, st.integers(1, 10**9), st.sampled_from(["host", "provider", None]), st.integers(0, 10**12))
def test_every_byte_of_a_line_comes_back(raw: bytes, n: int, sender: Any, micros: int) -> None:
    line = Line(n, 3, sender, micros / 1_000_000, raw)
    record = encode_line(line)
    assert record.count(b"\n") == 1
    assert decode_record(record[:-1]) == line
    json.loads(record)


EMBEDDED: list[tuple[bytes, str]] = [
    (b'{"type":"shutdown"}', "line"),
    ('{"a":"\u2028\u0085é"}'.encode(), "line"),
    (b'{ "type" : "shutdown" }', "line"),
    (b'{"a":1}\r', "text"),
    (b' {"a":1}', "text"),
    (b"[1]", "text"),
    (b'{"a":1}{"b":2}', "text"),
    (b'{"a":NaN}', "text"),
    (b"", "text"),
    (b"not json", "text"),
    (b'{"a":"\xff"}', "base64"),
    (b"\x00\xff", "base64"),
]


@pytest.mark.parametrize(("raw", "member"), EMBEDDED, ids=lambda value: str(value)[:30])
def test_how_a_line_is_embedded(raw: bytes, member: str) -> None:
    record = json.loads(encode_line(Line(7, 1, "host", 1.5, raw)))
    assert set(record) == {"n", "t", "connection", "from", member}
    assert (record["n"], record["t"], record["connection"], record["from"]) == (7, 1.5, 1, "host")
    if member == "line":
        assert raw in encode_line(Line(7, 1, "host", 1.5, raw))


def test_an_embedded_line_costs_at_most_200_bytes() -> None:
    raw = b'{"type":"shutdown"}'
    assert len(encode_line(Line(10**9, 10**6, "provider", 10.0**9 + 0.123456, raw))) <= len(raw) + 200


@pytest.mark.parametrize("depth", [60, 900, 5000])
def test_a_deep_line_comes_back_from_any_depth_of_the_readers_stack(depth: int) -> None:
    line = Line(1, 1, "provider", 0.0, b'{"x":' + b"[" * depth + b"]" * depth + b"}")
    record = encode_line(line)[:-1]

    def below(frames: int) -> Any:
        return below(frames - 1) if frames else decode_record(record)

    assert below(0) == line
    assert below(600) == line


@given(
    st.one_of(st.binary(max_size=60), st.text(max_size=60).map(str.encode), st.just(b'{"a":[1,"\\u00e9\xc3\xa9",{}]}')),
    st.sampled_from([b"", b"x", b" ", b",", b'"', b"=", b"\xff", b'}{"']),
    st.integers(0, 200),
)
def test_a_long_record_is_read_in_portions_and_says_the_same(line: bytes, more: bytes, at: int) -> None:
    record = encode_line(Line(7, 2, "provider", 1.5, line))[:-1]
    record = record[:at] + more + record[at:]
    whole = decode_record(record)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(limits, "SHELL_AT_ONCE_BYTES", 0)
        patch.setattr(portions, "PORTION", 20)
        patch.setattr(record_module, "_PORTION", 4)
        assert decode_record(record) == whole
        if not more and isinstance(whole, Line):
            assert record_module._long(record) == whole


@pytest.mark.parametrize(("note", "raw"), WRITTEN, ids=lambda one: "" if isinstance(one, bytes) else type(one).__name__)
def test_a_note_comes_back(note: notes.KnownNote, raw: bytes) -> None:
    assert encode_note(note) == raw + b"\n"
    assert decode_record(raw) == note


def test_what_a_later_version_adds_is_kept_or_ignored() -> None:
    unknown = b'{"note":"weather","t":1.5,"connection":2,"sky":"blue"}'
    assert decode_record(unknown) == notes.UnknownNote("weather", 1.5, 2, unknown)
    more = b'{"n":1,"t":0.0,"connection":1,"from":"host","x":1,"line":{"a":1},"y":2}'
    assert decode_record(more) == Line(1, 1, "host", 0.0, b'{"a":1}')
    assert decode_record(b'{"line":{"a":1},"connection":1,"t":0,"n":1}') == Line(1, 1, None, 0.0, b'{"a":1}')


@pytest.mark.parametrize(
    "raw",
    [
        b"",
        b"{",
        b"[]",
        b"\xff",
        b'{"n":1,"t":0.5,"connection":1,"from":"host","line":{"a"',
        b'{"n":1,"t":0.5,"connection":1,"from":"nobody","line":{}}',
        b'{"n":1,"t":0.5,"connection":1,"from":"host"}',
        b'{"n":1,"t":0.5,"connection":1,"from":"host","base64":"?"}',
        b'{"n":"1","t":0.5,"connection":1,"from":"host","line":{}}',
        b'{"note":"gave_up","t":0.5,"connection":1}',
        b'{"note":3}',
        b'{"t":0.5}',
    ],
    ids=repr,
)
def test_what_cannot_be_read_is_a_record_of_its_own(raw: bytes) -> None:
    record = decode_record(raw)
    assert isinstance(record, Damaged)
    assert record.raw == raw
    assert record.why


@given(st.binary(max_size=60))
def test_any_bytes_are_read_as_a_record_or_as_damaged_ones(raw: bytes) -> None:
    record = decode_record(raw)
    assert not isinstance(record, Damaged) or record.raw == raw
    assert decode_header(raw) is None


def test_the_header_comes_back() -> None:
    header = Header("2026-01-01T00:00:00Z", "inspect", ledger=notes.LedgerMark("id", 4, "ff"))
    raw = encode_header(header)
    assert list(json.loads(raw)) == ["format", "started_at", "recorder", "payload", "redactions", "ledger"]
    assert json.loads(raw)["format"] == FORMAT
    assert decode_header(raw[:-1]) == header
    assert decode_header(raw.replace(b"transcript/1", b"transcript/2")) is None
    assert decode_header(b'{"type":"handshake"}') is None
