"""Keys beside one line of 50 MB, while it is counted, read and judged."""

from __future__ import annotations

import itertools
import os
import random
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from tests.benchmarks.measure import Row
from tests.benchmarks.transcript import MAKER
from tests.conftest import ROOT
from tests.terminal import Terminal

_KEYS = 120
_MOST_SECONDS = 0.05


def beside() -> Iterator[Row]:
    """The longest that a key waits for its repaint, from the first screen on; beside a bare widget over the same file."""
    if not MAKER.is_file():
        print("the maker of the standard transcripts is not beside this checkout")
        return
    with tempfile.TemporaryDirectory() as name:
        subprocess.run([sys.executable, str(MAKER), name, "50mb"], check=True, stdout=subprocess.DEVNULL)
        path = Path(name) / "cgp-50mb-line.ndjson"
        bare, ours = _keys("bare", path), _keys("replay", path)
        median = f"median {statistics.median(ours) * 1000:.0f} ms, of a bare widget {statistics.median(bare) * 1000:.0f} ms"
        yield Row("a key beside a 50 MB line, the longest wait / 50 ms", max(ours), _MOST_SECONDS, 1, median)
        yield Row("a key beside a 50 MB line, the longest wait / a bare widget", max(ours), max(bare), None)


def _keys(kind: str, path: Path) -> list[float]:
    """Seconds from each key to its repaint; the cursor goes down and up, past the long line."""
    log = path.with_name(f"{kind}.log")
    argv = [sys.executable, "-m", "tests.benchmarks.watched", kind, str(path), str(log)]
    random.seed(kind)
    gaps = [random.uniform(0.03, 0.09) for _ in range(_KEYS)]
    moves = (
        itertools.cycle(["\x1b[B"] * 5 + ["\x1b[A"] * 5)
        if kind != "bare"
        else itertools.cycle(["\x1b[A"] * 5 + ["\x1b[B"] * 5)
    )
    pressed = []
    env = {**os.environ, "PYTHONPATH": str(ROOT), "CGP_TUI_STATE": str(path.with_name("state"))}
    with Terminal(argv, 40, 120, env=env) as screen:
        screen.wait("query", 30)
        for gap, move in zip(gaps, moves, strict=False):
            pressed.append(time.monotonic())
            screen.send(move)
            screen.read(gap)
        screen.read(2.0)
        screen.send("q")
        screen.ended(30)
    painted = [float(line.split()[0]) for line in log.read_text().splitlines()[:-1]]
    return [at - key for at, key in zip(painted, pressed, strict=True)]
