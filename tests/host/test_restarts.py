"""A provider started anew: before the next question where a timeout left no other way, on request, and never for ever."""

from __future__ import annotations

import asyncio
import os
import shutil
import sys
import time
from pathlib import Path

import pytest

from cgp_tui import limits
from cgp_tui.errors import PeerError
from cgp_tui.host import (
    ConsentScopeRequired,
    HostError,
    KeepsFailing,
    Poisoned,
    ProviderCrashed,
    Spawn,
    Timeout,
    UnknownProvider,
)
from cgp_tui.protocol.identity import FrameId
from cgp_tui.target import Target, stdio_target
from cgp_tui.wire import note
from tests.host.bench import PATIENCE, PROVIDER, SHORT, Bench, ask, bench, in_a_hurry, kinds
from tests.host.test_host import grant, revoke
from tests.host.test_process import until


def of_its_own(folder: Path, mode: str, **options: str) -> Target:
    """The provider from a file of this test, so that it can change."""
    path = folder / "provider.py"
    if not path.exists():
        shutil.copy(PROVIDER, path)
    words = [f"{name}={value}" for name, value in options.items()]
    return stdio_target([sys.executable, "-I", "-S", str(path), mode, *words])


async def time_out(made: Bench, name: str) -> None:
    """Ask a provider of the mode `slow` what it does not answer in time, whoever runs under that name by then."""
    with in_a_hurry(made.host), pytest.raises(Timeout):
        await made.host.query(name, ask("when /there/is/no/such/file"))


def pids(made: Bench) -> list[int]:
    return [record.pid for record in made.notes(note.Spawn) if isinstance(record, note.Spawn)]


async def test_after_a_timeout_in_lock_step_the_next_question_goes_to_a_new_connection(tmp_path: Path) -> None:
    log = tmp_path / "log"
    async with bench(tmp_path) as made:
        first = await made.connect("slow", correlation="no", log=str(log))
        await time_out(made, "slow")
        with pytest.raises(Poisoned):
            await first.query(ask("on the old one"))
        outcome = await made.host.query("slow", ask("after"))
        assert [frame.content for frame in outcome.frames] == ["after"]
        second = made.host.connections["slow"]
        assert second is not first
        assert (first.number, second.number, outcome.exchange) == (1, 2, 4)
        assert first.pending == second.pending == ()
        assert first.exited is not None
        assert len(set(pids(made))) == 2
        assert made.agrees(outcome)
        with pytest.raises(Poisoned):
            await first.query(ask("still not"))
    assert kinds(made.records())[4:-2] == [
        *("gate", "query", "gave_up", "poisoned", "shutdown", "exit"),
        *("connect", "spawn", "handshake", "handshake_ack", "gate", "query", "frames"),
    ]
    assert b"on the old one" not in log.read_bytes()


async def test_a_verify_that_timed_out_has_the_provider_started_anew_too(tmp_path: Path) -> None:
    async with bench(tmp_path, SHORT) as made:
        first = await made.connect("holds")
        frames = [FrameId("odd", "f0", None)]
        with pytest.raises(Timeout):
            await made.host.verify("holds", frames)
        with pytest.raises(Timeout):
            await made.host.verify("holds", frames)
        assert made.host.connections["holds"] is not first


async def test_everybody_who_asks_meanwhile_shares_one_restart(tmp_path: Path) -> None:
    async with bench(tmp_path) as made:
        await made.connect("slow", correlation="no")
        await time_out(made, "slow")
        answers = await asyncio.gather(*(made.host.query("slow", ask(word)) for word in "abc"))
        assert [answer.frames[0].content for answer in answers] == ["a", "b", "c"]
        assert len(pids(made)) == 2


async def test_who_waits_behind_the_one_that_timed_out_fails_at_once_and_is_not_asked_again(tmp_path: Path) -> None:
    log = tmp_path / "log"
    async with bench(tmp_path, SHORT) as made:
        await made.connect("slow", correlation="no", log=str(log))
        asked = [asyncio.create_task(made.host.query("slow", ask(goal))) for goal in ("60 s", "behind")]
        began = time.monotonic()
        ends = await asyncio.gather(*asked, return_exceptions=True)
        assert [type(end) for end in ends] == [Timeout, Poisoned]
        assert time.monotonic() - began < PATIENCE / 2
        assert b"behind" not in log.read_bytes()


async def test_a_new_connection_is_judged_afresh(tmp_path: Path) -> None:
    log = tmp_path / "log"
    target = of_its_own(tmp_path, "slow-egress", correlation="no", log=str(log))
    async with bench(tmp_path) as made:
        connection = await made.host.connect(target, "p")
        grant(made.ledger, connection)
        await time_out(made, "p")
        with (tmp_path / "provider.py").open("a") as file:
            file.write("# another program now\n")
        with pytest.raises(ConsentScopeRequired) as caught:
            await made.host.query("p", ask("canary"))
        (need,) = caught.value.outcome.needs
        assert (need.reason, need.field) == ("identity_changed", "code")
        # It is a sound connection, with nothing wrong but its consent: the next question starts nobody.
        with pytest.raises(ConsentScopeRequired):
            await made.host.query("p", ask("canary"))
        assert len(pids(made)) == 2
    assert b"canary" not in log.read_bytes()


