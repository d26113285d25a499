"""An exchange that is read again is the one that the pass saw."""

from __future__ import annotations

from pathlib import Path

import pytest

from cgp_tui import limits
from cgp_tui.analysis.analysis import Analysis
from cgp_tui.protocol.envelope import Frames
from cgp_tui.session import Exchange
from cgp_tui.transcript import Transcript
from tests.analysis.test_analysis import write

TALE = """
    >> handshake
    << ack correlation
    >> query q1
    >> query q2 {"max_frames":1}
    << frames q3 f1
    << frames q2 f1 f2
    note gave_up q1
"""


@pytest.mark.parametrize("at_once", [limits.FRAMES_AT_ONCE_BYTES, 0])
def test_it_is_the_exchange_that_was_judged(at_once: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "FRAMES_AT_ONCE_BYTES", at_once)
    write(TALE, tmp_path / "t")
    heard: dict[int | None, Exchange] = {}
    with Transcript.counted(tmp_path / "t") as transcript:
        analysis = Analysis(transcript, on_judged=lambda judged: heard.update({judged.exchange.number: judged.exchange}))
        while analysis.advance():
            pass
        read = analysis._reader
        found = [read.exchange(at) for at in range(len(transcript))]
        assert [one.number for one in found if one is not None] == [1, 1, 2, 3, None, 3]
        for one in filter(None, found):
            assert (one.state, one.why, one.ack) == (heard[one.number].state, heard[one.number].why, heard[one.number].ack)
        orphan, answered = found[4], found[5]
        assert orphan is not None
        assert (orphan.state, orphan.request) == ("orphan", None)
        assert answered is not None
        assert answered.reply is not None
        assert isinstance(answered.reply.decoded.envelope, Frames)
        assert read.seen(None) is None
        note = next(at for at in range(len(transcript)) if transcript.row(at).kind == "note")
        assert read.seen(note) is None
        assert found[note] is None
