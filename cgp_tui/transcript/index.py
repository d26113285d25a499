"""Where each line of a file starts: four bytes a line, read in large pieces, continued as the file grows."""

from __future__ import annotations

import os
from array import array
from bisect import bisect_right
from collections.abc import Callable
from typing import Final

PIECE: Final = 256 * 1024
"""Bytes that are read at once: few enough to be still in the processor's cache when they are used."""
BLOCK: Final = 256 * 1024
"""Bytes of lines that are read in one go, and held in memory while they are being looked at."""
_TURN: Final = 1 << 32
"""Offsets are kept modulo this, together with the lines at which they wrap around."""

_PLACED: Final = getattr(os, "pread", None)

LONG: Final = 1024 * 1024
"""Of a longer line that came in several pieces only the first is passed on: joining them keeps other threads waiting."""

OnLines = Callable[[bytes, int, int], None]
"""Called with complete lines as they are found: their bytes, the first one's number from 0, and their count. A long line
comes by itself, and only as its beginning, which holds no LF."""


def read_at(fd: int, length: int, offset: int) -> bytes:
    """Bytes of an open file; fewer, or none, where it ends sooner. Raises OSError."""
    if _PLACED is not None:
        data: bytes = _PLACED(fd, length, offset)
        return data
    os.lseek(fd, offset, os.SEEK_SET)  # Windows has no positioned read; there nothing else reads this descriptor
    return os.read(fd, length)


class Index:
    """The lines of one open file, split at LF only. Bytes after the last LF are `tail`, and no line until `settle`."""

    def __init__(self, fd: int, on_lines: OnLines, start: int = 0) -> None:
        self._fd = fd
        self._on_lines = on_lines
        self._low = array("I")
        self._turns: list[int] = []
        self._last = 0
        self._push(start)
        self._held: list[bytes] = []
        self._held_bytes = 0
        self._end = start
        self._settled = False

    def __len__(self) -> int:
        return len(self._low) - 1

    @property
    def read(self) -> int:
        """The offset up to which the file has been looked at."""
        return self._end

    @property
    def tail(self) -> int:
        """The number of bytes after the last LF, which belong to no line yet."""
        return 0 if self._settled else self._end - self._last

    @property
    def settled(self) -> bool:
        """Whether the last line was counted without its LF."""
        return self._settled

    def span(self, line: int) -> tuple[int, int]:
        """A line's offset and its length without the LF."""
        low = self._low
        start, after = (self._start(line), self._start(line + 1)) if self._turns else (low[line], low[line + 1])
        last = self._settled and line == len(self) - 1
        return start, after - start - (0 if last else 1)

    def size(self, first: int, after: int) -> int:
        """The bytes of the lines from `first` up to `after`, their LFs included."""
        return self._start(after) - self._start(first)

    def block(self, first: int) -> tuple[int, int, int]:
        """Lines from `first` on to be read in one go, at least one: their offset, their size, and the number of the line
        after them."""
        start = self._start(first)
        upto = start + BLOCK
        last = bisect_right(range(len(self._low)), upto, key=self._start) if self._turns else bisect_right(self._low, upto)
        after = max(first + 1, last - 1)
        return start, self._start(after) - start, after

    def starts(self, first: int, after: int) -> list[int]:
        """Where the lines from `first` up to `after` begin, and where the one at `after` would, counted from the first."""
        start = self._start(first)
        if self._turns:
            return [self._start(line) - start for line in range(first, after + 1)]
        return [low - start for low in self._low[first : after + 1]]

    def extend(self, upto: int) -> bool:
        """Read on, to the offset `upto` or the end of the file. Returns whether lines were added. Raises OSError."""
        before = len(self)
        while self._end < upto:
            piece = read_at(self._fd, min(PIECE, upto - self._end), self._end)
            if not piece:
                break
            self._take(piece)
        return len(self) > before

    def settle(self) -> bool:
        """Count the tail as a line, since nobody writes to the file any more. Returns whether there was one."""
        if not self.tail:
            return False
        self._settled = True
        first = len(self)
        self._push(self._end)
        self._on_lines(b"".join(self._held), first, 1)
        self._hold(b"")
        return True

    def _hold(self, piece: bytes) -> None:
        """Keep the beginning of a line whose end has not been seen."""
        self._held = [piece] if piece else []
        self._held_bytes = len(piece)

    def _hold_on(self, piece: bytes) -> None:
        """Keep more of it, unless it is long."""
        self._held_bytes += len(piece)
        if not self._held or self._held_bytes <= LONG:
            self._held.append(piece)
        elif len(self._held) > 1:
            del self._held[1:]

    def _start(self, line: int) -> int:
        """Where a line begins. Raises IndexError."""
        low = self._low[line]
        return low + bisect_right(self._turns, line % len(self._low)) * _TURN if self._turns else low

    def _push(self, start: int) -> None:
        """Add a line that begins at `start`, perhaps in a later turn."""
        self._turns += [len(self._low)] * (start // _TURN - len(self._turns))
        self._low.append(start % _TURN)
        self._last = start

    def _take(self, piece: bytes) -> None:
        base = self._end
        self._end += len(piece)
        first = len(self)
        append, find = self._low.append, piece.find
        shift = base + 1 - len(self._turns) * _TURN
        if shift + len(piece) > _TURN:  # rare: a turn ends in this piece
            append, shift = self._push, base + 1
        at = find(b"\n")
        while at >= 0:
            append(shift + at)
            at = find(b"\n", at + 1)
        if len(self) == first:
            self._hold_on(piece)
            return
        self._last = self._start(len(self))
        begin, cut = 0, self._last - base
        held = self._held
        if self._held_bytes > LONG:
            begin = self._start(first + 1) - base
            self._on_lines(held[0], first, 1)
            held, first = [], first + 1
        whole = b"".join((*held, piece[begin:cut])) if held else piece[begin:cut]
        self._hold(piece[cut:])
        if whole:
            self._on_lines(whole, first, len(self) - first)
