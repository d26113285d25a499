"""The standard transcript of a gigabyte on the screen: what it takes of memory, how long a hop through it takes."""

from __future__ import annotations

import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from tests.benchmarks.measure import Row
from tests.benchmarks.starts import CGP, settled_env
from tests.benchmarks.transcript import MAKER
from tests.terminal import Terminal

_HOPS = 20
_HOP_SECONDS = 0.05
_MEGABYTES = 60
_JUDGES_SECONDS = 20.0
_REST_SECONDS = 0.2
"""Between two hops, so that what the first one painted is not taken for the second's."""


def opened() -> Iterator[Row]:
    """Once all lines are counted: from the top to the end and back, key to screen; then memory, when the checks have gone on
    for a while. Megabytes stand where other rows have milliseconds."""
    if not MAKER.is_file() or not Path("/proc/self/status").is_file():
        print("the maker of the standard transcripts is not beside this checkout, or this system has no /proc")
        return
    with tempfile.TemporaryDirectory() as name:
        subprocess.run([sys.executable, str(MAKER), name, "1g"], check=True, stdout=subprocess.DEVNULL)
        path = Path(name) / "cgp-1g.ndjson"
        with path.open("rb") as file:
            lines = f"{sum(1 for _ in file):,}"
        begun = time.monotonic()
        with Terminal([*CGP, "replay", str(path)], 40, 120, env=settled_env(Path(name))) as screen:
            screen.wait(f"{lines} lines", 300)
            counted = time.monotonic() - begun
            hops = []
            for key, seen in [("G", f">{lines.replace(',', '')} "), ("g", "handshake_ack")] * (_HOPS // 2):
                screen.read(_REST_SECONDS)
                before, start = len(screen.raw), time.perf_counter()
                screen.send(key)
                hops.append(screen.moment(seen, 30, before) - start)
            after = f"counted in {counted:.1f} s"
            yield Row("a hop through 1 GB, key to screen / 50 ms", statistics.median(hops), _HOP_SECONDS, 1, after)
            screen.read(_JUDGES_SECONDS)
            yield Row("1 GB opened, anonymous memory / 60 MB", _anonymous(screen) / 1000, _MEGABYTES / 1000, 1, "megabytes")


def _anonymous(screen: Terminal) -> float:
    """Megabytes."""
    status = Path(f"/proc/{screen.process.pid}/status").read_text()
    return next(int(line.split()[1]) for line in status.splitlines() if line.startswith("RssAnon")) / 1024
