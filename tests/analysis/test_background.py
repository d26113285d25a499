"""The time a window is held against, and keys that come to be trusted while a screen is open."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from cgp_tui.analysis.background import Background, received
from cgp_tui.protocol.envelope import Frames
from cgp_tui.protocol.timestamp import parse
from cgp_tui.transcript.reader import Transcript
from cgp_tui.wire.encode import encode
from tests.checks import signed

NOW = parse("2030-01-01T00:00:00Z")
GREETING = json.dumps({"type": "handshake", "protocol_version": "contextgraph/1.0"}).encode()


def lines() -> list[bytes]:
    query = json.dumps({"type": "query", "id": "q", "query": {"goal": "g", "max_frames": 9, "max_tokens": 99}}).encode()
    return [GREETING, encode(signed.ack()), query, encode(Frames(signed.answer(signed.frame("a")), "q"))]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A recording that began at noon; its answer came an hour later."""
    path = tmp_path / "a.ndjson"
    header = {"format": "cgp-transcript/1", "started_at": "2026-11-29T12:00:00Z", "recorder": "test", "payload": "whole"}
    records = [json.dumps(header).encode()]
    for n, line in enumerate(lines(), 1):
        sender = "host" if n % 2 else "provider"
        t = 3600.0 if n == 4 else float(n)
        records.append(b'{"n":%d,"t":%f,"connection":1,"from":"%s","line":%s}' % (n, t, sender.encode(), line))
    path.write_bytes(b"".join(record + b"\n" for record in records))
    return path


def standing(path: Path, *, ours: bool, **window: str) -> str:
    with Transcript.open(path) as transcript:
        key = signed.trusted(**window)  # type: ignore[arg-type]
        analysis = Background(transcript, [key], received(transcript, NOW, ours=ours)).analysis()
        while analysis.advance() or not transcript.indexed:
            transcript.refresh()
        judged = analysis.judged(4)
    assert judged is not None
    return judged.appraisals[0].standing


@pytest.mark.parametrize(
    ("window", "ours", "theirs"),
    [
        ({"after": "2026-11-29T13:00:00Z"}, "attested", "signer_not_for_provider"),
        ({"after": "2026-11-29T12:59:59Z"}, "signer_not_for_provider", "signer_not_for_provider"),
        ({"before": "2026-11-29T13:00:01Z"}, "signer_not_for_provider", "attested"),
        ({"before": "2026-11-29T13:00:00Z", "after": "2026-11-29T13:00:00Z"}, "attested", "signer_not_for_provider"),
        ({}, "attested", "attested"),
    ],
)
def test_only_what_was_recorded_here_tells_when_it_was_received(
    window: dict[str, str], ours: str, theirs: str, path: Path
) -> None:
    """Anybody can write a date into a file: elsewhere it is now that counts."""
    assert standing(path, ours=True, **window) == ours
    assert standing(path, ours=False, **window) == theirs


def test_a_file_without_a_beginning_is_judged_by_now(tmp_path: Path) -> None:
    path = tmp_path / "bare"
    path.write_bytes(b"".join(line + b"\n" for line in lines()))
    assert standing(path, ours=True, after="2029-01-01T00:00:00Z") == "signer_not_for_provider"
    assert standing(path, ours=True, before="2029-01-01T00:00:00Z") == "attested"


@pytest.mark.parametrize("t", [b"1e300", b"-1e15"])
def test_a_time_that_is_none_vouches_for_nothing(t: bytes, path: Path) -> None:
    path.write_bytes(path.read_bytes().replace(b'"t":3600.000000', b'"t":' + t))
    assert standing(path, ours=True, after="2029-01-01T00:00:00Z") == "signer_not_for_provider"
    assert standing(path, ours=True) == "attested"


def test_a_key_trusted_meanwhile_counts_for_what_is_looked_at_next(path: Path) -> None:
    with Transcript.open(path) as transcript:
        background = Background(transcript, when=received(transcript, NOW, ours=False))
        analysis = background.analysis()
        while analysis.advance() or not transcript.indexed:
            transcript.refresh()
        before = analysis.judged(4)
        background.trust(signed.trusted())
        after = analysis.judged(4)
        provider, frame = signed.NAME, signed.frame("a")
        assert background.again(provider, frame, 4) is None
        assert background.again(provider, frame, 9) is not None
        assert background.reread(frame.provenance[0], None) is None
    assert before is not None
    assert after is not None
    assert [one.appraisals[0].standing for one in (before, after)] == ["signer_unknown", "attested"]
