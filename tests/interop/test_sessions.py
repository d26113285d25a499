"""Providers that others wrote, and our own, under our host: a whole session asked, recorded, checked and opened again."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from cgp_tui.consent.ledger import Ledger
from cgp_tui.host import Host, HostError
from cgp_tui.protocol.query import ContextQuery
from cgp_tui.store.files import create_private
from cgp_tui.target import stdio_target
from cgp_tui.transcript.writer import Writer
from tests.terminal import Terminal

PROVIDERS = ["sdk", "reference", "example-docs", "example-docs --sign"]


@pytest.fixture(params=PROVIDERS)
def provider(request: pytest.FixtureRequest, cgp: list[str]) -> list[str]:
    """The argv of one provider; the reference's is skipped where it is not installed."""
    if request.param == "sdk":
        return [sys.executable, str(Path(__file__).with_name("sdk_provider.py"))]
    if request.param == "reference":
        folder: Path = request.getfixturevalue("reference")
        return [str(folder / "contextgraph-example-docs")]
    return [*cgp, "serve", *request.param.split()]


async def session(argv: list[str], record: Path, ledger: Path) -> None:
    """A handshake, three queries, one of them refused or empty, a verify of what came, and a shutdown."""
    writer = Writer(create_private(record), "test")
    async with Host(Ledger(ledger), writer) as host:
        connection = await host.connect(stdio_target(argv), id="other")
        assert connection.ack is not None
        found = await host.query("other", ContextQuery("how are tokens counted", 8, 2000))
        assert found.kind == "frames"
        assert found.frames
        few = await host.query("other", ContextQuery("how are tokens counted", 8, 2000, kinds=("doc",)))
        assert {frame.kind for frame in few.frames} == {"doc"}
        try:
            none = await host.query("other", ContextQuery("g", 8, 2000, kinds=("memory:none",)))
            assert none.frames == ()
        except HostError as error:
            assert error.code == "provider_error"
        name = connection.ack.provider.name
        asked = [frame.identity(name) for frame in found.frames]
        answered = await host.verify("other", asked)
        assert {verdict.status for verdict in answered.verdicts} == {"valid"}
    writer.close()


def checked(cgp: list[str], record: Path) -> dict[str, Any]:
    ran = subprocess.run([*cgp, "check", "--format", "json", str(record)], capture_output=True, timeout=300, check=False)
    report: dict[str, Any] = json.loads(ran.stdout)
    assert ran.returncode == 0, report
    return report


async def test_a_session_breaks_no_rule_and_can_be_replayed(provider: list[str], cgp: list[str], tmp_path: Path) -> None:
    record = tmp_path / "session.ndjson"
    await session(provider, record, tmp_path / "receipts.toml")
    report = checked(cgp, record)
    assert [found for found in report["findings"] if found["level"] == "violation"] == []
    assert report["format"] == "cgp-transcript/1"
    assert report["lines"] == 11
    env = {**os.environ, "HOME": str(tmp_path), "CGP_TUI_STATE": str(tmp_path / "state")}
    with Terminal([*cgp, "replay", str(record)], 40, 120, env=env) as screen:
        screen.wait("verified")
        screen.send("q")
        assert screen.ended() == 0


async def test_our_evidence_holds_and_vouches_for_nobody(cgp: list[str], tmp_path: Path) -> None:
    """The key is published with the protocol's examples: anybody can sign with it, so nobody's trust stands behind it."""
    record = tmp_path / "session.ndjson"
    await session([*cgp, "serve", "example-docs", "--sign"], record, tmp_path / "receipts.toml")
    assert verdicts(checked(cgp, record)) == {
        ("frame", "valid", "included", "signer_unknown"),
        ("answer", "valid", None, "signer_unknown"),
    }


async def test_the_references_signatures_hold_over_digests_of_something_else(
    reference: Path, cgp: list[str], tmp_path: Path
) -> None:
    """Its fixture puts the digest of the page where that of the content belongs, and signs no root."""
    record = tmp_path / "session.ndjson"
    await session([str(reference / "contextgraph-example-docs")], record, tmp_path / "receipts.toml")
    assert verdicts(checked(cgp, record)) == {("frame", "valid", None, "content_mismatch")}


def verdicts(report: dict[str, Any]) -> set[tuple[str, str, str | None, str]]:
    """What was found, for single frames and for whole answers."""
    return {
        ("answer" if one["frame_id"] is None else "frame", one["verdict"], one["proof"], one["standing"])
        for one in report["attestations"]
    }
