"""`check` as a process over the standard 1 GB transcript, beside `jq -c .`, which reads and prints it and judges nothing."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from tests.benchmarks.measure import Row
from tests.benchmarks.transcript import MAKER

ONE_CORE, TWO_JOBS = 1 / 3, 1 / 5


def throughput() -> Iterator[Row]:
    """One run each, some minutes in all; two processes need two idle cores to show what they can do."""
    jq = shutil.which("jq")
    if jq is None or not MAKER.is_file():
        print("check: not measured, jq or the maker of the standard transcripts is not here")
        return
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([sys.executable, str(MAKER), folder, "1g"], check=True, stdout=subprocess.DEVNULL)
        path = Path(folder) / "cgp-1g.ndjson"
        floor = _ran([jq, "-c", ".", str(path)])
        ours = [sys.executable, "-m", "cgp_tui", "check", str(path)]
        one, two = _ran(ours), _ran([*ours, "--jobs", "2"])
        size = path.stat().st_size / 1e6
        yield Row("check of 1 GB / jq -c, seconds of CPU", one.cpu, floor.cpu, ONE_CORE, f"{size / one.cpu:.0f} MB/s, {one}")
        yield Row("check --jobs 2 of 1 GB / jq -c", two.wall, floor.wall, TWO_JOBS, f"{size / two.wall:.0f} MB/s, {two}")


class _Ran(NamedTuple):
    """One run: seconds, seconds of CPU with those of its children, and the most memory it or one of them had, in bytes."""

    wall: float
    cpu: float
    memory: int

    def __str__(self) -> str:
        return f"{self.cpu:.1f} s of CPU, {self.memory / 1e6:.0f} MB at most in one process"


def _ran(argv: list[str]) -> _Ran:
    """Run a program to its end, what it prints going nowhere."""
    began = time.monotonic()
    child = os.posix_spawn(argv[0], argv, os.environ, file_actions=[(os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_WRONLY, 0)])
    _, _, usage = os.wait4(child, 0)
    return _Ran(time.monotonic() - began, usage.ru_utime + usage.ru_stime, usage.ru_maxrss * 1024)
