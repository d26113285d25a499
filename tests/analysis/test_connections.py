"""Where a transcript tells about each connection itself."""

from __future__ import annotations

from pathlib import Path

from cgp_tui import limits
from cgp_tui.analysis import Analysis
from cgp_tui.analysis.connections import STDERR_NOTES, Connections
from cgp_tui.transcript.reader import Transcript
from cgp_tui.wire.note import Connect, Exit, GateNote, Poisoned, ShownTarget, Spawn, Stderr
from tests.ui.pilots import write_bare, write_recording

TARGET = ShownTarget("stdio", ("p",), "", "")


def test_each_kind_of_note_is_kept_by_its_place_and_connection() -> None:
    connections = Connections()
    connections.note(3, Connect(t=0, connection=1, provider_id="a", target=TARGET))
    connections.note(4, Spawn(t=0, connection=1, pid=7, sandbox="none"))
    connections.note(5, Spawn(t=0, connection=2, pid=8, sandbox="none"))
    connections.note(7, GateNote(t=0, connection=1, allowed=True, bytes=1))
    connections.note(8, Poisoned(t=0, connection=1, reason="timeout"))
    connections.note(9, Exit(t=0, connection=1, code=0))
    assert connections.of(1).marks() == (3, 4, 8, 9, None)
    assert connections.of(2).marks() == (None, 5, None, None, None)
    assert connections.of(3).marks() == (None,) * 5
    connections.acks[4] = 11
    assert connections.numbers == [1, 2, 4]


def test_only_the_end_of_stderr_is_kept() -> None:
    connections = Connections()
    for at in range(STDERR_NOTES + 5):
        connections.note(at, Stderr(t=0, connection=1, text="x"))
    assert list(connections.of(1).stderr) == list(range(5, STDERR_NOTES + 5))


def test_connections_beyond_the_bound_are_not_kept() -> None:
    connections = Connections()
    for connection in range(1, limits.REMEMBERED + 2):
        connections.note(connection, Exit(t=0, connection=connection, code=0))
    assert connections.of(limits.REMEMBERED).exit == limits.REMEMBERED
    assert connections.of(limits.REMEMBERED + 1).exit is None


def test_an_analysis_hears_all_of_it_and_forgets_a_file_that_was_replaced(tmp_path: Path) -> None:
    path = write_recording(tmp_path / "a.ndjson")
    with Transcript.open(path, growing=True) as transcript:
        analysis = Analysis(transcript)
        analysis.advance()
        told = analysis.connections.of(1)
        kinds = [
            transcript.row(at).type
            for at in (told.connect, told.spawn, analysis.connections.acks.get(1), told.exit)
            if at is not None
        ]
        assert kinds == ["connect", "spawn", "handshake_ack", "exit"]
        assert [transcript.row(at).type for at in told.stderr] == ["stderr"]
        path.unlink()
        write_bare(path)
        transcript.refresh()
        analysis.advance()
        assert analysis.connections.of(1).spawn is None
