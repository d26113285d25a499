"""`cgp-tui check` as a script runs it: findings for people and machines, exit codes, the same bytes everywhere."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from cgp_tui.analysis import Analysis
from cgp_tui.cli.main import main
from cgp_tui.errors import InputError
from cgp_tui.store import paths
from cgp_tui.store.filters import Filters
from cgp_tui.transcript.reader import AT_ONCE, Transcript
from cgp_tui.transcript.writer import Writer
from tests import dialogue
from tests.analysis.test_analysis import write
from tests.cli.desk import within

BAD = ["handshake", "ack correlation", "query q1", 'frames q1 f1{"score":2} é\x1b[2J{"title":""}', "shutdown"]


def check(cgp: list[str], *arguments: str | Path, **more: str) -> subprocess.CompletedProcess[bytes]:
    """The command within this process; in one of its own where `more` is to be in its environment."""
    environment = {"PATH": os.environ["PATH"], "HOME": "/nonexistent", "PYTHONIOENCODING": "utf-8", **more}
    if not more:
        return within(["check", *map(str, arguments)], environment)
    return subprocess.run(
        [*cgp, "check", *map(str, arguments)], capture_output=True, timeout=300, env=environment, check=False
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


def test_many_are_counted_in_groups_of_three_digits(cgp: list[str], tmp_path: Path) -> None:
    many = tmp_path / "many.ndjson"
    many.write_text('{"type":"shutdown"}\n' + "x\n" * 1234)
    last = check(cgp, many, "--only", "env").stdout.decode().splitlines()[-1]
    assert last == f"{many}: bare envelopes, 1,235 lines: 1,234 violations, 0 advice, 0 notes"


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
    ran = check(cgp, odd, LANG="C.UTF-8")
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


FORMATS = ("text", "json", "junit", "sarif")


@pytest.mark.parametrize("format", FORMATS)
def test_every_format_is_the_same_bytes_everywhere(cgp: list[str], bad: Path, format: str) -> None:
    ways = [{"COLUMNS": width} for width in ("20", "400")]
    if format != "text":
        narrow, wide = ways
        narrow |= {"LC_ALL": "C", "TERM": "dumb", "NO_COLOR": "1"}
        wide |= {"PYTHONIOENCODING": "ascii", "FORCE_COLOR": "1"}
        ways.append({})
    ran = [check(cgp, bad, "--format", format, **way) for way in ways]
    assert {one.returncode for one in ran} == {1}
    assert len({one.stdout for one in ran}) == 1
    assert format == "text" or ran[0].stdout.isascii()


def test_junit_fails_what_is_broken(cgp: list[str], bad: Path) -> None:
    ran = check(cgp, bad, "--format", "junit")
    assert (ran.returncode, ran.stderr) == (1, b"")
    root = ElementTree.fromstring(ran.stdout)
    broken = [case.get("name", "").partition(":")[0] for case in root.iter("testcase") if case.find("failure") is not None]
    assert broken == ["F1", "F2"]
    assert (root.get("failures"), root.get("errors")) == ("2", "0")
    assert int(root.get("tests") or 0) > 40


def test_sarif_leads_to_the_lines_of_the_file(cgp: list[str], clean: Path, bad: Path) -> None:
    """In a recording the header and the notes are lines of the file, not of the wire."""
    ran = check(cgp, bad, "--format", "sarif")
    assert (ran.returncode, ran.stderr) == (1, b"")
    (run,) = json.loads(ran.stdout)["runs"]
    regions = [one["locations"][0]["physicalLocation"]["region"]["startLine"] for one in run["results"]]
    assert ([one["ruleId"] for one in run["results"]], regions) == (["F1", "F2"], [4, 4])
    note = b'{"note":"stderr","t":0.0,"connection":1,"text":"hm"}\n'
    lines = clean.read_bytes().splitlines(keepends=True)
    clean.write_bytes(b"".join([*lines[:3], note, note, *lines[3:]]).replace(b'"score":0.5', b'"score":2'))
    (run,) = json.loads(check(cgp, clean, "--format", "sarif").stdout)["runs"]
    (only,) = run["results"]
    assert only["properties"]["line"] == 4
    assert only["locations"][0]["physicalLocation"]["region"]["startLine"] == 7
    assert b'"score":2' in clean.read_bytes().splitlines()[6]


def test_only_and_level_choose_what_is_told_and_what_fails(cgp: list[str], bad: Path) -> None:
    ran = check(cgp, bad, "--only", "F1,B3", "--format", "json")
    assert ran.returncode == 1
    assert [found["anchor"] for found in json.loads(ran.stdout)["findings"]] == ["F1"]
    ran = check(cgp, bad, "--only", "B3")
    assert (ran.returncode, ran.stderr) == (0, b"")
    assert ran.stdout.decode().splitlines() == [
        f"{bad}: bare envelopes, 5 lines: 0 violations, 0 advice, 0 notes",
        "2 findings left out by --only, --level or --where",
    ]
    assert (
        len(list(ElementTree.fromstring(check(cgp, bad, "--only", "B3", "--format", "junit").stdout).iter("testcase"))) == 1
    )


def test_a_level_leaves_out_what_is_milder(cgp: list[str], tmp_path: Path) -> None:
    path = tmp_path / "asked.ndjson"
    lines = ("handshake", "ack", 'query - {"as_of":"soon"}', "frames - f1", "frames - f1", "query -")
    path.write_bytes(b"".join(dialogue.message(text) + b"\n" for text in lines))
    told = {}
    for level in ("note", "advice", "violation"):
        ran = check(cgp, path, "--level", level, "--format", "json")
        assert ran.returncode == 1
        told[level] = {found["level"] for found in json.loads(ran.stdout)["findings"]}
    assert told == {
        "note": {"note", "advice", "violation"},
        "advice": {"advice", "violation"},
        "violation": {"violation"},
    }


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--only", "b33"], "There is no requirement 'b33'. Did you mean B3?"),
        (["--only", "C1"], "No transcript shows whether C1 is met."),
        (["--level", "bad"], "'bad' is not one of 'violation', 'advice', 'note'"),
    ],
    ids=repr,
)
def test_a_choice_that_is_none_is_told(cgp: list[str], bad: Path, arguments: list[str], words: str) -> None:
    ran = check(cgp, bad, *arguments)
    assert (ran.returncode, ran.stdout) == (2, b"")
    assert words in ran.stderr.decode()


def test_the_help_says_what_a_choice_does_to_the_exit_code(cgp: list[str]) -> None:
    text = " ".join(check(cgp, "--help").stdout.decode().split())
    assert "exit 1 on a violation, of the ones that --only names where it is given" in text


@pytest.mark.parametrize("format", FORMATS[1:])
def test_what_breaks_on_the_way_ends_the_document_in_its_shape(
    format: str, cgp: list[str], bad: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The findings before it stand, and the failure is told as at the start: the exit code is that of the failure."""
    take = Analysis._take

    def broken(self: Analysis, record: Any) -> None:
        take(self, record)
        if self.done == 5:
            raise InputError("unreadable", "The disk is gone.", "Mend it.")

    monkeypatch.setattr(Analysis, "_take", broken)
    ran = check(cgp, bad, "--format", format)
    assert (ran.returncode, ran.stderr) == (2, b"")
    assert b"The disk is gone." in ran.stdout
    if format == "junit":
        assert ElementTree.fromstring(ran.stdout).get("errors") == "1"
    elif format == "json":
        document = json.loads(ran.stdout)
        assert list(document)[-2:] == ["provenance", "error"]
    else:
        assert json.loads(ran.stdout)["runs"][0]["properties"]["error"]["code"] == "unreadable"


