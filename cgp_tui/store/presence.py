"""A sign that a write is under way, for a writer that has no file to lock: the folder of the lock is not there yet.

Nothing is made for it. The system's table of locks shows every lock with its process and its range of bytes, in whatever
file it is. So a writer locks one byte of a nameless file in memory, at a place that follows from the path, and whoever
wants to know who is writing looks for that place. Where the system has no such files or no such table, nobody is seen.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import re
import time
from functools import lru_cache
from pathlib import Path
from typing import Final

from cgp_tui.store.locks import BusyError

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None  # type: ignore[assignment]

_TABLE: Final = Path("/proc/locks")
_AVAILABLE: Final = fcntl is not None and hasattr(os, "memfd_create")
_PIECE: Final = 4096
"""A table that is longer is handed out in pieces, and a line may slip through between two of them."""
_LOOKS: Final = 3
_FIRST_PAUSE: Final = 0.001
_LONGEST_PAUSE: Final = 0.02

_spare: list[int] = []
"""Files without a lock. The next sign takes one out, so it is never shared: a process has but one lock on a byte."""


class Sign:
    """Shown until `release`."""

    __slots__ = ("_at", "_fd")

    def __init__(self, fd: int, at: int) -> None:
        self._fd = fd
        self._at = at

    def release(self) -> None:
        fcntl.lockf(self._fd, fcntl.LOCK_UN, 1, self._at)
        _spare.append(self._fd)


def show(path: Path) -> Sign | None:
    """Show that something is being written under what was read at `path`; None where this system cannot. Raises OSError."""
    if not _AVAILABLE:
        return None
    at = _place(os.fspath(path))
    try:
        fd = _spare.pop()
    except IndexError:
        fd = os.memfd_create("cgp-tui", os.MFD_CLOEXEC)
    try:
        fcntl.lockf(fd, fcntl.LOCK_EX | fcntl.LOCK_NB, 1, at)
    except BaseException:
        os.close(fd)
        raise
    return Sign(fd, at)


def wait(path: Path, patience: float) -> None:
    """Wait until no process of this user shows the sign for `path`. Raises BusyError after `patience` seconds."""
    deadline = time.monotonic() + patience
    pause = _FIRST_PAUSE
    while found := _shown(_place(os.fspath(path))):
        if time.monotonic() >= deadline:
            raise BusyError(path, found, "What was begun before there was a ledger is still being sent by")
        time.sleep(pause)
        pause = min(pause * 2, _LONGEST_PAUSE)


@lru_cache(maxsize=16)
def _place(where: str) -> int:
    """The byte that stands for a path, by whichever name it is reached."""
    digest = hashlib.sha256(os.fsencode(os.path.realpath(where))).digest()
    return int.from_bytes(digest[:8], "big") >> 2


def _shown(at: int) -> tuple[int, ...]:
    found = set[int]()
    with contextlib.suppress(OSError):
        for _ in range(_LOOKS):
            table = _TABLE.read_bytes()
            found.update(pid for line in table.splitlines() if (pid := _holder(line, at)) and _ours(pid))
            if len(table) < _PIECE:
                break
    return tuple(sorted(found))


def _holder(line: bytes, at: int) -> int:
    """The process that holds a lock at this place, 0 for any other lock."""
    # `1: POSIX  ADVISORY  WRITE 4711 00:01:3 1234 1234`
    fields = line.split()
    mine = len(fields) == 8 and fields[1] == b"POSIX" and fields[6] == b"%d" % at
    return int(fields[4]) if mine and fields[4].isdigit() else 0


def _ours(pid: int) -> bool:
    """Whether it is a process of this user: anybody can lock a byte, and nobody else's may hold up a revocation."""
    with contextlib.suppress(OSError):
        found = re.search(rb"^Uid:\s+\d+\s+(\d+)", Path(f"/proc/{pid}/status").read_bytes(), re.MULTILINE)
        return found is not None and int(found[1]) == os.geteuid()
    return False


def _forget() -> None:
    """In a forked child: the locks stayed with the parent, and so do its files."""
    while _spare:
        os.close(_spare.pop())


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget)
