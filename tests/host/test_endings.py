"""Callers that go, connections that are closed, providers that stay: nothing is left of any of them."""

from __future__ import annotations

import asyncio
import os
import select
import time
from pathlib import Path

import pytest

from cgp_tui import limits
from cgp_tui.host import Connection, Deadlines, HostError, Poisoned, ProviderCrashed, Timeout
from cgp_tui.wire import note
from tests.host.bench import PATIENCE, SHORT, UNHEARD, ask, bench, kinds
from tests.host.test_process import alive, linux, pids, until


def full(connection: Connection) -> bool:
    """Whether the pipe to the provider takes no more."""
    return not select.select([], [connection._link._process.stdin], [], 0)[1]  # type: ignore[attr-defined]


async def test_a_cancelled_caller_leaves_nothing_behind(tmp_path: Path) -> None:
    now = tmp_path / "now"
    async with bench(tmp_path) as made:
        connection = await made.connect("slow")
        waiting = asyncio.create_task(connection.query(ask(f"when {now}")))
        assert await until(lambda: connection.pending)
        waiting.cancel()
        with pytest.raises(asyncio.CancelledError):
            await waiting
        assert connection.pending == ()
        assert connection._inbox._waiters == {}
        loop = asyncio.get_running_loop()
        timers = loop._scheduled  # type: ignore[attr-defined]
        # The lookout of the connection begins no new look when nothing is under way any more.
        assert all(timer.cancelled() or timer.when() <= loop.time() + limits.LOOK_SECONDS for timer in timers)
        now.touch()
        assert (await connection.query(ask("next"))).frames[0].content == "next"
        assert made.replayed()[2].state == "late"
        assert len(made.notes(note.GaveUp)) == 1


async def test_a_caller_cancelled_before_its_turn_was_never_there(tmp_path: Path) -> None:
    now = tmp_path / "now"
    async with bench(tmp_path) as made:
        connection = await made.connect("slow", correlation="no")
        first = asyncio.create_task(connection.query(ask(f"when {now}")))
        second = asyncio.create_task(connection.query(ask("never")))
        await until(lambda: connection.pending)
        second.cancel()
        now.touch()
        assert (await first).kind == "frames"
        assert (await connection.query(ask("third"))).exchange == 3


async def test_a_caller_cancelled_within_its_message_ends_the_connection(tmp_path: Path) -> None:
    async with bench(tmp_path) as made:
        connection = await made.connect("never-reads")
        waiting = asyncio.create_task(connection.query(ask("x" * 300_000)))
        assert await until(lambda: len(made.said("host")) == 2)
        assert await until(lambda: full(connection))
        waiting.cancel()
        with pytest.raises(asyncio.CancelledError):
            await waiting
        with pytest.raises(Poisoned):
            await connection.query(ask())
        assert made.replayed()[2].why == "stalled"
        assert await until(lambda: connection.exited is not None)


async def test_giving_up_by_hand(tmp_path: Path) -> None:
    async with bench(tmp_path, UNHEARD) as made:
        connection = await made.connect("hangs")
        waiting = asyncio.create_task(connection.query(ask()))
        assert await until(lambda: connection.pending)
        connection.give_up(2)
        connection.give_up(2)
        connection.give_up(99)
        with pytest.raises(Timeout):
            await waiting
        assert len(made.notes(note.GaveUp)) == 1
        assert connection.alive


async def test_closing_gives_up_what_is_in_flight_and_says_goodbye(tmp_path: Path) -> None:
    async with bench(tmp_path) as made:
        connection = await made.connect("holds")
        waiting = asyncio.create_task(connection.query(ask()))
        assert await until(lambda: connection.pending)
        await asyncio.gather(connection.close(), connection.close())
        with pytest.raises(Timeout):
            await waiting
        assert connection.exited is not None
        assert connection.exited.code == 0
        with pytest.raises(ProviderCrashed) as caught:
            await connection.query(ask())
        assert "shut down" in caught.value.message
    assert kinds(made.records())[-3:] == ["gave_up", "shutdown", "exit"]


async def test_a_provider_that_ignores_shutdown_is_killed_after_the_grace(tmp_path: Path) -> None:
    async with bench(tmp_path, SHORT) as made:
        connection = await made.connect("ignores-shutdown")
        began = time.monotonic()
        await connection.close()
        assert SHORT.shutdown <= time.monotonic() - began < PATIENCE
        assert connection.exited is not None
        assert connection.exited.signal == 9


async def test_no_shutdown_line_goes_into_the_middle_of_a_message(tmp_path: Path) -> None:
    async with bench(tmp_path) as made:
        connection = await made.connect("never-reads")
        waiting = asyncio.create_task(connection.query(ask("x" * 300_000)))
        assert await until(lambda: len(made.said("host")) == 2)
        began = time.monotonic()
        await connection.close()
        assert time.monotonic() - began < PATIENCE / 2
        with pytest.raises(Timeout):
            await waiting
        assert len(made.said("host")) == 2


@linux
async def test_what_a_provider_leaves_behind_is_killed_when_it_ends(tmp_path: Path) -> None:
    path = tmp_path / "pids"
    async with bench(tmp_path) as made:
        connection = await made.connect("leaves", pids=str(path))
        assert await until(lambda: connection.exited is not None)
        assert connection.exited is not None
        assert connection.exited.code == 0
        assert await until(lambda: not any(map(alive, pids(path))))
        assert connection.whole_tree


@linux
async def test_nothing_is_left_after_many_ends(tmp_path: Path) -> None:
    async def once(mode: str) -> None:
        async with bench(tmp_path, Deadlines(handshake=0.8, exchange=0.4, write=0.4, shutdown=0.2)) as made:
            try:
                connection = await made.connect(mode)
                await connection.query(ask())
            except HostError:
                pass
        made.path.unlink()

    def descriptors() -> int:
        return len(list(Path("/proc/self/fd").iterdir()))

    await once("honest")
    before = descriptors(), len(asyncio.all_tasks())
    for mode in ("honest", "crashes", "mute", "never-reads", "garbage", "flood", "line-too-long", "closes-stdout"):
        await once(mode)
    assert (descriptors(), len(asyncio.all_tasks())) == before
    assert Path(f"/proc/{os.getpid()}/task/{os.getpid()}/children").read_text() == ""
