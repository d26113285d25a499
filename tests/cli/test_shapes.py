"""A line that fails before its command runs answers a machine in that command's own shape, with `error` in it."""

from __future__ import annotations

import inspect
import io
import json
import sys
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from cgp_tui.cli.consent import app
from cgp_tui.cli.main import main
from cgp_tui.cli.shapes import CONSENT

CHECK = ["transcript", "format", "lines", "findings", "attestations", "provenance"]
QUERY = ["provider", "outcome", "frames", "truncated", "findings", "usage", "transcript"]
STORE = ["records", "receipts"]
BUNDLE = ["bundle", "format", "whole", "attested", "frames", "root"]
LINES: list[tuple[list[str], list[str]]] = [
    (["check", "--format", "json"], CHECK),
    (["check", "a", "b", "--format=json"], CHECK),
    (["check", "a", "--format", "json", "--only", "zz"], CHECK),
    (["check", "a", "--json"], CHECK),
    (["query", "--json"], QUERY),
    (["query", "why", "--json"], QUERY),
    (["query", "why", "--json", "--bogus", "--", "x"], QUERY),
    (["query", "why", "--json", "--max-frames", "x", "--", "x"], QUERY),
    (["consent", "list", "--json", "--bogus"], ["ledger", "grants"]),
    (["consent", "history", "--json", "more"], ["ledger", "receipts"]),
    (["consent", "grant", "--json"], ["granted", "missing"]),
    (["consent", "revoke", "--json", "--bogus"], ["outcome", "revoked", "pids"]),
    (["consent", "recover", "--json", "more"], ["done", "archive", "ledger"]),
    (["consent", "deny", "--json"], ["outcome", "denied", "pids"]),
    (["providers", "list", "--json", "more"], ["files", "providers", "faults", "done"]),
    (["providers", "add", "--json"], ["files", "providers", "faults", "done"]),
    (["providers", "remove", "--json"], ["files", "providers", "faults", "done"]),
    (["providers", "trust", "--json", "--bogus"], ["files", "providers", "faults", "done"]),
    (["consent", "export", "--bogus"], STORE),
    (["consent", "export", "--format", "reference-json", "more"], STORE),
    (["consent", "export", "--format", "xml"], STORE),
    (["verify-bundle", "--format", "json"], BUNDLE),
    (["verify-bundle", "b.json", "--format=json", "--bogus"], BUNDLE),
    (["consent", "--json"], []),
    (["chek", "--json"], []),
    (["--json"], []),
]


SUBCOMMANDS = [
    info.name or info.callback.__name__
    for info in app.registered_commands
    if info.callback is not None and "json" in inspect.signature(info.callback).parameters
]


def test_no_way_of_consent_is_without_a_shape() -> None:
    assert set(CONSENT) == set(SUBCOMMANDS)


@pytest.mark.parametrize("name", SUBCOMMANDS)
def test_each_way_of_consent_has_its_shape(name: str, tmp_path: Path, capsysbinary: pytest.CaptureFixture[bytes]) -> None:
    """The same members as where the command itself fails: here at a ledger that is none."""
    assert main(["consent", name, "--json", "--bogus"]) == 2
    early = json.loads(capsysbinary.readouterr().out)
    (tmp_path / "ledger").write_bytes(b"garbage\n")
    words = {
        "show": ["abc"],
        "check": ["--provider", "p", "--scope", "x:y", "--name", "n", "--version", "1"],
        "grant": ["--scope", "x:y", "--", sys.executable],
        "deny": ["--scope", "x:y", "--", sys.executable],
        "revoke": ["--id", "p"],
        "import": [str(tmp_path / "absent")],
    }
    line = ["consent", name, "--json", "--ledger", str(tmp_path / "ledger"), *words.get(name, [])]
    assert main(line) != 0
    late = json.loads(capsysbinary.readouterr().out)
    assert list(early) == [*(member for member in late if member != "error"), "error"]


def test_a_bundle_that_cannot_be_read_has_the_members_of_a_line_that_does_not_parse(
    capsysbinary: pytest.CaptureFixture[bytes],
) -> None:
    assert main(["verify-bundle", "/absent/bundle", "--format", "json"]) == 2
    assert list(json.loads(capsysbinary.readouterr().out)) == [*BUNDLE, "error"]


@pytest.mark.parametrize(("arguments", "members"), LINES, ids=" ".join)
def test_json(arguments: list[str], members: list[str], capsysbinary: pytest.CaptureFixture[bytes]) -> None:
    assert main(arguments) == 2
    out, err = capsysbinary.readouterr()
    assert err == b""
    document = json.loads(out)
    assert list(document) == [*members, "error"]
    assert document["error"]["code"] == "usage"
    assert document["error"]["message"]


def test_the_other_formats_of_check(capsysbinary: pytest.CaptureFixture[bytes]) -> None:
    assert main(["check", "a", "b", "--format", "junit"]) == 2
    out, err = capsysbinary.readouterr()
    assert err == b""
    errors = list(ElementTree.parse(io.BytesIO(out)).iter("error"))
    assert [one.get("type") for one in errors] == ["usage"]
    assert main(["check", "--format=sarif"]) == 2
    out, err = capsysbinary.readouterr()
    assert err == b""
    (run,) = json.loads(out)["runs"]
    assert run["properties"]["error"]["code"] == "usage"
    assert run["invocations"][0]["executionSuccessful"] is False


@pytest.mark.parametrize(
    "arguments", [["query", "--format", "junit"], ["check"], ["query", "why", "--", "--json"]], ids=repr
)
def test_people_get_a_line(arguments: list[str], capsysbinary: pytest.CaptureFixture[bytes]) -> None:
    assert main(arguments) != 0
    out, err = capsysbinary.readouterr()
    assert out == b""
    assert err


def test_a_failing_query_has_the_shape_of_a_failed_one(capsysbinary: pytest.CaptureFixture[bytes]) -> None:
    main(["query", "--json"])
    document: dict[str, Any] = json.loads(capsysbinary.readouterr().out)
    assert (document["outcome"], document["frames"], document["provider"]) == ("failed", [], None)
