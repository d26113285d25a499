"""A provider that lets a request wait: what the bar tells of it, and the two ways out."""

from __future__ import annotations

import os
import signal
from pathlib import Path

import pytest

from tests.ui.sessions import WHY, Stage, alive, plan, session


async def ask(stage: Stage) -> None:
    await stage.until_ready()
    stage.live.send(WHY, ["one"])
    await stage.until(lambda: stage.lines("query"))


def hang(stage: Stage) -> str:
    """What is told of the hang, empty for nothing."""
    return stage.live.state().hang or ""


@pytest.mark.parametrize("size", [(80, 24), (120, 40)])
async def test_clock_process_last_byte_and_what_has_begun_are_told(tmp_path: Path, size: tuple[int, int]) -> None:
    async with session(tmp_path, plan("one", "breaks-off"), size=size) as stage:
        await ask(stage)
        assert not hang(stage)
        await stage.until(lambda: "bytes of an unfinished line" in hang(stage))
        said = hang(stage)
        assert said.startswith("q1 waits ") and " of 30 s. Running (pid " in said
        assert f"pid {stage.pids[0]}" in said and "s ago, 20 bytes of an unfinished line." in said
        # All of it is on the screen, on as many lines as it takes.
        await stage.until(lambda: "x gives up, R restarts." in " ".join(stage.screen.split()))
        assert f"Running (pid {stage.pids[0]})" in " ".join(stage.screen.split())


async def test_stderr_is_told_with_it(tmp_path: Path) -> None:
    async with session(tmp_path, plan("one", "grumbles")) as stage:
        await stage.until(lambda: "handshake waits" in hang(stage))
        assert "no byte yet. x gives up, R restarts. stderr: loading␛[2J the model" in hang(stage)


async def test_giving_up_ends_it_whatever_is_selected(tmp_path: Path) -> None:
    async with session(tmp_path, plan("one", "hangs")) as stage:
        await ask(stage)
        await stage.until(lambda: hang(stage))
        await stage.pilot.press("g", "x")
        await stage.until(lambda: stage.notes("gave_up"))
        assert not hang(stage)


async def test_a_restart_by_name_begins_a_new_connection_of_the_one_that_hangs(tmp_path: Path) -> None:
    async with session(tmp_path, plan("two", "plain"), plan("one", "hangs")) as stage:
        await ask(stage)
        await stage.until(lambda: hang(stage))
        (hung,) = [note["connection"] for note in stage.notes("connect") if note["provider_id"] == "one"]
        (pid,) = [note["pid"] for note in stage.notes("spawn") if note["connection"] == hung]
        source = stage.app.inspector.source
        rows = [source.transcript.row(at) for at in range(source.count)]
        stage.app.inspector.go_to(next(at for at, row in enumerate(rows) if row.kind == "line" and row.connection != hung))
        await stage.pilot.press("colon")
        await stage.until(lambda: "Palette" in type(stage.app.screen).__name__)
        await stage.pilot.press(*"restart")
        await stage.until(lambda: "session.restart" in stage.screen)
        await stage.pilot.press("enter")
        await stage.until(lambda: len(stage.notes("connect")) == 3)
        await stage.until_ready()
        assert not hang(stage) and not alive(pid)
        assert stage.notes("connect")[2]["provider_id"] == "one"
        assert all(addressee.sends for addressee in stage.live.addressees())


async def test_one_that_ended_is_restarted_as_well(tmp_path: Path) -> None:
    async with session(tmp_path, plan("one", "plain")) as stage:
        await stage.until_ready()
        os.kill(stage.pids[0], signal.SIGKILL)
        await stage.until(lambda: stage.notes("exit"))
        await stage.until(lambda: not stage.live.state().running)
        await stage.live.act("session.restart", None)
        await stage.until(lambda: len(stage.pids) == 2 and stage.live.state().running)
        await stage.until_ready()
        stage.live.send(WHY, ["one"])
        await stage.until(lambda: stage.lines("frames"))


async def test_the_consent_view_opens_by_its_number_and_w_leads_there(tmp_path: Path) -> None:
    async with session(tmp_path, plan("far", "egress")) as stage:
        await stage.until_told("far waits for your consent")
        assert " 5 Consent " in stage.screen
        await stage.pilot.press("5")
        await stage.until(lambda: type(stage.app.screen).__name__ == "ConsentScreen")
        await stage.pilot.press("escape")
        stage.live.send(WHY, ["far"])
        await stage.until(lambda: stage.notes("gate"))
        source = stage.app.inspector.source
        await stage.until(lambda: source.count and source.transcript.row(source.count - 1).type == "gate")
        stage.app.inspector.go_to(source.count - 1)
        await stage.until(lambda: source.analysis.done == source.count)
        await stage.pilot.press("w")
        await stage.until(lambda: "Why: query to far refused" in stage.screen and "c decides here." in stage.screen)
        await stage.pilot.press("c")
        await stage.until(lambda: type(stage.app.screen).__name__ == "ConsentScreen")


async def test_the_provider_view_follows_a_live_connection(tmp_path: Path) -> None:
    async with session(tmp_path, plan("one", "complains")) as stage:
        await stage.until_ready()
        await stage.pilot.press("7")
        await stage.until(lambda: "started; no end" in stage.screen and f"pid {stage.pids[0]}" in stage.screen)
        stage.live.send(WHY, ["one"])
        await stage.until(lambda: "no module␛[2J named index" in stage.screen)
        os.kill(stage.pids[0], signal.SIGKILL)
        await stage.until(lambda: "ended by signal 9" in stage.screen)
