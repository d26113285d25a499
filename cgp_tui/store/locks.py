"""Locks between processes: advisory locks on files that are never removed or replaced.

Four traps shape this module. A lock belongs to the open file, so every holder opens its own: a request through a shared one
would change the lock that another thread holds. A forked child shares the open files of its parent, so it closes them. An
unlinked lock file allows two holders, so the locked file is compared with the one at the path. And waiting in the kernel
has no timeout, so every attempt returns at once.

A gate takes two locks for each write, so a file whose lock was released stays open for the next holder.
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

from cgp_tui.errors import InputError, OurError
from cgp_tui.store.files import FILE_MODE, make_folder, unsafe

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None  # type: ignore[assignment]

AVAILABLE: Final = fcntl is not None
"""Whether this system has the locks that the gate relies on."""

_ENDS: Final = (".append.lock", ".send.lock")
"""What the names of a ledger's two locks add to its own."""

_FIRST_PAUSE: Final = 0.0005
_LONGEST_PAUSE: Final = 0.01
_SPARES: Final = 16
"""The most files kept open for a next holder."""

_FLAGS: Final = (
    os.O_RDWR | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_NONBLOCK", 0)
)

_writers: dict[str, threading.Lock] = {}
_writers_guard = threading.Lock()


def of_ledger(path: Path) -> tuple[Path, Path]:
    """The locks beside the ledger at `path`: of those who append, and of those who send. Raises as `must_be_none`."""
    must_be_none(path)
    append, send = (path.with_name(path.name + end) for end in _ENDS)
    return append, send


def must_be_none(path: Path) -> None:
    """Raises InputError usage for a file that is named like the lock of a ledger: a ledger or a head there would be put in
    the place of a lock that somebody holds, and who comes next would not see them."""
    if path.name.lower().endswith(_ENDS):
        raise InputError(
            "usage",
            f"{path} is named like the lock of a ledger.",
            f"Name a file that does not end with {' or '.join(_ENDS)}.",
        )


class BusyError(OurError):
    """Somebody else holds the lock. Code `lock_timeout`; `pids` are the holders, where the system names them.

    `what` is what they do instead, where they hold no lock on `path`.
    """

    def __init__(self, path: Path, pids: tuple[int, ...], what: str = "") -> None:
        who = f"process {', '.join(map(str, pids))}" if pids else "another process"
        message = f"{what or f'{path} is held by'} {who}."
        super().__init__("lock_timeout", message, "Wait for it, or end it, and try again.")
        self.pids = pids


class _File(NamedTuple):
    """An open lock file, and what identifies it as the one at its path."""

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
        """In a forked child: close the inherited copy. The parent keeps the lock through its own."""
        file, self._file, self._mutex = self._file, None, None
        if file is not None:
            os.close(file.fd)

    def __enter__(self) -> Held:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.release()


_held: set[Held] = set()
_spare: dict[str, _File] = {}
"""By path, one open file that holds no lock. The next holder takes it out, so it is never shared."""


def _let_go(where: str, file: _File) -> None:
    """Unlock a file, and keep it for the next holder or close it. No two of these steps need to be atomic: another thread
    may do the same between any of them."""
    if len(_spare) >= _SPARES:
        _close_spares()
    with contextlib.suppress(OSError):
        fcntl.flock(file.fd, fcntl.LOCK_UN)
        if _spare.setdefault(where, file) is file:
            return
    # The descriptor is closed either way, and what was done under the lock is done.
    with contextlib.suppress(OSError):
        os.close(file.fd)


def _close_spares() -> None:
    with contextlib.suppress(KeyError):
        while True:
            file = _spare.popitem()[1]
            # A lock file holds nothing that could be lost, and whoever closes spares is busy with another lock.
            with contextlib.suppress(OSError):
                os.close(file.fd)


def _forget() -> None:
    # Only closed: unlocking the copy would unlock the parent's.
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
    """Take the lock if it is free now; None where it is not. Never waits. `sheltered` says that another lock in the same
    folder was taken just before and is still held, so that the folder need not be checked again.

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
    """The lock through a file that is already open; None where it is busy or no longer safely the file at the path, so that
    everything has to be checked anew."""
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
    """A descriptor of the lock file, which is made where there is none. Raises OSError, and UnsafeStoreError where
    something other than a file is there."""
    where = os.fspath(path)
    try:
        return os.open(where, _FLAGS, FILE_MODE)
    except FileNotFoundError:
        raise
    except OSError:
        # A link, a folder or a FIFO is not the disk's fault, and moving it aside helps.
        try:
            status = os.lstat(where)
        except OSError:
            status = None
        problem = None if status is None or stat.S_ISREG(status.st_mode) else unsafe(status, path)
        if problem is not None:
            raise problem from None
        raise


def take(path: Path, *, shared: bool, patience: float) -> Held:
    """Take the lock, trying again for up to `patience` seconds. Makes the lock file and its folder where needed.

    Raises BusyError after that time, UnsafeStoreError, or OSError where the system refuses a lock.
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
            # Random pauses keep two waiters from missing the lock in step.
            time.sleep(pause * (0.5 + random.random()))  # noqa: S311
            pause = min(pause * 2, _LONGEST_PAUSE)
    except BaseException:
        if mutex is not None:
            mutex.release()
        raise
    return held if mutex is None else held.queue(mutex)


def _attempt_anywhere(path: Path, shared: bool) -> Held | None:
    """Like `attempt`, but makes the folder first where it is missing."""
    try:
        return attempt(path, shared=shared)
    except FileNotFoundError:
        make_folder(path.parent)
        return attempt(path, shared=shared)


def _writer(path: Path) -> threading.Lock:
    """The mutex that queues this process's own writers before they try the file."""
    where = os.fspath(path)
    mutex = _writers.get(where)
    if mutex is None:
        with _writers_guard:
            mutex = _writers.setdefault(where, threading.Lock())
    return mutex


def barred(*paths: Path) -> str:
    """The error code for which nobody at all can take one of these locks; empty where each is free or merely busy."""
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
