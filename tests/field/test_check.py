"""`check` on transcripts from the field: the findings wanted and no other, the same bytes at every width, and one plain
line for a file that is no transcript."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from cgp_tui.analysis import Analysis
from cgp_tui.transcript.reader import Transcript
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


ORDER_2 = (
    "F07_not_numbers",
    "F09_duplicate_members",
    "F10_id_echo",
    "F17_welded",
    "F23_minimal_good",
    "F28a_single_leaf_good",
    "F28b_single_leaf_padded",
)


@pytest.mark.parametrize("name", ORDER_2)
def test_all_that_must_be_named_is_and_nothing_else(run: Runner, inputs: Path, name: str) -> None:
    wanted = json.loads((inputs / f"{name}.expect.json").read_text())
    ran = run("check", "--format", "json", inputs / f"{name}.ndjson")
    report = ran.document
    violations = [found for found in report["findings"] if found["level"] == "violation"]

    def meets(found: dict[str, Any], row: dict[str, Any], anchors: list[str]) -> bool:
        return (found["line"], found["frame_id"]) == (row["line"], row["frame_id"]) and found["anchor"] in anchors

    for row in wanted["violations"]:
        met = [found for found in violations if meets(found, row, [row["anchor"], *row["also_accept"]])]
        assert {found["party"] for found in met} == {row["party"]}, row
    for found in violations:
        rows = [(row, [row["anchor"], *row["also_accept"]]) for row in wanted["violations"]]
        rows += [(row, row["anchors"]) for row in wanted["permitted"]]
        assert any(meets(found, row, anchors) for row, anchors in rows), found
    assert report["lines"] == wanted["lines"]
    assert ran.code == (1 if violations else 0)
    for key, verdict in wanted.get("attest", {}).items():
        named = {one["frame_id"]: one for one in report["attestations"]}
        if key == "result":
            assert named[None]["verdict"] == verdict
        else:
            assert named[key]["proof"] == verdict


def test_what_is_no_number_is_shown_as_it_was_written(run: Runner, inputs: Path) -> None:
    """A reader that turns NaN into null, or 1e400 into infinity, shows what nobody sent."""
    ran = run("check", "--format", "json", inputs / "F07_not_numbers.ndjson")
    named = {(found["anchor"], found["line"], found["frame_id"]) for found in ran.document["findings"]}
    assert named == {("ENV", 4, None), ("F1", 6, "inf")}


def test_an_id_that_is_none_answers_nobody(inputs: Path) -> None:
    """Of five questions the last alone is answered; a frame of the other replies is nowhere served."""
    analysis = Analysis(Transcript.open(inputs / "F10_id_echo.ndjson"))
    while analysis.advance() or not analysis.transcript.indexed:
        analysis.transcript.refresh()
    states = [analysis.facts(place).state for place in range(2, 12)]
    assert states == ["failed"] * 8 + ["answered"] * 2


def test_no_frame_is_taken_from_a_welded_line(inputs: Path) -> None:
    analysis = Analysis(Transcript.open(inputs / "F17_welded.ndjson"))
    while analysis.advance() or not analysis.transcript.indexed:
        analysis.transcript.refresh()
    welded, whole = analysis.judged(4), analysis.judged(6)
    assert welded is not None
    assert whole is not None
    assert welded.exchange.state == "failed"
    assert welded.appraisals == ()
    assert [appraisal.frame.frame_id for appraisal in whole.appraisals] == ["w3"]


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


def test_control_characters_in_findings_break_no_format(run: Runner, inputs: Path) -> None:
    name = "F51_control_in_findings"
    wanted = json.loads((inputs / f"{name}.expect.json").read_text())["violations"]
    anchors = sorted(row["anchor"] for row in wanted)
    ran = {
        format: run("check", "--format", format, inputs / f"{name}.ndjson") for format in ("text", "json", "junit", "sarif")
    }
    assert {one.code for one in ran.values()} == {1}
    found = ran["json"].document["findings"]
    assert [(one["anchor"], one["frame_id"]) for one in found] == [(row["anchor"], row["frame_id"]) for row in wanted]
    (log,) = ran["sarif"].document["runs"]
    assert sorted(one["ruleId"] for one in log["results"]) == anchors
    assert all(one["locations"][0]["physicalLocation"]["region"]["startLine"] == 4 for one in log["results"])
    root = ElementTree.fromstring(ran["junit"].out)
    failed = [case.get("name", "").partition(":")[0] for case in root.iter("testcase") if case.find("failure") is not None]
    assert sorted(failed) == anchors
    assert "␛[31mred␀<U+FFFE>␇" in "".join(root.itertext())
    text = ran["text"].out
    assert not any(byte < 0x20 and byte != 0x0A for byte in text)
    assert all(f" {anchor} ".encode() in text for anchor in anchors)


def test_cited_files_are_compared_only_where_a_folder_was_opened(run: Runner, inputs: Path, tmp_path: Path) -> None:
    wanted = json.loads((inputs / "F25_placeholder_provenance.expect.json").read_text())
    root = tmp_path / "opened"
    root.mkdir()
    for name, text in wanted["files"].items():
        (root / name).write_bytes(text.encode())
    (tmp_path / "secret.txt").write_bytes(b"s")
    transcript = tmp_path / "F25.ndjson"
    raw = (inputs / "F25_placeholder_provenance.ndjson").read_bytes()
    transcript.write_bytes(raw.replace(b"@ROOT@", bytes(root)))
    ran = run("check", "--format", "json", "--root", root, transcript)
    report = ran.document
    assert ran.code == 0
    assert [found for found in report["findings"] if found["level"] == "violation"] == wanted["violations"] == []
    outcomes = {one["frame_id"]: one["outcome"] for one in report["provenance"]}
    assert outcomes.keys() == wanted["outcomes"].keys()
    for frame, outcome in outcomes.items():
        assert outcome in wanted["outcomes"][frame], frame


def test_the_identity_point_vouches_for_nothing_and_cannot_be_trusted(run: Runner, inputs: Path, tmp_path: Path) -> None:
    """Under it one signature fits every message for a verifier that takes it."""
    transcript = inputs / "F30_identity_key.ndjson"
    report = run("check", "--format", "json", transcript).document
    assert {one["verdict"] for one in report["attestations"]} == {"malformed_key"}
    assert {one["standing"] for one in report["attestations"]} == {"invalid"}
    more = {"CGP_TUI_CONFIG": str(tmp_path / "config"), "CGP_TUI_LEDGER": str(tmp_path / "receipts.toml")}
    ran = run("trust", "add", "01" + "00" * 31, "--label", "Anyone", "--provider", "field-docs", "--json", **more)
    assert ran.code == 2
    assert "small order" in ran.document["error"]["message"]
    assert not (tmp_path / "config" / "trust.toml").exists()


def test_the_identity_point_is_refused_by_whoever_is_handed_the_evidence(run: Runner, inputs: Path, tmp_path: Path) -> None:
    bundle, key = tmp_path / "bundle.json", tmp_path / "key"
    key.write_text("01" + "00" * 31)
    proved = run("prove", inputs / "F30_identity_key.ndjson", "--frame", "only", "-o", bundle)
    verified = run("verify-bundle", bundle)
    for ran in (proved, verified):
        assert ran.code == 1
        assert b"a strict verifier rejects this key" in ran.out
        assert b"standing: invalid" in ran.out
    named = run("verify-bundle", bundle, "--key", key)
    assert named.code == 2
    assert b"small order" in named.err
