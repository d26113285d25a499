"""A transcript opened for reading, whole or still growing."""

from __future__ import annotations

import itertools
import os
from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Final, Literal, Self

from cgp_tui import limits
from cgp_tui.errors import InputError
from cgp_tui.text import show
from cgp_tui.transcript import formats
from cgp_tui.transcript.index import Index, read_at
from cgp_tui.transcript.opened import failing, opened
from cgp_tui.transcript.record import FORMAT, Damaged, Header, Record, decode_record
from cgp_tui.transcript.row import HEAD, TAIL, WHOLE, Peeked, bare_row, damaged_row, record_row, whole_row
from cgp_tui.transcript.sender import greets, sender
from cgp_tui.wire.line import Line
from cgp_tui.wire.peek import peek, prefix

if TYPE_CHECKING:
    from cgp_tui.transcript.packed import Unpacking

AT_ONCE: Final = 16 * 1024 * 1024
"""How many bytes one call of `open` or `refresh` looks at: about ten milliseconds."""
FIRST: Final = 1024 * 1024
"""How many are enough for a first screen."""
_UNPACKED_AT_ONCE: Final = 4 * 1024 * 1024
"""How many bytes one call of `refresh` unpacks: about as long."""

_PIECE: Final = 1024 * 1024
"""How much of a long line is read in one go."""

Event = Literal["", "replaced", "shrunken", "gone"]

_CHECKED: Final = 4096
"""How many of the first bytes show whether another file was written in its place."""


