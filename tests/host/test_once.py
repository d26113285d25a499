"""A grant for one use: its use is on record before a byte leaves, and no second message has it."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Sequence
from pathlib import Path

import pytest

from cgp_tui import limits
from cgp_tui.consent.drafts import Terms, grant_draft, policy
from cgp_tui.consent.gate import Gate
from cgp_tui.consent.ledger import Ledger
from cgp_tui.consent.receipt import Receipt
from cgp_tui.consent.types import Permit
from cgp_tui.host import Connection, ConsentRequired
from cgp_tui.protocol.timestamp import utc_text
from cgp_tui.store import files
from cgp_tui.wire.note import Cut
from tests.consent.people import START, Clock
from tests.host.bench import ask, bench


def grant_once(ledger: Ledger, connection: Connection) -> tuple[Receipt, ...]:
    made = [
        grant_draft(
            connection.binding,
            need,
            declared=(),
            payload=("goal",),
            expires_at="never",
            grantor=policy(),
            terms=Terms("once"),
        )
        for need in connection.needs
    ]
    return ledger.grant(made)


async def test_one_query_and_no_second(tmp_path: Path) -> None:
    async with bench(tmp_path) as made:
        connection = await made.connect("egress")
        (granted,) = grant_once(made.ledger, connection)
        long = await connection.query(ask("x" * 300_000))
        assert long.problem is None, "all pieces of one message are one use"
        spend = made.ledger.open().receipts[-1]
        assert (spend.kind, spend.acts_on, spend.grantor.kind) == ("spend", granted.receipt_id, "host")
        with pytest.raises(ConsentRequired) as caught:
            await connection.query(ask("second"))
        assert [need.reason for need in caught.value.outcome.needs] == ["spent"]
        assert not any(b"second" in line for line in made.said("host"))
        grant_once(made.ledger, connection)
        assert (await connection.query(ask())).kind == "frames"
        assert [receipt.kind for receipt in made.ledger.open().receipts] == ["grant", "spend"] * 2


async def test_the_use_is_on_disk_before_the_first_byte(tmp_path: Path) -> None:
    async with bench(tmp_path) as made:
        connection = await made.connect("egress")
        grant_once(made.ledger, connection)
        link = connection._link
        seen: list[str] = []

        class Watched:
            def __getattr__(self, name: str) -> object:
                return getattr(link, name)

            def send_payload(self, raw: memoryview, permit: Permit) -> int:
                seen.append(Ledger(made.ledger.path, tmp_path / "head").log.view().records[-1].kind)
                return link.send_payload(raw, permit)

        connection._link = Watched()  # type: ignore[assignment]
        assert (await connection.query(ask())).kind == "frames"
        assert seen == ["spend"]


async def test_a_grant_that_ends_between_its_use_and_the_write_lets_nothing_leave(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its use is on record by then, so no clock that steps back brings it back."""
    clock = Clock()
    ledger = Ledger(tmp_path / "ledger" / "receipts.toml", tmp_path / "head", clock)
    async with bench(tmp_path, ledger=ledger) as made:
        connection = await made.connect("egress")
        (need,) = connection.needs
        draft = grant_draft(
            connection.binding,
            need,
            declared=(),
            payload=("goal",),
            expires_at=utc_text(START + 60),
            grantor=policy(),
            terms=Terms("once"),
        )
        ledger.grant([draft])
        spend = Gate.spend

        def late(gate: Gate, grants: Sequence[Receipt]) -> frozenset[str]:
            spent = spend(gate, grants)
            clock.now = START + 60
            return spent

        monkeypatch.setattr(Gate, "spend", late)
        with pytest.raises(ConsentRequired) as caught:
            await connection.query(ask("canary"))
        assert [need.reason for need in caught.value.outcome.needs] == ["expired"]
        assert [note.bytes for note in made.notes(Cut) if isinstance(note, Cut)] == [0]
        assert [receipt.kind for receipt in ledger.open().receipts] == ["grant", "spend"]
        clock.now = START
        with pytest.raises(ConsentRequired) as caught:
            await connection.query(ask("canary"))
        assert [need.reason for need in caught.value.outcome.needs] == ["spent"]


