"""Packed transcripts at the command line: the findings of what is there, then what is missing and how to get it."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest
import zstandard

from tests import dialogue
from tests.cli.test_check import BAD, check


@pytest.fixture
def bad(tmp_path: Path) -> Path:
    return written(tmp_path / "bad.ndjson", b"".join(dialogue.message(text) + b"\n" for text in BAD))


def written(path: Path, data: bytes) -> Path:
    path.write_bytes(data)
    return path


def test_the_findings_are_those_of_the_plain_file(cgp: list[str], bad: Path, tmp_path: Path) -> None:
    data = bad.read_bytes()
    packed = [written(tmp_path / "gz", gzip.compress(data)), written(tmp_path / "zst", zstandard.compress(data))]
    for options in (["--format", "json"], ["--format", "sarif"], []):
        plain = check(cgp, bad, *options).stdout
        for path in packed:
            for more in ([], ["--jobs", "2"] if not options else []):
                ran = check(cgp, path, *options, *more)
                assert (ran.returncode, ran.stderr) == (1, b"")
                assert ran.stdout == plain.replace(b"bad.ndjson", path.name.encode())


def test_a_file_that_was_cut_still_tells_what_it_holds(cgp: list[str], bad: Path, tmp_path: Path) -> None:
    whole = gzip.compress(bad.read_bytes() * 50)
    cut = written(tmp_path / "cut.ndjson.gz", whole[:-60])
    told = check(cgp, cut)
    assert told.returncode == 2
    assert b"line 4\n" in told.stdout and b"violation" in told.stdout
    assert b"ends in the middle" in told.stderr and b"get the file again" in told.stderr
    for format in ("json", "junit", "sarif"):
        ran = check(cgp, cut, "--format", format)
        assert (ran.returncode, ran.stderr) == (2, b"")
        assert b"ends in the middle" in ran.stdout
    document = json.loads(check(cgp, cut, "--format", "json").stdout)
    assert document["error"]["code"] == "unreadable"
    assert document["findings"] and document["lines"] > 4


def test_what_is_packed_and_no_transcript_is_named(cgp: list[str], tmp_path: Path) -> None:
    ran = check(cgp, written(tmp_path / "x.gz", gzip.compress(b"import os\n")))
    assert ran.returncode == 2
    assert b"it looks like plain text" in ran.stderr
