"""Where a transcript tells about each connection itself: what was started, as which process, what it wrote to stderr, how it
ended. Only places are kept, a bounded number of each; the records stay in the file."""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping
from typing import Final

from cgp_tui import limits
from cgp_tui.wire.note import AnyNote, Connect, Exit, Poisoned, Spawn, Stderr

STDERR_NOTES: Final = 32
"""How many pieces of a connection's stderr are remembered, from the last one back."""


class Heard:
    """The records that tell about one connection, by record number; None for what was not told."""

    __slots__ = ("ack", "connect", "exit", "poisoned", "spawn", "stderr")

    def __init__(self) -> None:
        self.connect: int | None = None
        self.spawn: int | None = None
        self.ack: int | None = None
        self.poisoned: int | None = None
        self.exit: int | None = None
        self.stderr: deque[int] = deque(maxlen=STDERR_NOTES)

    def marks(self) -> tuple[int | None, ...]:
        """What changes when more is told."""
        last = self.stderr[-1] if self.stderr else None
        return self.connect, self.spawn, self.ack, self.poisoned, self.exit, last


_MEMBERS: Final[Mapping[type, str]] = {Connect: "connect", Spawn: "spawn", Poisoned: "poisoned", Exit: "exit"}


class HeardOf:
    """All connections of a transcript; of a file with too many, the first ones."""

    def __init__(self) -> None:
        self._heard: dict[int, Heard] = {}

    def of(self, connection: int) -> Heard:
        """What is known of a connection; nothing, of one that was not met."""
        return self._heard.get(connection) or Heard()

    def note(self, at: int, note: AnyNote) -> None:
        """Take in record `at`, a note."""
        member = _MEMBERS.get(type(note))
        if member is None and not isinstance(note, Stderr):
            return
        heard = self._known(note.connection)
        if heard is None:
            return
        if member is None:
            heard.stderr.append(at)
        else:
            setattr(heard, member, at)

    def ack(self, at: int, connection: int) -> None:
        """Record `at` is the acknowledgement that counts."""
        heard = self._known(connection)
        if heard is not None:
            heard.ack = at

    def _known(self, connection: int) -> Heard | None:
        heard = self._heard.get(connection)
        if heard is None and len(self._heard) < limits.REMEMBERED:
            heard = self._heard[connection] = Heard()
        return heard
