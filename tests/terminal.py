"""A terminal for tests: a command on a real pty, what it wrote, and what a person would see."""

from __future__ import annotations

import contextlib
import fcntl
import os
import pty
import re
import select
import signal
import struct
import subprocess
import sys
import termios
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import TracebackType

import pyte

# Runs in the child: the pty becomes the controlling terminal, without a fork inside a test process that has threads.
_ADOPT = "import fcntl, os, sys, termios; fcntl.ioctl(0, termios.TIOCSCTTY, 0); os.execvp(sys.argv[1], sys.argv[1:])"

_SIZE = frozenset({"COLUMNS", "LINES"})

# What moves the cursor, colours, asks or names the window, and what of it has come when it is cut.
_COMMAND = re.compile(
    rb"\x1b(?:\[[0-?]*[ -/]*[@-~]|[\]P_X^][^\x07\x1b]*(?:\x07|\x1b\\)|[ -/][0-~]|[0-OQ-WYZ`-~])"
    rb"|\x1b(?:\[[0-?]*[ -/]*|[\]P_X^][^\x07\x1b]*\x1b?|[ -/])?\Z"
)


def words(raw: bytes) -> bytes:
    """What a terminal is given to show, without the commands between."""
    return _COMMAND.sub(b"", raw)


ESCAPE = "\x1b\x1b[I"
"""The key, and the word of the terminal that its window has the focus."""


class Terminal:
    """`raw` is every byte written so far; `text` is the screen as lines. Use as a context manager: leaving kills."""

    def __init__(
        self,
        argv: Sequence[str],
        rows: int = 24,
        columns: int = 80,
        *,
        cwd: Path | None = None,
        env: Mapping[str, str] | None = None,
    ) -> None:
        self.raw = b""
        self._screen = pyte.Screen(columns, rows)
        self._stream = pyte.ByteStream(self._screen)
        self._fd, theirs = pty.openpty()
        fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
        self.modes = termios.tcgetattr(theirs)
        # A size in the environment, as xdist leaves one, would stand in for the terminal's own.
        inherited = {name: value for name, value in (os.environ if env is None else env).items() if name not in _SIZE}
        self.process = subprocess.Popen(
            [sys.executable, "-c", _ADOPT, *argv],
            stdin=theirs,
            stdout=theirs,
            stderr=theirs,
            start_new_session=True,
            cwd=cwd,
            env={**inherited, "TERM": (env or {}).get("TERM", "xterm-256color")},
        )
        os.close(theirs)

    def __enter__(self) -> Terminal:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()
        self.hang_up()

    @property
    def text(self) -> str:
        return "\n".join(line.rstrip() for line in self._screen.display)

    def send(self, data: str | bytes) -> None:
        rest = memoryview(data.encode() if isinstance(data, str) else data)
        while rest:
            # A process that is stopped and goes on finds its write cut short.
            rest = rest[os.write(self._fd, rest) :]

    def press(self, *keys: str) -> None:
        """Keys one after the other, each given time to be answered: until something comes, and then no more; many keys have
        no answer. What follows an escape cannot be taken for the rest of a sequence, however late it is read."""
        for key in keys:
            self.send(ESCAPE if key == "\x1b" else key)
            before, end = len(self.raw), time.monotonic() + 0.5
            while len(self.raw) == before and time.monotonic() < end and self.process.poll() is None:
                self.read(0.02)
            while self.read(0.1):
                pass

    def resize(self, rows: int, columns: int) -> None:
        fcntl.ioctl(self._fd, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
        self._screen.resize(rows, columns)

    def hang_up(self) -> None:
        """The window is closed."""
        if self._fd >= 0:
            os.close(self._fd)
            self._fd = -1

    def read(self, seconds: float) -> bytes:
        """Take in what comes within `seconds`, all of it; returns at once when the other side is gone."""
        start = len(self.raw)
        end = time.monotonic() + seconds
        while (left := end - time.monotonic()) > 0:
            if not select.select([self._fd], [], [], left)[0]:
                break
            try:
                data = os.read(self._fd, 65536)
            except OSError:
                break
            if not data:
                break
            self.raw += data
            self._stream.feed(data)
        return self.raw[start:]

    def moment(self, text: str, seconds: float = 120, since: int = 0) -> float:
        """When, by the performance counter, the bytes came that say `text`, or anything at all where it is empty. What was
        written before byte `since` says nothing. What came is drawn afterwards: that takes longer than what is to be
        measured. Raises AssertionError."""
        end, came, first = time.monotonic() + seconds, 0.0, len(self.raw)
        while not came and (left := end - time.monotonic()) > 0 and select.select([self._fd], [], [], left)[0]:
            try:
                self.raw += os.read(self._fd, 65536)
            except OSError:
                break
            now, said = time.perf_counter(), words(self.raw[since:])
            came = now if (text.encode() in said if text else said.strip()) else 0.0
        self._stream.feed(self.raw[first:])
        assert came, f"not seen: {text!r}\n{self.text.strip()}\n{self.raw[-400:]!r}"
        return came

    def wait(self, until: str | Callable[[Terminal], bool], seconds: float = 120) -> str:
        """Read until the screen shows a text, or until a condition holds, and return the screen. Raises AssertionError."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            if until in self.text if isinstance(until, str) else until(self):
                return self.text
            if not self.read(0.05) and self.process.poll() is not None:
                break
        raise AssertionError(f"not seen: {until!r}\n{self.text.strip()}\n{self.raw[-400:]!r}")

    def ended(self, seconds: float = 120) -> int:
        """Wait for the end, reading on, and return the exit code (negative for a signal)."""
        end = time.monotonic() + seconds
        while self.process.poll() is None and time.monotonic() < end:
            if self._fd >= 0:
                self.read(0.05)
            else:
                time.sleep(0.05)
        if self._fd >= 0:
            self.read(0.05)
        code = self.process.poll()
        assert code is not None, f"still running after {seconds} s\n{self.text}"
        return code
