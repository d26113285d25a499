"""Revocations against hosts that send to real providers as fast as they can, every write of a payload traced on one clock:
none may begin or end between a confirmed revocation's return and the next grant."""

from __future__ import annotations

import asyncio
import bisect
import os
import random
import signal
import struct
import time
from pathlib import Path
from typing import Any

from cgp_tui.consent.drafts import grant_draft, policy, revoke_drafts
from cgp_tui.consent.ledger import REVOKE_PATIENCE, Ledger
from cgp_tui.consent.types import Binding, Need
from cgp_tui.errors import Error, OurError
from cgp_tui.host import Deadlines, Host
from tests.host.bench import ask, target
from tests.reliability.calls import forked, met, tell
from tests.reliability.campaign import Figures, Run, folder
from tests.reliability.kernel import Traced

_RACES, _HOSTS, _LEDGER_RACES = 10_000, 3, 100
_STOPPED, _IDLE, _LOOKED_AT = 20, 300, 1_000
_READY_SECONDS = 120.0
_NOT_CONFIRMED_MORE = 0.5
"""Seconds after its patience in which a revocation says that it is not confirmed; ten times as many as the slowest confirmed
one took, where the machine is that busy."""
_WRITE = struct.Struct("<qq")
_CONTROL = (b'{"type":"handshak', b'{"type":"shutdown')
"""What needs no consent."""

_NEED = Need("egress", "scope", "third-party-model")


def races(run: Run) -> Figures:
    found, took, chance = Figures(), list[float](), run.random()
    writes = overlapped = 0
    left = run.count(_RACES)
    while left:
        count = min(left, _LEDGER_RACES)
        left -= count
        with _Fair(chance) as fair:
            spans = [fair.race(took, found) for _ in range(count)]
            # Time for a sender that does not obey to be caught.
            time.sleep(0.05)
        traced = fair.writes()
        writes += len(traced)
        overlapped += _check(spans, traced, found)
    took.sort()
    patience = REVOKE_PATIENCE + max(_NOT_CONFIRMED_MORE, 10 * took[-1])
    waits = [_stopped(chance, found, patience) for _ in range(run.count(_STOPPED))]
    found.more = {
        "hosts": str(_HOSTS),
        "writes": str(writes),
        "grants used before they were revoked": str(overlapped),
        "revoke p50": f"{took[len(took) // 2] * 1000:.1f} ms",
        "p99": f"{took[int(len(took) * 0.99)] * 1000:.1f} ms",
        "worst": f"{took[-1] * 1000:.1f} ms",
        "idle": _idle(run, found),
        "by the kernel's word": _kernel(run, chance, found),
        "with a stopped sender": f"{max(waits):.2f} s at most in {len(waits)}",
    }
    return found


def _check(spans: list[tuple[int, int]], traced: list[tuple[int, int]], found: Figures) -> int:
    """No write outside a span from a grant's begin to its revocation's return; in how many spans there were any."""
    starts = [granting for granting, _ in spans]
    used = set()
    for began, ended in traced:
        at = bisect.bisect(starts, began) - 1
        late = ended - spans[at][1]
        found.expect(at >= 0 and late < 0, f"a write ended {late} ns after its revocation had returned")
        used.add(at)
    return len(used)


class _Fair:
    """A ledger, and hosts in processes of their own that send whenever they may."""

    def __init__(self, chance: random.Random) -> None:
        self._chance = chance
        self._folder = folder()

    def __enter__(self) -> _Fair:
        self.place = self._folder.__enter__()
        self.ledger = Ledger(self.place / "data" / "receipts.toml", self.place / "head")
        self.binding = Binding("egress", "odd", "1.0.0", target("egress"))
        self.ledger.deny(revoke_drafts((), "egress", (), policy()))
        seeds = [self._chance.getrandbits(32) for _ in range(_HOSTS)]
        self.pids = [forked(lambda seed=seed: asyncio.run(_host(self.ledger, self.place, seed))) for seed in seeds]  # type: ignore[misc]
        end = time.monotonic() + _READY_SECONDS
        while len(list(self.place.glob("*.ready"))) < _HOSTS:
            assert time.monotonic() < end, "a host did not come up"
            time.sleep(0.005)
        return self

    def __exit__(self, *raised: object) -> None:
        (self.place / "stop").touch()
        ends = [os.waitpid(pid, 0)[1] for pid in self.pids]
        assert not any(ends), f"a host failed: {ends}"
        self._traced = b"".join(path.read_bytes() for path in self.place.glob("*.writes"))
        self._folder.__exit__(None, None, None)

    def writes(self) -> list[tuple[int, int]]:
        """When each write of a payload began and ended, in ns of the clock that all processes share."""
        return [(began, ended) for began, ended in _WRITE.iter_unpack(self._traced)]

    def grant(self) -> tuple[int, Any]:
        began = time.monotonic_ns()
        draft = grant_draft(
            self.binding, _NEED, declared=(_NEED.scope,), payload=("goal",), expires_at="never", grantor=policy()
        )
        return began, self.ledger.grant([draft])

    def revoke(self, receipts: Any) -> tuple[Any, float]:
        began = time.monotonic()
        done = self.ledger.revoke(revoke_drafts(receipts, "egress", (_NEED,), policy()))
        return done, time.monotonic() - began

    def race(self, took: list[float], found: Figures) -> tuple[int, int]:
        """One grant and its revocation: when the first began, and when the second had returned."""
        began, receipts = self.grant()
        time.sleep(self._chance.uniform(0.001, 0.009))
        done, seconds = self.revoke(receipts)
        returned = time.monotonic_ns()
        took.append(seconds)
        found.expect(done.outcome == "confirmed", f"{done.outcome}: {done.detail}")
        time.sleep(0.001)
        return began, returned


