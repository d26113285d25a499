"""Small files of ours that must not be lost, leaked, or swapped for somebody else's."""

from __future__ import annotations

import contextlib
import errno
import os
import re
import stat
import sys
from functools import lru_cache
from pathlib import Path
from types import TracebackType
from typing import Final

import msgspec

from cgp_tui.errors import OurError
from cgp_tui.text import quoted

FILE_MODE: Final = 0o600
FOLDER_MODE: Final = 0o700

_NO_FOLLOW: Final = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0)
_NO_WAIT: Final = getattr(os, "O_NONBLOCK", 0)
_LINKS_REFUSED: Final = hasattr(os, "O_NOFOLLOW")
_SHARED_WRITE: Final = stat.S_IWGRP | stat.S_IWOTH
_POSIX: Final = os.name == "posix"


class UnsafeStoreError(OurError):
    """A file of ours that others can change or may have replaced. Code `store_unsafe`; the fix is a command."""

    def __init__(self, message: str, fix: str) -> None:
        super().__init__("store_unsafe", message, fix)


class Mark(msgspec.Struct, frozen=True):
    """Identifies a file as it was read, so that a change is noticed. All zero for a file that is not there."""

    inode: int
    size: int
    mtime_ns: int
    ctime_ns: int


ABSENT: Final = Mark(0, 0, 0, 0)


def mark_of(status: os.stat_result) -> Mark:
    """The mark of a file whose status was taken."""
    return Mark(status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns)


def mark(path: Path) -> Mark:
    """The mark of the file at `path` itself, a symbolic link not followed."""
    try:
        return mark_of(os.lstat(os.fspath(path)))
    except FileNotFoundError:
        return ABSENT


def mark_or_absent(path: Path) -> Mark:
    """Like `mark`, but a file that cannot even be looked at counts as absent."""
    try:
        return mark(path)
    except OSError:
        return ABSENT


def is_marked(path: Path, mark: Mark) -> bool:
    """Whether the file at `path`, a symbolic link not followed, is still the one of this mark. Raises OSError."""
    try:
        status = os.lstat(os.fspath(path))
    except FileNotFoundError:
        return mark == ABSENT
    # The gate calls this several times for each write, and making a Mark takes longer than this.
    return (
        mark.mtime_ns == status.st_mtime_ns
        and mark.size == status.st_size
        and mark.inode == status.st_ino
        and mark.ctime_ns == status.st_ctime_ns
    )


def _owned(status: os.stat_result) -> bool:
    return not _POSIX or status.st_uid == os.geteuid()


def unsafe(status: os.stat_result, path: Path, *, sheltered: bool = False) -> UnsafeStoreError | None:
    """What makes the file at `path` (its own status, no link followed) or its folder unfit to be trusted, or None.

    Refused: anything but a regular file, another owner, a second hard link, group or world write permission; a folder
    that others may write to, unless it is sticky and so keeps our files ours. Nothing is changed here. `sheltered` says that
    the folder has just been checked for another file in it.
    """
    if _sound(status):
        return None if sheltered else _unsafe_folder(path)
    named = quoted(str(path))
    if not stat.S_ISREG(status.st_mode):
        what = "a symbolic link" if stat.S_ISLNK(status.st_mode) else "not a regular file"
        return UnsafeStoreError(f"{path} is {what}.", f"Move it aside: mv {named} {named}.aside")
    if not _owned(status):
        message = f"{path} belongs to another user ({status.st_uid})."
        return UnsafeStoreError(message, f"Take it over: sudo chown $USER {named}")
    if status.st_nlink > 1:
        fix = f"Make it the only one: cp -p {named} {named}.own && mv {named}.own {named}"
        return UnsafeStoreError(f"{path} is one of {status.st_nlink} hard links.", fix)
    return UnsafeStoreError(f"{path} has mode {stat.S_IMODE(status.st_mode):04o}.", f"chmod 600 {named}")


def _sound(status: os.stat_result) -> bool:
    """Whether a file is safe, its folder left aside."""
    mode = status.st_mode
    closed = not _POSIX or not mode & _SHARED_WRITE
    return stat.S_ISREG(mode) and closed and status.st_nlink == 1 and _owned(status)


@lru_cache(maxsize=64)
def _folder(path: Path) -> str:
    """The folder of a path, as text: the gate needs it for each write, and pathlib is slow."""
    return os.fspath(path.parent)


