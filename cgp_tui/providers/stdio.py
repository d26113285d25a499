"""Run a provider over this process's own pipes: one line in, one line out, until `shutdown` or the end of input.

Only replies reach stdout: whatever else the process prints there, now or later, goes to stderr, since one stray line would
end the connection. Neither a host that goes away nor SIGTERM is a fault: the reply under way is finished first.
"""

from __future__ import annotations

import contextlib
import os
import signal
import threading
import traceback
from collections.abc import Iterator
from types import FrameType
from typing import Final

from cgp_tui.errors import OurError, PeerError, os_reason
from cgp_tui.providers.kit import Answerer, Provider
from cgp_tui.text import show
from cgp_tui.wire.framer import Framer

_CHUNK: Final = 64 * 1024
_STDIN, _STDOUT, _STDERR = 0, 1, 2
_STOPPING: Final = (signal.SIGTERM, signal.SIGINT)


class _Stopped(BaseException):
    """A signal came while nothing was under way."""


class _Stop:
    """Whether the process was told to end, and whether it may end right now."""

    def __init__(self) -> None:
        self.asked = False
        self.idle = False

    def __call__(self, _signal: int, _frame: FrameType | None) -> None:
        self.asked = True
        if self.idle:
            raise _Stopped


def run_stdio(provider: Provider) -> None:
    """Serve `provider` until it is told to stop. Returns on `shutdown`, end of input, a closed pipe, SIGTERM and SIGINT.

    A last line without its newline is answered too, as a file piped in may lack it. A stdin that was closed before the start
    counts as the end of input, a closed stdout as a host that is gone. Raises OurError unwritable where a reply cannot be
    written for another reason, like a full disk.
    """
    answerer = Answerer(provider, _report)
    stop = _Stop()
    out = _take_stdout()
    if out is None:
        return
    with _handled(stop), contextlib.suppress(BrokenPipeError, _Stopped):
        for line in _lines(_STDIN, stop):
            reply = answerer.overlong() if line is None else answerer.answer(line)
            if reply is not None:
                _reply(out, reply + b"\n")
            if answerer.shut or stop.asked:
                return


def _lines(fd: int, stop: _Stop) -> Iterator[bytes | None]:
    """Each line as it comes; None for one beyond the size limit, which is skipped to its end."""
    framer: Framer | None = Framer()
    while chunk := _read(fd, stop):
        if framer is None:
            chunk = _after_newline(chunk)
            if not chunk:
                continue
            framer = Framer()
        try:
            lines = framer.feed(chunk)
        except PeerError:
            # The limit is far larger than a chunk, so the chunk's first newline ends the overlong line.
            yield None
            rest = _after_newline(chunk)
            framer = Framer() if b"\n" in chunk else None
            lines = framer.feed(rest) if framer is not None else []
        yield from lines
    last = framer.finish() if framer is not None else None
    if last is not None:
        yield last


def _after_newline(chunk: bytes) -> bytes:
    return chunk.partition(b"\n")[2]


def _read(fd: int, stop: _Stop) -> bytes:
    stop.idle = True
    try:
        return os.read(fd, _CHUNK)
    finally:
        stop.idle = False


def _reply(fd: int, data: bytes) -> None:
    try:
        _write(fd, data)
    except BrokenPipeError:
        raise
    except OSError as error:
        reason = os_reason(error)
        raise OurError(
            "unwritable", f"The reply could not be written: {reason}.", "Free disk space or choose another place."
        ) from None


def _write(fd: int, data: bytes) -> None:
    view = memoryview(data)
    while view:
        view = view[os.write(fd, view) :]


def _report(fault: Exception) -> None:
    """The provider's own fault, for its owner: on stderr, its foreign parts made visible."""
    for entry in traceback.format_exception(fault):
        for line in entry.splitlines():
            with contextlib.suppress(OSError):
                _write(_STDERR, show(line).encode() + b"\n")


def _take_stdout() -> int | None:
    """The real stdout under another number, while number 1 leads to stderr from now on. None where it was closed."""
    if not _is_open(_STDOUT):
        return None
    for number, way in ((_STDIN, os.O_RDONLY), (_STDERR, os.O_WRONLY)):
        # A closed number must not go to the next descriptor that is opened, least of all to stdout's copy.
        if not _is_open(number):
            os.dup2(os.open(os.devnull, way), number)
    out = os.dup(_STDOUT)
    os.dup2(_STDERR, _STDOUT)
    return out


def _is_open(fd: int) -> bool:
    try:
        os.fstat(fd)
    except OSError:
        return False
    return True


@contextlib.contextmanager
def _handled(stop: _Stop) -> Iterator[None]:
    """Handle the signals that ask for an end, as only the main thread may."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = [(number, signal.signal(number, stop)) for number in _STOPPING]
    try:
        yield
    finally:
        for number, handler in before:
            signal.signal(number, handler)