@pytest.mark.parametrize("command", [["check"], ["prove", "--frame", "f"], ["consent", "audit"]], ids=" ".join)
def test_a_file_that_goes_away_while_it_is_counted_is_told(
    tmp_path: Path, capsysbinary: pytest.CaptureFixture[bytes], command: list[str]
) -> None:
    path = tmp_path / "large.ndjson"
    path.write_bytes(dialogue.message("handshake") + b"\n" + b" " * (2 * AT_ONCE) + b"\n")
    with pytest.MonkeyPatch.context() as patch:
        look = Transcript.refresh

        def gone(transcript: Transcript) -> bool:
            path.unlink(missing_ok=True)
            return look(transcript)

        patch.setattr(Transcript, "refresh", gone)
        assert main([*command, str(path)]) == 2
    assert b"was removed while it was read" in capsysbinary.readouterr().err


def test_only_findings_at_lines_that_a_filter_takes(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CGP_TUI_STATE", str(tmp_path / "state"))
    path = tmp_path / "t"
    write(
        """
        >> handshake
        << ack correlation
        >> query q1 {"as_of":"soon"}
        << frames q1 f1{"score":2}
        >> query q2
        << frames q2 f1{"title":""}
        >> query q3
        >> shutdown
        """,
        path,
    )

    def anchors(*words: str) -> tuple[int, list[tuple[int, str]]]:
        code = main(["check", str(path), "--format", "json", *words])
        return code, [(one["line"], one["anchor"]) for one in json.loads(capsys.readouterr().out)["findings"]]

    everything = anchors()[1]
    assert {line for line, _ in everything} >= {3, 4, 6}
    assert anchors("--where", "type:frames") == (1, [one for one in everything if one[0] in (4, 6)])
    assert anchors("--where", "finding:F2") == (1, [one for one in everything if one[0] == 6])
    assert anchors("--where", "state:failed")[1] == [one for one in everything if one[0] == 7]
    assert anchors("--where", "type:shutdown") == (0, [])
    assert anchors("--where", "line:4", "--only", "F4") == (0, [])
    assert anchors("--where", "type:frames", "--jobs", "2") == anchors("--where", "type:frames")
    assert main(["check", str(path), "--where", "type:frames"]) == 1
    assert "left out by --only, --level or --where" in capsys.readouterr().out
    assert Filters(paths.filters_path()).save("answers", "type:frames")
    assert anchors("--where", "@answers & line:4") == anchors("--where", "line:4")
    assert main(["check", str(path), "--where", "@nothing"]) == 2
    assert "There is no saved filter @nothing" in capsys.readouterr().err
    assert main(["check", str(path), "--where", "latency>"]) == 2
    assert "latency> needs a time, as 200ms" in capsys.readouterr().err
