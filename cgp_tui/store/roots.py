"""Confined reads of the person's files: what a `file://` URI names, if it lies in a folder that the person opened for it.

The URI is foreign text. Its path is walked folder by folder from the opened one, without a symbolic link at any step. Only
regular files are opened, without waiting, and read up to a limit; a file that changes meanwhile is not used. `..` is
resolved in the text, so that a path that leads out is seen to lead out. What one run reads in total is bounded too.
"""

from __future__ import annotations

import os
import re
import stat
from collections import OrderedDict
from collections.abc import Sequence
from pathlib import Path
from types import TracebackType
from typing import Final, Self
from urllib.parse import unquote_to_bytes

import msgspec

from cgp_tui import limits
from cgp_tui.errors import InputError
from cgp_tui.store.files import mark_of

_AVAILABLE: Final = os.open in os.supports_dir_fd and os.stat in os.supports_dir_fd and hasattr(os, "O_NOFOLLOW")
_FOLDER: Final = os.O_RDONLY | getattr(os, "O_DIRECTORY", 0) | getattr(os, "O_CLOEXEC", 0)
_BELOW: Final = _FOLDER | getattr(os, "O_NOFOLLOW", 0)
_FILE: Final = (
    os.O_RDONLY
    | getattr(os, "O_NOFOLLOW", 0)
    | getattr(os, "O_NONBLOCK", 0)
    | getattr(os, "O_NOCTTY", 0)
    | getattr(os, "O_CLOEXEC", 0)
)
_URI: Final = re.compile(r"file://(?:localhost)?(/[^?#]*)", re.IGNORECASE)
_PIECE: Final = 1 << 20
_URI_CHARS: Final = 16_384

Steps = tuple[bytes, ...]


class Unread(msgspec.Struct, frozen=True):
    """Why nothing was read, in words; `outside` says that the URI leads out of every opened folder."""

    why: str
    outside: bool = False


class Read(msgspec.Struct, frozen=True):
    """All bytes of a file, and the opened folder that it lies under."""

    root: Path
    data: bytes


