"""A pass that keeps frames and what was found of them finds what a pass finds that reads and judges each anew."""

from __future__ import annotations

import tempfile
from collections.abc import Iterable, Sequence
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from cgp_tui.analysis import Analysis
from cgp_tui.checks.types import Judged
from cgp_tui.protocol.requirements import Finding
from cgp_tui.transcript import Transcript
from cgp_tui.wire.memo import FrameMemo
from tests.checks.test_tables import CORPUS
from tests.dialogue import Said, script

TALES: list[list[bytes]] = [
    [step.raw for step in script(text) if isinstance(step, Said)]
    for table in CORPUS.values()
    for witness in table
    for text in (witness.broken, witness.legal)
]


class Asleep(FrameMemo):
    """A memo that is never asked."""

    def rests(self) -> bool:
        return True


def passed(path: Path, memo: FrameMemo) -> tuple[list[Finding], list[Judged]]:
    heard: list[Judged] = []
    with Transcript.open(path) as transcript:
        analysis = Analysis(transcript, on_judged=heard.append, keep=None)
        analysis._memo = memo
        while analysis.advance():
            transcript.refresh()
        return analysis.findings, heard


def same(lines: Iterable[bytes], memo: FrameMemo) -> Sequence[Finding]:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "t.ndjson"
        path.write_bytes(b"".join(line.replace(b"\n", b"") + b"\n" for line in lines))
        kept, plain = passed(path, memo), passed(path, Asleep())
    assert kept == plain
    return kept[0]


def test_all_witnesses_one_after_another_and_again() -> None:
    lines = [line for tale in TALES for line in tale]
    assert len(same(lines * 2, FrameMemo())) > 300


_OPEN = b'{"type":"handshake","protocol_version":"contextgraph/1.0"}'
_SNIPS = st.sampled_from([b"", b'"', b"}", b",", b" ", b"\xff", b'"x":1,', b"null", b"-1", b'"id":"a",', b'"kind":"fact",'])


@settings(max_examples=60)
@given(st.lists(st.sampled_from(TALES), min_size=1, max_size=4), st.data())
def test_lines_that_were_changed_a_little_among_lines_that_were_not(tales: list[list[bytes]], data: st.DataObject) -> None:
    lines = [_OPEN, *(line for tale in tales for line in tale)]
    for _ in range(data.draw(st.integers(1, 6))):
        raw = data.draw(st.sampled_from(lines))
        at, cut = data.draw(st.integers(0, len(raw))), data.draw(st.integers(0, 3))
        lines.insert(data.draw(st.integers(0, len(lines))), raw[:at] + data.draw(_SNIPS) + raw[at + cut :])
    same(
        lines * 2, FrameMemo(entries=data.draw(st.sampled_from([1, 4, 1000])), size=data.draw(st.sampled_from([400, 10**6])))
    )
