"""A transcript that another process grows: how fast it is listed, and how long a key waits meanwhile."""

from __future__ import annotations

import asyncio
import os
import random
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from textual.app import App, ComposeResult
from textual.widgets import DataTable, RichLog

from cgp_tui.transcript.reader import Transcript
from tests.benchmarks.measure import Row
from tests.benchmarks.transcript import MAKER
from tests.conftest import ROOT
from tests.terminal import Terminal

_KEYS = 200
_MEDIAN_SECONDS = 0.025
_PACES = (("1m", "cgp-1m-small.ndjson", 50_000, "245 B"), ("10k", "cgp-10k.ndjson", 10_000, "4.5 KB"))
_ROWS = 10_000


class Waits(NamedTuple):
    """Seconds from each key to its repaint, and of processor time meanwhile; what was listed at the end, of what was
    written."""

    keys: list[float]
    work: list[float]
    listed: int
    written: int
    cpu: float


def _p99(values: list[float]) -> float:
    return statistics.quantiles(values, n=100)[98]


def growing() -> Iterator[Row]:
    """Key to repaint, ours beside a bare line-API widget, at both paces; then the rate beside DataTable's and RichLog's."""
    if not MAKER.is_file():
        print("the maker of the standard transcripts is not beside this checkout")
        return
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for data, file, rate, size in _PACES:
            subprocess.run([sys.executable, str(MAKER), name, data], check=True, stdout=subprocess.DEVNULL)
            bare = _watch("bare", folder, file, rate)
            ours = _watch("inspector", folder, file, rate)
            lost = f"{ours.listed:,} of {ours.written:,} lines listed, {ours.cpu:.1f} s of processor ({bare.cpu:.1f})"
            what = f"{rate:,} lines/s of {size}: key to repaint"
            yield Row(f"{what}, median / 25 ms", statistics.median(ours.keys), _MEDIAN_SECONDS, 1, lost)
            yield Row(f"{what}, median / a bare widget", statistics.median(ours.keys), statistics.median(bare.keys), None)
            yield Row(f"{what}, p99 / a bare widget", _p99(ours.keys), _p99(bare.keys), 1.3)
            middle = statistics.median(ours.work), statistics.median(bare.work)
            yield Row(f"{what}, processor time, median / a bare widget", *middle, None)
            yield Row(f"{what}, processor time, p99 / a bare widget", _p99(ours.work), _p99(bare.work), 1.3)
        yield from _rates(folder / _PACES[0][1])


def _watch(kind: str, folder: Path, lines: str, rate: int) -> Waits:
    """One app over a file that grows while keys are pressed: the cursor goes up, by one, at odd moments."""
    out, log = folder / "growing.ndjson", folder / "log"
    program = [sys.executable, "-m", "tests.benchmarks.watched"]
    env = {**os.environ, "PYTHONPATH": str(ROOT), "CGP_TUI_STATE": f"{folder}/state"}
    random.seed(kind)
    gaps = [random.uniform(0.025, 0.055) for _ in range(_KEYS)]
    writing = [*program, "write", str(folder / lines), str(out), str(rate), str(sum(gaps) + 4)]
    with subprocess.Popen(writing, stdout=subprocess.PIPE, env=env) as writer:
        while not out.exists() or not out.stat().st_size:
            time.sleep(0.01)
        with Terminal([*program, kind, str(out), str(log)], 40, 120, env=env) as screen:
            screen.wait("query", 30)
            screen.read(1.0)
            pressed = []
            for gap in gaps:
                pressed.append(time.monotonic())
                screen.send("\x1b[A")
                screen.read(gap)
            written = int(writer.communicate()[0])
            screen.read(2.0)
            screen.send("q")
            screen.ended(30)
    *painted, end = log.read_text().splitlines()
    out.unlink()
    _, listed, cpu = end.split()
    times = [tuple(map(float, line.split())) for line in painted]
    waits = [at - key for (at, _), key in zip(times, pressed, strict=True)]
    return Waits(waits, [work for _, work in times], int(listed), written, float(cpu))


def _rates(path: Path) -> Iterator[Row]:
    """Processor time for a line in the list: ours for all of a file's, beside widgets that keep a row each. These are fed a
    twentieth of a second's worth at a time and painted, as they would be live."""
    start = time.process_time()
    with Transcript.open(path, growing=True) as transcript:
        while not transcript.indexed:
            transcript.refresh()
        ours = (time.process_time() - start) / len(transcript)
        rows = [transcript.row(at) for at in range(_ROWS)]
    cells = [(str(row.n), row.sender or "", row.type or "", row.id or "", str(row.size)) for row in rows]
    for name, widget in (("DataTable", DataTable), ("RichLog", RichLog)):
        yield Row(f"a line listed / {name}'s", ours, asyncio.run(_fed(widget(), cells)) / _ROWS, 1 / 8)


async def _fed(widget: Any, cells: Sequence[tuple[str, ...]]) -> float:
    class Fed(App[None]):
        def compose(self) -> ComposeResult:
            yield widget

    async with Fed().run_test(size=(120, 40)) as pilot:
        if isinstance(widget, DataTable):
            widget.add_columns("n", "from", "type", "id", "size")
        start = time.process_time()
        for first in range(0, _ROWS, 250):
            for one in cells[first : first + 250]:
                if isinstance(widget, DataTable):
                    widget.add_row(*one)
                else:
                    widget.write("  ".join(one))
            await pilot.pause()
        return time.process_time() - start
