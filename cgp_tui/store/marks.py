"""Marks on the lines of a transcript, with or without a comment, in a side file: the transcript itself is never written to.

They help a person and permit nothing, so a side file that cannot be read is named and left alone, and marks are then kept
for this run only.
"""

from __future__ import annotations

import hashlib
import os
from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import msgspec

from cgp_tui.store import paths
from cgp_tui.store.keepsake import Keepsake

FORMAT: Final = "cgp-marks/1"
MOST: Final = 10_000
"""Marks on one transcript."""
COMMENT_CHARS: Final = 1000
_BYTES: Final = 16 * 1024 * 1024
_FIRST: Final = 512
"""How many bytes of its beginning tell a transcript from another one at the same path."""


class _File(msgspec.Struct, frozen=True):
    format: str
    transcript: str
    marks: dict[int, str]


def side_file(transcript: Path, first: bytes) -> Path:
    """Where the marks of the transcript that begins with these bytes are kept."""
    name = hashlib.sha256(os.fsencode(transcript.absolute()) + b"\0" + first[:_FIRST]).hexdigest()[:32]
    return paths.state_dir() / "marks" / f"{name}.json"


class Marks:
    """Marks by wire line, from 1. `problem` says why they are not kept and is empty where they are."""

    def __init__(self, path: Path | None, transcript: Path) -> None:
        self._kept = Keepsake(path, _File, "marks", _fits, _BYTES)
        self._transcript = transcript
        self._marks: dict[int, str] = {}
        self._order: list[int] = []
        self._read()

    @property
    def problem(self) -> str:
        return self._kept.problem

    @classmethod
    def of(cls, transcript: Path) -> Marks:
        """The marks of the transcript at this path."""
        try:
            with transcript.open("rb") as file:
                first = file.read(_FIRST)
                if not os.fstat(file.fileno()).st_nlink:  # it has no name to be found by again
                    return cls(None, transcript)
        except OSError:
            return cls(None, transcript)
        return cls(side_file(transcript, first), transcript)

    def __len__(self) -> int:
        return len(self._order)

    def __iter__(self) -> Iterator[tuple[int, str]]:
        """Every marked line in order, with its comment."""
        return ((line, self._marks[line]) for line in self._order)

    def comment(self, line: int) -> str | None:
        """The comment on a line, empty for a mark without one; None where there is no mark."""
        return self._marks.get(line)

    def toggle(self, line: int) -> bool:
        """Mark a line, or remove its mark and comment. Returns whether it is marked now."""
        if line in self._marks:
            del self._marks[line]
        elif not self._put(line, ""):
            return False
        self._changed()
        return line in self._marks

    def write(self, line: int, comment: str) -> bool:
        """Mark a line with a comment; False where there are too many marks."""
        if not self._put(line, comment[:COMMENT_CHARS]):
            return False
        self._changed()
        return True

    def next(self, line: int, forward: bool = True) -> int | None:
        """The next marked line after `line`, or before it, wrapping around. None where no line is marked."""
        if not self._order:
            return None
        at = bisect_right(self._order, line) if forward else bisect_left(self._order, line) - 1
        return self._order[at % len(self._order)]

    def _put(self, line: int, comment: str) -> bool:
        if line not in self._marks and len(self._marks) >= MOST:
            return False
        self._marks[line] = comment
        return True

    def _changed(self) -> None:
        self._order = sorted(self._marks)
        self._kept.write(_File(FORMAT, str(self._transcript), {line: self._marks[line] for line in self._order}))

    def _read(self) -> None:
        found = self._kept.read()
        if found is not None:
            self._marks = {line: comment[:COMMENT_CHARS] for line, comment in found.marks.items() if line > 0}
            self._order = sorted(self._marks)


def _fits(file: _File) -> bool:
    return file.format == FORMAT and len(file.marks) <= MOST
