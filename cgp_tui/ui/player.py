"""The playhead of a recording, and the cursor that moves with it."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Final

from cgp_tui.ui.source import Source
from cgp_tui.ui.status import Playhead

if TYPE_CHECKING:
    from cgp_tui.analysis.replay import Replay

_SPOILT: Final = 8
"""How many records at the end are looked at for a time."""


class Player:
    """Plays a source with its own gaps. Records up to the playhead have been shown; it follows a person who moves."""

    def __init__(self, source: Source) -> None:
        self._source = source
        self._line = (-1, -1, 0)

    @cached_property
    def _replay(self) -> Replay:
        from cgp_tui.analysis.replay import Replay

        return Replay(lambda: self._source.count, self._time_of, 1)

    def _time_of(self, at: int) -> float | None:
        return self._source.transcript.row(at).t

    @property
    def playing(self) -> bool:
        return self._moved and self._replay.playing

    @property
    def _moved(self) -> bool:
        """Whether the playhead has ever been asked to leave the first record."""
        return "_replay" in self.__dict__

    def tick(self, clock: float) -> int | None:
        """The record that the playhead has reached at `clock`, in seconds; None where it has not moved."""
        return self._index if self.playing and self._replay.tick(clock) else None

    @property
    def _index(self) -> int:
        return max(self._replay.position - 1, 0) if self._moved else 0

    def take_along(self, cursor: int) -> bool:
        """The cursor is on a record: unless the playhead is already there, playing ends and it moves there. Returns whether
        it moved."""
        if cursor == self._index:
            return False
        self._replay.pause()
        self._replay.seek(cursor + 1)
        return True

    def step(self, by: int) -> int:
        """Move one record on or back; returns the record for the cursor."""
        if by > 0:
            self._replay.step()
        elif self._replay.position > 1:
            self._replay.step_back()
        else:
            self._replay.pause()
        return self._index

    @property
    def speed(self) -> float:
        """Recorded seconds that pass in one."""
        return self._replay.speed if self._moved else 1.0

    def play_at(self, speed: float) -> None:
        """Play at another speed from the next record on. Raises ValueError for one that is not above zero."""
        if speed != self.speed:
            self._replay.set_speed(speed)

    def faster(self) -> None:
        """The next higher speed, if there is one."""
        self._replay.faster()

    def slower(self) -> None:
        """The next lower speed, if there is one."""
        self._replay.slower()

    def toggle(self, clock: float) -> None:
        """Play from here, or from the start if everything is shown; or pause."""
        if self._replay.playing:
            self._replay.pause()
        else:
            self._replay.play(clock)

    @property
    def _end(self) -> float | None:
        """The time of the last record that has one: a record cut off or damaged at the end of a recording has none."""
        last = self._source.count - 1
        times = (self._time_of(at) for at in range(last, max(last - _SPOILT, -1), -1))
        return next((time for time in times if time is not None), None)

    def place(self, cursor: int) -> Playhead:
        """What the replay bar says while the cursor is on a record."""
        source = self._source
        if not source.count:
            return Playhead(False, 0, 0, None, None, self.speed)
        at, whole = self._time_of(cursor), self._end
        if self._line[:2] != (source.transcript.generation, cursor):
            # Looked up once a move: many notes may stand between a record and the line before it.
            self._line = (source.transcript.generation, cursor, source.line_of(cursor))
        return Playhead(self.playing, self._line[2], source.lines, at, whole, self.speed)
