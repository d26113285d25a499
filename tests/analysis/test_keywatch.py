"""A key id that comes back with other bytes: within a transcript, and since an earlier run."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from pathlib import Path

import pytest

from cgp_tui.analysis import Analysis
from cgp_tui.analysis.background import Background
from cgp_tui.protocol.attestation import TrustedKey
from cgp_tui.protocol.requirements import Finding
from cgp_tui.store.keys import SeenKeys
from cgp_tui.transcript.reader import Transcript
from cgp_tui.transcript.writer import Writer
from cgp_tui.wire.note import Connect, ShownTarget

A, B, C = "aa" * 32, "bb" * 32, "cc" * 32
AT = "2026-11-29T12:00:00Z"
GREETING = {"type": "handshake", "protocol_version": "contextgraph/1.0"}


@pytest.fixture
def seen(tmp_path: Path) -> Path:
    return tmp_path / "state" / "seen-keys.json"


def ack(*keys: tuple[str, str], name: str = "docs", algorithm: str = "ed25519") -> bytes:
    info = {"name": name, "version": "1", "data_flow": {"reads": True, "writes": False, "egress": False}}
    made = [{"key_id": key_id, "algorithm": algorithm, "public_key": public_key} for key_id, public_key in keys]
    body = {"type": "handshake_ack", "protocol_version": "contextgraph/1.0", "provider": info}
    return json.dumps(body | {"capabilities": {"query": {"kinds": []}}, "attester_keys": made}).encode()


def bare(path: Path, *acks: bytes) -> Path:
    """A file of handshakes, each a connection of its own; the acks stand on lines 2, 4 …"""
    path.write_bytes(b"".join(json.dumps(GREETING).encode() + b"\n" + line + b"\n" for line in acks))
    return path


def recording(path: Path, *acks: tuple[str, bytes]) -> Path:
    """A recording in which each ack comes from the target of that digest."""
    path.unlink(missing_ok=True)
    writer = Writer(os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600), "test")
    for number, (target, line) in enumerate(acks, 1):
        shown = ShownTarget("stdio", ("p",), target, "")
        writer.note(Connect(t=0.0, connection=number, provider_id="p", target=shown))
        writer.line(number, "host", json.dumps(GREETING).encode())
        writer.line(number, "provider", line)
    writer.close()
    return path


def run(path: Path, seen: Path, keys: Sequence[TrustedKey] = ()) -> tuple[list[Finding], Background, Analysis]:
    """One run over a transcript: the alarms, and what stays to be asked."""
    memory = SeenKeys(seen)
    with Transcript.open(path) as transcript:
        background = Background(transcript, keys, memory=memory, at=AT)
        analysis = background.analysis()
        while analysis.advance() or not transcript.indexed:
            transcript.refresh()
        found = [one for one in analysis.findings if one.anchor == "6.5.4" and "/public_key" in one.path]
        for line in {one.line for one in found}:
            assert set(analysis.findings_at(line)) >= {one for one in found if one.line == line}
    memory.save()
    return found, background, analysis


def test_the_first_time_a_key_is_seen_is_no_alarm_and_neither_is_the_second(tmp_path: Path, seen: Path) -> None:
    path = bare(tmp_path / "a", ack(("k1", A), ("k2", B)))
    for _ in range(2):
        found, background, _ = run(path, seen)
        assert found == []
        assert not background.key_changed(1, "k1")


def test_other_bytes_since_an_earlier_run_are_an_alarm_that_stays(tmp_path: Path, seen: Path) -> None:
    run(bare(tmp_path / "a", ack(("k1", A))), seen)
    other = bare(tmp_path / "b", ack(("k2", C), ("k1", B)))
    for _ in range(2):
        (found,), background, _ = run(other, seen)
        assert (found.level, found.party, found.line, found.path) == ("advice", "provider", 2, "/attester_keys/1/public_key")
        assert A in found.expected
        assert AT in found.expected
        assert found.found == B
        assert "trust add" in found.fix
        assert background.key_changed(1, "k1")
        assert not background.key_changed(1, "k2")
        assert not background.key_changed(2, "k1")
    assert run(bare(tmp_path / "a", ack(("k1", A))), seen)[0] == []


def test_within_one_transcript_it_is_told_once(tmp_path: Path, seen: Path) -> None:
    found, background, _ = run(bare(tmp_path / "a", ack(("k1", A)), ack(("k1", B)), ack(("k1", A))), seen)
    assert [one.line for one in found] == [4, 6]
    assert [background.key_changed(connection, "k1") for connection in (1, 2)] == [False, True]


def test_a_key_that_the_person_trusts_is_the_new_one(tmp_path: Path, seen: Path) -> None:
    run(bare(tmp_path / "a", ack(("k1", A))), seen)
    other = bare(tmp_path / "b", ack(("k1", B)))
    elsewhere = TrustedKey(bytes.fromhex(B), "Ada", ("another",))
    assert len(run(other, seen, [elsewhere])[0]) == 1
    trusted = TrustedKey(bytes.fromhex(B), "Ada", ("docs",))
    assert run(other, seen, [trusted])[0] == []
    assert run(other, seen)[0] == []
    (found,), *_ = run(bare(tmp_path / "a", ack(("k1", A))), seen)
    assert B in found.expected


def test_a_recording_tells_by_its_target_and_not_by_the_name(tmp_path: Path, seen: Path) -> None:
    """Whoever takes another's name has a target of its own."""
    run(recording(tmp_path / "a", ("11" * 32, ack(("k1", A)))), seen)
    assert run(recording(tmp_path / "b", ("22" * 32, ack(("k1", B)))), seen)[0] == []
    assert run(bare(tmp_path / "c", ack(("k1", C))), seen)[0] == []
    (found,), *_ = run(recording(tmp_path / "d", ("11" * 32, ack(("k1", B), name="renamed"))), seen)
    assert A in found.expected
    assert {key.target for key in SeenKeys(seen)._read().popitem()[1].values()} == {"name:docs"}


