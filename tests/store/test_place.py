"""How a record gets to the end of a log: on the disk and remembered, or nothing of it left, or everything stopped."""

from __future__ import annotations

import errno
import os
from pathlib import Path

import pytest

from cgp_tui.consent.receipt import encode
from cgp_tui.store import files
from cgp_tui.store.place import LostError, NotWrittenError, StoppedError
from tests.store.disk import Disk
from tests.store.ledgers import Stored, append, blocks, six


@pytest.mark.parametrize("removed", [True, False])
def test_a_head_that_goes_while_the_record_is_written_acknowledges_nothing(
    removed: bool, stored: Stored, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Between the two syncs: what is removed in an emergency, or what others may write to since, must not count."""
    data, records, heads = blocks(six())
    stored.put(data[: heads[5].size], heads[5])
    slots = stored.head.read_bytes()
    sync = files.sync
    synced: list[int] = []

    def going(fd: int, *, data_only: bool = False) -> None:
        sync(fd, data_only=data_only)
        if not synced:
            stored.head.unlink() if removed else stored.head.chmod(0o666)
        synced.append(fd)

    monkeypatch.setattr(files, "sync", going)
    with pytest.raises(NotWrittenError, match="No such file" if removed else "0666"):
        append(stored, heads[5], encode(records[5]))
    assert stored.path.read_bytes() == data[: heads[5].size]
    assert removed or stored.head.read_bytes() == slots


def test_each_record_of_several_goes_where_the_one_before_it_ended(stored: Stored) -> None:
    data, records, heads = blocks(six())
    stored.put(data[: heads[3].size], heads[3])
    with stored.log.place(stored.log.view()) as place:
        for record in records[3:5]:
            place.append(encode(record), record)
        stored.path.write_bytes(data[: heads[5].size] + b"x")
        with pytest.raises(NotWrittenError, match="changed in the meantime"):
            place.append(encode(records[5]), records[5])
        stored.path.write_bytes(data[: heads[5].size])
        stored.path.chmod(0o666)
        with pytest.raises(NotWrittenError, match="0666"):
            place.append(encode(records[5]), records[5])
        stored.path.chmod(0o600)
        assert place.append(encode(records[5]), records[5]) == heads[6]
    assert stored.path.read_bytes() == data
    assert stored.log.view().state == "ok"


CALLS = ["write", "fsync", "write", "fdatasync"]


@pytest.mark.parametrize("at", range(1, 5))
def test_a_failing_disk_leaves_nothing_of_the_record(at: int, stored: Stored, monkeypatch: pytest.MonkeyPatch) -> None:
    data, records, heads = blocks(six())
    stored.put(data[: heads[5].size], heads[5])
    with monkeypatch.context() as patch:
        disk = Disk(patch, at, lasting=False)
        with pytest.raises(NotWrittenError) as caught:
            append(stored, heads[5], encode(records[5]))
    assert caught.value.code == "unrecordable"
    assert disk.calls[:at] == CALLS[:at]
    assert disk.calls[at:] == ["ftruncate", "fsync", "write", "fdatasync"][: 2 if at <= 2 else 4], "no sync is tried again"
    assert stored.path.read_bytes() == data[: heads[5].size]
    assert stored.log.view().state == "ok"


@pytest.mark.parametrize("at", range(1, 5))
def test_a_disk_that_fails_the_undoing_too_stops_everything(
    at: int, stored: Stored, monkeypatch: pytest.MonkeyPatch
) -> None:
    data, records, heads = blocks(six())
    stored.put(data[: heads[5].size], heads[5])
    with monkeypatch.context() as patch:
        Disk(patch, at, lasting=False)
        patch.setattr(os, "ftruncate", lambda *_: (_ for _ in ()).throw(OSError(errno.EIO, "Input/output error")))
        with pytest.raises(StoppedError) as caught:
            append(stored, heads[5], encode(records[5]))
    assert caught.value.code == "head_missing"
    assert stored.log.view().state == "head_missing"


def test_a_disk_that_fails_for_good_is_told_loudly(stored: Stored, monkeypatch: pytest.MonkeyPatch) -> None:
    data, records, heads = blocks(six())
    stored.put(data[: heads[5].size], heads[5])
    with monkeypatch.context() as patch:
        Disk(patch, 2, lasting=True)
        patch.setattr(Path, "unlink", lambda *_, **__: (_ for _ in ()).throw(OSError(errno.EROFS, "Read-only file system")))
        with pytest.raises(LostError, match="Neither the record nor the head"):
            append(stored, heads[5], encode(records[5]))


def test_a_head_that_became_unsafe_takes_the_record_back(stored: Stored) -> None:
    data, records, heads = blocks(six())
    stored.put(data[: heads[5].size], heads[5])
    stored.head.chmod(0o666)
    with pytest.raises(NotWrittenError, match="0666"):
        append(stored, heads[5], encode(records[5]))
    assert stored.path.read_bytes() == data[: heads[5].size]


def test_what_was_acknowledged_last_is_known_at_the_place(stored: Stored) -> None:
    data, records, heads = blocks(six())
    stored.put(data[: heads[4].size], heads[4])
    with stored.log.place(stored.log.view()) as place:
        assert (place.end, place.last, place.block) == (heads[4], records[3], b"")
        for number in (5, 6):
            place.append(encode(records[number - 1]), records[number - 1])
            assert (place.end, place.last) == (heads[number], records[number - 1])
            assert place.block == data[heads[number - 1].size : heads[number].size]
            assert stored.log.view().head == heads[number]


def test_a_record_that_was_not_written_leaves_the_place_as_it_was(stored: Stored, monkeypatch: pytest.MonkeyPatch) -> None:
    data, records, heads = blocks(six())
    stored.put(data[: heads[4].size], heads[4])
    with stored.log.place(stored.log.view()) as place:
        with monkeypatch.context() as patch:
            Disk(patch, 4, lasting=False)
            with pytest.raises(NotWrittenError):
                place.append(encode(records[4]), records[4])
        assert (place.end, place.last, place.block) == (heads[4], records[3], b"")
        assert place.append(encode(records[4]), records[4]) == heads[5]
    assert stored.path.read_bytes() == data[: heads[5].size]


def test_a_place_is_left_whatever_closing_says(stored: Stored) -> None:
    data, records, heads = blocks(six())
    stored.put(data[: heads[5].size], heads[5])
    with stored.log.place(stored.log.view()) as place:
        assert place.append(encode(records[5])) == heads[6]
        os.close(place.fd)
        place.slots.close()
    assert stored.path.read_bytes() == data


@pytest.mark.parametrize(
    ("cause", "said"),
    [
        (OSError(errno.EIO, "Input/output error"), "Not written: Input/output error."),
        (OSError(errno.EIO, "Input/output error", "/d/f"), "Not written: Input/output error (/d/f)."),
        (OSError(errno.EIO, "Input/output error", b"/d/f"), "Not written: Input/output error (/d/f)."),
        (OSError(errno.EIO, "Input/output error", Path("/d/f")), "Not written: Input/output error (/d/f)."),
        (OSError(errno.EIO, "Input/output error", 7), "Not written: Input/output error."),
        (OSError("it is unsafe"), "Not written: it is unsafe."),
    ],
    ids=["plain", "named", "bytes", "path", "descriptor", "words"],
)
def test_what_failed_is_said_with_the_file_where_one_is_known(cause: OSError, said: str) -> None:
    error = NotWrittenError(cause)
    assert (error.code, error.message) == ("unrecordable", said)
    assert error.fix


def test_what_stops_everything_says_why() -> None:
    full, words = OSError(errno.ENOSPC, "No space left on device"), OSError("in words")
    assert ": No space left on device." in StoppedError(full).message
    assert ": No space left on device." in LostError(full).message
    assert ": in words." in StoppedError(words).message
    assert ": in words." in LostError(words).message
    assert (StoppedError(full).code, LostError(full).code) == ("head_missing", "unrecordable")
    assert StoppedError(full).fix and LostError(full).fix
