"""`check --explain` as a script runs it."""

from __future__ import annotations

import json

import pytest

from cgp_tui.protocol.requirements import REQUIREMENTS
from tests.cli.test_check import check


def test_it_tells_one_requirement_and_needs_no_file(cgp: list[str]) -> None:
    ran = check(cgp, "--explain", "B3")
    assert (ran.returncode, ran.stderr) == (0, b"")
    row = REQUIREMENTS["B3"]
    for words in (f"B3: {row.meaning}", "the provider", row.level, row.fix, row.reference):
        assert words.encode() in ran.stdout
    assert REQUIREMENTS["C3"].why.encode() in check(cgp, "--explain", "C3").stdout


def test_it_tells_machines(cgp: list[str]) -> None:
    ran = check(cgp, "--explain", "c3", "--format", "json")
    assert (ran.returncode, ran.stderr) == (0, b"")
    document = json.loads(ran.stdout)
    assert (document["anchor"], document["binds"], document["where"]) == ("C3", "provider", "unobservable")
    assert document["why"] == REQUIREMENTS["C3"].why
    assert document["reference"] is None


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["b33"], "There is no requirement 'b33'. Did you mean B3?"),
        (["B3", "file"], "--explain takes nothing else but --format."),
        (["B3", "--only", "B3"], "--explain takes nothing else but --format."),
        (["B3", "--level", "advice"], "--explain takes nothing else but --format."),
        (["B3", "--format", "junit"], "--explain knows no format junit."),
        (["B3", "--format", "sarif"], "--explain knows no format sarif."),
    ],
    ids=repr,
)
def test_a_wrong_line_is_told(cgp: list[str], arguments: list[str], words: str) -> None:
    ran = check(cgp, "--explain", *arguments)
    assert (ran.returncode, ran.stdout) == (2, b"")
    assert words in ran.stderr.decode()


def test_a_failure_has_the_same_members(cgp: list[str]) -> None:
    ran = check(cgp, "--explain", "b33", "--format", "json")
    assert (ran.returncode, ran.stderr) == (2, b"")
    good = json.loads(check(cgp, "--explain", "B3", "--format", "json").stdout)
    document = json.loads(ran.stdout)
    assert list(document) == [*good, "error"]
    assert document["anchor"] is None
    assert document["error"]["code"] == "usage"
