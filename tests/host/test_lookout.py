"""Consent that another process withdraws while a message is under way: the provider is cut off, and soon."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import NamedTuple

import pytest

from cgp_tui import limits
from cgp_tui.consent.drafts import policy, revoke_drafts
from cgp_tui.consent.ledger import Ledger
from cgp_tui.consent.types import Answer
from cgp_tui.host import ConsentRequired, ConsentScopeRequired, Poisoned
from cgp_tui.host.lookout import Lookout, Vigil
from cgp_tui.host.sending import Message, Question
from cgp_tui.store import locks
from cgp_tui.wire import note
from tests.conftest import ROOT
from tests.host.bench import ask, bench, target
from tests.host.test_host import grant, revoke
from tests.host.test_once import grant_once
from tests.host.test_process import until

CUT_SECONDS = 0.5
"""How long after a revocation returned a provider may still be there."""


class Withdrawn(NamedTuple):
    """When a command had ended, and for how long the machine allows it to go without effect: `CUT_SECONDS`, and where the
    command itself took longer than that, as long."""

    at: float
    room: float


def elsewhere(ledger: Ledger, *words: str) -> Withdrawn:
    """A consent command in a process of its own."""
    began = time.monotonic()
    line = [sys.executable, "-m", "cgp_tui", "consent", *words, *ledger.options]
    ran = subprocess.run(line, cwd=ROOT, env=dict(os.environ), capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stderr
    at = time.monotonic()
    return Withdrawn(at, max(CUT_SECONDS, at - began))


@pytest.mark.parametrize("words", [("revoke", "--all"), ("deny", "--id", "slow-egress")])
async def test_a_withdrawal_by_another_process_cuts_what_waits_for_an_answer(tmp_path: Path, words: tuple[str, ...]) -> None:
    async with bench(tmp_path) as made:
        connection = await made.connect("slow-egress")
        grant(made.ledger, connection)
        ended: list[float] = []
        waiting = asyncio.create_task(connection.query(ask("60 s")))
        waiting.add_done_callback(lambda _: ended.append(time.monotonic()))
        assert await until(lambda: connection.pending)
        withdrawn = await asyncio.to_thread(elsewhere, made.ledger, *words)
        with pytest.raises(ConsentScopeRequired) as caught:
            await waiting
        assert ended[0] - withdrawn.at < withdrawn.room
        assert await until(lambda: connection.exited is not None)
        assert time.monotonic() - withdrawn.at < 2 * withdrawn.room
        (cut,) = made.notes(note.Cut)
        assert isinstance(cut, note.Cut)
        assert cut.exchange == caught.value.outcome.exchange == 2
        assert made.replayed()[2].why == "consent_required"
        assert connection.ended_by == "consent_required"


async def test_a_withdrawal_cuts_what_a_provider_does_not_read(tmp_path: Path) -> None:
    async with bench(tmp_path) as made:
        connection = await made.connect("egress")
        grant(made.ledger, connection)
        (spawned,) = made.notes(note.Spawn)
        assert isinstance(spawned, note.Spawn)
        os.kill(spawned.pid, signal.SIGSTOP)
        ended: list[float] = []
        waiting = asyncio.create_task(connection.query(ask("x" * 3_000_000)))
        waiting.add_done_callback(lambda _: ended.append(time.monotonic()))
        assert await until(lambda: connection.pending)
        withdrawn = await asyncio.to_thread(elsewhere, made.ledger, "revoke", "--all")
        with pytest.raises(ConsentRequired):
            await waiting
        assert ended[0] - withdrawn.at < withdrawn.room
        (cut,) = made.notes(note.Cut)
        assert isinstance(cut, note.Cut)
        assert 0 < cut.bytes < 3_000_000


async def test_what_is_still_allowed_goes_on(tmp_path: Path) -> None:
    async with bench(tmp_path) as made:
        connection = await made.connect("slow-egress")
        other = await made.connect("egress")
        grant(made.ledger, connection)
        grant(made.ledger, other)
        now = tmp_path / "now"
        waiting = asyncio.create_task(connection.query(ask(f"when {now}")))
        assert await until(lambda: connection.pending)
        await asyncio.to_thread(elsewhere, made.ledger, "revoke", "--id", "egress")
        await asyncio.sleep(2 * limits.LOOK_SECONDS)
        now.touch()
        assert (await waiting).kind == "frames"
        assert connection.alive


@pytest.mark.parametrize("used", [True, False], ids=["after a question", "before the first question"])
@pytest.mark.parametrize("words", [("revoke", "--all"), ("deny", "--id", "egress")], ids=["revoke", "deny"])
async def test_an_idle_provider_is_stopped_when_its_consent_is_taken_back(
    tmp_path: Path, words: tuple[str, ...], used: bool
) -> None:
    async with bench(tmp_path) as made:
        connection = await made.connect("egress")
        local = await made.connect("honest")
        grant(made.ledger, connection)
        if used:
            assert (await connection.query(ask())).kind == "frames"
        else:
            assert await until(lambda: connection._vigil is not None and connection._vigil.allowed)
        ended: list[float] = []

        async def watch() -> None:
            assert await until(lambda: connection.ended_by)
            ended.append(time.monotonic())

        watching = asyncio.create_task(watch())
        withdrawn = await asyncio.to_thread(elsewhere, made.ledger, *words)
        await watching
        assert ended[0] - withdrawn.at < withdrawn.room
        assert await until(lambda: connection.exited is not None)
        assert connection.ended_by == "consent_required"
        (poisoned,) = made.notes(note.Poisoned)
        assert isinstance(poisoned, note.Poisoned)
        assert poisoned.reason == "consent_required"
        with pytest.raises(ConsentScopeRequired):
            await connection.query(ask("canary"))
        grant(made.ledger, connection)
        with pytest.raises(Poisoned) as caught:
            await connection.query(ask("canary"))
        assert "consent" in caught.value.message
        assert local.alive, "nobody consented to it, since nobody had to"
        assert "canary" not in made.path.read_text()


async def test_what_is_under_way_is_left_to_the_lookout_of_its_own(tmp_path: Path) -> None:
    """From the first byte that is written to the reply: only that lookout can tell the caller why it was cut."""
    async with bench(tmp_path) as made:
        connection = await made.connect("slow-egress")
        grant(made.ledger, connection)
        vigil = connection._keep_vigil()
        assert not vigil._busy()
        async with connection._pen:
            assert vigil._busy()
        now = tmp_path / "now"
        waiting = asyncio.create_task(connection.query(ask(f"when {now}")))
        assert await until(lambda: connection.pending and not connection._pen.locked())
        assert vigil._busy()
        now.touch()
        assert (await waiting).kind == "frames"
        assert not vigil._busy()


async def test_a_vigil_ends_nothing_that_is_busy(tmp_path: Path) -> None:
    async with bench(tmp_path) as made:
        connection = await made.connect("egress")
        grant(made.ledger, connection)
        busy, ended, asked = [True], list[bool](), list[bool]()

        def is_busy() -> bool:
            asked.append(busy[0])
            return busy[0]

        vigil = Vigil(connection.question, is_busy, lambda: ended.append(busy[0]))
        vigil.allowed = True
        revoke(made.ledger, "egress")
        assert await until(lambda: len(asked) > 1)
        assert not ended
        busy[0] = False
        assert await until(lambda: bool(ended))
        assert ended == [False]
        vigil.stop()


async def test_a_question_that_meets_an_emergency_stop_stops_the_idle_one_too(tmp_path: Path) -> None:
    async with bench(tmp_path) as made:
        connection = await made.connect("egress")
        grant(made.ledger, connection)
        assert (await connection.query(ask())).kind == "frames"
        (tmp_path / "head").unlink()
        assert await until(lambda: connection.exited is not None)
        with pytest.raises(ConsentRequired) as caught:
            await connection.query(ask())
        assert caught.value.code == "head_missing"


async def test_what_was_never_given_or_only_ran_out_stops_nobody(tmp_path: Path) -> None:
    async with bench(tmp_path) as made:
        waits = await made.connect("egress")
        spent = await made.host.connect(target("egress", name="other"), "spent")
        grant_once(made.ledger, spent)
        assert (await spent.query(ask())).kind == "frames"
        made.ledger.revoke(revoke_drafts(made.ledger.open().receipts, "egress", (), policy()))
        await asyncio.sleep(4 * limits.LOOK_SECONDS)
        assert waits.alive
        assert spent.alive


async def test_a_ledger_that_is_busy_cuts_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from cgp_tui.host import sending

    monkeypatch.setattr(sending, "PATIENCE", 0.1)
    async with bench(tmp_path) as made:
        connection = await made.connect("slow-egress")
        grant(made.ledger, connection)
        now = tmp_path / "now"
        waiting = asyncio.create_task(connection.query(ask(f"when {now}")))
        assert await until(lambda: connection.pending)
        await asyncio.sleep(0.1)
        with locks.take(made.ledger.append_lock, shared=False, patience=1):
            await asyncio.sleep(0.7)
        monkeypatch.undo()
        now.touch()
        assert (await waiting).kind == "frames"


async def test_however_many_are_under_way_the_gate_is_asked_once_for_all(tmp_path: Path) -> None:
    """Thousands that wait for one provider would otherwise keep the processor from their replies."""
    asked = list[frozenset[str]]()

    class Counted(Question):
        async def answer(self, spends: frozenset[str] = frozenset()) -> Answer:
            asked.append(spends)
            return await super().answer(spends)

    async with bench(tmp_path) as made:
        connection = await made.connect("egress")
        grant(made.ledger, connection)
        lookout = Lookout(Counted(connection._gate, connection.binding, connection.needs))
        messages, cut, began = [Message(b"") for _ in range(20)], list[Message](), time.monotonic()
        for message in messages:
            lookout.watch(message, lambda _, message=message: cut.append(message))  # type: ignore[misc]
        lookout.leave(messages[0])
        assert await until(lambda: len(asked) >= 2)
        assert not cut
        revoke(made.ledger, "egress")
        assert await until(lambda: bool(cut))
        assert cut == messages[1:]
        looks = len(asked)
        assert looks <= (time.monotonic() - began) / limits.LOOK_SECONDS + 1, "not once for each of the messages"
        await asyncio.sleep(3 * limits.LOOK_SECONDS)
        assert len(asked) == looks, "nothing is under way any more"
        lookout.stop()
