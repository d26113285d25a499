"""Recognising a file by what it holds: transcripts, bare files, and what everything else looks like."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest

from cgp_tui.errors import InputError
from cgp_tui.transcript.formats import LOOK, Recognised, recognise
from cgp_tui.transcript.record import Header, encode_header, encode_line
from cgp_tui.wire.line import Line

HEADER = Header("2026-01-01T00:00:00Z", "test")
HANDSHAKE = b'{"type":"handshake","protocol_version":"contextgraph/1.0"}\n'


def test_a_recording_starts_behind_its_header() -> None:
    head = encode_header(HEADER)
    assert recognise("f", head, True) == Recognised("cgp-transcript/1", HEADER, len(head))
    assert recognise("f", head[:-1], True) == Recognised("cgp-transcript/1", HEADER, len(head) - 1)


def test_a_recording_whose_header_is_damaged_is_still_one() -> None:
    record = encode_line(Line(1, 1, "host", 0.0, b"{}"))
    assert recognise("f", b'{"format":"cgp-tr\n' + record, True) == Recognised("cgp-transcript/1", None, 0)
    long = encode_line(Line(1, 1, "provider", 0.0, b'{"x":"' + b"y" * LOOK + b'"}'))
    assert recognise("f", long[:LOOK], False) == Recognised("cgp-transcript/1", None, 0)


@pytest.mark.parametrize(
    "head",
    [
        HANDSHAKE,
        HANDSHAKE[:-1],
        b"\n\n" + HANDSHAKE,
        b"garbage\n" + HANDSHAKE,
        b'{"type":"later"}\n' + HANDSHAKE,
        b" " + HANDSHAKE,
    ],
    ids=repr,
)
def test_envelopes_one_a_line_are_a_bare_file(head: bytes) -> None:
    assert recognise("f", head, True) == Recognised("bare", None, 0)


def test_a_bare_file_may_begin_with_a_line_longer_than_what_is_looked_at() -> None:
    assert recognise("f", b'{"type":"frames","result":"' + b"x" * LOOK, False) == Recognised("bare", None, 0)


OTHERS: list[tuple[bytes, str]] = [
    (b"", "it is empty"),
    (b"\n \n", "it is empty"),
    (b"\x89PNG\r\n\x1a\n....", "a PNG image"),
    (gzip.compress(HANDSHAKE), "gzip-compressed data"),
    (b"\x28\xb5\x2f\xfd....", "zstd-compressed data"),
    (HANDSHAKE.decode().encode("utf-16"), "UTF-16 text"),
    (b"\x7fELF....", "a program"),
    (b"\x93\xff\xfe\x00" * 9, "binary data"),
    (b"a\x00b", "binary data"),
    (b"[\n" + HANDSHAKE.strip() + b"\n]\n", "one JSON array"),
    (json.dumps([{"type": "handshake"}]).encode(), "one JSON array"),
    (json.dumps({"type": "handshake"}, indent=1).encode(), "one JSON document over several lines"),
    (b'{"jsonrpc":"2.0","id":0,"method":"initialize"}\n', "JSON-RPC messages"),
    (b'{"seq":1,"event":"session_start"}\n', "an event log"),
    (b'{"a":1}\n{"b":2}\n', "JSON lines"),
    (b'{"format":"cgp-transcript/2"}\n', "a newer format (cgp-transcript/2)"),
    (b"import os\n", "plain text"),
    ("Größe\n".encode(), "plain text"),
]


@pytest.mark.parametrize(("head", "looks"), OTHERS, ids=[row[1] for row in OTHERS])
def test_what_else_a_file_looks_like(head: bytes, looks: str) -> None:
    with pytest.raises(InputError) as caught:
        recognise("dir/na\x1bme", head, True)
    assert caught.value.code == "not_a_transcript"
    assert looks in caught.value.message
    assert "dir/na␛me is not a transcript" in caught.value.message
    steps = {"gzip": "Unpack", "zstd": "Unpack", "a newer": "Read it with the cgp-tui that wrote it"}
    step = next((step for word, step in steps.items() if looks.startswith(word)), "Give a recording")
    assert caught.value.fix.startswith(step)


def test_inputs_from_the_field(shared: Path) -> None:
    looks = {"array": "JSON array", "jsonrpc": "JSON-RPC", "png": "PNG", "script": "plain text", "empty": "empty"}
    for name, words in looks.items():
        data = (shared / "field" / "inputs" / f"F21_{name}.bin").read_bytes()
        with pytest.raises(InputError, match=words):
            recognise(name, data, True)
