"""What the ledger and its gate cost: a record beside bare writes that are made durable, reading beside a TOML parser, a
send beside its allowance; in small ledgers and in large ones."""

from __future__ import annotations

import os
import secrets
import signal
import statistics
import subprocess
import sys
import tempfile
import time
import tomllib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from cgp_tui.consent.drafts import deny_draft, grant_draft, human, revoke_drafts
from cgp_tui.consent.gate import Gate
from cgp_tui.consent.ledger import Ledger
from cgp_tui.consent.needs import needs
from cgp_tui.consent.receipt import HOST, Draft, complete, encode
from cgp_tui.consent.types import Binding, Permit
from cgp_tui.protocol.capability import DataFlow
from cgp_tui.store import chain, head
from cgp_tui.store.head import Head
from cgp_tui.target import default_id, stdio_target
from tests.benchmarks.measure import Row, by_turns, seconds

ROUNDS: Final = 100
SMALL, LARGE = 100, 100_000
OPENED: Final = 10_000
SENDS: Final = 2_000
REVOKES: Final = 300

_FLOW = DataFlow(reads=True, egress=True, egress_scopes=("third-party-index",))
_TARGET = stdio_target([sys.executable, "-c", "pass"])
_BINDING = Binding(default_id(_TARGET), "example-index", "1.0.0", _TARGET)
_NEEDS = needs(_BINDING.provider_id, _FLOW, _TARGET)
_GRANT = grant_draft(
    _BINDING,
    _NEEDS[0],
    declared=_FLOW.egress_scopes,
    payload=("goal",),
    expires_at="2099-01-01T00:00:00Z",
    grantor=human(),
)
_ENDING: Final = {
    "revoke": revoke_drafts((), _BINDING.provider_id, (), human())[0],
    "deny": deny_draft(_BINDING, _NEEDS[0], human()),
    "spend": Draft(kind="spend", acts_on="0" * 32, provider_id=_BINDING.provider_id, grantor=HOST),
}


@contextmanager
def grown(size: int) -> Iterator[Ledger]:
    """A ledger of `size` grants."""
    with tempfile.TemporaryDirectory() as name:
        ledger = Ledger(Path(name) / "receipts.toml", Path(name) / "head")
        ledger.grant([_GRANT])
        end = ledger.log.view().end
        assert end is not None
        with ledger.path.open("ab") as file:
            for seq in range(2, size + 1):
                made = {"receipt_id": secrets.token_hex(16), "granted_at": "2026-01-01T00:00:00Z"}
                block, digest = chain.block(seq, end.hash, encode(complete(_GRANT, seq=seq, prev=end.hash, **made)))
                file.write(block)
                end = Head(end.ledger_id, seq, end.size + len(block), digest)
        head.create(Path(name) / "head", end)
        yield ledger


def appends() -> Iterator[Row]:
    """Revoke, deny and spend verify the last block alone, so they may not slow down as the ledger grows. Beside the floor
    asked for stands another with the same number of syncs: the record, and the slot of the head after it."""
    for size in (SMALL, LARGE):
        with grown(size) as ledger, _Bare(ledger) as bare:
            for kind, draft in _ENDING.items():
                rounds = [(_ended(ledger, draft), bare.once(), bare.twice()) for _ in range(ROUNDS)]
                ours, once, twice = (_quiet(times) for times in zip(*rounds, strict=True))
                what = f"{kind}, ledger of {size:,}"
                yield Row(f"{what} / a write and fsync of the same", ours, once, 2.5)
                yield Row(f"{what} / two writes, each made durable", ours, twice, None)


def grants() -> Iterator[Row]:
    """A grant verifies the whole ledger first: it may take a tenth of what a TOML parser takes to read it. A process that
    has read it before hashes it, and reads only what is new."""
    for size in (SMALL, 2_000):
        with grown(size) as ledger, _Bare(ledger) as bare:
            rounds = [
                (
                    seconds(lambda: _anew(ledger).grant([_GRANT])),
                    seconds(lambda: ledger.grant([_GRANT])),
                    bare.once(),
                )
                for _ in range(40)
            ]
            cold, warm, floor = (_quiet(times) for times in zip(*rounds, strict=True))
            parsed = _quiet([seconds(lambda: _parsed(ledger)) for _ in range(5)])
            most = 2.5 * floor + parsed / 10
            note = f"sync {floor * 1e3:.2f} ms, tomllib {parsed * 1e3:.0f} ms"
            yield Row(f"grant, ledger of {size:,} / 2.5 syncs and a tenth of tomllib", cold, most, 1, note)
            yield Row(f"grant, ledger of {size:,}, read before / the same", warm, most, 1)


