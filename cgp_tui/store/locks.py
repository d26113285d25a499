"""Locks between processes: advisory locks on files that are never removed or replaced.

Four traps shape this module. A lock belongs to the open file, so every holder has its own: asking through a shared one
would change the lock another thread holds. A forked child shares the open files of its parent, so it closes them. A
lock file that was unlinked gives two holders, so the file under the lock is compared with the one at the path. And
waiting in the kernel cannot be timed out, so every attempt returns at once.

A gate takes two locks for each write, so a file whose lock was given back stays open for the next holder.
"""

from __future__ import annotations

import contextlib
import os
import random
import stat
import threading
import time
from pathlib import Path
from types import TracebackType
from typing import Final, NamedTuple

from cgp_tui.errors import OurError
from cgp_tui.store.files import FILE_MODE, make_folder, unsafe

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None  # type: ignore[assignment]

AVAILABLE: Final = fcntl is not None
"""Whether this system has the locks that the gate stands on."""

_FIRST_PAUSE: Final = 0.0005
_LONGEST_PAUSE: Final = 0.01
_SPARES: Final = 16
"""How many files are kept open for the next holder."""

_FLAGS: Final = (
    os.O_RDWR | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_NONBLOCK", 0)
)

_writers: dict[str, threading.Lock] = {}
_writers_guard = threading.Lock()


class BusyError(OurError):
    """Somebody else holds the lock. Code `lock_timeout`; `pids` are the holders, where the system tells."""

    def __init__(self, path: Path, pids: tuple[int, ...]) -> None:
        who = f"process {', '.join(map(str, pids))}" if pids else "another process"
        super().__init__("lock_timeout", f"{path} is held by {who}.", "Wait for it, or end it, and try again.")
        self.pids = pids


class _File(NamedTuple):
    """An open lock file, and what tells that it is still the one at its path."""

    fd: int
    inode: int
    device: int


class Held:
    """A lock that is held until `release`, or until the `with` block ends. Releasing twice does nothing."""

    __slots__ = ("_file", "_mutex", "_where")

    def __init__(self, where: str, file: _File) -> None:
        self._where = where
        self._file: _File | None = file
        self._mutex: threading.Lock | None = None
        _held.add(self)

    def queue(self, mutex: threading.Lock) -> Held:
        """Release `mutex` too when this lock is released."""
        self._mutex = mutex
        return self

    def release(self) -> None:
        file, mutex = self._file, self._mutex
        self._file = self._mutex = None
        _held.discard(self)
        if file is not None:
            _let_go(self._where, file)
        if mutex is not None:
            mutex.release()

    def forget(self) -> None:
        """In a forked child: give up the copy. The lock stays the parent's, through its own."""
        file, self._file, self._mutex = self._file, None, None
        if file is not None:
            os.close(file.fd)

    def __enter__(self) -> Held:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.release()


_held: set[Held] = set()
_spare: dict[str, _File] = {}
"""By path, one file that is open and holds no lock. Whoever is to hold it takes it out, so nobody shares it."""


def _let_go(where: str, file: _File) -> None:
    """Unlock a file, and keep it for the next holder or close it. No two steps here need to be one: each may be
    interrupted by another thread that does the same."""
    if len(_spare) >= _SPARES:
        _close_spares()
    with contextlib.suppress(OSError):
        fcntl.flock(file.fd, fcntl.LOCK_UN)
        if _spare.setdefault(where, file) is file:
            return
    # The descriptor is gone either way, and what was done under the lock is not undone by it.
    with contextlib.suppress(OSError):
        os.close(file.fd)


def _close_spares() -> None:
    with contextlib.suppress(KeyError):
        while True:
            os.close(_spare.popitem()[1].fd)


def _forget() -> None:
    # Closing is all: to unlock a copy would unlock the parent's.
    for held in list(_held):
        held.forget()
    _held.clear()
    _close_spares()
    _writers.clear()
    # The parent's guard may be locked by a thread that does not exist here.
    globals()["_writers_guard"] = threading.Lock()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget)


