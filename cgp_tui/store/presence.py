"""A sign that a write is under way, which needs no file: the folder of the lock may not be there yet, and a lock file may be
removed or moved away while its holder is stopped, which nobody who opens the next one would notice.

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
from collections.abc import Set
from functools import lru_cache
from pathlib import Path
from typing import Final

from cgp_tui.store.locks import BusyError, Held

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
    """Shown until `release`, which then releases the lock that it was shown `under`, if any."""

    __slots__ = ("_at", "_fd", "_under")

    def __init__(self, fd: int, at: int, under: Held | None = None) -> None:
        self._fd = fd
        self._at = at
        self._under = under

    def release(self) -> None:
        # Before the lock: whoever has waited for that finds no sign any more.
        fcntl.lockf(self._fd, fcntl.LOCK_UN, 1, self._at)
        _spare.append(self._fd)
        if self._under is not None:
            self._under.release()


def over(lock: Held, path: Path) -> Held | Sign:
    """A lock, and a sign with it if one can be had: the lock alone counts as long as its file stays where it is."""
    try:
        return show(path, lock) or lock
    except OSError:
        return lock


def show(path: Path, under: Held | None = None) -> Sign | None:
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
    return Sign(fd, at, under)


def wait(path: Path, patience: float) -> None:
    """Wait until no process of this user shows the sign for `path`. Raises BusyError after `patience` seconds."""
    deadline = time.monotonic() + patience
    pause = _FIRST_PAUSE
    # Another folder may have been put in the place of the one that a sign was shown for, or a link to one.
    where = {_place(os.fspath(path)), _of(os.fspath(path.absolute()))}
    while found := _shown(where):
        if time.monotonic() >= deadline:
            raise BusyError(path, found, "What was begun before is still being sent by")
        time.sleep(pause)
        pause = min(pause * 2, _LONGEST_PAUSE)


@lru_cache(maxsize=16)
def _place(where: str) -> int:
    """The byte that stands for a path, by whichever name it is reached."""
    return _of(os.path.realpath(where))


def _of(real: str) -> int:
    digest = hashlib.sha256(os.fsencode(real)).digest()
    return int.from_bytes(digest[:8], "big") >> 2


def _shown(where: Set[int]) -> tuple[int, ...]:
    found = set[int]()
    with contextlib.suppress(OSError):
        for _ in range(_LOOKS):
            table = _TABLE.read_bytes()
            found.update(pid for line in table.splitlines() if (pid := _holder(line, where)) and _ours(pid))
            if len(table) < _PIECE:
                break
    return tuple(sorted(found))


def _holder(line: bytes, where: Set[int]) -> int:
    """The process that holds a lock at one of these places, 0 for any other lock."""
    # `1: POSIX  ADVISORY  WRITE 4711 00:01:3 1234 1234`
    fields = line.split()
    mine = len(fields) == 8 and fields[1] == b"POSIX" and fields[6].isdigit() and int(fields[6]) in where
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
