"""Locks between processes: advisory locks on files that are never removed or replaced.

Four traps shape this module. A lock belongs to the open file, so every holder opens its own: asking through a shared one
would change the lock another thread holds. A forked child shares the open files of its parent, so it closes them. A
lock file that was unlinked gives two holders, so the file under the lock is compared with the one at the path. And
waiting in the kernel cannot be timed out, so every attempt returns at once.
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
from typing import Final

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


class Held:
    """A lock that is held until `release`, or until the `with` block ends. Releasing twice does nothing."""

    __slots__ = ("_fd", "_mutex")

    def __init__(self, fd: int) -> None:
        self._fd = fd
        self._mutex: threading.Lock | None = None
        _held.add(self)

    def queue(self, mutex: threading.Lock) -> Held:
        """Release `mutex` too when this lock is released."""
        self._mutex = mutex
        return self

    def release(self) -> None:
        fd, mutex = self._fd, self._mutex
        self._fd, self._mutex = -1, None
        _held.discard(self)
        if fd >= 0:
            # The descriptor is gone either way, and what was done under the lock is not undone by it.
            with contextlib.suppress(OSError):
                os.close(fd)
        if mutex is not None:
            mutex.release()

    def forget(self) -> None:
        """In a forked child: give up the copy. The lock stays the parent's, through its own."""
        self._mutex = None
        self.release()

    def __enter__(self) -> Held:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.release()


_held: set[Held] = set()


def _forget() -> None:
    for held in list(_held):
        held.forget()
    _writers.clear()
    # The parent's guard may be locked by a thread that does not exist here.
    globals()["_writers_guard"] = threading.Lock()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget)


def attempt(path: Path, *, shared: bool) -> Held | None:
    """Take the lock if it is free now; None where it is not. Never waits.

    Raises UnsafeStoreError where the lock file is not safely ours, OSError where the system gives no lock.
    """
    if fcntl is None:
        raise OurError(
            "lock_timeout",
            "This system has no file locks that a gate can stand on, so there is no gate and nothing can be granted.",
            "Use Linux or macOS for providers that need consent.",
        )
    where = os.fspath(path)
    while True:
        fd = _opened(path)
        try:
            status = os.fstat(fd)
            problem = unsafe(status, path)
            if problem is not None:
                raise problem
            try:
                fcntl.flock(fd, (fcntl.LOCK_SH if shared else fcntl.LOCK_EX) | fcntl.LOCK_NB)
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
            return Held(fd)
        os.close(fd)


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
    with _writers_guard:
        return _writers.setdefault(str(path), threading.Lock())


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
