"""A packed transcript, unpacked as it is looked at into a file without a name, so that it is read like any other.

The packed file is foreign: it may be cut, damaged, followed by something else, or made to grow without end. Whatever ends
it early is named, and the whole lines before that are kept.
"""

from __future__ import annotations

import os
import shlex
import tempfile
import zlib
from collections.abc import Callable
from typing import Any, Final, NamedTuple, Protocol

from cgp_tui import limits
from cgp_tui.errors import InputError, os_reason
from cgp_tui.text import show
from cgp_tui.transcript.formats import GZIP, MAGIC_BYTES, ZSTD
from cgp_tui.transcript.index import read_at

_PIECE: Final = 64 * 1024
"""How many packed bytes are read at once."""

_BITE: Final = 1024
"""How many packed bytes are unpacked at once: few enough that their content fits into memory, whatever they are."""

_WINDOW: Final = 128 * 1024 * 1024
"""How far back a zstd stream may refer, in bytes; the zstd command has the same default."""

_LEEWAY: Final = 16 * 1024 * 1024
"""Bytes that may come out before the ratio to what went in is checked: short sessions repeat themselves a lot."""

_AGAIN: Final = "The whole lines before that are here. For the rest, get the file again."
_NOTHING: Final = "Nothing of it can be read: get the file again."


class _Member(Protocol):
    """One packed stream; a file may hold several, one after the other."""

    @property
    def eof(self) -> bool: ...
    @property
    def unused_data(self) -> bytes: ...
    def decompress(self, data: bytes, /) -> bytes: ...


class _Kind(NamedTuple):
    magic: bytes
    name: str
    command: str
    """The shell command that unpacks such a file and keeps it."""
    member: Callable[[], _Member]
    damage: Callable[[], type[Exception]]
    """The exception that `decompress` raises for data of another kind."""


def _zstandard() -> Any:
    """Imported only for such a file."""
    import zstandard

    return zstandard


_KINDS: Final = (
    _Kind(GZIP, "gzip", "gunzip -k", lambda: zlib.decompressobj(wbits=31), lambda: zlib.error),
    _Kind(
        ZSTD,
        "zstd",
        "unzstd -k",
        lambda: _zstandard().ZstdDecompressor(max_window_size=_WINDOW).decompressobj(),
        lambda: _zstandard().ZstdError,
    ),
)


def unpacking(fd: int, path: str) -> Unpacking | None:
    """The unpacking of the open file `fd`, whose name is `path`; None where its beginning shows that it is not packed. It
    owns the descriptor from then on. Raises InputError unreadable where no file can be made for the content."""
    head = read_at(fd, MAGIC_BYTES, 0)
    kind = next((kind for kind in _KINDS if head.startswith(kind.magic)), None)
    if kind is None:
        return None
    try:
        return Unpacking(fd, path, kind)
    except OSError as error:
        reason = os_reason(error)
        message = f"{show(path)} ({kind.name}) cannot be unpacked: {reason}."
        raise InputError(
            "unreadable", message, "Make room in the folder for temporary files, or name another: TMPDIR."
        ) from None


class Unpacking:
    """A packed file being unpacked. `spool` is the descriptor of the content, `size` the number of its bytes that are whole
    lines so far, in the end all of them; `trouble` is what ended it early, None where nothing did."""

    def __init__(self, fd: int, path: str, kind: _Kind) -> None:
        self.size = 0
        self.done = False
        self.trouble: InputError | None = None
        with tempfile.TemporaryFile(buffering=0) as file:
            self.spool = os.dup(file.fileno())
        self._fd = fd
        self._path = path
        self._kind = kind
        self._member: _Member | None = kind.member()
        self._damage = kind.damage()
        self._read = 0
        self._taken = 0
        self._out = 0

    def status(self) -> os.stat_result:
        """The status of the packed file. Raises OSError."""
        return os.fstat(self._fd)

    def first(self, bytes_: int) -> int:
        """Like `more`, to begin with; returns the size. Raises InputError unreadable where there is not one line."""
        self.more(bytes_)
        if self.trouble is not None and not self.size:
            if self.trouble.fix == _AGAIN:
                self.trouble.fix = _NOTHING
            raise self.trouble
        return self.size

    def more(self, bytes_: int) -> None:
        """Unpack at least `bytes_` more bytes, or all there is. Never raises: what goes wrong becomes `trouble`."""
        upto = self._out + bytes_
        while not self.done and self._out < upto:
            try:
                piece = read_at(self._fd, _PIECE, self._read)
                self._read += len(piece)
                self._take(piece)
            except self._damage as error:
                self._stop(f"is damaged: {show(str(error), 200)}", _AGAIN)
            except OSError as error:
                self._stop(f"cannot be unpacked: {os_reason(error)}", "Make room for it, and open it again.")

    def close(self) -> None:
        """Close both files."""
        if self._fd >= 0:
            os.close(self._fd)
            self._fd = -1
            os.close(self.spool)

    def _take(self, piece: bytes) -> None:
        if not piece:
            if self._member is None:
                self.size, self.done = self._out, True
            else:
                self._stop("ends in the middle", _AGAIN)
        while piece and not self.done:
            if self._member is None:
                # Zeros pad the last block of a tape; anything else has to be another stream.
                piece = piece.lstrip(b"\0")
                self._member = self._kind.member() if piece else None
                continue
            bite, piece = piece[:_BITE], piece[_BITE:]
            self._taken += len(bite)
            self._keep(self._member.decompress(bite))
            if self._member.eof:
                piece = self._member.unused_data + piece
                self._taken -= len(self._member.unused_data)
                self._member = None

    def _keep(self, data: bytes) -> None:
        last = data.rfind(b"\n") + 1
        if last:
            self.size = self._out + last
        self._out += len(data)
        rest = memoryview(data)
        while rest:
            rest = rest[os.write(self.spool, rest) :]
        much = self._out > max(_LEEWAY, self._taken * limits.UNPACK_RATIO)
        if much or self._out > limits.UNPACKED_BYTES:
            why = f"over {limits.UNPACK_RATIO} times its size" if much else f"over {limits.UNPACKED_BYTES:,} bytes"
            command = f"{self._kind.command} {shlex.quote(self._path)}"
            self._stop(f"unpacks to {why}", f"If you trust it, unpack it and open the result: {command}")

    def _stop(self, what: str, fix: str) -> None:
        # Only the file's name: the message has to fit on one line of a screen.
        name = f"{show(os.path.basename(self._path))} ({self._kind.name})"  # noqa: PTH119
        self.trouble = InputError("unreadable", f"{name} {what}, after {self._out:,} unpacked bytes.", fix)
        self.done = True
