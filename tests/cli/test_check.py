"""`cgp-tui check` as a process: findings for people and machines, exit codes, the same bytes everywhere."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import pytest

from cgp_tui.transcript.writer import Writer
from tests import dialogue

BAD = ["handshake", "ack correlation", "query q1", 'frames q1 f1{"score":2} é\x1b[2J{"title":""}', "shutdown"]


def check(cgp: list[str], *arguments: str | Path, **more: str) -> subprocess.CompletedProcess[bytes]:
    environment = {"PATH": os.environ["PATH"], "HOME": "/nonexistent", "PYTHONIOENCODING": "utf-8", **more}
    return subprocess.run(
        [*cgp, "check", *map(str, arguments)], capture_output=True, timeout=60, env=environment, check=False
    )


@pytest.fixture
def bad(tmp_path: Path) -> Path:
    """A bare file with two violations on its fourth line, one of a frame whose id holds an escape sequence."""
    path = tmp_path / "bad.ndjson"
    path.write_bytes(b"".join(dialogue.message(text) + b"\n" for text in BAD))
    return path


@pytest.fixture
def clean(tmp_path: Path) -> Path:
    """A recording with nothing to say about it."""
    path = tmp_path / "clean.ndjson"
    writer = Writer(os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600), "test")
    for text in ("handshake", "ack", "query -", "frames - f1", "shutdown"):
        raw = dialogue.message(text)
        writer.line(1, "host" if text.split()[0] in ("handshake", "query", "shutdown") else "provider", raw)
    writer.close()
    return path


def test_the_document(cgp: list[str], bad: Path) -> None:
    ran = check(cgp, bad, "--format", "json")
    assert (ran.returncode, ran.stderr) == (1, b"")
    document = json.loads(ran.stdout)
    assert list(document) == ["transcript", "format", "lines", "findings", "attestations", "provenance"]
    assert (document["transcript"], document["format"], document["lines"]) == (str(bad), "bare", 5)
    score, title = document["findings"]
    assert list(score) == [
        *("anchor", "level", "party", "line", "exchange", "frame_id"),
        *("path", "message", "expected", "found", "fix", "reference"),
    ]
    assert (score["anchor"], score["level"], score["party"], score["line"], score["exchange"]) == (
        "F1",
        "violation",
        "provider",
        4,
        2,
    )
    assert (score["frame_id"], score["path"]) == ("f1", "/result/frames/0/score")
    assert (title["anchor"], title["frame_id"]) == ("F2", "é\x1b[2J")


def test_text_names_line_anchor_evidence_and_fix(cgp: list[str], bad: Path) -> None:
    ran = check(cgp, bad)
    text = ran.stdout.decode()
    assert ran.returncode == 1
    assert text.startswith("line 4\n")
    for words in ("F1 f1: ", "at /result/frames/0/score", "expected ", "found 2.0", "Fix: ", "F2 é␛[2J: "):
        assert words in text
    assert text.endswith(f"{bad}: bare envelopes, 5 lines: 2 violations, 0 advice, 0 notes\n")
    assert not any(byte < 0x20 and byte != 0x0A for byte in ran.stdout)


def test_a_clean_recording_is_good(cgp: list[str], clean: Path) -> None:
    ran = check(cgp, clean)
    assert (ran.returncode, ran.stderr) == (0, b"")
    assert ran.stdout.decode() == f"{clean}: recording, 5 lines: 0 violations, 0 advice, 0 notes\n"
    assert json.loads(check(cgp, clean, "--format", "json").stdout)["findings"] == []


def test_lost_lines_are_told(cgp: list[str], clean: Path) -> None:
    lines = clean.read_bytes().split(b"\n")
    clean.write_bytes(b"\n".join([*lines[:3], *lines[5:]]))
    assert check(cgp, clean).stdout.decode().endswith("\n2 lines are missing from the recording\n")


def test_records_that_cannot_be_read_are_told(cgp: list[str], clean: Path) -> None:
    lines = clean.read_bytes().split(b"\n")
    clean.write_bytes(b"\n".join([*lines[:3], b"garbage", *lines[3:]])[:-20])
    ran = check(cgp, clean)
    assert ran.stdout.decode().endswith("\n2 records cannot be read\n")


def test_the_document_is_the_same_bytes_everywhere(cgp: list[str], bad: Path) -> None:
    ways = [{"COLUMNS": width} for width in ("20", "400")]
    ways += [{"LC_ALL": "C"}, {"PYTHONIOENCODING": "ascii"}, {"TERM": "dumb"}, {"NO_COLOR": "1"}, {"FORCE_COLOR": "1"}]
    assert len({check(cgp, bad, "--format", "json", **way).stdout for way in ways}) == 1
    assert len({check(cgp, bad, COLUMNS=width).stdout for width in ("20", "400")}) == 1


def test_a_failure_has_the_same_document_with_an_error(cgp: list[str], tmp_path: Path) -> None:
    ran = check(cgp, tmp_path / "absent", "--format", "json")
    assert (ran.returncode, ran.stderr) == (2, b"")
    document = json.loads(ran.stdout)
    assert list(document) == ["transcript", "format", "lines", "findings", "attestations", "provenance", "error"]
    assert (document["format"], document["lines"], document["error"]["code"]) == (None, 0, "unreadable")


def test_a_file_name_that_is_no_text(cgp: list[str], bad: Path) -> None:
    odd = bad.with_name("\udcff\x1b.ndjson")
    bad.rename(odd)
    for path in (odd, odd.with_name("absent\udcff")):
        document = json.loads(check(cgp, path, "--format", "json").stdout)
        assert "\ufffd" in document["transcript"]
    ran = check(cgp, odd)
    assert ran.returncode == 1
    assert "<U+DCFF>␛.ndjson: bare" in ran.stdout.decode()


def test_a_signed_answer_is_appraised(cgp: list[str], shared: Path) -> None:
    path = shared / "field" / "inputs" / "F28b_single_leaf_padded.ndjson"
    document = json.loads(check(cgp, path, "--format", "json").stdout)
    root, only = document["attestations"]
    assert (root["line"], root["frame_id"], root["verdict"], root["standing"]) == (4, None, "valid", "signer_unknown")
    assert (only["frame_id"], only["proof"], only["standing"]) == ("only", "proof_invalid", "invalid")
    assert [finding["anchor"] for finding in document["findings"]] == ["F13"]


def test_a_large_file_is_read_to_its_end(cgp: list[str], tmp_path: Path) -> None:
    """Larger than one look at a file: the last line counts too."""
    path = tmp_path / "large.ndjson"
    padding = dialogue.message('error - {"message":"' + "x" * 1_000_000 + '"}')
    path.write_bytes(b"\n".join([dialogue.message("handshake"), *([padding] * 20), b'{"type":']))
    document = json.loads(check(cgp, path, "--format", "json").stdout)
    assert document["lines"] == 22
    assert document["findings"][-1]["line"] == 22
