"""The newest recordings of a folder: what is told of each, and what is left out."""

from __future__ import annotations

import fcntl
import os
from pathlib import Path

import pytest

from cgp_tui.store.files import create_private
from cgp_tui.transcript.recent import Folder, recent
from cgp_tui.transcript.writer import Writer
from cgp_tui.wire import note


def recording(path: Path, *providers: str, lines: int = 3, at: float = 1_000_000_000.0) -> int:
    """A recording as a session leaves it; its descriptor, still open and locked."""
    fd = create_private(path)
    writer = Writer(fd, "query")
    for number, name in enumerate(providers, 1):
        target = note.ShownTarget("stdio", ("x",), "d", "")
        writer.note(note.Connect(t=0.0, connection=number, provider_id=name, target=target))
    for _ in range(lines):
        writer.line(1, "host", b'{"type":"handshake"}')
    writer.note(note.Exit(t=1.0, connection=1, code=0))
    os.utime(path, (at, at))
    return fd


def closed(path: Path, *providers: str, lines: int = 3, at: float = 1_000_000_000.0) -> None:
    os.close(recording(path, *providers, lines=lines, at=at))


def test_the_newest_come_first_and_say_what_they_are(tmp_path: Path) -> None:
    for number in range(5):
        closed(tmp_path / f"{number}.ndjson", f"p{number}", "q", lines=number, at=1e9 + number)
    found = recent(tmp_path, 3)
    assert [one.path.name for one in found.newest] == ["4.ndjson", "3.ndjson", "2.ndjson"]
    assert [one.lines for one in found.newest] == [4, 3, 2]
    newest = found.newest[0]
    assert newest.providers == ("p4", "q") and newest.recorder == "query" and not newest.growing
    assert newest.started_at.endswith("Z") and newest.changed == 1e9 + 4
    assert found.count == 5 and found.size == sum(path.stat().st_size for path in tmp_path.iterdir())


def test_one_that_is_being_written_says_so(tmp_path: Path) -> None:
    fd = recording(tmp_path / "a.ndjson", "p")
    try:
        assert recent(tmp_path, 8).newest[0].growing
        with pytest.raises(BlockingIOError):  # looking has not taken the writer's lock away
            other = os.open(tmp_path / "a.ndjson", os.O_RDONLY)
            try:
                fcntl.flock(other, fcntl.LOCK_SH | fcntl.LOCK_NB)
            finally:
                os.close(other)
    finally:
        os.close(fd)
    assert not recent(tmp_path, 8).newest[0].growing


def test_what_is_no_recording_is_left_out(tmp_path: Path) -> None:
    closed(tmp_path / "good.ndjson", "p", at=1e9)
    (tmp_path / "bare.ndjson").write_bytes(b'{"type":"handshake","protocol_version":"contextgraph/1.0"}\n')
    (tmp_path / "other.txt").write_bytes((tmp_path / "good.ndjson").read_bytes())
    (tmp_path / "empty.ndjson").touch()
    (tmp_path / "folder.ndjson").mkdir()
    (tmp_path / "link.ndjson").symlink_to("good.ndjson")
    os.mkfifo(tmp_path / "fifo.ndjson")
    found = recent(tmp_path, 8)
    assert [one.path.name for one in found.newest] == ["good.ndjson"]
    assert found.count == 3  # those that are regular files of that name


def test_a_cut_end_and_foreign_records_cost_only_what_they_tell(tmp_path: Path) -> None:
    closed(tmp_path / "a.ndjson", "p", lines=2)
    path = tmp_path / "a.ndjson"
    path.write_bytes(path.read_bytes() + b'{"n":3,"t":1,"connection":1,"line":{"type":"q')
    assert recent(tmp_path, 1).newest[0].lines == 2
    whole = path.read_bytes().split(b"\n")
    path.write_bytes(b"\n".join([whole[0], b"no json", b"\xff", b'{"note":"connect"}']) + b"\n")
    (one,) = recent(tmp_path, 1).newest
    assert (one.providers, one.lines) == ((), None)


def test_a_long_recording_is_not_read_whole(tmp_path: Path) -> None:
    closed(tmp_path / "a.ndjson", "p", lines=2000)
    assert recent(tmp_path, 1).newest[0].lines == 2000


def test_no_folder_holds_nothing(tmp_path: Path) -> None:
    assert recent(tmp_path / "none", 8) == Folder()
