"""A host with a recording and a ledger of its own, a provider that behaves as told, and the recording read again.

Whatever a test does on a bench: at its end the recording is read, and has to come to the same exchanges and findings, in the
same order, as the live session did.
"""

from __future__ import annotations

import contextlib
import itertools
import sys
from collections.abc import AsyncIterator, Iterator, Sequence
from pathlib import Path

import msgspec

from cgp_tui.checks import judge, judge_line, judge_remark
from cgp_tui.checks.outcome import outcome, problem
from cgp_tui.checks.types import Outcome
from cgp_tui.consent.ledger import Ledger
from cgp_tui.host import Connection, Deadlines, Host, HostError, inbox
from cgp_tui.protocol.query import ContextQuery
from cgp_tui.protocol.requirements import Finding
from cgp_tui.session import Exchange, Keys, Session
from cgp_tui.store.files import create_private
from cgp_tui.target import Target, stdio_target
from cgp_tui.transcript.record import Damaged, Record, decode_header, decode_record
from cgp_tui.transcript.writer import Writer
from cgp_tui.wire.decode import decode
from cgp_tui.wire.line import Line, Seen
from cgp_tui.wire.note import AnyNote, GateNote, KnownNote

PROVIDER = str(Path(__file__).with_name("provider.py"))
PATIENCE = 120.0
"""Seconds in which whatever comes at all has come, on a machine that has much else to do as well. What has to come at
once is told from what waits for a deadline by its coming in half of this, where every deadline is as long."""
PATIENT = Deadlines(handshake=PATIENCE, exchange=PATIENCE, write=PATIENCE, shutdown=PATIENCE)
SHORT = Deadlines(handshake=PATIENCE, exchange=0.2, write=0.4, shutdown=0.1)
"""For a provider that keeps us waiting once it is up."""
UNHEARD = Deadlines(handshake=PATIENCE, exchange=PATIENCE, write=PATIENCE, shutdown=0.1)
"""For a provider that reads no shutdown."""


def target(mode: str, **options: str) -> Target:
    """What runs the provider of this folder in `mode`."""
    words = [f"{name}={value}" for name, value in options.items()]
    return stdio_target([sys.executable, "-I", "-S", PROVIDER, mode, *words])


@contextlib.contextmanager
def in_a_hurry(host: Host) -> Iterator[None]:
    """Meanwhile the connections that this host has, and those that it makes, wait for nothing longer than `SHORT`."""
    try:
        _give(host, SHORT)
        yield
    finally:
        _give(host, UNHEARD)


def _give(host: Host, deadlines: Deadlines) -> None:
    host._deadlines = deadlines
    for connection in host.connections.values():
        connection._deadlines = deadlines


def ask(goal: str = "why", **members: int | str) -> ContextQuery:
    return ContextQuery(goal, **{"max_frames": 8, "max_tokens": 2000, **members})  # type: ignore[arg-type]


class Overheard(Session):
    """The pairing of one connection, with all that it came to."""

    def __init__(self, connection: int, numbers: Iterator[int], keys: Keys | None = None) -> None:
        super().__init__(connection, numbers, keys)
        self.changes: list[Exchange] = []
        self.findings: list[Finding] = []

    def feed(self, item: Seen | AnyNote) -> tuple[Exchange, ...]:
        changed = super().feed(item)
        self.changes += changed
        for remark in self.remarks:
            self.findings += judge_line(remark.seen, None, remark.past) if remark.seen is item else judge_remark(remark)
        for exchange in changed:
            self.findings += judge(exchange).findings
        return changed


@contextlib.contextmanager
def overheard(numbers: Iterator[int]) -> Iterator[list[Overheard]]:
    """The sessions of the connections that are made meanwhile by the host with these numbers; hosts may overlap."""
    sessions: list[Overheard] = []
    names = vars(inbox)
    before: type[Session] = names["Session"]

    def made(connection: int, counted: Iterator[int], keys: Keys | None = None) -> Session:
        if counted is not numbers:
            return before(connection, counted, keys)
        sessions.append(Overheard(connection, counted, keys))
        return sessions[-1]

    names["Session"] = made
    try:
        yield sessions
    finally:
        names["Session"] = before


class Bench:
    """One host and the place of its recording."""

    def __init__(self, folder: Path, deadlines: Deadlines, ledger: Ledger | None) -> None:
        self.path = folder / "recording.ndjson"
        self.ledger = Ledger(folder / "ledger" / "receipts.toml", folder / "head") if ledger is None else ledger
        self.writer = Writer(create_private(self.path), "test")
        self.host = Host(self.ledger, self.writer, deadlines)

    async def connect(self, mode: str, **options: str) -> Connection:
        return await self.host.connect(target(mode, **options), mode)

    def records(self) -> list[Record]:
        """Everything recorded so far, the header left out."""
        head, *rest = self.path.read_bytes().splitlines()
        assert decode_header(head) is not None
        made = [decode_record(raw) for raw in rest]
        assert not any(isinstance(record, Damaged) for record in made)
        return made

    def notes(self, kind: type[KnownNote]) -> list[KnownNote]:
        return [record for record in self.records() if isinstance(record, kind)]

    def said(self, sender: str) -> list[bytes]:
        return [record.raw for record in self.records() if isinstance(record, Line) and record.sender == sender]

    def gates(self) -> list[GateNote]:
        return [record for record in self.records() if isinstance(record, GateNote)]

    def replayed(self) -> dict[int, Exchange]:
        """The exchanges by number, as a reader of the recording finds them."""
        numbers = itertools.count(1)
        sessions: dict[int, Session] = {}
        found: dict[int, Exchange] = {}
        for record in self.records():
            assert not isinstance(record, Damaged)
            session = sessions.setdefault(record.connection, Session(record.connection, numbers))
            item = Seen(record, decode(record.raw)) if isinstance(record, Line) else record
            for exchange in session.feed(item):
                if exchange.number is not None:
                    found[exchange.number] = exchange
        return found

    def retold(self, live: Sequence[Overheard]) -> bool:
        """Whether the recording tells of every connection what its live session came to."""
        numbers, keys = itertools.count(1), Keys()
        again: dict[int, Overheard] = {}
        for record in self.records():
            assert not isinstance(record, Damaged)
            session = again.setdefault(record.connection, Overheard(record.connection, numbers, keys))
            session.feed(Seen(record, decode(record.raw)) if isinstance(record, Line) else record)
        return all(
            (session.changes, session.findings) == (again[session.connection].changes, again[session.connection].findings)
            for session in live
        )

    def agrees(self, live: Outcome | HostError) -> bool:
        """Whether the recording says the same of an exchange as the live session did."""
        seen = msgspec.structs.replace(live.outcome if isinstance(live, HostError) else live, usage=None)
        assert seen.exchange is not None
        judged = judge(self.replayed()[seen.exchange])
        if seen.kind == "failed" and judged.exchange.kind != "query":
            return problem(judged) == seen.problem
        return outcome(judged) == seen


@contextlib.asynccontextmanager
async def bench(folder: Path, deadlines: Deadlines = PATIENT, ledger: Ledger | None = None) -> AsyncIterator[Bench]:
    made = Bench(folder, deadlines, ledger)
    with overheard(made.host.journal.numbers) as live:
        try:
            async with made.host:
                yield made
        finally:
            made.writer.close()
    assert made.retold(live)


def kinds(records: Sequence[Record]) -> list[str]:
    """The records in a word each: the type of a line, the name of a note."""
    return [
        decode(record.raw).type or "?" if isinstance(record, Line) else record.__struct_config__.tag  # type: ignore[misc]
        for record in records
    ]
