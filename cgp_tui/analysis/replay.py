"""Playing a recording back at the pace it was made, as a value moved by the caller's clock."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

SPEEDS: Final = (0.25, 0.5, 1.0, 2.0, 4.0, 8.0, 16.0)

LONGEST_GAP: Final = 2.0
"""The longest that a silence of the recording lasts in playback, in seconds: nobody watches a host think for an hour."""

STEADY_GAP: Final = 0.25
"""Seconds between records that carry no times, as in a bare file."""


class Replay:
    """How many records are shown (`position`), and when the next one is due.

    `time_of` gives a record's seconds since the start, None where it has none; `length` gives the number of records, which
    may grow. Only `tick`, called with a clock's value in seconds, and the steps a person takes move the position.
    """

    def __init__(self, length: Callable[[], int], time_of: Callable[[int], float | None], position: int = 0) -> None:
        self._length = length
        self._time_of = time_of
        self._speed = 1.0
        self._due: float | None = None
        self._position = max(0, min(position, length()))
        self.playing = False

    @property
    def position(self) -> int:
        """How many records are shown."""
        return self._position

    @property
    def speed(self) -> float:
        """Recorded seconds that pass in one second of playback."""
        return self._speed

    @property
    def at_end(self) -> bool:
        """Whether every record is shown."""
        return self._position >= self._length()

    def play(self, clock: float) -> None:
        """Play on from here, or from the start if everything is shown."""
        if self.at_end:
            self._position = 0
        self.playing = True
        self._due = clock

    def pause(self) -> None:
        """Stop playing."""
        self.playing = False
        self._due = None

    def step(self) -> bool:
        """Show one more record and pause; False at the end."""
        self.pause()
        if self.at_end:
            return False
        self._position += 1
        return True

    def step_back(self) -> bool:
        """Show one record less and pause; False at the start."""
        self.pause()
        if not self._position:
            return False
        self._position -= 1
        return True

    def seek(self, position: int) -> None:
        """Show the first `position` records; playing continues from there."""
        self._position = max(0, min(position, self._length()))
        if self._due is not None:
            self._due = None
            self.playing = True

    def set_speed(self, speed: float) -> None:
        """Play at another pace from the next record on. Raises ValueError for one that is not above zero."""
        if not speed > 0:
            raise ValueError("the speed must be above zero")
        self._speed = speed

    def faster(self) -> float:
        """The next pace up; the new speed."""
        self._speed = next((speed for speed in SPEEDS if speed > self._speed), SPEEDS[-1])
        return self._speed

    def slower(self) -> float:
        """The next pace down; the new speed."""
        self._speed = next((speed for speed in reversed(SPEEDS) if speed < self._speed), SPEEDS[0])
        return self._speed

    def tick(self, clock: float) -> int:
        """Show what is due at `clock`, and return how many records that was. Playing ends with the last record."""
        if not self.playing:
            return 0
        before = self._position
        due = clock if self._due is None else self._due
        while due <= clock and not self.at_end:
            self._position += 1
            due += self._gap()
        self._due = due
        if self.at_end:
            self.pause()
        return self._position - before

    def _gap(self) -> float:
        """Seconds of playback between the last record shown and the next one."""
        if self.at_end:
            return 0.0
        last, following = self._time_of(self._position - 1), self._time_of(self._position)
        gap = STEADY_GAP if last is None or following is None else max(0.0, following - last)
        return min(gap / self._speed, LONGEST_GAP)
