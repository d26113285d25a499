"""The whole way on a real terminal: a signed recording, its files read again, its key trusted, and `check` saying so."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from cgp_tui.protocol.envelope import Frames, Handshake, Query
from cgp_tui.protocol.frame import Provenance
from cgp_tui.protocol.query import ContextQuery
from cgp_tui.store.keys import SeenKeys
from cgp_tui.store.trust import TrustStore, fingerprint
from cgp_tui.target import stdio_target
from cgp_tui.wire.encode import encode
from tests.checks import signed
from tests.terminal import Terminal

BODY = b"alpha\nbeta\n"
KEY = signed.trusted().public_key


@pytest.fixture
def home(tmp_path: Path) -> dict[str, str]:
    kept = {name: os.environ[name] for name in ("PATH", "LANG") if name in os.environ}
    own = {"CGP_TUI_STATE": "state", "CGP_TUI_CONFIG": "config", "CGP_TUI_LEDGER": "receipts.toml"}
    places = {name: str(tmp_path / "home" / place) for name, place in own.items()}
    (tmp_path / "home").mkdir(mode=0o700)
    return {**kept, **places, "HOME": str(tmp_path / "home"), "LC_ALL": "C.UTF-8"}


@pytest.fixture
def transcript(tmp_path: Path) -> Path:
    root = tmp_path / "root"
    root.mkdir()
    (root / "real.txt").write_bytes(BODY)
    link = Provenance("file", uri=f"file://{root}/real.txt", digest=f"sha256:{sha256(BODY).hexdigest()}")
    served = signed.answer(signed.frame("a", BODY.decode(), provenance=(link,)))
    question = encode(Query(ContextQuery("why", 9, 999), "q1"))
    lines = [encode(Handshake("contextgraph/1.0")), encode(signed.ack()), question, encode(Frames(served, "q1"))]
    path = tmp_path / "a.ndjson"
    path.write_bytes(b"".join(line + b"\n" for line in lines))
    return path


def check(cgp: list[str], transcript: Path, home: dict[str, str]) -> Any:
    line = [*cgp, "check", "--format", "json", str(transcript)]
    ran = subprocess.run(line, capture_output=True, env=home, timeout=300, check=True)
    return json.loads(ran.stdout)


def test_a_key_is_trusted_in_a_replay_and_counts_from_then_on(
    cgp: list[str], transcript: Path, home: dict[str, str], tmp_path: Path
) -> None:
    line = [*cgp, "replay", str(transcript), "--at", "4", "--root", str(tmp_path / "root")]
    with Terminal(line, rows=24, columns=80, env=home) as terminal:
        terminal.wait("line 4 of 4")
        terminal.send("\r")
        terminal.wait("[4 ← frames q1]")
        terminal.send("\r")
        terminal.wait("Built correctly, signer unknown")
        terminal.send("]")
        terminal.wait(f"✓ re-read {len(BODY)} bytes")
        terminal.send("T")
        terminal.wait("Trust this key?")
        terminal.send("Ada")
        terminal.wait("Then enter, and the fingerprint.")
        terminal.send("\r")
        terminal.wait("Type the fingerprint.")
        terminal.send(fingerprint(KEY).removeprefix("sha256:")[:20])
        terminal.wait("agrees")
        terminal.send("\r")
        terminal.wait("Ada is trusted for docs, on record as #1.")
        terminal.send("[")
        terminal.wait("Ada, whom you trust for this provider")
        terminal.send("q")
        assert terminal.ended() == 0
    standings = {(one["standing"], one["signer"]) for one in check(cgp, transcript, home)["attestations"]}
    assert standings == {("attested", "Ada")}


def test_a_damaged_store_is_told_on_the_screen(cgp: list[str], transcript: Path, home: dict[str, str]) -> None:
    store = TrustStore(Path(home["CGP_TUI_CONFIG"]) / "trust.toml")
    store.path.parent.mkdir(mode=0o700)
    store.path.touch(0o600)
    store.path.write_bytes(b"format = 1\n")
    with Terminal([*cgp, "replay", str(transcript), "--at", "4"], rows=24, columns=80, env=home) as terminal:
        terminal.wait(lambda seen: "line 4 of 4" in seen.text and "so no key is trusted" in seen.text)
        terminal.send("q")
        assert terminal.ended() == 0


PROVIDER = """
import json, sys
flow = {"reads": True, "writes": False, "egress": True, "egress_scopes": ["third-party-index"]}
key = {"key_id": "k1", "algorithm": "ed25519", "public_key": "bb" * 32}
for line in sys.stdin:
    if json.loads(line)["type"] == "handshake":
        print(json.dumps({"type": "handshake_ack", "protocol_version": "contextgraph/1.0", "attester_keys": [key],
                          "provider": {"name": "acme", "version": "1", "data_flow": flow},
                          "capabilities": {"query": {"kinds": []}}}), flush=True)
"""


def test_the_prompt_of_a_live_provider_tells_that_its_key_changed(
    cgp: list[str], home: dict[str, str], tmp_path: Path
) -> None:
    """It was met in an earlier run, by the same command, with another key under this id."""
    script = tmp_path / "provider.py"
    script.write_text(PROVIDER)
    command = [sys.executable, str(script)]
    memory = SeenKeys(Path(home["CGP_TUI_STATE"]) / "seen-keys.json")
    memory.add(stdio_target(command).digest, "k1", "aa" * 32, "2026-01-01T00:00:00Z")
    memory.save()
    with Terminal([*cgp, "inspect", "--id", "acme", "--", *command], rows=40, columns=110, env=home) as terminal:
        terminal.wait("handshake_ack")
        terminal.wait("c decides")
        terminal.send("c")
        terminal.wait("not decided")
        terminal.send("\r")
        terminal.wait("Let acme receive your queries?")
        terminal.wait("! key changed since it was last seen here: k1")


def test_a_folder_that_is_none_is_an_input_error(cgp: list[str], transcript: Path, home: dict[str, str]) -> None:
    with Terminal([*cgp, "replay", str(transcript), "--root", "/nowhere/at/all"], env=home) as terminal:
        assert terminal.ended() == 2
        assert "cannot be opened" in terminal.text