def _kernel(run: Run, chance: random.Random, found: Figures) -> str:
    """The same where the kernel says when each payload was written, and nothing within the hosts does."""
    seen = 0
    left = run.count(_LOOKED_AT)
    with folder() as place:
        while left:
            count = min(left, _LEDGER_RACES)
            left -= count
            spans: list[tuple[float, float]] = []
            traced = Traced(place)
            with _Fair(chance) as fair:
                if not (attached := traced.attach(fair.pids)):
                    count = 0
                for _ in range(count):
                    began, (_, receipts) = time.time(), fair.grant()
                    time.sleep(chance.uniform(0.005, 0.03))
                    fair.revoke(receipts)
                    spans.append((began, time.time()))
                    time.sleep(0.002)
                time.sleep(0.1)
            traced.end()
            if not attached:
                return "no strace here"
            for began, ended in traced.writes(r'\{\\"type\\":\\"query|x{20}'):
                at = bisect.bisect([start for start, _ in spans], began) - 1
                found.expect(
                    at >= 0 and ended < spans[at][1], f"the kernel saw a write until {ended}, revoked {spans[at][1]}"
                )
                seen += 1
    return f"{seen} writes in {run.count(_LOOKED_AT)} races"


async def _host(ledger: Ledger, place: Path, seed: int) -> None:
    """Send until told to stop, and keep when each payload was written."""
    chance, traced = random.Random(seed), bytearray()
    hold = place / "hold"

    def meet(name: str, call: Any, arguments: tuple[Any, ...]) -> Any:
        if name != "write" or not isinstance(arguments[1], memoryview) or arguments[1][:17] in _CONTROL:
            return call(*arguments)
        if hold.exists():
            os.kill(os.getpid(), signal.SIGSTOP)
        began = time.monotonic_ns()
        try:
            return call(*arguments)
        finally:
            traced.extend(_WRITE.pack(began, time.monotonic_ns()))

    with met(meet):
        while not (place / "stop").exists():
            async with Host(Ledger(ledger.path, ledger._head), limits=Deadlines(shutdown=0.05)) as host:
                try:
                    connection = await host.connect(target("egress"), "egress")
                except OurError:
                    # A machine that is too busy to start a provider in time says nothing of the gate.
                    continue
                (place / f"{os.getpid()}.ready").touch()
                while connection.alive and not (place / "stop").exists():
                    # One that takes several writes may be cut in between; then the provider is started anew.
                    size = 300_000 if chance.random() < 0.002 else chance.randrange(1, 20_000)
                    try:
                        await connection.query(ask("x" * size))
                    except Error:
                        await asyncio.sleep(0.0003)
    out = os.open(place / f"{os.getpid()}.writes", os.O_WRONLY | os.O_CREAT)
    tell(out, traced)


def _stopped(chance: random.Random, found: Figures, patience: float) -> float:
    """A host that is stopped between the gate's yes and its write: how long until the revocation says so, though the lock
    files may have been removed."""
    with _Fair(chance) as fair:
        (fair.place / "hold").touch()
        _, receipts = fair.grant()
        while not (stopped := [pid for pid in fair.pids if _state(pid) == "T"]):
            time.sleep(0.002)
        if chance.random() < 0.5:
            # As by somebody who tidies up. Whoever opens the next ones gets its locks at once.
            for lock in fair.ledger.path.parent.glob("*.lock"):
                lock.unlink()
        done, seconds = fair.revoke(receipts)
        said = done.outcome == "not_confirmed" and bool(set(done.pids) & set(fair.pids))
        found.expect(said, f"stopped {stopped}: {done.outcome} {done.pids}")
        found.expect(seconds < patience, f"a stopped sender was told after {seconds:.2f} s")
        (fair.place / "hold").unlink()
        for pid in fair.pids:
            os.kill(pid, signal.SIGCONT)
        time.sleep(0.2)
    # What each had been let through to write is all that it wrote.
    found.expect(len(fair.writes()) <= _HOSTS, f"{len(fair.writes())} writes after a revocation that was recorded")
    return seconds


def _state(pid: int) -> str:
    return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]


def _idle(run: Run, found: Figures) -> str:
    """From the revocation to its answer where nobody sends."""
    took = []
    with folder() as place:
        ledger = Ledger(place / "data" / "receipts.toml", place / "head")
        binding = Binding("egress", "odd", "1.0.0", target("egress"))
        for _ in range(run.count(_IDLE)):
            draft = grant_draft(binding, _NEED, declared=(), payload=(), expires_at="never", grantor=policy())
            receipts = ledger.grant([draft])
            began = time.monotonic()
            done = ledger.revoke(revoke_drafts(receipts, "egress", (_NEED,), policy()))
            took.append(time.monotonic() - began)
            found.expect(done.outcome == "confirmed", f"{done.outcome}: {done.detail}")
    took.sort()
    return f"p50 {took[len(took) // 2] * 1000:.1f} ms, p99 {took[int(len(took) * 0.99)] * 1000:.1f} ms of {len(took)}"