def opening() -> Iterator[Row]:
    """The whole ledger read and verified, by a process that never saw it and by one that did."""
    with grown(OPENED) as ledger:
        ours, floor = by_turns(lambda: seconds(lambda: _anew(ledger).open()), lambda: seconds(lambda: _parsed(ledger)), 3)
        yield Row(f"opening a ledger of {OPENED:,} / tomllib.load", ours, floor, 0.1)
        ledger.open()
        again = _quiet([seconds(ledger.open) for _ in range(5)])
        yield Row(f"opening a ledger of {OPENED:,} again / tomllib.load", again, floor, 0.1)


def sending() -> Iterator[Row]:
    """One gated write of 200 bytes, the ledger unchanged since it was read."""
    took = {}
    null = os.open(os.devnull, os.O_WRONLY)
    for size in (SMALL, LARGE):
        with grown(size) as ledger:
            gate = Gate(ledger)
            gate.refresh()
            took[size] = statistics.median(seconds(lambda: _sent(gate, null)) for _ in range(SENDS))  # noqa: B023
        yield Row(f"a gated send, ledger of {size:,} / 100 us", took[size], 100e-6, 1)
    os.close(null)
    yield Row(f"a gated send, ledger of {LARGE:,} / of {SMALL}", took[LARGE], took[SMALL], 1.2)


def answering() -> Iterator[Row]:
    """From revoke to its answer."""
    with grown(SMALL) as ledger:
        took = sorted(_ended(ledger, _ENDING["revoke"]) for _ in range(REVOKES))
        yield Row(f"revoke to answer, idle, p99 of {REVOKES} / 50 ms", took[int(REVOKES * 0.99)], 0.05, 1)
        code = (
            "import sys; from pathlib import Path; from cgp_tui.store import locks\n"
            "with locks.take(Path(sys.argv[1]), shared=True, patience=5): print(flush=True); sys.stdin.read()"
        )
        command = [sys.executable, "-c", code, str(ledger.send_lock)]
        with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as sender:
            assert sender.stdout is not None
            sender.stdout.readline()
            sender.send_signal(signal.SIGSTOP)
            start = time.perf_counter()
            done = ledger.revoke([_ENDING["revoke"]])
            late = time.perf_counter() - start
            sender.kill()
        assert (done.outcome, done.pids) == ("not_confirmed", (sender.pid,))
        yield Row("revoke with a stopped sender, not confirmed / 2.5 s", late, 2.5, 1)


def _quiet(times: Sequence[float]) -> float:
    """The shortest: a disk that others keep busy answers forty times later for a while, and not to both sides alike."""
    return min(times)


def _ended(ledger: Ledger, draft: Draft) -> float:
    """A record that takes away, in seconds."""
    if draft.kind == "spend":
        return seconds(lambda: ledger.spend([draft]))
    return seconds(lambda: ledger.revoke([draft]))


def _anew(ledger: Ledger) -> Ledger:
    """The ledger as a new process has it: nothing of it is known."""
    return Ledger(ledger.path, ledger.path.parent / "head")


def _parsed(ledger: Ledger) -> object:
    with ledger.path.open("rb") as file:
        return tomllib.load(file)


def _sent(gate: Gate, fd: int) -> None:
    with gate.try_ask(_BINDING, _NEEDS) as answer:
        assert isinstance(answer, Permit)
        os.write(fd, b"x" * 200)


class _Bare:
    """The bytes of one record of a ledger, written and made durable with nothing around."""

    def __init__(self, ledger: Ledger) -> None:
        folder = ledger.path.parent
        self._block = b"x" * 640
        self._file = os.open(folder / "plain", os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
        self._slots = os.open(folder / "slots", os.O_WRONLY | os.O_CREAT, 0o600)
        os.write(self._slots, b"#" * 2 * head.SLOT)
        os.fsync(self._slots)

    def once(self) -> float:
        return seconds(self._append)

    def twice(self) -> float:
        return seconds(self._both)

    def _both(self) -> None:
        self._append()
        self._overwrite()

    def _append(self) -> None:
        os.write(self._file, self._block)
        os.fsync(self._file)

    def _overwrite(self) -> None:
        os.pwrite(self._slots, b"#" * head.SLOT, 0)
        os.fdatasync(self._slots)

    def __enter__(self) -> _Bare:
        return self

    def __exit__(self, *_: object) -> None:
        os.close(self._file)
        os.close(self._slots)
