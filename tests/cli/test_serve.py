"""`cgp-tui serve` as a process: both providers, judged by the published schema and by the reference's own suite."""

from __future__ import annotations

import json
import os
import pty
import subprocess
from pathlib import Path
from typing import Any

import jsonschema
import pytest

ASK = [
    {"type": "handshake", "protocol_version": "contextgraph/1.0"},
    {"type": "query", "id": "q1", "query": {"goal": "how are tokens counted", "max_frames": 8, "max_tokens": 2000}},
    {"type": "query", "id": "q2", "query": {"goal": "a run", "kinds": ["vendor:none"], "max_frames": 8, "max_tokens": 9}},
    {
        "type": "verify",
        "request": {"frames": [{"provider_id": "x", "frame_id": "doc-tokens", "content_digest": "sha256:" + "0" * 64}]},
    },
    {"type": "shutdown"},
]

EVERY = [["example-docs"], ["example-docs", "--sign"], ["example-index"]]


def serve(cgp: list[str], *arguments: str, ask: list[Any] = ASK) -> list[Any]:
    data = b"".join(json.dumps(message).encode() + b"\n" for message in ask)
    ran = subprocess.run([*cgp, "serve", *arguments], input=data, capture_output=True, timeout=300, check=True)
    assert ran.stderr == b""
    return [json.loads(line) for line in ran.stdout.splitlines()]


@pytest.mark.parametrize("arguments", EVERY, ids=" ".join)
def test_every_reply_fits_the_published_schema(cgp: list[str], shared: Path, arguments: list[str]) -> None:
    validator = jsonschema.Draft202012Validator(json.loads((shared / "spec" / "envelope.schema.json").read_text()))
    replies = serve(cgp, *arguments)
    assert [reply["type"] for reply in replies] == ["handshake_ack", "frames", "error", "verified"]
    faults = [error.message[:200] for reply in replies for error in validator.iter_errors(reply)]
    assert faults == []


def test_both_are_told_apart_by_what_they_declare(cgp: list[str]) -> None:
    docs, index = (serve(cgp, name, ask=ASK[:1])[0]["provider"] for name in ("example-docs", "example-index"))
    assert (docs["name"], docs["data_flow"].get("egress", False)) == ("example-docs", False)
    assert (index["name"], index["data_flow"]["egress"]) == ("example-index", True)
    assert index["data_flow"]["egress_scopes"] == ["third-party-index"]


def test_only_sign_signs(cgp: list[str]) -> None:
    plain, signed = serve(cgp, "example-docs"), serve(cgp, "example-docs", "--sign")
    assert "attester_keys" not in plain[0]
    assert signed[0]["attester_keys"][0]["key_id"] == "example-docs-ed25519-1"
    assert "result_attestation" not in plain[1]["result"]
    assert signed[1]["result"]["frames"] == plain[1]["result"]["frames"]
    assert len(signed[1]["result"]["frame_attestations"]) == len(plain[1]["result"]["frames"])


@pytest.mark.parametrize("arguments", EVERY, ids=" ".join)
def test_two_runs_say_the_same_bytes(cgp: list[str], arguments: list[str]) -> None:
    assert serve(cgp, *arguments) == serve(cgp, *arguments)


@pytest.mark.parametrize("arguments", [[], ["nothing"], ["example-index", "--sign"], ["example-docs", "extra"]])
def test_a_wrong_line_is_a_usage_error_and_serves_nothing(cgp: list[str], arguments: list[str]) -> None:
    ran = subprocess.run(
        [*cgp, "serve", *arguments], stdin=subprocess.DEVNULL, capture_output=True, timeout=300, check=False
    )
    assert ran.returncode == 2
    assert ran.stdout == b""
    assert len(ran.stderr.splitlines()) == 1


def test_started_by_hand_it_says_what_it_waits_for(cgp: list[str]) -> None:
    ours, theirs = pty.openpty()
    child = subprocess.Popen(
        [*cgp, "serve", "example-docs"], stdin=theirs, stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True
    )
    os.close(theirs)
    os.write(ours, b'{"type":"shutdown"}\n')
    out, err = child.communicate(timeout=300)
    os.close(ours)
    assert (child.returncode, out) == (0, b"")
    assert b"cgp-tui inspect -- cgp-tui serve example-docs" in err