class Roots:
    """Folders that the person opened. A symbolic link to such a folder itself is the person's own and is followed.

    Raises InputError `unreadable` for a folder that cannot be opened. `close` releases them.
    """

    def __init__(self, folders: Sequence[Path]) -> None:
        self.read_bytes = 0
        """Bytes read and hashed so far; see `spend`."""
        self._roots: list[tuple[Steps, Path, int]] = []
        self._kept: OrderedDict[Steps, Read | Unread] = OrderedDict()
        self._kept_bytes = 0
        try:
            for folder in folders:
                self._open(folder)
        except BaseException:
            self.close()
            raise
        # The nearest folder is the one that is meant.
        self._roots.sort(key=lambda root: -len(root[0]))

    def _open(self, folder: Path) -> None:
        plain = Path(os.path.abspath(folder))  # noqa: PTH100 -- resolves `..` in the text, as the URIs are
        try:
            fd = os.open(plain, _FOLDER) if _AVAILABLE else -1
            names = {plain, Path(os.path.realpath(plain))}
        except (OSError, ValueError) as error:
            reason = getattr(error, "strerror", None) or str(error)
            fix = "Name a folder that you can read: --root DIR"
            raise InputError("unreadable", f"The folder {folder} cannot be opened: {reason}.", fix) from None
        for place, name in enumerate(sorted(names)):
            self._roots.append((_steps(os.fsencode(name)), plain, os.dup(fd) if place else fd))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()

    def close(self) -> None:
        """Release the folders; nothing can be read afterwards."""
        while self._roots:
            fd = self._roots.pop()[2]
            if fd >= 0:
                os.close(fd)
        self._kept.clear()

    def spend(self, size: int) -> bool:
        """Count `size` bytes about to be read or hashed; False where that exceeds what one run may read."""
        if self.read_bytes + size > limits.REREAD_TOTAL_BYTES:
            return False
        self.read_bytes += size
        return True

    def read(self, uri: str) -> Read | Unread:
        """The bytes of the file that `uri` names, as they were when it was first asked for."""
        if not _AVAILABLE:
            return Unread("this system has no way to read beneath a folder safely")
        found = _URI.fullmatch(uri) if len(uri) <= _URI_CHARS else None
        if found is None:
            return Unread("its uri is not a plain file:// path")
        try:
            path = unquote_to_bytes(found[1])
        except UnicodeEncodeError:
            return Unread("its uri holds half a character")
        if b"\0" in path:
            return Unread("its uri holds a NUL")
        steps = _steps(path)
        for prefix, folder, fd in self._roots:
            if steps[: len(prefix)] == prefix:
                return self._once(steps, folder, fd, steps[len(prefix) :])
        return Unread("no opened folder holds it", outside=True)

    def _once(self, steps: Steps, folder: Path, fd: int, below: Steps) -> Read | Unread:
        kept = self._kept.get(steps)
        if kept is not None:
            self._kept.move_to_end(steps)
            return kept
        try:
            read: Read | Unread = self._descend(folder, fd, below)
        except BlockingIOError:
            read = Unread("reading it would block")
        except OSError as error:
            read = Unread(_reason(error))
        self._kept[steps] = read
        self._kept_bytes += _size(read)
        while len(self._kept) > 1 and (self._kept_bytes > limits.REREAD_KEPT_BYTES or len(self._kept) > limits.REMEMBERED):
            self._kept_bytes -= _size(self._kept.popitem(last=False)[1])
        return read

    def _descend(self, folder: Path, fd: int, below: Steps) -> Read | Unread:
        """Go from an opened folder to the file, a step at a time. Raises OSError."""
        if not below:
            return Unread("it is a folder")
        at = os.dup(fd)
        try:
            for step in below[:-1]:
                deeper = os.open(step, _BELOW, dir_fd=at)
                os.close(at)
                at = deeper
            return self._file(folder, at, below[-1])
        finally:
            os.close(at)

    def _file(self, folder: Path, at: int, name: bytes) -> Read | Unread:
        # Checked before it is opened: opening a device may already have an effect.
        problem = _unfit(os.stat(name, dir_fd=at, follow_symlinks=False))
        if problem is not None:
            return problem
        fd = os.open(name, _FILE, dir_fd=at)
        try:
            before = os.fstat(fd)
            problem = _unfit(before)
            if problem is not None:
                return problem
            if not self.spend(before.st_size):
                return Unread("the limit for one run is reached")
            data = _whole(fd)
            if data is None or len(data) != before.st_size or mark_of(os.fstat(fd)) != mark_of(before):
                return Unread("it changed while it was read")
            return Read(folder, data)
        finally:
            os.close(fd)


def _unfit(status: os.stat_result) -> Unread | None:
    """What keeps a file from being read."""
    if stat.S_ISLNK(status.st_mode):
        return Unread("it is a symbolic link")
    if stat.S_ISDIR(status.st_mode):
        return Unread("it is a folder")
    if not stat.S_ISREG(status.st_mode):
        return Unread("it is not a regular file")
    if status.st_size > limits.REREAD_BYTES:
        return Unread(f"it is larger than {limits.REREAD_BYTES >> 20} MiB")
    return None


def _whole(fd: int) -> bytes | None:
    """All bytes of a file, None where it is larger than `limits.REREAD_BYTES`. Raises OSError."""
    parts: list[bytes] = []
    size = 0
    while part := os.read(fd, _PIECE):
        parts.append(part)
        size += len(part)
        if size > limits.REREAD_BYTES:
            return None
    return b"".join(parts)


def _steps(path: bytes) -> Steps:
    """The names along an absolute path, with `.` and `..` resolved in the text; `..` at the top stays at the top."""
    steps: list[bytes] = []
    for name in path.split(b"/"):
        if name == b"..":
            del steps[-1:]
        elif name not in (b"", b"."):
            steps.append(name)
    return tuple(steps)


def _size(read: Read | Unread) -> int:
    return len(read.data) if isinstance(read, Read) else 0


def _reason(error: OSError) -> str:
    if isinstance(error, FileNotFoundError):
        return "there is no such file"
    if isinstance(error, NotADirectoryError) or error.errno in _LOOPED:
        return "a part of its path is a symbolic link or not a folder"
    if isinstance(error, PermissionError):
        return "you may not read it"
    return f"it cannot be read: {(error.strerror or 'error').lower()}"


def _looped() -> frozenset[int]:
    import errno

    return frozenset({errno.ELOOP, errno.EMLINK})


_LOOPED: Final = _looped()
"""The error numbers that systems give for a link that must not be followed."""
