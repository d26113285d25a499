"""A message goes out piece by piece, each under an answer of the gate given at that moment."""

from __future__ import annotations

import asyncio
import time
from pathlib import Path

import pytest

from cgp_tui.consent.drafts import grant_draft, policy
from cgp_tui.consent.gate import Gate
from cgp_tui.consent.ledger import Ledger
from cgp_tui.consent.types import Permit
from cgp_tui.host import ConsentRequired, ConsentScopeRequired, Poisoned, sending
from cgp_tui.protocol.timestamp import utc_text
from cgp_tui.store import locks
from cgp_tui.wire import note
from tests.consent.people import Books, binding, scoped
from tests.consent.people import draft as consent
from tests.host.bench import PATIENCE, ask, bench
from tests.host.test_host import grant, revoke
from tests.host.test_process import until


async def test_a_gate_that_is_busy_is_waited_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sending, "PATIENCE", PATIENCE)
    async with bench(tmp_path) as made:
        connection = await made.connect("egress")
        grant(made.ledger, connection)
        held = locks.take(made.ledger.send_lock, shared=False, patience=1)
        with held:
            waiting = asyncio.create_task(connection.query(ask()))
            await asyncio.sleep(0.2)
            assert not waiting.done()
            assert len(made.said("host")) == 1
        began = time.monotonic()
        assert (await waiting).kind == "frames"
        assert time.monotonic() - began < PATIENCE / 2


@pytest.mark.parametrize("known", [False, True], ids=["changed", "unchanged"])
async def test_a_gate_that_stays_busy_denies(known: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sending, "PATIENCE", 0.2)
    async with bench(tmp_path) as made:
        connection = await made.connect("egress")
        grant(made.ledger, connection)
        if known:
            assert (await connection.query(ask())).kind == "frames"
        with locks.take(made.ledger.append_lock, shared=False, patience=1):
            with pytest.raises(ConsentRequired) as caught:
                await connection.query(ask())
            assert caught.value.code == "lock_timeout"
        assert (await connection.query(ask())).kind == "frames"


async def test_a_grant_that_ran_out_is_written_down_as_ended(tmp_path: Path) -> None:
    now = time.time()
    clock = [now]
    ledger = Ledger(tmp_path / "ledger" / "receipts.toml", tmp_path / "head", lambda: clock[0])
    async with bench(tmp_path, ledger=ledger) as made:
        connection = await made.connect("egress")
        draft = grant_draft(
            connection.binding,
            connection.needs[0],
            declared=(),
            payload=(),
            expires_at=utc_text(now + 60),
            grantor=policy(),
        )
        ledger.grant([draft])
        assert (await connection.query(ask())).kind == "frames"
        clock[0] = now + 100
        with pytest.raises(ConsentRequired) as caught:
            await connection.query(ask())
        assert [need.reason for need in caught.value.outcome.needs] == ["expired"]
        assert ledger.open().receipts[-1].kind == "expire"


async def test_a_revocation_in_the_middle_of_a_message_keeps_the_rest(tmp_path: Path) -> None:
    log = tmp_path / "log"
    async with bench(tmp_path) as made:
        connection = await made.connect("egress-reads-slowly", log=str(log))
        grant(made.ledger, connection)
        size = 12_000_000
        waiting = asyncio.create_task(connection.query(ask("x" * size)))
        assert await until(lambda: log.exists() and log.stat().st_size > 0)
        assert await asyncio.to_thread(revoke, made.ledger, "egress-reads-slowly") == "confirmed"
        with pytest.raises(ConsentScopeRequired) as caught:
            await waiting
        assert caught.value.outcome.exchange == 2
        assert await until(lambda: connection.exited is not None)
        (cut,) = made.notes(note.Cut)
        assert isinstance(cut, note.Cut)
        assert 0 < cut.bytes < size
        assert log.stat().st_size <= cut.bytes
        assert made.replayed()[2].why == "consent_required"
        with pytest.raises(ConsentScopeRequired):
            await connection.query(ask())
        grant(made.ledger, connection)
        with pytest.raises(Poisoned):
            await connection.query(ask())


class Peer:
    """A link's way out that takes `room` bytes at a time, and keeps them."""

    def __init__(self, room: int) -> None:
        self.room = room
        self.got = b""

    def send_payload(self, raw: memoryview, permit: Permit) -> int:
        assert permit.alive
        self.got += raw[: self.room]
        return len(raw[: self.room])


def test_a_message_that_fits_goes_at_once(tmp_path: Path) -> None:
    books = Books(tmp_path)
    gate = Gate(books.ledger)
    question = sending.Question(gate, binding(), scoped())

    def tried(room: int = 100) -> tuple[bool, bytes]:
        message, peer = sending.Message(b"{}"), Peer(room)
        return message.try_payload(peer, question), peer.got  # type: ignore[arg-type]

    books.ledger.grant([consent()])
    assert tried() == (False, b""), "the ledger was not read yet"
    gate.refresh()
    assert tried() == (True, b"{}\n")
    assert tried(2) == (False, b"{}")
    assert tried(0) == (False, b"")
    with locks.take(books.ledger.append_lock, shared=False, patience=1):
        assert tried() == (False, b"")
    books.ledger.grant([consent(uses="once")])
    gate.refresh()
    assert tried() == (False, b""), "a one-time grant is spent first"
    books.ledger.revoke([consent("revoke")])
    gate.refresh()
    assert tried() == (False, b"")
