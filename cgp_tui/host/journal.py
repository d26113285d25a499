"""What a host writes down before it acts on it; and the numbers, which count on even where nothing can be written."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, TypedDict

from cgp_tui import limits
from cgp_tui.errors import OurError
from cgp_tui.protocol.requirements import Party
from cgp_tui.session import Keys
from cgp_tui.transcript.writer import Unrecorded, Writer
from cgp_tui.wire.line import Line
from cgp_tui.wire.note import KnownNote, Stderr

_OVERHEAD: Final = 64
"""What one stderr note costs beside its text."""


class At(TypedDict):
    """When a note was made, in seconds of the recording, and on which connection."""

    t: float
    connection: int


class Numbers(Iterator[int]):
    """1, 2, 3 …: the numbers of the exchanges of one recording. `upcoming` is the one handed out next."""

    def __init__(self) -> None:
        self.upcoming = 1

    def __next__(self) -> int:
        number, self.upcoming = self.upcoming, self.upcoming + 1
        return number


class Journal:
    """One host's way to its recording. A failed write is kept in `failed`: from then on no payload may leave, while the
    sessions go on; `lost` counts the lines that are missing from the recording."""

    def __init__(self, writer: Writer | None) -> None:
        self._writer = Writer(None, "host") if writer is None else writer
        self.numbers = Numbers()
        self.keys = Keys()
        self.failed: OurError | None = None
        self.lost = 0
        self._stderr_left = limits.STDERR_NOTED_BYTES

    def now(self) -> float:
        return self._writer.now()

    def connection(self) -> int:
        return self._writer.connection()

    def line(self, connection: int, sender: Party, raw: bytes) -> Line:
        """Record one line; it comes back with its number and time whether or not the disk took it."""
        try:
            return self._writer.line(connection, sender, raw)
        except Unrecorded as error:
            self._fail(error)
            self.lost += 1
            return error.lines[0]

    def at(self, connection: int) -> At:
        """Time and connection of a note that is made now: `Exit(**journal.at(1), code=0)`."""
        return {"t": self.now(), "connection": connection}

    def note(self, note: KnownNote) -> None:
        """Record one note."""
        try:
            self._writer.note(note)
        except OurError as error:
            self._fail(error)

    def stderr(self, connection: int, text: str) -> None:
        """Record a piece of a provider's stderr, as long as there is room for such in one recording."""
        kept = text.encode()[: max(self._stderr_left, 0)].decode("utf-8", "ignore")
        self._stderr_left -= len(kept.encode()) + _OVERHEAD
        if kept:
            self.note(Stderr(**self.at(connection), text=kept))

    def _fail(self, error: OurError) -> None:
        if self.failed is None:
            self.failed = error
