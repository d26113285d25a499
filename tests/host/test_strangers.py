"""Providers that were not written here: one made with the published SDK, and the reference implementation's own."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path

import pytest

from cgp_tui.host import HostError
from cgp_tui.host.errors import Provider
from cgp_tui.protocol.identity import FrameId
from cgp_tui.target import Target, stdio_target
from tests.host.bench import ask, bench

SDK = stdio_target([sys.executable, str(Path(__file__).with_name("sdk_provider.py"))])


@pytest.fixture
def example_docs(reference: Path) -> Target:
    return stdio_target([str(reference / "contextgraph-example-docs")])


async def test_a_provider_made_with_the_sdk(tmp_path: Path) -> None:
    async with bench(tmp_path) as made:
        connection = await made.host.connect(SDK, "pages")
        assert (connection.ack.provider.name, connection.needs) == ("pages", ())
        answers = await asyncio.gather(*(connection.query(ask("why", max_frames=count)) for count in (8, 1)))
        assert [(answer.kind, len(answer.frames), answer.truncated) for answer in answers] == [
            ("frames", 2, False),
            ("frames", 1, True),
        ]
        assert [finding for answer in answers for finding in answer.findings] == []
        assert all(map(made.agrees, answers))
        held = [frame.identity("pages") for frame in answers[0].frames]
        stale = FrameId("pages", "frm_retry", "sha256:" + "0" * 64)
        found = await made.host.verify("pages", [*held, stale, FrameId("pages", "frm_old", None)])
        assert [verdict.status for verdict in found.verdicts] == ["valid", "valid", "stale", "gone"]
        # Only what carries a digest can be verified: ours asked all the same, and is told so.
        assert [(finding.anchor, finding.level, finding.party) for finding in found.findings] == [("V1", "advice", "host")]
        with pytest.raises(Provider) as caught:
            await connection.query(ask("refuse"))
        assert caught.value.provider_code == "unsupported_kind"
        assert caught.value.fix
    assert connection.exited is not None
    assert connection.exited.code == 0


async def test_the_reference_provider(example_docs: Target, tmp_path: Path) -> None:
    async with bench(tmp_path) as made:
        connection = await made.host.connect(example_docs, "docs")
        assert connection.ack.provider.name == "contextgraph-example-docs"
        assert connection.ack.capabilities.correlation
        outcome = await connection.query(ask("retry loop"))
        assert (outcome.kind, len(outcome.frames)) == ("frames", 2)
        assert [finding for finding in outcome.findings if finding.level == "violation"] == []
        assert made.agrees(outcome)
        held = [frame.identity("contextgraph-example-docs") for frame in outcome.frames]
        found = await made.host.verify("docs", held)
        assert {verdict.status for verdict in found.verdicts} == {"valid"}
    assert connection.exited is not None
    assert connection.exited.code == 0


MISBEHAVED = [
    ("bad-version", "version_mismatch"),
    ("scope-lie", "scope_contradiction"),
    ("lying-costs", "budget_lie"),
    ("under-report-cost", "budget_lie"),
    ("flood-frames", "frame_flood"),
    ("crash-on-query", "provider_crashed"),
    ("drop-correlation-id", "correlation_mismatch"),
    ("bad-score", "F1"),
    ("empty-citation", "F3"),
    ("malformed-digest", "F5"),
    ("ignore-kinds", "Q1"),
    ("forge-signature", "6.5.4"),
]


@pytest.mark.parametrize(("mode", "named"), MISBEHAVED, ids=[row[0] for row in MISBEHAVED])
async def test_the_reference_provider_misbehaves(reference: Path, mode: str, named: str, tmp_path: Path) -> None:
    target = stdio_target([str(reference / "contextgraph-example-docs"), "--misbehave", mode])
    async with bench(tmp_path) as made:
        try:
            connection = await made.host.connect(target, "docs")
            outcome = await connection.query(ask("retry loop", kinds=("doc",)))  # type: ignore[arg-type]
        except HostError as error:
            assert error.code == named
            assert made.agrees(error)
            return
        violations = {finding.anchor for finding in outcome.findings if finding.level == "violation"}
        assert named in violations or named == outcome.kind
        assert made.agrees(outcome)
