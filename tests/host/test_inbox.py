"""What arrives: for whom it is, and what ends a connection."""

from __future__ import annotations

import asyncio
import time
from pathlib import Path

import psutil
import pytest

from cgp_tui import limits
from cgp_tui.host import HostError, Poisoned, ProviderCrashed, Timeout, Transport
from cgp_tui.protocol.identity import FrameId
from cgp_tui.protocol.verify import VerifyRequest
from cgp_tui.wire import note
from tests.host.bench import PATIENCE, ask, bench, in_a_hurry
from tests.host.test_process import linux, until


@pytest.mark.parametrize("mode", ["second-ack", "unreadable-ack"])
async def test_a_second_ack_ends_the_connection_and_the_first_stands(mode: str, tmp_path: Path) -> None:
    async with bench(tmp_path) as made:
        connection = await made.connect(mode, correlation="no")
        with pytest.raises(HostError) as caught:
            await connection.query(ask())
        assert caught.value.code == "unexpected_envelope"
        assert made.agrees(caught.value)
        assert await until(lambda: connection.exited is not None)
        with pytest.raises(Poisoned):
            await connection.query(ask())


@linux
@pytest.mark.parametrize("mode", ["flood", "big-flood"])
async def test_a_flood_that_nobody_asked_for_is_cut_off(mode: str, tmp_path: Path) -> None:
    async with bench(tmp_path) as made:
        connection = await made.connect(mode)
        assert await until(lambda: connection.exited is not None)
        assert connection.ended_by == "flood"
        (poisoned,) = made.notes(note.Poisoned)
        assert isinstance(poisoned, note.Poisoned)
        assert poisoned.reason == "flood"
        unasked = made.said("provider")[1:]
        assert len(unasked) == limits.UNSOLICITED_LINES + 1 or sum(map(len, unasked)) > limits.UNSOLICITED_BYTES
        assert sum(map(len, unasked)) < limits.UNSOLICITED_BYTES + 6_000_000


async def test_a_poisoned_connection_is_still_cut_off_from_a_flood(tmp_path: Path) -> None:
    now = tmp_path / "now"
    async with bench(tmp_path) as made:
        connection = await made.connect("late-flood", correlation="no")
        with in_a_hurry(made.host), pytest.raises(Timeout):
            await connection.query(ask(f"when {now}"))
        now.touch()
        assert await until(lambda: connection.exited is not None)
        reasons = [record.reason for record in made.notes(note.Poisoned) if isinstance(record, note.Poisoned)]
        assert reasons == ["timeout", "flood"]
        assert connection.ended_by == "flood"


async def test_a_line_over_the_cap_ends_everything(tmp_path: Path) -> None:
    async with bench(tmp_path) as made:
        connection = await made.connect("line-too-long")
        assert await until(lambda: connection.ended_by)
        assert connection.ended_by == "line_too_long"
        with pytest.raises(Poisoned):
            await connection.query(ask())
        assert await until(lambda: connection.exited is not None)


@pytest.mark.parametrize("mode", ["long-answer", "endless", "forged-tail"])
async def test_a_line_over_the_cap_fails_who_waits(mode: str, tmp_path: Path) -> None:
    """Bytes without end take no more memory than the cap, and what follows an overlong line is nobody's answer."""
    async with bench(tmp_path) as made:
        connection = await made.connect(mode)
        before = psutil.Process().memory_info().rss
        with pytest.raises(Transport) as caught:
            await made.host.query(mode, ask())
        assert caught.value.code == "line_too_long"
        assert made.agrees(caught.value)
        assert await until(lambda: connection.exited is not None)
        assert psutil.Process().memory_info().rss - before < 5 * limits.LINE_BYTES
    assert b"forged" not in b"".join(made.said("provider"))


async def test_a_crash_fails_every_waiter_at_once_and_every_later_call(tmp_path: Path) -> None:
    async with bench(tmp_path) as made:
        connection = await made.connect("holds")
        asked = [asyncio.create_task(connection.query(ask(str(place)))) for place in range(5)]
        assert await until(lambda: len(connection.pending) == 5)
        began = time.monotonic()
        asked.append(asyncio.create_task(connection.query(ask("die"))))
        ends = await asyncio.gather(*asked, return_exceptions=True)
        assert time.monotonic() - began < PATIENCE / 2
        assert [type(end) for end in ends] == [ProviderCrashed] * 6
        assert all(made.agrees(end) for end in ends if isinstance(end, HostError))
        with pytest.raises(ProviderCrashed):
            await connection.query(ask())
        with pytest.raises(ProviderCrashed):
            await connection.verify(VerifyRequest((FrameId("odd", "a", None),)))


async def test_stderr_is_noted_kept_and_bounded(tmp_path: Path) -> None:
    async with bench(tmp_path) as made:
        connection = await made.connect("noisy")
        await connection.query(ask())
        await connection.close()
        assert connection.stderr_tail.endswith(b"n" * 9987 + b"\n")
        assert len(connection.stderr_tail) == limits.STDERR_KEPT_BYTES
        notes = [record for record in made.notes(note.Stderr) if isinstance(record, note.Stderr)]
        assert notes[0].text.startswith("\x1b]52;c;aGk=\x07nnn")
        assert b"\x1b" not in made.path.read_bytes()
        kept = sum(len(record.text) for record in notes)
        assert limits.STDERR_NOTED_BYTES * 0.95 < kept <= limits.STDERR_NOTED_BYTES
