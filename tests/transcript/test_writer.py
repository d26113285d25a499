"""Recording: written before it returns, numbered without gaps, whole records or none."""

from __future__ import annotations

import json
import os
import resource
import threading
from pathlib import Path
from typing import Any

import pytest

from cgp_tui.errors import OurError
from cgp_tui.transcript.reader import Transcript
from cgp_tui.transcript.record import Header
from cgp_tui.transcript.writer import Unrecorded, Writer
from cgp_tui.wire.line import Line
from cgp_tui.wire.note import Dropped, GaveUp, LedgerMark

RAW = b'{"type":"shutdown"}'


def new(path: Path) -> int:
    return os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "recording.ndjson"


def records(path: Path) -> list[Any]:
    return [json.loads(line) for line in path.read_bytes().split(b"\n")[1:-1]]


def test_a_line_is_in_the_file_before_it_returns(path: Path) -> None:
    writer = Writer(new(path), "test")
    for n in (1, 2, 3):
        line = writer.line(1, "host", RAW)
        assert (line.n, line.connection, line.sender, line.raw) == (n, 1, "host", RAW)
        assert [record["n"] for record in records(path)] == list(range(1, n + 1))
    writer.note(GaveUp(t=writer.now(), connection=1, exchange=1, after_s=30.0))
    assert records(path)[-1]["note"] == "gave_up"


def test_the_header_says_when_by_whom_and_under_which_ledger(path: Path) -> None:
    mark = LedgerMark("ledger", 42, "ab" * 32)
    Writer(new(path), "inspect", ledger=mark, started=0.0).close()
    assert Transcript.open(path).header == Header("1970-01-01T00:00:00Z", "inspect", ledger=mark)


def test_times_are_whole_microseconds_since_the_start(path: Path) -> None:
    ticks = iter([100.0, 100.0000014, 103.25])
    writer = Writer(new(path), "test", clock=lambda: next(ticks))
    assert [writer.line(1, "host", RAW).t for _ in range(2)] == [0.000001, 3.25]
    assert [record["t"] for record in records(path)] == [0.000001, 3.25]


def test_a_batch_is_one_write(path: Path) -> None:
    writer = Writer(new(path), "test")
    seen: list[int] = []
    real = os.write
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(os, "write", lambda fd, data: seen.append(len(data)) or real(fd, data))  # type: ignore[func-returns-value]
        lines = writer.batch(2, "provider", [RAW, b"", b"\xff"])
    assert len(seen) == 1
    assert [line.n for line in lines] == [1, 2, 3]
    assert [record["n"] for record in records(path)] == [1, 2, 3]


def test_connections_are_counted(path: Path) -> None:
    writer = Writer(new(path), "test")
    assert [writer.connection() for _ in range(3)] == [1, 2, 3]


def test_without_a_file_there_are_numbers_and_times_only() -> None:
    writer = Writer(None, "library")
    assert [writer.line(1, "host", RAW).n for _ in range(3)] == [1, 2, 3]
    writer.note(GaveUp(t=0.0, connection=1, exchange=1, after_s=1.0))
    assert writer.lost == 0
    writer.close()


def test_a_file_that_cannot_be_closed_may_be_incomplete_and_that_is_said_once(path: Path) -> None:
    fd = new(path)
    writer = Writer(fd, "test")
    os.close(fd)
    with pytest.raises(Unrecorded, match="Bad file descriptor"):
        writer.close()
    writer.close()


def test_threads_share_one_recording(path: Path) -> None:
    writer = Writer(new(path), "test")
    threads = [threading.Thread(target=lambda: [writer.line(1, "host", RAW) for _ in range(200)]) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [record["n"] for record in records(path)] == list(range(1, 801))


def test_a_full_disk_leaves_whole_records_and_is_told_in_the_end(path: Path) -> None:
    """A real short write: the process may not make the file any larger."""
    writer = Writer(new(path), "test")
    writer.line(1, "host", RAW)
    whole = path.read_bytes()
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    import signal

    before = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    try:
        resource.setrlimit(resource.RLIMIT_FSIZE, (len(whole) + 30, hard))
        with pytest.raises(Unrecorded) as caught:
            writer.batch(1, "provider", [RAW, RAW])
        with pytest.raises(OurError):
            writer.note(GaveUp(t=0.5, connection=1, exchange=1, after_s=1.0))
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
        signal.signal(signal.SIGXFSZ, before)
    assert caught.value.code == "unrecordable"
    assert caught.value.fix
    assert [line.n for line in caught.value.lines] == [2, 3]
    assert path.read_bytes() == whole
    assert writer.lost == 2
    assert writer.line(1, "host", RAW).n == 4
    assert writer.lost == 0
    last = list(Transcript.open(path).records())[-2:]
    assert isinstance(last[0], Dropped)
    assert last[0].lines == 2
    assert isinstance(last[1], Line)
    assert last[1].n == 4


def test_a_recording_stops_at_its_cap(path: Path) -> None:
    writer = Writer(new(path), "test", cap=600)
    with pytest.raises(Unrecorded):
        for _ in range(99):
            writer.line(1, "host", RAW)
    assert path.stat().st_size <= 600
    assert path.read_bytes().endswith(b"}\n")


def test_a_header_that_cannot_be_written_is_told_at_once(path: Path) -> None:
    path.touch()
    with pytest.raises(OurError) as caught:
        Writer(os.open(path, os.O_RDONLY), "test")
    assert caught.value.code == "unrecordable"
