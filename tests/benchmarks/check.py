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

from tests.benchmarks.measure import Row
from tests.benchmarks.transcript import MAKER

ONE_CORE, TWO_JOBS = 1 / 3, 1 / 5


def throughput() -> Iterator[Row]:
    """One run each, some minutes in all. Every process runs to its end; stdout goes nowhere."""
    jq = shutil.which("jq")
    if jq is None or not MAKER.is_file():
        print("check: not measured, jq or the maker of the standard transcripts is not here")
        return
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([sys.executable, str(MAKER), folder, "1g"], check=True, stdout=subprocess.DEVNULL)
        path = Path(folder) / "cgp-1g.ndjson"
        path.read_bytes()
        floor, _, _ = _ran([jq, "-c", ".", str(path)])
        ours = [sys.executable, "-m", "cgp_tui", "check", str(path)]
        size = path.stat().st_size
        for more, target in (((), ONE_CORE), (("--jobs", "2"), TWO_JOBS)):
            seconds, cpu, memory = _ran([*ours, *more])
            note = f"{size / seconds / 1e6:.0f} MB/s, {cpu:.1f} s of CPU, {memory / 1e6:.0f} MB at most in one process"
            yield Row(f"check {' '.join(more) or '(one process)'} of 1 GB / jq -c", seconds, floor, target, note)


def _ran(argv: list[str]) -> tuple[float, float, int]:
    """Seconds, seconds of CPU with those of its children, and the most memory that it or one of them had, in bytes."""
    began = time.monotonic()
    child = os.posix_spawn(argv[0], argv, os.environ, file_actions=[(os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_WRONLY, 0)])
    _, _, usage = os.wait4(child, 0)
    return time.monotonic() - began, usage.ru_utime + usage.ru_stime, usage.ru_maxrss * 1024
