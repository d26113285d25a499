"""Each way in which the reference's fixture breaks a rule, asked for and seen on the wire, is named with its anchor."""

from __future__ import annotations

import contextlib
import io
import json
from pathlib import Path
from typing import Any

import pytest

from cgp_tui.cli.main import main
from tests.interop.raw import SHUTDOWN, ask, tell

PLAIN = [ask(), SHUTDOWN]
GARBAGE = [b"this is not valid json {{{", ask("q2"), SHUTDOWN]

MODES: dict[str, tuple[list[bytes], set[str]]] = {
    "lying-costs": (PLAIN, {"B1", "B3"}),
    "under-report-cost": (PLAIN, {"B3"}),
    "flood-frames": (PLAIN, {"B4"}),
    "bad-score": (PLAIN, {"F1"}),
    "empty-citation": (PLAIN, {"F3"}),
    "bad-timestamp": (PLAIN, {"F4"}),
    "lying-representation": (PLAIN, {"P3"}),
    "malformed-digest": (PLAIN, {"D1", "F5"}),
    "bad-version": ([SHUTDOWN], {"H1"}),
    "scope-lie": ([SHUTDOWN], {"C5"}),
    "crash-on-query": ([ask()], set()),
    "crash-on-garbage": (GARBAGE, {"R1"}),
    "mislabel-malformed": (GARBAGE, {"R1"}),
    "drop-correlation-id": (PLAIN, {"H4"}),
    "ignore-as-of": ([ask(as_of="2026-07-01T00:00:00Z"), SHUTDOWN], {"6.1"}),
    "ignore-kinds": ([ask(kinds=["snippet"]), SHUTDOWN], {"Q1"}),
    "forge-signature": (PLAIN, {"6.5.4"}),
    "lift-signature": (PLAIN, {"F7"}),
    "truncate-chain": (PLAIN, {"F7"}),
    "swap-content": (PLAIN, {"F7"}),
    "malformed-attestation": (PLAIN, {"F7"}),
}
"""What is sent, and what must be named beyond what an honest fixture is told. A crash by itself breaks no rule that the
lines show: the question stays unanswered, which is a note."""

ADVICE = {"mislabel-malformed", "ignore-as-of"}
"""Where the SPEC has a SHOULD, or prose."""


def findings(record: Path) -> list[dict[str, Any]]:
    """What the command finds, in this process, which is quicker to start."""
    out = io.TextIOWrapper(io.BytesIO(), encoding="ascii")
    with contextlib.redirect_stdout(out):
        main(["check", "--format", "json", str(record)])
    found: list[dict[str, Any]] = json.loads(out.buffer.getvalue())["findings"]
    return found


def told(reference: Path, mode: str | None, lines: list[bytes], record: Path) -> list[dict[str, Any]]:
    argv = [str(reference / "contextgraph-example-docs"), *(["--misbehave", mode] if mode else [])]
    return tell(argv, lines, record)


@pytest.mark.parametrize("mode", MODES)
def test_a_mode_is_named(reference: Path, tmp_path: Path, mode: str) -> None:
    lines, anchors = MODES[mode]
    told(reference, mode, lines, tmp_path / "bad")
    told(reference, None, lines, tmp_path / "honest")
    bad, honest = findings(tmp_path / "bad"), findings(tmp_path / "honest")
    usual = {(one["anchor"], one["level"], one["line"]) for one in honest}
    extra = [one for one in bad if (one["anchor"], one["level"], one["line"]) not in usual]
    level = "advice" if mode in ADVICE else "violation"
    assert {one["anchor"] for one in extra if one["level"] == level} == anchors
    assert {one["party"] for one in extra} <= {"provider"}
    if mode == "crash-on-query":
        assert [(one["anchor"], one["level"]) for one in extra] == [("3.2", "note")]


def test_a_vector_that_is_taken_in_spite_of_its_length(reference: Path, tmp_path: Path) -> None:
    """The host breaks a MUST by sending it, the provider a SHOULD by answering with frames."""
    lines = [ask(embedding=[0.5]), SHUTDOWN]
    for mode, blamed in ((None, {"host"}), ("accept-bad-embedding", {"host", "provider"})):
        told(reference, mode, lines, tmp_path / str(mode))
        named = [one for one in findings(tmp_path / str(mode)) if one["anchor"] == "E1"]
        assert {one["party"] for one in named} == blamed
        assert {one["level"] for one in named if one["party"] == "provider"} <= {"advice"}


def test_an_honest_fixture_breaks_nothing_but_what_is_known_of_it(reference: Path, tmp_path: Path) -> None:
    """Its content_digest is that of a file, not of the content; advice, and nothing else."""
    told(
        reference, None, [ask(), ask("q2", kinds=["doc"]), ask("q3", as_of="2026-07-01T00:00:00Z"), SHUTDOWN], tmp_path / "t"
    )
    assert {(one["anchor"], one["level"]) for one in findings(tmp_path / "t")} <= {("6.3", "advice")}


@pytest.mark.parametrize(
    ("mode", "status", "mutated"), [("rubber-stamp-verify", "valid", True), ("hollow-verify", "unknown", False)]
)
def test_a_verify_that_looks_at_nothing(reference: Path, tmp_path: Path, mode: str, status: str, mutated: bool) -> None:
    (ack, answer) = told(reference, mode, PLAIN, tmp_path / "first")
    frames = [
        {
            "provider_id": ack["provider"]["name"],
            "frame_id": one["id"],
            "content_digest": one["content_digest"] + ("-mutated" if mutated else ""),
        }
        for one in answer["result"]["frames"]
    ]
    verify = json.dumps({"type": "verify", "request": {"frames": frames}}).encode()
    *_, verified = told(reference, mode, [ask(), verify, SHUTDOWN], tmp_path / "second")
    assert {one["status"] for one in verified["response"]["verdicts"]} == {status}
    named = [one for one in findings(tmp_path / "second") if one["anchor"] == "V2"]
    assert named
    *_, honest = told(reference, None, [ask(), verify, SHUTDOWN], tmp_path / "honest")
    assert {one["status"] for one in honest["response"]["verdicts"]} == {"stale" if mutated else "valid"}
    assert [one for one in findings(tmp_path / "honest") if one["anchor"] == "V2"] == []


def test_anchors_ignored(reference: Path, tmp_path: Path) -> None:
    """Known from what the same connection served before: the frame at the anchor is there to be had."""
    mode = "ignore-anchors"
    (_, answer) = told(reference, mode, PLAIN, tmp_path / "first")
    targets = [edge["target_uri"] for one in answer["result"]["frames"] for edge in one.get("relations", [])]
    uris = [one["uri"] for one in answer["result"]["frames"] if one.get("uri")]
    lines = [ask(), ask("q2", anchors=(targets or uris)[:1]), SHUTDOWN]
    told(reference, mode, lines, tmp_path / "second")
    told(reference, None, lines, tmp_path / "honest")
    assert [
        (one["level"], one["line"], one["frame_id"]) for one in findings(tmp_path / "second") if one["anchor"] == "G4"
    ] == [("violation", 6, None)]
    assert [one for one in findings(tmp_path / "honest") if one["level"] == "violation"] == []
