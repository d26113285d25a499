"""A million lines: what a filter costs beside a bare pass over the same fields, and what a line takes in memory."""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
import tracemalloc
from collections.abc import Callable, Iterator
from pathlib import Path

from cgp_tui.analysis import Analysis
from cgp_tui.analysis.columns import Columns
from cgp_tui.analysis.filter import compile_filter
from cgp_tui.analysis.filtering import FilterRun
from cgp_tui.transcript import Transcript
from tests.benchmarks.measure import Row, cpu_seconds, least_by_turns
from tests.benchmarks.transcript import MAKER

_RETRY = re.compile(rb"retry", re.IGNORECASE)

_PASSES: dict[str, Callable[[Transcript, int], bool]] = {
    "type:frames": lambda transcript, at: transcript.row(at).type == "frames",
    "type:frames & size>200": lambda transcript, at: (row := transcript.row(at)).type == "frames" and row.size > 200,
    "text~/retry/": lambda transcript, at: _RETRY.search(transcript.raw(at)) is not None,
}


def million() -> Iterator[Row]:
    """Filters by processor time, memory in bytes (the columns that say ms)."""
    if not MAKER.is_file():
        print("the maker of the standard transcripts is not beside this checkout")
        return
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([sys.executable, str(MAKER), folder, "1m"], check=True, stdout=subprocess.DEVNULL)
        path = Path(folder) / "cgp-1m-small.ndjson"
        with Transcript.open(path) as transcript:
            _count(transcript)
            for text, test in _PASSES.items():
                ours, floor = least_by_turns(
                    lambda text=text: cpu_seconds(lambda: _sifted(transcript, text)),  # type: ignore[misc]
                    lambda test=test: cpu_seconds(lambda: [at for at in range(len(transcript)) if test(transcript, at)]),  # type: ignore[misc]
                    2,
                )
                yield Row(f"1M lines: {text} / a bare pass", ours, floor, 2)
        taken, lines = _taken(path)
        yield Row("1M lines: bytes a line in memory / 25", taken / lines, 25, 1)


def _count(transcript: Transcript) -> None:
    while not transcript.indexed:
        transcript.refresh()


def _sifted(transcript: Transcript, text: str) -> None:
    FilterRun(compile_filter(text), Analysis(transcript)).advance()


def _taken(path: Path) -> tuple[int, int]:
    """What the offsets and the columns of all lines take, and how many lines there are."""
    tracemalloc.start()
    try:
        with Transcript.open(path) as transcript:
            _count(transcript)
            columns = Columns()
            for at in range(len(transcript)):
                columns.append(0.0)
                columns.set_exchange(at, at, "query", "answered", "")
            return tracemalloc.get_traced_memory()[0], len(transcript)
    finally:
        tracemalloc.stop()