def test_two_targets_of_one_recording_are_kept_apart(tmp_path: Path, seen: Path) -> None:
    path = recording(tmp_path / "a", ("11" * 32, ack(("k1", A))), ("22" * 32, ack(("k1", B), name="other")))
    assert run(path, seen)[0] == []
    memory = SeenKeys(seen)
    assert [memory.first(target * 32, "k1").public_key for target in ("11", "22")] == [A, B]  # type: ignore[union-attr]


def test_an_id_that_names_two_keys_and_an_algorithm_unknown_here_are_not_remembered(tmp_path: Path, seen: Path) -> None:
    run(bare(tmp_path / "a", ack(("k1", A), ("k1", B)), ack(("k2", A), algorithm="rot13", name="x")), seen)
    assert not seen.exists()


def test_without_a_memory_only_the_transcript_counts(tmp_path: Path) -> None:
    with Transcript.open(bare(tmp_path / "a", ack(("k1", A)))) as transcript:
        background = Background(transcript)
        analysis = background.analysis()
        while analysis.advance() or not transcript.indexed:
            transcript.refresh()
    assert analysis.findings == []
    assert not background.key_changed(1, "k1")


def test_a_file_that_was_replaced_is_watched_anew(tmp_path: Path, seen: Path) -> None:
    run(bare(tmp_path / "old", ack(("k1", C))), seen)
    path = bare(tmp_path / "a", ack(("k1", A)))
    memory = SeenKeys(seen)
    with Transcript.open(path, growing=True) as transcript:
        background = Background(transcript, memory=memory, at=AT)
        analysis = background.analysis()
        while analysis.advance() or not transcript.indexed:
            transcript.refresh()
        assert background.key_changed(1, "k1")
        bare(tmp_path / "new", ack(("k9", A))).replace(path)
        generation = transcript.generation
        while transcript.generation == generation:
            transcript.refresh()
        while analysis.advance() or not transcript.indexed:
            transcript.refresh()
        assert not background.key_changed(1, "k1")
        assert analysis.findings == []