async def test_of_two_hosts_that_use_one_grant_one_sends(tmp_path: Path) -> None:
    ledger = Ledger(tmp_path / "ledger" / "receipts.toml", tmp_path / "head")
    (tmp_path / "a").mkdir()
    (tmp_path / "b").mkdir()
    async with bench(tmp_path / "a", ledger=ledger) as one, bench(tmp_path / "b", ledger=ledger) as two:
        first, second = await one.connect("egress"), await two.connect("egress")
        for _ in range(10):
            grant_once(ledger, first)
            came = await asyncio.gather(first.query(ask()), second.query(ask()), return_exceptions=True)
            refused = [one for one in came if isinstance(one, ConsentRequired)]
            assert len(refused) == 1, came
            assert refused[0].outcome.needs[0].reason == "spent"


async def test_who_was_outrun_does_not_send_under_a_grant_that_came_since(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with bench(tmp_path) as made:
        connection = await made.connect("egress")
        (granted,) = grant_once(made.ledger, connection)
        spend = Gate.spend

        def outrun(gate: Gate, grants: Sequence[Receipt]) -> frozenset[str]:
            spend(Gate(made.ledger), grants)
            mine = spend(gate, grants)
            grant_once(made.ledger, connection)
            return mine

        monkeypatch.setattr(Gate, "spend", outrun)
        with pytest.raises(ConsentRequired) as caught:
            await connection.query(ask("canary"))
        monkeypatch.undo()
        assert [need.reason for need in caught.value.outcome.needs] == ["spent"]
        assert [note.bytes for note in made.notes(Cut) if isinstance(note, Cut)] == [0]
        assert [one.kind for one in made.ledger.open().receipts] == ["grant", "spend", "spend", "grant"]
        assert granted.receipt_id in {one.acts_on for one in made.ledger.open().receipts}
        assert (await connection.query(ask())).kind == "frames", "the grant that came since is whole"


async def test_a_use_that_takes_its_time_to_be_written_down_is_not_taken_for_another_s(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """On a busy machine whoever looks after the message finds its own use on record before the message knows of it."""
    async with bench(tmp_path) as made:
        connection = await made.connect("egress")
        grant_once(made.ledger, connection)
        spend = Gate.spend

        def late(gate: Gate, grants: Sequence[Receipt]) -> frozenset[str]:
            mine = spend(gate, grants)
            time.sleep(3 * limits.LOOK_SECONDS)
            return mine

        monkeypatch.setattr(Gate, "spend", late)
        assert (await connection.query(ask())).kind == "frames"


async def test_a_use_that_cannot_be_written_down_is_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async with bench(tmp_path) as made:
        connection = await made.connect("egress")
        grant_once(made.ledger, connection)

        def full(*_: object) -> None:
            raise OSError(28, "No space left on device")

        monkeypatch.setattr(files, "write_at_once", full)
        with pytest.raises(ConsentRequired) as caught:
            await connection.query(ask("canary"))
        assert [need.reason for need in caught.value.outcome.needs] == ["unrecordable"]
        monkeypatch.undo()
        assert made.ledger.open().receipts[-1].kind == "grant"


async def test_a_permit_is_not_alive_before_the_use_is_on_record(tmp_path: Path) -> None:
    async with bench(tmp_path) as made:
        connection = await made.connect("egress")
        (granted,) = grant_once(made.ledger, connection)
        gate = Gate(made.ledger)
        with gate.ask(connection.binding, connection.needs) as answer:
            assert isinstance(answer, Permit)
            assert answer.unspent == (granted,)
            assert not answer.alive
        spends = gate.spend((granted,))
        with gate.ask(connection.binding, connection.needs, spends=spends) as answer:
            assert isinstance(answer, Permit)
            assert answer.alive
        again = gate.spend((granted,))
        with gate.ask(connection.binding, connection.needs, spends=again) as answer:
            assert not answer.allowed, "of two uses the first one counts"
