"""`check` on transcripts from the field: the findings wanted and no other, the same bytes at every width, and one plain
line for a file that is no transcript."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.field.conftest import Runner


@pytest.mark.parametrize("name", ["F01_separators", "F44_markup", "F47_long_evidence"])
def test_the_findings_are_those_expected(run: Runner, inputs: Path, name: str) -> None:
    wanted = json.loads((inputs / f"{name}.expect.json").read_text())
    ran = run("check", "--format", "json", inputs / f"{name}.ndjson")
    report = ran.document
    violations = [found for found in report["findings"] if found["level"] == "violation"]
    assert report["lines"] == wanted["lines"]
    assert [(found["anchor"], found["line"], found["frame_id"], found["party"]) for found in violations] == [
        (row["anchor"], row["line"], row["frame_id"], row["party"]) for row in wanted["violations"]
    ]
    assert ran.code == (1 if violations else 0)


@pytest.mark.parametrize("name", ["F01_separators", "F44_markup"])
def test_a_clean_transcript_has_nothing_at_all_to_say(run: Runner, inputs: Path, name: str) -> None:
    assert run("check", "--format", "json", inputs / f"{name}.ndjson").document["findings"] == []


def test_every_width_gives_the_same_bytes(run: Runner, inputs: Path) -> None:
    path = inputs / "F47_long_evidence.ndjson"
    printed = {run("check", "--format", "json", path, COLUMNS=width).out for width in ("20", "40", "400")}
    assert len(printed) == 1
    assert [found["anchor"] for found in json.loads(printed.pop())["findings"]] == ["F1", "F3"]


LOOKS: list[tuple[str, str]] = [
    ("F21_array.bin", "array"),
    ("F21_empty.bin", "empty"),
    ("F21_jsonrpc.bin", "JSON-RPC"),
    ("F21_png.bin", "PNG"),
    ("F21_script.bin", "text"),
    (".", "folder"),
]


@pytest.mark.parametrize(("name", "looks"), LOOKS, ids=lambda value: value)
def test_what_is_no_transcript_is_told_in_one_line(run: Runner, inputs: Path, name: str, looks: str) -> None:
    ran = run("check", inputs / name)
    assert (ran.code, ran.out) == (2, b"")
    (line,) = ran.err.decode().splitlines()
    assert (inputs / name).name in line
    assert looks.lower() in line.lower()


@pytest.mark.parametrize("name", [name for name, _ in LOOKS])
def test_what_is_no_transcript_is_one_document_for_machines(run: Runner, inputs: Path, name: str) -> None:
    ran = run("check", "--format", "json", inputs / name)
    assert ran.code == 2
    assert ran.document["error"]["code"] in {"not_a_transcript", "unreadable"}
    assert ran.document["error"]["fix"]