def _unsafe_folder(path: Path) -> UnsafeStoreError | None:
    if not _POSIX:
        return None
    folder = _folder(path)
    status = os.stat(folder)  # noqa: PTH116
    foreign = status.st_uid not in (0, os.geteuid())
    shared = status.st_mode & _SHARED_WRITE and not status.st_mode & stat.S_ISVTX
    if foreign:
        message = f"The folder {folder} belongs to another user ({status.st_uid})."
        return UnsafeStoreError(message, f"sudo chown $USER {quoted(folder)}")
    if shared:
        message = f"Others may write to the folder {folder} (mode {stat.S_IMODE(status.st_mode):04o})."
        return UnsafeStoreError(message, f"chmod go-w {quoted(folder)}")
    return None


def open_safely(path: Path, flags: int) -> int:
    """Open a file of ours, and check what was opened before anything is read from it or written to it.

    Never waits on a FIFO. Raises UnsafeStoreError, or OSError (FileNotFoundError where there is none).
    """
    return open_looked(path, flags)[0]


def open_marked(path: Path, flags: int) -> tuple[int, Mark]:
    """Like `open_safely`; also returns the mark of the open file."""
    fd, status = open_looked(path, flags)
    return fd, mark_of(status)


def open_looked(path: Path, flags: int, *, sheltered: bool = False) -> tuple[int, os.stat_result]:
    """Like `open_safely`; also returns the status of the open file. `sheltered` as in `unsafe`."""
    where = os.fspath(path)
    if not _LINKS_REFUSED:
        _must_be_safe(os.lstat(where), path)
    try:
        fd = os.open(where, flags | _NO_FOLLOW | _NO_WAIT)
    except OSError:
        # A link, a socket or a folder is not the disk's fault, and moving it aside helps.
        with contextlib.suppress(OSError):
            _must_be_safe(os.lstat(where), path)
        raise
    try:
        opened = os.fstat(fd)
        _must_be_safe(opened, path, sheltered=sheltered)
    except BaseException:
        os.close(fd)
        raise
    return fd, opened


def must_stand(fd: int, path: Path) -> None:
    """Check a file of ours again that is already open. Raises FileNotFoundError where its name is gone, and UnsafeStoreError
    where it is no longer safe."""
    status = os.fstat(fd)
    if not _sound(status):
        if status.st_nlink == 0:
            raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), os.fspath(path))
        _must_be_safe(status, path)


def must_share_its_folder(fd: int, path: Path) -> None:
    """Raises UnsafeStoreError where an open file of ours is a mount of its own: what it shows is changed under another name
    too, by whoever holds the locks beside that. Raises OSError."""
    folder = os.open(_folder(path), getattr(os, "O_PATH", os.O_RDONLY) | getattr(os, "O_CLOEXEC", 0))
    try:
        if _mount(fd) == _mount(folder):
            return
    finally:
        os.close(folder)
    fix = f"Mount its whole folder, or use the ledger where it is: umount {quoted(str(path))}"
    raise UnsafeStoreError(f"{path} is a mount of its own, so its locks are not those beside the file that it shows.", fix)


def _mount(fd: int) -> bytes:
    """The mount that an open file belongs to; empty where the system does not tell (Linux does)."""
    try:
        with open(f"/proc/self/fdinfo/{fd}", "rb") as file:
            found = re.search(rb"^mnt_id:\s*(\d+)$", file.read(), re.MULTILINE)
    except OSError:
        return b""
    return found[1] if found else b""


def _must_be_safe(status: os.stat_result, path: Path, *, sheltered: bool = False) -> None:
    problem = unsafe(status, path, sheltered=sheltered)
    if problem is not None:
        raise problem


def read_whole(fd: int, most: int = sys.maxsize) -> bytes:
    """All bytes of an open file from its start, or the first `most` of them."""
    parts = []
    at = 0
    while at < most:
        size = min(1 << 22, most - at)
        part = os.pread(fd, size, at) if hasattr(os, "pread") else _read_at(fd, size, at)
        if not part:
            break
        parts.append(part)
        at += len(part)
    return b"".join(parts)


def _read_at(fd: int, size: int, at: int) -> bytes:
    os.lseek(fd, at, os.SEEK_SET)
    return os.read(fd, size)


