"""kill -9 at every call that an act makes to the disk, and at any moment of it; then the ledger is opened again."""

from __future__ import annotations

import os
import signal
import time
from collections import Counter

from tests.reliability.acts import ACTS, Act, Place, judge
from tests.reliability.calls import Counted, Dies, forked, met, tell
from tests.reliability.campaign import Figures, Run, folder

_KILLS = 1_000


def at_every_step(run: Run) -> Figures:
    found, chance = Figures(), run.random()
    with folder() as made:
        place = Place(made)
        steps = [(act, at, how) for act in ACTS for at, how in _steps(place, act)]
        wanted = run.count(_KILLS)
        stepped = chance.sample(steps, min(wanted, len(steps), run.count(len(steps))))
        took = {act.name: _seconds(place, act) for act in ACTS}
        killed = Counter[str]()
        for act, at, how in stepped:
            place.begin(act)
            told, dead = _run(place, act, Dies(at, how), None)
            found.expect(dead, f"{act.name}, call {at}: it did not die")
            judge(place, act, done=told or None, case=f"{act.name}, {how} call {at}", found=found, killed=True)
            killed["at a call"] += 1
        while sum(killed.values()) < wanted:
            act = chance.choice(ACTS)
            wait = chance.uniform(0, took[act.name])
            place.begin(act)
            told, dead = _run(place, act, None, wait)
            judge(place, act, done=told or None, case=f"{act.name}, after {wait * 1000:.2f} ms", found=found, killed=True)
            killed["at any moment" if dead else ""] += dead
        found.more = {
            "kills": f"{killed['at a call']} at a call, {killed['at any moment']} at any moment",
            "calls": f"{len(steps)} points in {len(ACTS)} acts",
        }
    return found


def _steps(place: Place, act: Act) -> list[tuple[int, str]]:
    counted = Counted()
    place.begin(act)
    with met(counted):
        act.do(place.ledger(), place.send)
    moments = {"write": ("before", "half", "after")}
    return [(at, how) for at, name in enumerate(counted.names) for how in moments.get(name, ("before", "after"))]


def _seconds(place: Place, act: Act) -> float:
    place.begin(act)
    began = time.monotonic()
    _run(place, act, None, 5)
    return (time.monotonic() - began) * 1.2


def _run(place: Place, act: Act, dies: Dies | None, wait: float | None) -> tuple[bytes, bool]:
    """The act in a process of its own, that dies by itself or after a while: what it said when it was done, and whether it
    was killed."""
    reading, writing = os.pipe()

    def work() -> None:
        if dies is None:
            act.do(place.ledger(), place.send)
        else:
            with met(dies):
                act.do(place.ledger(), place.send)
        tell(writing, b"done")

    pid = forked(work)
    os.close(writing)
    if wait is not None:
        end = time.monotonic() + wait
        while time.monotonic() < end and os.waitid(os.P_PID, pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is None:
            time.sleep(0.0001)
        os.kill(pid, signal.SIGKILL)
    _, status = os.waitpid(pid, 0)
    told = os.read(reading, 100)
    os.close(reading)
    return told, os.WIFSIGNALED(status)
