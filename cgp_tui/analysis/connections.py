"""Where a transcript tells about each connection as such: what was started, as which process, what it wrote to stderr, how
it ended. Only record numbers are kept, a bounded number for each connection; the records stay in the file."""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping
from typing import Final

from cgp_tui import limits
from cgp_tui.wire.note import AnyNote, Connect, Exit, Poisoned, Spawn, Stderr

STDERR_NOTES: Final = 32
"""How many pieces of a connection's stderr are remembered: the last ones."""


class ConnectionRecords:
    """The records that tell about one connection, by record number; None for what was not told."""

    __slots__ = ("_stderr", "connect", "exit", "poisoned", "spawn")

    def __init__(self) -> None:
        self.connect: int | None = None
        self.spawn: int | None = None
        self.poisoned: int | None = None
        self.exit: int | None = None
        self._stderr: deque[int] | None = None  # an empty one is larger than all the rest

    @property
    def stderr(self) -> tuple[int, ...]:
        """The last pieces of its stderr, in order."""
        return tuple(self._stderr or ())

    def wrote(self, at: int) -> None:
        """Record `at` is a piece of its stderr."""
        if self._stderr is None:
            self._stderr = deque(maxlen=STDERR_NOTES)
        self._stderr.append(at)

    def marks(self) -> tuple[int | None, ...]:
        """A value that changes when there is more to tell."""
        last = self._stderr[-1] if self._stderr else None
        return self.connect, self.spawn, self.poisoned, self.exit, last


_MEMBERS: Final[Mapping[type, str]] = {Connect: "connect", Spawn: "spawn", Poisoned: "poisoned", Exit: "exit"}


class Connections:
    """All connections of a transcript; where there are too many, only the notes of the first ones."""

    def __init__(self) -> None:
        self._records: dict[int, ConnectionRecords] = {}
        self.acks: dict[int, int] = {}
        """The record of each connection's first acknowledgement, the one in force."""

    @property
    def numbers(self) -> list[int]:
        """The connections about which anything is known, in order."""
        return sorted(self._records.keys() | self.acks.keys())

    def of(self, connection: int) -> ConnectionRecords:
        """What is known about a connection; an empty value where it was not met."""
        return self._records.get(connection) or ConnectionRecords()

    def note(self, at: int, note: AnyNote) -> None:
        """Take in record `at`, a note."""
        member = _MEMBERS.get(type(note))
        if member is None and not isinstance(note, Stderr):
            return
        records = self._known(note.connection)
        if records is None:
            return
        if member is None:
            records.wrote(at)
        else:
            setattr(records, member, at)

    def _known(self, connection: int) -> ConnectionRecords | None:
        records = self._records.get(connection)
        if records is None and len(self._records) < limits.REMEMBERED:
            records = self._records[connection] = ConnectionRecords()
        return records