def sync(fd: int, *, data_only: bool = False) -> None:
    """Flush a file to the disk, with `data_only` just its content. On macOS that takes more than fsync.

    Raises OSError. Never try again: a sync that failed may be reported as done the second time.
    """
    if sys.platform == "darwin":
        import fcntl

        with contextlib.suppress(OSError):
            fcntl.fcntl(fd, fcntl.F_FULLFSYNC)
            return
    (getattr(os, "fdatasync", os.fsync) if data_only else os.fsync)(fd)


def sync_folder(folder: Path) -> None:
    """Flush a folder's entries to the disk. Raises OSError."""
    if not _POSIX:
        return
    fd = os.open(folder, os.O_RDONLY | getattr(os, "O_DIRECTORY", 0) | getattr(os, "O_CLOEXEC", 0))
    try:
        os.fsync(fd)
    finally:
        os.close(fd)


def make_folder(folder: Path) -> None:
    """Make a folder of ours, 0700, and those above it. An existing one is left as it is. Raises OSError."""
    if folder.is_dir():
        return
    make_folder(folder.parent)
    with contextlib.suppress(FileExistsError):
        folder.mkdir(mode=FOLDER_MODE)
        sync_folder(folder.parent)


class StagedFile:
    """A complete new file, already on the disk, next to its destination: `take_place` moves it there; otherwise it is
    removed at the end of the `with` block. Its folder must exist. Raises OSError.

    `mode` replaces our usual 0600, whatever the umask says.
    """

    def __init__(self, path: Path, data: bytes, mode: int = FILE_MODE) -> None:
        # Imported by those who write: the first paint only reads.
        import secrets

        self._path = path
        self._beside = path.with_name(f"{path.name}.{secrets.token_hex(4)}.new")
        fd = os.open(self._beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL | _NO_FOLLOW, FILE_MODE)
        try:
            try:
                if mode != FILE_MODE:
                    os.fchmod(fd, mode)
                write_at_once(fd, data)
                sync(fd)
            finally:
                os.close(fd)
        except BaseException:
            self._drop()
            raise

    def take_place(self) -> None:
        """Replace whatever is at the destination, with the name flushed to the disk too. Raises OSError."""
        self._beside.replace(self._path)
        sync_folder(self._path.parent)

    def _drop(self) -> None:
        with contextlib.suppress(OSError):
            self._beside.unlink(missing_ok=True)

    def __enter__(self) -> StagedFile:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self._drop()


def write_whole(path: Path, data: bytes, mode: int = FILE_MODE) -> None:
    """Write a whole file durably: beside its place, flushed, renamed, and the name flushed. Raises OSError."""
    with StagedFile(path, data, mode) as new:
        new.take_place()


def copy_if_possible(path: Path, kept: Path) -> None:
    """Keep a copy of a file of ours, if possible. Never raises for what the disk does."""
    with contextlib.suppress(OSError, UnsafeStoreError):
        fd = open_safely(path, os.O_RDONLY)
        try:
            write_whole(kept, read_whole(fd))
        finally:
            os.close(fd)


def write_at_once(fd: int, data: bytes) -> None:
    """Write in a single call. Raises OSError where not every byte was taken."""
    written = os.write(fd, data)
    if written != len(data):
        raise OSError(errno.ENOSPC, f"only {written} of {len(data)} bytes were written; the disk may be full")


def write_new(path: Path, data: bytes) -> None:
    """Write a file that the person asked for, with the mode their umask gives; never over an existing one or through a link.

    Raises FileExistsError, else OSError, and leaves nothing half written.
    """
    fd = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | _NO_FOLLOW, 0o666)
    try:
        with open(fd, "wb") as file:
            file.write(data)
    except OSError:
        path.unlink(missing_ok=True)
        raise


def create_nameless() -> int:
    """Open a file for reading and writing that no folder has: it is gone with its last descriptor. Raises OSError."""
    import tempfile

    fd, name = tempfile.mkstemp(prefix="cgp-tui-")
    Path(name).unlink()
    return fd


def create_private(path: Path) -> int:
    """Open a new recording for writing: 0600 in a 0700 folder, and locked, so that others can see it is being written.

    Raises FileExistsError where something is already there, else OSError.
    """
    make_folder(path.parent)
    fd = os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL | _NO_FOLLOW, FILE_MODE)
    try:
        import fcntl
    except ImportError:
        return fd
    with contextlib.suppress(OSError):
        fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
    return fd
