"""Where the payload is not to be kept: what stays of each line, and that nothing else does."""

from __future__ import annotations

import hashlib
import json
import os
from pathlib import Path

import pytest

from cgp_tui.store.files import create_nameless
from cgp_tui.transcript.digests import Digest, DigestWriter, digest_of, digested
from cgp_tui.transcript.reader import Transcript
from cgp_tui.transcript.writer import Unrecorded
from cgp_tui.wire.line import Line
from cgp_tui.wire.note import GateNote, Spawn, Stderr

GREETING = b'{"type":"handshake","protocol_version":"contextgraph/1.0"}'
ACK = b'{"type":"handshake_ack","provider":{"name":"docs"}}'
QUERY = b'{"type":"query","query":{"goal":"canary"},"id":"q1"}'
ECHO = b'{"type":"handshake_ack","provider":{"name":"canary"}}'
LATER = [QUERY, ECHO, b'{"type":"canary"}', b"canary \xff", b'{"type":"frames","result":{"frames":["canary"]}}']


def written(path: Path, *, close: bool = True) -> DigestWriter:
    writer = DigestWriter(create_nameless(), os.open(path, os.O_RDWR | os.O_CREAT), "query")
    writer.note(Spawn(t=0.0, connection=1, pid=7, sandbox="none"))
    writer.line(1, "host", GREETING)
    writer.batch(1, "provider", [ACK])
    writer.note(GateNote(t=0.1, connection=1, exchange=1, asked="query", allowed=True, bytes=len(QUERY), needs=()))
    writer.line(1, "host", QUERY)
    writer.batch(1, "provider", LATER[1:])
    writer.note(Stderr(t=0.2, connection=1, text="canary \u00e9"))
    writer.line(1, "host", b'{"type":"shutdown"}')
    if close:
        writer.close()
    return writer


def test_only_sizes_and_digests_of_what_was_asked_and_answered_stay(tmp_path: Path) -> None:
    path = tmp_path / "kept.ndjson"
    written(path)
    assert b"canary" not in path.read_bytes()
    kept = Transcript.open(path)
    kept.refresh()
    assert kept.header is not None and kept.header.payload == "digests"
    records = list(kept.records())
    raws = [record.raw for record in records if isinstance(record, Line)]
    assert [record.n for record in records if isinstance(record, Line)] == list(range(1, 9))
    assert (raws[0], raws[1], raws[-1]) == (GREETING, ACK, b'{"type":"shutdown"}')
    assert [digest_of(raw) for raw in raws[2:-1]] == [
        Digest(kind, len(raw), hashlib.sha256(raw).hexdigest())
        for kind, raw in zip(["query", "handshake_ack", "", "", "frames"], LATER, strict=True)
    ]
    (said,) = [record.text for record in records if isinstance(record, Stderr)]
    assert said == "(9 bytes, not kept)"
    assert [type(record).__name__ for record in records if not isinstance(record, Line)] == ["Spawn", "GateNote", "Stderr"]


def test_meanwhile_all_of_it_can_be_looked_at(tmp_path: Path) -> None:
    writer = written(tmp_path / "kept.ndjson", close=False)
    shown = Transcript.open(Path(f"/dev/fd/{writer._fd}"))
    shown.refresh()
    assert shown.header is not None and shown.header.payload == "whole"
    assert [record.raw for record in shown.records() if isinstance(record, Line)][2:-1] == LATER
    assert not (tmp_path / "kept.ndjson").read_bytes().endswith(b"}")
    writer.close()
    writer.close()


def test_what_is_kept_and_cannot_be_closed_may_be_incomplete_and_that_is_said_once(tmp_path: Path) -> None:
    writer = written(tmp_path / "kept.ndjson", close=False)
    assert writer._kept is not None
    os.close(writer._kept)
    with pytest.raises(Unrecorded, match="Bad file descriptor"):
        writer.close()
    writer.close()


def test_a_line_is_its_own_digest_only_where_it_says_so() -> None:
    assert digest_of(digested(QUERY)) == Digest("query", len(QUERY), hashlib.sha256(QUERY).hexdigest())
    for raw in (QUERY, b"", b"[]", b"{", json.dumps({"type": "cgp-tui:digest"}).encode(), digested(QUERY) + b" " * 300):
        assert digest_of(raw) is None


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no device that is always full")
def test_what_cannot_be_kept_is_unrecordable(tmp_path: Path) -> None:
    with pytest.raises(Unrecorded):
        DigestWriter(create_nameless(), os.open("/dev/full", os.O_WRONLY), "query")
    writer = written(tmp_path / "kept.ndjson", close=False)
    os.dup2(os.open("/dev/full", os.O_WRONLY), writer._kept)  # type: ignore[arg-type]
    with pytest.raises(Unrecorded) as caught:
        writer.line(1, "host", QUERY)
    assert [line.raw for line in caught.value.lines] == [QUERY]
    writer.close()