async def test_a_provider_that_never_answers_is_not_started_for_ever(tmp_path: Path) -> None:
    async with bench(tmp_path, SHORT) as made:
        await made.connect("hangs", correlation="no")
        for _ in range(1 + limits.RESTARTS):
            with pytest.raises(Timeout):
                await made.host.query("hangs", ask())
        for _ in range(2):
            with pytest.raises(KeepsFailing) as caught:
                await made.host.query("hangs", ask())
            assert isinstance(caught.value, PeerError)
            assert caught.value.code == "keeps_failing"
            assert "restart" in caught.value.fix
            assert caught.value.outcome.exchange is None
        assert len(pids(made)) == 1 + limits.RESTARTS
        await made.host.restart("hangs")
        for _ in range(2):
            with pytest.raises(Timeout):
                await made.host.query("hangs", ask())
        assert len(pids(made)) == 3 + limits.RESTARTS
        await made.host.disconnect("hangs")
        await made.connect("hangs", correlation="no")
        for _ in range(1 + limits.RESTARTS):
            with pytest.raises(Timeout):
                await made.host.query("hangs", ask())


async def test_an_answer_in_between_forgives_what_came_before(tmp_path: Path) -> None:
    async with bench(tmp_path) as made:
        await made.connect("slow", correlation="no")
        for _ in range(limits.RESTARTS + 1):
            await time_out(made, "slow")
            assert (await made.host.query("slow", ask("well"))).kind == "frames"
        assert len(pids(made)) == 2 + limits.RESTARTS


async def test_a_restart_that_comes_to_nothing_starts_no_loop(tmp_path: Path) -> None:
    target = of_its_own(tmp_path, "slow", correlation="no")
    async with bench(tmp_path) as made:
        await made.host.connect(target, "p")
        await time_out(made, "p")
        (tmp_path / "provider.py").write_text("raise SystemExit(3)\n")
        with pytest.raises(ProviderCrashed):
            await made.host.query("p", ask())
        for _ in range(3):
            with pytest.raises(ProviderCrashed):
                await made.host.query("p", ask())
        assert len(pids(made)) == 2
        shutil.copy(PROVIDER, tmp_path / "provider.py")
        await made.host.restart("p")
        assert (await made.host.query("p", ask())).kind == "frames"


async def test_a_dead_provider_is_started_anew_on_request_only(tmp_path: Path) -> None:
    async with bench(tmp_path) as made:
        first = await made.connect("holds")
        waiting = [asyncio.create_task(made.host.query("holds", ask(goal))) for goal in ("a", "die")]
        ends = await asyncio.gather(*waiting, return_exceptions=True)
        assert [type(end) for end in ends] == [ProviderCrashed, ProviderCrashed]
        with pytest.raises(ProviderCrashed):
            await made.host.query("holds", ask())
        assert len(pids(made)) == 1
        second = await made.host.restart("holds")
        assert second is made.host.connections["holds"] is not first
        assert (second.number, second.alive, second.pending) == (2, True, ())
        task = asyncio.create_task(made.host.query("holds", ask("b")))
        assert await until(lambda: second.pending)
        (pending,) = second.pending
        assert pending.request is not None
        assert pending.request.decoded.id == "q1"  # ids do not outlive a connection
        # A restart with a question in flight: its caller hears at once.
        began = time.monotonic()
        third = await made.host.restart("holds")
        with pytest.raises(HostError):
            await task
        assert time.monotonic() - began < PATIENCE / 2
        assert (third.number, second.alive) == (3, False)
        with pytest.raises(UnknownProvider):
            await made.host.restart("nobody")


async def test_a_program_that_is_gone_leaves_the_old_connection_to_be_restarted_later(tmp_path: Path) -> None:
    program = tmp_path / "program"
    program.symlink_to(sys.executable)
    async with bench(tmp_path) as made:
        first = await made.host.connect(stdio_target([str(program), "-I", "-S", PROVIDER, "honest"]), "p")
        program.rename(tmp_path / "elsewhere")
        with pytest.raises(Spawn) as caught:
            await made.host.restart("p")
        assert (caught.value.code, caught.value.id) == ("spawn_failed", "p")
        assert str(program) in caught.value.message and caught.value.fix.startswith("Check the spelling")
        assert caught.value.outcome is not None and caught.value.outcome.kind == "failed"
        assert made.host.connections["p"] is first
        assert not first.alive
        (tmp_path / "elsewhere").rename(program)
        await made.host.restart("p")
        assert (await made.host.query("p", ask())).kind == "frames"


async def test_consent_that_was_taken_back_and_given_again_needs_no_other_request(tmp_path: Path) -> None:
    async with bench(tmp_path) as made:
        connection = await made.connect("egress")
        grant(made.ledger, connection)
        assert (await made.host.query("egress", ask())).kind == "frames"
        assert revoke(made.ledger, "egress") == "confirmed"
        assert await until(lambda: connection.exited is not None)
        with pytest.raises(ConsentScopeRequired) as caught:
            await made.host.query("egress", ask())
        assert [need.reason for need in caught.value.outcome.needs] == ["revoked"]
        assert len(pids(made)) == 1
        grant(made.ledger, connection)
        assert (await made.host.query("egress", ask())).kind == "frames"
        assert len(pids(made)) == 2


async def test_a_host_that_closes_starts_nobody(tmp_path: Path) -> None:
    async with bench(tmp_path) as made:
        await made.connect("slow", correlation="no")
        await time_out(made, "slow")
        again = asyncio.create_task(made.host.restart("slow"))
        await asyncio.sleep(0)
        await made.host.close()
        with pytest.raises(HostError):
            await again
        with pytest.raises(Poisoned):
            await made.host.query("slow", ask())
    for pid in pids(made):
        assert await until(lambda pid=pid: not Path(f"/proc/{pid}").exists())  # type: ignore[misc]
    assert os.getpid() not in pids(made)
