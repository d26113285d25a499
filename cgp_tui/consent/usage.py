"""What the gate was asked and what it answered, as noted in recordings, for people to look at.

Only notes are read, so the cost of a recording depends on its questions and not on its size. Whether a use was right is for
the audit to say.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final, Literal

import msgspec

from cgp_tui.errors import InputError
from cgp_tui.protocol import timestamp
from cgp_tui.transcript.reader import Transcript
from cgp_tui.wire.line import Line
from cgp_tui.wire.note import Connect, Cut, GateNote, LedgerMark, NeedNote, SendFailed
from cgp_tui.wire.peek import peek

RECORDINGS: Final = 200
"""How many recordings are read, newest first; `consent audit` reads all of them."""

BYTES: Final = 1 << 30
"""How many bytes of recordings are read in total."""

KEPT: Final = 20_000
"""How many uses of one recording are kept, the newest ones."""

_NEAR: Final = 64
"""The payload of a yes is found within this many records after it."""


class Used(msgspec.Struct, frozen=True, kw_only=True):
    """One question to the gate: when (as the ledger spells a time), for whom the payload was, its size, and what permitted
    or refused each need. `whole` is False where less than `bytes` left. `record` is the gate's note in `transcript`."""

    transcript: Path
    record: int
    connection: int
    exchange: int | None
    at: str
    provider_id: str
    kind: Literal["stdio", "http"]
    target: str
    shown: tuple[str, ...]
    asked: Literal["query", "verify"]
    allowed: bool
    bytes: int
    whole: bool = True
    needs: tuple[NeedNote, ...] = ()
    ledger: LedgerMark | None = None


class Reading:
    """The uses in one recording, as far as it has grown. Raises InputError for a file that is not a transcript."""

    def __init__(self, path: Path) -> None:
        self._transcript = Transcript.open(path, growing=True)
        self._connects: dict[int, Connect] = {}
        self._generation = 0
        self._next = 0
        self.uses: list[Used] = []

    def close(self) -> None:
        self._transcript.close()

    def grow(self) -> bool:
        """Take in what was written since the last call. Returns whether anything was."""
        transcript = self._transcript
        while transcript.refresh() or not transcript.indexed:
            if transcript.event == "gone":
                return False
        if transcript.generation != self._generation:
            self._generation, self._next = transcript.generation, 0
            self.uses, self._connects = [], {}
        before = self._next
        header = transcript.header
        started = None if header is None else timestamp.parse(header.started_at)
        if started is not None:
            began = timestamp.epoch(started)
            for at, note in transcript.notes(self._next):
                self._take(at, note, began)
        self._next = len(transcript)
        return self._next != before

    def _take(self, at: int, note: object, began: float) -> None:
        if isinstance(note, Connect):
            self._connects[note.connection] = note
        elif isinstance(note, GateNote) and note.connection in self._connects:
            try:
                when = timestamp.utc_text(began + note.t)
            except (ValueError, OverflowError):
                return
            met = self._connects[note.connection]
            self.uses.append(
                Used(
                    transcript=self._transcript.path,
                    record=at,
                    connection=note.connection,
                    exchange=note.exchange,
                    at=when,
                    provider_id=met.provider_id,
                    kind=met.target.kind,
                    target=met.target.digest,
                    shown=met.target.shown,
                    asked=note.asked,
                    allowed=note.allowed,
                    bytes=note.bytes,
                    needs=note.needs,
                    ledger=note.ledger,
                )
            )
            if len(self.uses) >= 2 * KEPT:
                del self.uses[:-KEPT]
        elif isinstance(note, Cut | SendFailed):
            self._less(note)

    def _less(self, note: Cut | SendFailed) -> None:
        """Note that a payload did not go out whole."""
        for place in range(len(self.uses) - 1, -1, -1):
            used = self.uses[place]
            if (used.connection, used.exchange) == (note.connection, note.exchange) and used.allowed:
                size = note.bytes if isinstance(note, Cut) else used.bytes
                self.uses[place] = msgspec.structs.replace(used, bytes=size, whole=False)
                return


class Usage:
    """The uses in the recordings of `folder` and in `own`, the one being written. Not for two threads at once."""

    def __init__(self, folder: Path | None, own: Path | None) -> None:
        self._folder = folder
        self._own = own
        self._reading: Reading | None = None
        self._others: dict[Path, tuple[tuple[int, int], tuple[Used, ...]]] = {}
        self.left_out = 0
        """The number of recordings that were not read: too many, too large, or unreadable."""

    def all(self) -> tuple[Used, ...]:
        """Every use, oldest first within a recording. Reads what changed; belongs in a worker thread."""
        if self._reading is None and self._own is not None and self._own.exists():
            self._reading = Reading(self._own)
        if self._reading is not None:
            self._reading.grow()
        own = self._reading.uses if self._reading is not None else []
        return (*(used for _, uses in self._others.values() for used in uses), *own)

    def look_around(self) -> None:
        """Look in the folder for recordings that are new, or that another process has continued."""
        found, spent = self._found(), 0
        kept: dict[Path, tuple[tuple[int, int], tuple[Used, ...]]] = {}
        self.left_out = max(len(found) - RECORDINGS, 0)
        for path in found[:RECORDINGS]:
            try:
                status = path.stat()
                mark = (status.st_size, status.st_mtime_ns)
                spent += mark[0]
                known = self._others.get(path)
                if known is not None and known[0] == mark:
                    kept[path] = known
                elif spent <= BYTES:
                    kept[path] = (mark, _read(path))
                else:
                    self.left_out += 1
            except (OSError, InputError):
                self.left_out += 1
        self._others = kept

    def _found(self) -> list[Path]:
        """The recordings of the folder except our own, newest first, since their names begin with the time."""
        if self._folder is None:
            return []
        try:
            return sorted((path for path in self._folder.glob("*.ndjson") if path != self._own), reverse=True)
        except OSError:
            return []

    def close(self) -> None:
        if self._reading is not None:
            self._reading.close()
            self._reading = None


def _read(path: Path) -> tuple[Used, ...]:
    reading = Reading(path)
    try:
        reading.grow()
        return tuple(reading.uses)
    finally:
        reading.close()


def payload(used: Used) -> Line | None:
    """The line that the gate's yes was about, None where it is no longer there. Raises InputError, OSError."""
    with Transcript.counted(used.transcript, growing=True) as transcript:
        for at in range(used.record + 1, min(used.record + _NEAR, len(transcript))):
            found = transcript.record(at)
            if isinstance(found, Line) and found.sender == "host" and found.connection == used.connection:
                return found if peek(found.raw).type == used.asked else None
    return None


class Sum(msgspec.Struct, frozen=True):
    """The totals of a number of uses."""

    sends: int = 0
    bytes: int = 0
    refused: int = 0
    last: str = ""


def total(uses: Iterable[Used], since: str = "") -> Sum:
    """The totals of the uses from `since` on."""
    sends = size = refused = 0
    last = ""
    for used in uses:
        if used.at < since:
            continue
        if used.allowed:
            sends, size, last = sends + 1, size + used.bytes, max(last, used.at)
        else:
            refused += 1
    return Sum(sends, size, refused, last)


def under(uses: Iterable[Used], provider_id: str, basis: str, scope: str) -> Iterator[Used]:
    """The uses for which one need of a provider was asked about."""
    for used in uses:
        if used.provider_id == provider_id and any((need.basis, need.scope) == (basis, scope) for need in used.needs):
            yield used