class Transcript:
    """Records by their number from 0, read from the file when they are asked for; only their offsets are kept.

    A growing transcript (`growing`) leaves bytes after the last LF alone until their LF comes; a whole one counts them as a
    record. `event` is what the last `refresh` found besides growth; the transcript is then another one: `generation` has
    gone up, and records count from 0 again. A packed file (gzip, zstd) reads like its content.
    """

    def __init__(self, path: Path, growing: bool = False, look: int | None = None) -> None:
        """Open and recognise `path`. Raises InputError not_a_transcript or unreadable."""
        self.path = path
        self.event: Event = ""
        self.generation = 0
        self._growing = growing
        self._look = look
        self._fd = -1
        self._packed: Unpacking | None = None
        self._start()

    @classmethod
    def open(cls, path: Path | str, growing: bool = False, look: int | None = None) -> Transcript:
        """Open `path` by what it holds, not by its name, and look at the first `look` bytes, AT_ONCE by default. Raises
        InputError not_a_transcript or unreadable."""
        return cls(Path(path), growing, look)

    @classmethod
    def counted(cls, path: Path | str, growing: bool = False) -> Transcript:
        """Open `path` and look at all it holds now. Raises InputError as `open`, and where it is taken away meanwhile."""
        transcript = cls(Path(path), growing)
        while not transcript.indexed:
            transcript.refresh()
            if transcript.event == "gone":
                transcript.close()
                message = f"{show(str(path))} was removed while it was read."
                raise InputError("unreadable", message, "Run the command again.")
        return transcript

    def _start(self) -> None:
        """Open the file by its name; the one open before is kept until that has worked."""
        fd = opened(self.path)
        packed: Unpacking | None = None
        try:
            held = os.fstat(fd)
            size, packed = held.st_size, _unpacking(fd, str(self.path))
            if packed is not None:
                fd, size = packed.spool, packed.first(FIRST)
            head = read_at(fd, formats.LOOK, 0)
            found = formats.recognise(str(self.path), head, len(head) >= size and (packed is None or packed.done))
        except BaseException as error:
            os.close(fd) if packed is None else packed.close()
            if isinstance(error, OSError):
                raise failing(self.path, error) from None
            raise
        self.close()
        self._fd, self._packed, self._size = fd, packed, size
        self._held = held.st_size, held.st_mtime_ns
        self._first = head[:_CHECKED]
        self.format: formats.Name = found.format
        self.header: Header | None = found.header
        self._others = array("Q")
        """In a transcript: the records that are not wire lines. In a bare file: those that open a connection."""
        self._index = Index(fd, self._sort, found.start)
        self._grow(AT_ONCE if self._look is None else self._look)

    def __len__(self) -> int:
        """The number of records, as far as the file has been looked at."""
        return len(self._index)

    @property
    def lines(self) -> int:
        """The number of wire lines: in a bare file its physical lines, blank and damaged ones too."""
        return len(self) if self.format == "bare" else len(self) - len(self._others)

    @property
    def indexed(self) -> bool:
        """Whether everything that the file held at the last look is counted."""
        return self._index.read >= self._size and (self._packed is None or self._packed.done)

    @property
    def complete(self) -> bool:
        """Whether nobody is expected to write any more, and everything is counted."""
        return self.indexed and not self._growing

    @property
    def trouble(self) -> InputError | None:
        """What ended a packed file early: the whole lines before that are all there is. None where nothing did."""
        return None if self._packed is None else self._packed.trouble

    @property
    def tail(self) -> int:
        """Bytes at the end that belong to no record yet: a writer is at work, or was cut off."""
        return self._index.tail

    def record(self, at: int) -> Record:
        """The record `at`, read whole. Raises IndexError."""
        start, length = self._index.span(at)
        return self._record(at, self._read(start, length))

    def raw(self, at: int) -> bytes:
        """The bytes of record `at` as the file holds them. Raises IndexError."""
        return self._read(*self._index.span(at))

    def own(self, at: int) -> bytes:
        """The bytes of the line or note in record `at`, without what the recording adds around a line. Raises IndexError."""
        raw = self._read(*self._index.span(at))
        if self.format != FORMAT:
            return raw
        record = decode_record(raw)
        return record.raw if isinstance(record, (Line, Damaged)) else raw

    def size(self, first: int, after: int) -> int:
        """The bytes of the records from `first` up to `after`, their LFs included."""
        return self._index.size(first, after)

    def records(self, first: int = 0) -> Iterator[Record]:
        """The records from `first` on, as far as they are counted now, by large reads."""
        if self.format == FORMAT:
            for _, lines in self._blocks(first):
                yield from map(decode_record, lines)
            return
        connection, until = 0, first
        for begin, lines in self._blocks(first):
            for at, raw in enumerate(lines, begin):
                if at >= until:
                    connection, until = self.connection(at), self._next_connection(at)
                yield Line(at + 1, connection, sender(raw), 0.0, raw)

    def notes(self, first: int = 0) -> Iterator[tuple[int, Record]]:
        """The records from `first` on that are not wire lines, each with its number, as far as they are counted now. A bare
        file has none."""
        others = self._others if self.format == FORMAT else array("Q")
        for at in others[bisect_left(others, first) :]:
            yield at, self.record(at)

    def row(self, at: int) -> Peeked:
        """The columns of record `at`, from just its first and last few hundred bytes. Raises IndexError."""
        start, length = self._index.span(at)
        head = self._read(start, min(length, HEAD))
        tail = self._read(start + length - TAIL, TAIL) if length > HEAD else b""
        if self.format == "bare":
            return bare_row(at + 1, self.connection(at), head, tail, length)
        found = record_row(head, tail, length)
        if found is not None:
            return found
        return whole_row(self._read(start, length)) if length <= WHOLE else damaged_row(head, length)

    def connection(self, at: int) -> int:
        """In a bare file: the connection that record `at` belongs to; every handshake line opens one."""
        return max(1, bisect_right(self._others, at))

    def place(self, n: int) -> int | None:
        """The record that is wire line `n`; None where there is none, as for a lost line."""
        if self.format == "bare":
            return n - 1 if 1 <= n <= len(self) else None
        guess = self._nth_line(n)
        if 0 <= guess < len(self) and self.row(guess).n == n:
            return guess
        low, high = 0, len(self)
        while low < high:
            middle = at = (low + high) // 2
            while at < high and self.row(at).n is None:
                at += 1
            found = self.row(at).n if at < high else None
            if found == n:
                return at
            if found is not None and found < n:
                low = at + 1
            else:
                high = middle
        return None

    def file_line(self, n: int) -> int | None:
        """The line of the file, from 1, that holds wire line `n`; None where there is none."""
        at = self.place(n)
        return None if at is None else at + (1 if self.header is None else 2)

    def refresh(self, look: int = AT_ONCE) -> bool:
        """Look at the file again, continuing where the last look stopped. Returns whether records were added or replaced.

        Reads at most `look` bytes: a large file is counted over several calls (`indexed`).
        """
        self.event = self._whats_new()
        if self.event in ("replaced", "shrunken"):
            try:
                self._start()
            except InputError:
                self.event = "gone"
                return False
            self.generation += 1
            return True
        if self.event:
            return False
        if self._packed is not None:
            self._packed.more(min(look, _UNPACKED_AT_ONCE))
            self._size = self._packed.size
        return self._grow(look)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *failure: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the file."""
        if self._packed is not None:
            self._packed.close()
        elif self._fd >= 0:
            os.close(self._fd)
        self._fd = -1

    def _whats_new(self) -> Event:
        try:
            named, held = self.path.stat(), os.fstat(self._fd) if self._packed is None else self._packed.status()
        except OSError:
            return "gone"
        if (named.st_ino, named.st_dev) != (held.st_ino, held.st_dev):
            return "replaced"
        now = held.st_size, held.st_mtime_ns
        if self._packed is not None:
            return "" if now == self._held else "replaced"
        if held.st_size < self._size:
            return "shrunken"
        if now == self._held:
            return ""
        rewritten = self._read(0, len(self._first)) != self._first
        if rewritten or (held.st_size > self._size and self._index.settled):
            return "replaced"
        self._size, self._held = held.st_size, now
        return ""

    def _grow(self, bytes_: int) -> bool:
        try:
            grown = self._index.extend(min(self._size, self._index.read + bytes_))
        except OSError as error:
            raise failing(self.path, error) from None
        if self.indexed and not self._growing:
            grown = self._index.settle() or grown
        return grown

    def _sort(self, whole: bytes, first: int, count: int) -> None:
        """Note which new lines are special: those that are not wire lines in a transcript, handshakes in a bare file."""
        if count == 1 and self._is_long(whole, first):
            self._sort_long(whole, first)
        elif self.format == "bare":
            self._note_handshakes(whole, first, count)
        elif self._index.settled and not isinstance(decode_record(whole), Line):
            self._others.append(first)
        elif whole.count(b'\n{"n":') + whole.startswith(b'{"n":') != count:
            for at, line in enumerate(whole.split(b"\n")[:count], first):
                if not line.startswith(b'{"n":') and not isinstance(decode_record(line), Line):
                    self._others.append(at)

    def _is_long(self, told: bytes, at: int) -> bool:
        """Whether only the beginning of this line was passed on."""
        return len(told) < self._index.span(at)[1]

    def _sort_long(self, begin: bytes, at: int) -> None:
        """The same for a long line, by its beginning; it is read whole only where that does not tell."""
        if self.format == "bare":
            kind = prefix(begin[:HEAD]).type or peek(self.raw(at)).type
            if kind == "handshake":
                self._others.append(at)
        elif begin.startswith(b'{"n":') and not self._index.settled:
            return
        elif not isinstance(decode_record(self.raw(at)), Line):
            self._others.append(at)

    def _note_handshakes(self, whole: bytes, first: int, count: int) -> None:
        """Note the lines of type handshake."""
        for line, (begin, end) in enumerate(itertools.pairwise(self._index.starts(first, first + count)), first):
            if greets(whole, begin, end):
                self._others.append(line)

    def _record(self, at: int, raw: bytes) -> Record:
        if self.format == FORMAT:
            return decode_record(raw)
        return Line(at + 1, self.connection(at), sender(raw), 0.0, raw)

    def _next_connection(self, at: int) -> int:
        """The next record after `at` that opens a connection; the number of records where none does."""
        place = bisect_right(self._others, at)
        return self._others[place] if place < len(self._others) else len(self)

    def _blocks(self, first: int) -> Iterator[tuple[int, list[bytes]]]:
        """The records from `first` on without their LFs, in groups that are read in one go, each with the number of its
        first record."""
        last, index = len(self), self._index
        while first < last:
            start, length, after = index.block(first)
            if after == first + 1:  # perhaps a long line, of which no copy is made
                yield first, [self._read(*index.span(first))]
                first = after
                continue
            data = self._read(start, length)
            after = min(after, last)
            starts = index.starts(first, after)
            lines = [data[begin : end - 1] for begin, end in itertools.pairwise(starts)]
            if index.settled and after == len(index):
                lines[-1] = data[starts[-2] :]
            yield first, lines
            first = after

    def _read(self, start: int, length: int) -> bytes:
        """`length` bytes from `start` on, or as many as the file still holds. Raises InputError unreadable."""
        try:
            return self._read_long(start, length) if length > limits.SHELL_AT_ONCE_BYTES else self._read_short(start, length)
        except OSError as error:
            raise failing(self.path, error) from None

    def _read_short(self, start: int, length: int) -> bytes:
        pieces: list[bytes] = []
        while length > 0:
            piece = read_at(self._fd, length, start)
            if not piece:
                break
            pieces.append(piece)
            start += len(piece)
            length -= len(piece)
        return pieces[0] if len(pieces) == 1 else b"".join(pieces)

    def _read_long(self, start: int, length: int) -> bytes:
        """The same a piece at a time, since other threads have to wait while a long line is copied into memory. The buffer
        gives the pieces back without another copy."""
        held = BytesIO()
        while length > 0:
            piece = read_at(self._fd, min(length, _PIECE), start)
            if not piece:
                break
            start += held.write(piece)
            length -= len(piece)
        return held.getvalue()

    def _nth_line(self, n: int) -> int:
        """The record of wire line `n` if no line is missing: records before it that are not lines move it on."""
        low, high = 0, len(self._others)
        while low < high:
            middle = (low + high) // 2
            if self._others[middle] - middle < n:
                low = middle + 1
            else:
                high = middle
        return min(n - 1 + low, len(self) - 1)


def _unpacking(fd: int, path: str) -> Unpacking | None:
    """`packed.unpacking`, imported only for a packed file."""
    if not read_at(fd, formats.MAGIC_BYTES, 0).startswith(formats.MAGICS):
        return None
    from cgp_tui.transcript.packed import unpacking

    return unpacking(fd, path)
