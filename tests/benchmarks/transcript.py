"""A whole transcript indexed, decoded, paired and judged, beside typed decoding of its lines and nothing else."""

from __future__ import annotations

import itertools
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import msgspec

from cgp_tui.analysis import Analysis
from cgp_tui.protocol.envelope import Envelope
from cgp_tui.transcript import Transcript
from tests.benchmarks.measure import Row, cpu_seconds, least_by_turns
from tests.conftest import ROOT

MAKER = ROOT.parent / "shared" / "perf" / "gen_data.py"


_FRAME_NAME = re.compile(rb'"id":"frm_[0-9]{7}",')


def whole() -> Iterator[Row]:
    """10,000 lines of ordinary exchanges, in one process; `jq -c` in its own where there is one. Processor time: nothing
    here waits for anything."""
    if not MAKER.is_file():
        print("the maker of the standard transcripts is not beside this checkout")
        return
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([sys.executable, str(MAKER), folder, "10k"], check=True, stdout=subprocess.DEVNULL)
        path = Path(folder) / "cgp-10k.ndjson"
        size = f"{path.stat().st_size / 1e6:.0f} MB"
        ours, floor = _beside(path)
        yield Row("analysis of 10,000 lines / bare msgspec typed decoding", ours, floor, 5, size)
        unique = Path(folder) / "unique.ndjson"
        _tell_apart(path, unique)
        alone, bare = _beside(unique)
        yield Row("the same where no frame comes twice", alone, bare, None)
        if shutil.which("jq"):
            argv = ["jq", "-c", ".", str(path)]
            jq = _cpu(lambda: subprocess.run(argv, stdout=subprocess.DEVNULL, check=True))
            yield Row("analysis of 10,000 lines / jq -c", ours, jq, 1 / 3)


def _beside(path: Path) -> tuple[float, float]:
    """The least that the analysis of a transcript and the bare decoding of its lines take."""
    return least_by_turns(lambda: cpu_seconds(lambda: _analysis(path)), lambda: cpu_seconds(lambda: _decoded(path)), 7)


def _cpu(work: Callable[[], object]) -> float:
    """Seconds of processor time that `work` takes, in this process and in those it starts and waits for."""
    before = os.times()
    work()
    after = os.times()
    return sum(after[:4]) - sum(before[:4])


def _tell_apart(path: Path, unique: Path) -> None:
    """The same transcript with every served frame of a name of its own: nothing that was kept of a frame is of use."""
    count = itertools.count()
    with path.open("rb") as lines, unique.open("wb") as out:
        out.writelines(_FRAME_NAME.sub(lambda found: b'"id":"frm_%07d",' % next(count), line) for line in lines)


def _analysis(path: Path) -> None:
    transcript = Transcript.open(path)
    analysis = Analysis(transcript)
    while analysis.advance() or not transcript.indexed:
        transcript.refresh()
    assert analysis.lines >= 10_000
    transcript.close()


def _decoded(path: Path) -> None:
    decoder = msgspec.json.Decoder(Envelope)
    for line in path.read_bytes().splitlines():
        decoder.decode(line)