def attempt(path: Path, *, shared: bool, sheltered: bool = False) -> Held | None:
    """Take the lock if it is free now; None where it is not. Never waits. A lock is `sheltered` by another one in the same
    folder that was taken just before and is still held: then that folder is not looked at twice.

    Raises UnsafeStoreError where the lock file is not safely ours, OSError where the system gives no lock.
    """
    if fcntl is None:
        raise OurError(
            "lock_timeout",
            "This system has no file locks that a gate can stand on, so there is no gate and nothing can be granted.",
            "Use Linux or macOS for providers that need consent.",
        )
    where = os.fspath(path)
    operation = (fcntl.LOCK_SH if shared else fcntl.LOCK_EX) | fcntl.LOCK_NB
    held = _again(where, path, operation, sheltered)
    while held is None:
        fd = _opened(path)
        try:
            status = os.fstat(fd)
            problem = unsafe(status, path)
            if problem is not None:
                raise problem
            try:
                fcntl.flock(fd, operation)
            except BlockingIOError:
                os.close(fd)
                return None
            try:
                there = os.lstat(where)
            except FileNotFoundError:
                there = None
        except BaseException:
            with contextlib.suppress(OSError):
                os.close(fd)
            raise
        if there is not None and there.st_ino == status.st_ino and there.st_dev == status.st_dev:
            return Held(where, _File(fd, status.st_ino, status.st_dev))
        os.close(fd)
    return held


def _again(where: str, path: Path, operation: int, sheltered: bool) -> Held | None:
    """The lock through a file that is open already; None where that is busy, or not safely the one at the path any more,
    so that all has to be looked at anew."""
    file = _spare.pop(where, None)
    if file is None:
        return None
    try:
        fcntl.flock(file.fd, operation)
        there = os.lstat(where)
        if there.st_ino == file.inode and there.st_dev == file.device and unsafe(there, path, sheltered=sheltered) is None:
            return Held(where, file)
    except OSError:
        pass
    except BaseException:
        os.close(file.fd)
        raise
    os.close(file.fd)
    return None


def _opened(path: Path) -> int:
    """A descriptor of the lock file, made where there is none. Raises UnsafeStoreError for what is no file, OSError."""
    where = os.fspath(path)
    try:
        return os.open(where, _FLAGS, FILE_MODE)
    except OSError:
        # A link, a folder or a FIFO is no fault of the disk, and moving it aside helps.
        try:
            status = os.lstat(where)
        except OSError:
            status = None
        problem = None if status is None or stat.S_ISREG(status.st_mode) else unsafe(status, path)
        if problem is not None:
            raise problem from None
        raise


def take(path: Path, *, shared: bool, patience: float) -> Held:
    """Take the lock within `patience` seconds, asking again and again. Makes the lock file and its folder where needed.

    Raises BusyError after that time, UnsafeStoreError, or OSError where the system gives no lock.
    """
    deadline = time.monotonic() + patience
    mutex = None if shared else _writer(path)
    if mutex is not None and not mutex.acquire(timeout=max(patience, 0)):
        raise BusyError(path, (os.getpid(),))
    try:
        pause = _FIRST_PAUSE
        while (held := _attempt_anywhere(path, shared)) is None:
            if time.monotonic() >= deadline:
                raise BusyError(path, holders(path))
            # Uneven pauses keep two waiters from missing the lock in step.
            time.sleep(pause * (0.5 + random.random()))  # noqa: S311
            pause = min(pause * 2, _LONGEST_PAUSE)
    except BaseException:
        if mutex is not None:
            mutex.release()
        raise
    return held if mutex is None else held.queue(mutex)


def _attempt_anywhere(path: Path, shared: bool) -> Held | None:
    """As `attempt`, where the folder may have to be made first."""
    try:
        return attempt(path, shared=shared)
    except FileNotFoundError:
        make_folder(path.parent)
        return attempt(path, shared=shared)


def _writer(path: Path) -> threading.Lock:
    """The mutex that lines up this process's own writers before they try the file."""
    where = os.fspath(path)
    mutex = _writers.get(where)
    if mutex is None:
        with _writers_guard:
            mutex = _writers.setdefault(where, threading.Lock())
    return mutex


def barred(*paths: Path) -> str:
    """The code by which nobody gets one of these locks, whoever asks; empty where each can be had, or is only busy."""
    try:
        for path in paths:
            held = attempt(path, shared=True)
            if held is not None:
                held.release()
    except OurError as error:
        return error.code
    except OSError:
        return "lock_timeout"
    return ""


def holders(path: Path) -> tuple[int, ...]:
    """The processes that hold a lock on `path`, in ascending order; empty where the system does not tell (Linux does)."""
    try:
        wanted = path.stat()
        table = Path("/proc/locks").read_text(encoding="ascii")
    except (OSError, ValueError):
        return ()
    pids = set()
    for line in table.splitlines():
        fields = line.split()
        # `1: FLOCK ADVISORY WRITE 4711 08:01:1234 0 EOF`; a waiter has `->` after its number.
        if len(fields) >= 6 and fields[1] == "FLOCK" and fields[5].rpartition(":")[2] == str(wanted.st_ino):
            major, minor, _ = fields[5].split(":")
            if os.makedev(int(major, 16), int(minor, 16)) == wanted.st_dev and fields[4].isdigit():
                pids.add(int(fields[4]))
    return tuple(sorted(pids))
