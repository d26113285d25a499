"""Providers that will not end: after the host has closed, or was killed, nothing of them is left, nor any descriptor."""

from __future__ import annotations

import asyncio
import contextlib
import os
import random
import secrets
import signal
import sys
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from cgp_tui.errors import Error
from cgp_tui.host import Deadlines, Host
from cgp_tui.host.guard import _PR_SET_CHILD_SUBREAPER, prctl
from cgp_tui.target import stdio_target
from tests.host.bench import ask
from tests.reliability.calls import forked
from tests.reliability.campaign import Figures, Run, folder
from tests.reliability.hostile import HABITS

_CHILDREN, _AT_ONCE = 1_000, 20
_DEADLINES = Deadlines(handshake=2.0, exchange=0.4, write=0.4, shutdown=0.2)
_HOSTILE = str(Path(__file__).with_name("hostile.py"))
_GONE_SECONDS = 120.0
"""In which all is gone after a host was killed; the guards need milliseconds, a busy machine may need longer."""


def hostile(run: Run) -> Figures:
    found, chance = Figures(), run.random()
    left, turn = run.count(_CHILDREN), 0
    habits, ended = Counter[str](), Counter[str]()
    slowest = 0.0
    with folder() as place, _adopting():
        # What a session keeps open for the next, such as files that are locked for each send, is open from here on.
        asyncio.run(_session(place, "first", [["greets"]], chance))
        while left > 0:
            crowd = [_behaviour(chance) for _ in range(min(left, _AT_ONCE))]
            left, turn = left - len(crowd), turn + 1
            habits.update(habit for one in crowd for habit in one)
            tag = secrets.token_hex(16)
            before = _descriptors()
            if turn % 5:
                slowest = max(slowest, asyncio.run(_session(place, tag, crowd, chance)))
                ended["closed"] += len(crowd)
            else:
                _killed(place, tag, crowd, chance)
                ended["killed with their host"] += len(crowd)
            survivors = _carrying(tag)
            for one in crowd:
                found.expect(not survivors, f"{' '.join(one)}: {survivors} live on")
            found.expect(_descriptors() == before, f"descriptors {before} became {_descriptors()}")
            with contextlib.suppress(ChildProcessError):
                found.expect(os.waitpid(-1, os.WNOHANG) == (0, 0), "a child was left unburied")
    found.more = {
        "children": ", ".join(f"{count} {how}" for how, count in ended.items()),
        "habits": ", ".join(f"{name} {count}" for name, count in sorted(habits.items())),
        "slowest close": f"{slowest:.1f} s",
    }
    return found


@contextlib.contextmanager
def _adopting() -> Iterator[None]:
    """Whatever loses its parent meanwhile becomes our child."""
    prctl(_PR_SET_CHILD_SUBREAPER, 1)
    yield
    prctl(_PR_SET_CHILD_SUBREAPER, 0)


def _behaviour(chance: random.Random) -> list[str]:
    names = [name for name in HABITS if name != "greets"]
    made = chance.sample(names, chance.randrange(1, 4))
    return ["greets", *made] if chance.random() < 0.6 else made


async def _session(place: Path, tag: str, crowd: list[list[str]], chance: random.Random) -> float:
    """One host with all of them; how long it took to close."""
    async with Host(place / "receipts.toml", limits=_DEADLINES) as host:
        await asyncio.gather(*(_meet(host, tag, number, one) for number, one in enumerate(crowd)))
        await asyncio.sleep(chance.uniform(0, 0.2))
        began = time.monotonic()
    return time.monotonic() - began


async def _meet(host: Host, tag: str, number: int, habits: list[str]) -> None:
    target = stdio_target([sys.executable, "-I", "-S", _HOSTILE, tag, *habits])
    with contextlib.suppress(Error):
        await host.connect(target, f"p{number}")
        await host.query(f"p{number}", ask())


def _killed(place: Path, tag: str, crowd: list[list[str]], chance: random.Random) -> None:
    """A host in a process of its own, killed at some moment of its session.

    A guard that had its orders before the host died may start the provider after that, and then ends it. So it is not enough
    that no provider is there: the guards become our children, and their end is waited for.
    """
    pid = forked(lambda: asyncio.run(_session(place, tag, crowd, chance)))
    time.sleep(chance.uniform(0.05, 1.5))
    os.kill(pid, signal.SIGKILL)
    end = time.monotonic() + _GONE_SECONDS
    with contextlib.suppress(ChildProcessError):
        while time.monotonic() < end:
            if os.waitpid(-1, os.WNOHANG) == (0, 0):
                time.sleep(0.01)


def _carrying(tag: str) -> list[int]:
    """The processes whose command line holds `tag`."""
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            with contextlib.suppress(OSError):
                if tag.encode() in (entry / "cmdline").read_bytes():
                    found.append(int(entry.name))
    return found


def _descriptors() -> int:
    return len(list(Path("/proc/self/fd").iterdir()))
