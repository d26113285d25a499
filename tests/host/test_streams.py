"""Streams that no honest provider makes: each ends by its name, in time, and nobody gets what is not theirs."""

from __future__ import annotations

import asyncio
import time
from pathlib import Path

import pytest

from cgp_tui import limits
from cgp_tui.checks.judge import judge
from cgp_tui.host import Deadlines, HostError, ProviderCrashed, Timeout, VersionMismatch
from cgp_tui.wire import note
from tests.dialogue import play, recorded, tell
from tests.host.bench import PATIENCE, SHORT, ask, bench
from tests.host.test_process import until


@pytest.mark.parametrize(
    "version", ["contextgraph/10.0", "contextgraph/1", "contextgraph/2.0", "Contextgraph/1.0", "contextgraph/1.0 "]
)
async def test_a_version_is_of_this_family_by_its_exact_spelling(version: str, tmp_path: Path) -> None:
    async with bench(tmp_path) as made:
        with pytest.raises(VersionMismatch):
            await made.connect("speaks", version=version)
        assert not made.host.connections["speaks"].alive


async def test_what_comes_after_the_shutdown_is_recorded_and_has_no_effect(tmp_path: Path) -> None:
    async with bench(tmp_path) as made:
        connection = await made.connect("answers-shutdown")
        outcome = await connection.query(ask("in time"))
        assert [frame.content for frame in outcome.frames] == ["in time"]
    assert len([raw for raw in made.said("provider") if b"too late" in raw]) == 2
    assert made.replayed()[2].state == "answered"
    told = play(recorded(made.path))
    assert "q1 answered" in told.states
    assert any(finding.level == "violation" for finding in told.findings)


@pytest.mark.parametrize("mode", ["breaks-off", "trickles"])
@pytest.mark.parametrize("correlation", ["yes", "no"])
async def test_an_answer_that_does_not_end_is_not_waited_for(mode: str, correlation: str, tmp_path: Path) -> None:
    async with bench(tmp_path, SHORT) as made:
        connection = await made.connect(mode, correlation=correlation)
        began = time.monotonic()
        with pytest.raises(Timeout):
            await connection.query(ask())
        assert time.monotonic() - began < PATIENCE / 2
        assert connection.alive is (correlation == "yes")


@pytest.mark.parametrize("goal", ["die", "end", "hush"], ids=["exit 1", "exit 0", "stdout closed"])
async def test_who_waits_when_a_provider_goes_hears_at_once(goal: str, tmp_path: Path) -> None:
    async with bench(tmp_path) as made:
        connection = await made.connect("holds")
        asked = [asyncio.create_task(connection.query(ask(word))) for word in ("a", "b", goal)]
        began = time.monotonic()
        ends = await asyncio.gather(*asked, return_exceptions=True)
        assert [type(end) for end in ends] == [ProviderCrashed] * 3
        assert time.monotonic() - began < PATIENCE / 2
        assert all(made.agrees(end) for end in ends if isinstance(end, HostError))
        assert await until(lambda: connection.exited is not None)


async def test_a_gigabyte_on_stderr_is_drained_and_its_end_is_kept(tmp_path: Path) -> None:
    async with bench(tmp_path, Deadlines(handshake=1000, exchange=PATIENCE)) as made:
        connection = await made.connect("pours", mebibytes="1024")
        assert (await connection.query(ask())).kind == "frames"
        assert await until(lambda: connection.stderr_tail.endswith(b"the end\n"))
        assert len(connection.stderr_tail) == limits.STDERR_KEPT_BYTES
        noted = sum(len(record.text.encode()) for record in made.notes(note.Stderr) if isinstance(record, note.Stderr))
        assert noted <= limits.STDERR_NOTED_BYTES
    raw = made.path.read_bytes()
    assert len(raw) < 3 * limits.STDERR_NOTED_BYTES
    assert not {0x1B, 0x9B, 0x07} & set(raw)


def test_what_is_not_an_answer_is_charged_and_an_id_that_nobody_promised_is_not() -> None:
    strict = ">> handshake\n<< ack correlation\n>> query q1\n"
    twice = tell(strict + "<< frames q1 a\n<< frames q1 b")
    foreign = tell(strict + ">> query q2\n<< frames q999 a\n<< frames q1 a\n<< frames q2 b")
    assert twice.broken == ["H4 line 5"]
    assert foreign.broken == ["H4 line 5"]
    lax = tell(">> handshake\n<< ack\n>> query -\n<< frames zzz a")
    assert [finding.level for finding in lax.findings if finding.anchor in ("H4", "3.2")] in ([], ["advice"])
    assert not any(finding.level == "violation" for finding in lax.findings)
    assert judge(lax.changes[-1]).exchange.state == "answered"
