"""Recording: every line and note is in the file before anybody acts on it."""

from __future__ import annotations

import contextlib
import os
import threading
import time
from collections.abc import Callable, Sequence
from typing import Final

from cgp_tui import limits
from cgp_tui.errors import OurError, os_reason
from cgp_tui.protocol.anchors import Party
from cgp_tui.protocol.timestamp import utc_text
from cgp_tui.transcript.record import Header, encode_header, encode_line, encode_note
from cgp_tui.wire.line import Line
from cgp_tui.wire.note import Dropped, KnownNote, LedgerMark

_FIX: Final = "Nothing more is sent while it cannot be recorded. Free space on that disk, then start again."


class Unrecorded(OurError):
    """A record that did not reach the file. `lines` are the wire lines it was for: they have their numbers all the same."""

    def __init__(self, reason: str, lines: tuple[Line, ...]) -> None:
        super().__init__("unrecordable", f"The recording cannot be written: {reason}.", _FIX)
        self.lines = lines


class Writer:
    """One recording, from its header on. Safe to call from several threads.

    `fd` is a new file open for writing, which the writer closes in the end; None keeps no record and only hands out numbers
    and times, for a library host that was not asked to record. Times are seconds since the start by a clock that nobody
    sets. Raises OurError unrecordable where the header cannot be written.
    """

    def __init__(
        self,
        fd: int | None,
        recorder: str,
        *,
        ledger: LedgerMark | None = None,
        clock: Callable[[], float] = time.monotonic,
        started: float | None = None,
        cap: int = limits.TRANSCRIPT_BYTES,
    ) -> None:
        self._fd = fd
        self._clock = clock
        self._zero = clock()
        self._cap = cap
        self._lock = threading.Lock()
        self._lines = 0
        self._connections = 0
        self._size = 0
        self.lost = 0
        """Wire lines that did not reach the file since its last whole record."""
        self.header = Header(utc_text(time.time() if started is None else started), recorder, ledger=ledger)
        self._append(encode_header(self.header), ())

    def now(self) -> float:
        """Seconds since the start of the recording, in whole microseconds."""
        return round(self._clock() - self._zero, 6)

    def connection(self) -> int:
        """The next connection's number, from 1."""
        with self._lock:
            self._connections += 1
            return self._connections

    def line(self, connection: int, sender: Party, raw: bytes) -> Line:
        """Record one wire line, without its newline, and give it its number. Raises OurError unrecordable."""
        with self._lock:
            line = Line(self._lines + 1, connection, sender, self.now(), raw)
            self._lines += 1
            if self._fd is not None:
                self._append(encode_line(line), (line,))
            return line

    def batch(self, connection: int, sender: Party, raws: Sequence[bytes]) -> tuple[Line, ...]:
        """Record lines that came together, in one write. Raises OurError unrecordable: then none of them is in the file."""
        with self._lock:
            now = self.now()
            first = self._lines + 1
            self._lines += len(raws)
            lines = tuple(Line(first + at, connection, sender, now, raw) for at, raw in enumerate(raws))
            if self._fd is not None:
                self._append(b"".join(map(encode_line, lines)), lines)
            return lines

    def note(self, note: KnownNote) -> None:
        """Record one note. Raises OurError unrecordable."""
        if self._fd is not None:
            with self._lock:
                self._append(encode_note(note), ())

    def close(self) -> None:
        """Close the file. What was numbered after its last record is lost, and the next numbers tell.

        Raises OurError unrecordable where the system says only now, as over a network, that what it took is not kept.
        """
        with self._lock:
            fd, self._fd = self._fd, None
            try:
                if fd is not None:
                    os.close(fd)
            except OSError as error:
                raise Unrecorded(os_reason(error), ()) from None

    def _append(self, data: bytes, lines: tuple[Line, ...]) -> None:
        """Write whole records or none: a torn one is cut off again, and the next record says how many were lost."""
        if self._fd is None:
            return
        if self.lost:
            data = encode_note(Dropped(t=self.now(), connection=self._connections, lines=self.lost)) + data
        try:
            if self._size + len(data) > self._cap:
                raise OSError(0, f"it has reached {self._cap:,} bytes")
            rest = memoryview(data)
            while rest:
                rest = rest[os.write(self._fd, rest) :]
        except OSError as error:
            self.lost += len(lines)
            with contextlib.suppress(OSError):
                os.ftruncate(self._fd, self._size)
                os.lseek(self._fd, self._size, os.SEEK_SET)
            raise Unrecorded(os_reason(error), lines) from None
        self.lost = 0
        self._size += len(data)
