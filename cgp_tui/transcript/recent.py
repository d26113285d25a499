"""The newest recordings of a folder, each by what its first and last few lines say."""

from __future__ import annotations

import os
import stat
from collections.abc import Sequence
from pathlib import Path
from typing import Final

import msgspec

from cgp_tui.transcript.record import decode_header, decode_record
from cgp_tui.wire.line import Line
from cgp_tui.wire.note import Connect

_HEAD: Final = 16 * 1024
_TAIL: Final = 4096
_LINES: Final = 64
"""How many lines at a recording's start are searched for the names of its providers."""


class Recent(msgspec.Struct, frozen=True):
    """One recording. `started_at` is an F4 timestamp, `providers` are the host's own ids of those connected at its start,
    `lines` is the number of its wire lines, None where its end does not tell. `growing` says that somebody is writing it."""

    path: Path
    size: int
    changed: float
    started_at: str
    recorder: str
    providers: tuple[str, ...] = ()
    lines: int | None = None
    growing: bool = False


class Folder(msgspec.Struct, frozen=True):
    """What a folder holds: its newest recordings, how many there are in all, and their bytes."""

    newest: tuple[Recent, ...] = ()
    count: int = 0
    size: int = 0


def recent(folder: Path, most: int) -> Folder:
    """The recordings of `folder`, with details of the `most` newest; empty where there is no folder. Anything that is not a
    regular file, or does not begin like a recording, is left out."""
    try:
        with os.scandir(folder) as entries:
            found = [
                (entry.stat(follow_symlinks=False), Path(entry.path)) for entry in entries if entry.name.endswith(".ndjson")
            ]
    except OSError:
        return Folder()
    files = sorted(
        ((state.st_mtime, state.st_size, path) for state, path in found if stat.S_ISREG(state.st_mode)), reverse=True
    )
    newest: list[Recent] = []
    for changed, size, path in files:
        if len(newest) == most:
            break
        one = _look(path, size, changed)
        if one is not None:
            newest.append(one)
    return Folder(tuple(newest), len(files), sum(size for _, size, _ in files))


def _look(path: Path, size: int, changed: float) -> Recent | None:
    try:
        fd = os.open(path, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0))
    except OSError:
        return None
    try:
        head = os.read(fd, _HEAD).split(b"\n")
        tail = os.pread(fd, _TAIL, max(0, size - _TAIL)).split(b"\n") if hasattr(os, "pread") else []
        growing = _is_locked(fd)
    except OSError:
        return None
    finally:
        os.close(fd)
    header = decode_header(head[0])
    if header is None:
        return None
    records = [decode_record(line) for line in head[1:_LINES] if line.endswith(b"}")]
    names = tuple(dict.fromkeys(one.provider_id for one in records if isinstance(one, Connect)))
    return Recent(path, size, changed, header.started_at, header.recorder, names, _last(tail), growing)


def _last(tail: Sequence[bytes]) -> int | None:
    """The number of the last wire line that ends within these bytes."""
    for line in reversed(tail[1:]):
        record = decode_record(line) if line.endswith(b"}") else None
        if isinstance(record, Line):
            return record.n
    return None


def _is_locked(fd: int) -> bool:
    """Whether a writer holds the recording. To find out, the lock is taken for a moment, shared, so that others can too."""
    try:
        import fcntl
    except ImportError:
        return False
    try:
        fcntl.flock(fd, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    fcntl.flock(fd, fcntl.LOCK_UN)
    return False
