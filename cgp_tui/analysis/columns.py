"""What is known of each record, in columns: about twenty bytes a record, no objects."""

from __future__ import annotations

from array import array
from typing import Final, Literal, get_args

from cgp_tui.session.exchange import ExchangeKind, State

_STATES: Final[tuple[State, ...]] = get_args(State)
_KINDS: Final[tuple[ExchangeKind, ...]] = get_args(ExchangeKind)
_CODES: Final = {
    (kind, state): 1 + place * len(_KINDS) + of_kind
    for place, state in enumerate(_STATES)
    for of_kind, kind in enumerate(_KINDS)
}
_AHEAD: Final = 256
_STATE: Final = 0x7F
_NOTHING: Final = 0x80
"""Beside the state of its exchange: the record itself says that something came to nothing."""
_MOST: Final = 255
_SOUND: Final = bytes(
    code
    for code in range(256)
    if not code or _STATES[min((code - 1) // len(_KINDS), len(_STATES) - 1)] in ("pending", "answered")
)
"""The codes of states in which nothing is wrong with an exchange, and the code of no exchange."""

_FAILED: Final = bytes(code not in _SOUND for code in range(256))
_ANY: Final = bytes(code > 0 for code in range(256))

Worst = Literal["", "advice", "failed", "violation"]
"""The worst that is wrong in a stretch of records: a finding, or an exchange or anything else that came to nothing."""
_WHYS: Final = 0xFFFF


class Columns:
    """One entry a record, by its number from 0."""

    def __init__(self) -> None:
        self.time = array("d")
        """Seconds since the start; a record without a time has that of the one before it."""
        self.exchange = array("I")
        """The number of its exchange, 0 for none."""
        self.partner = array("I")
        """1 + the record at the other end of its exchange, 0 for none."""
        self.violations = array("B")
        self.advice = array("B")
        self.notes = array("B")
        """How many findings of this level charge the line, up to 255."""
        self._of = {"violation": self.violations, "advice": self.advice, "note": self.notes}
        self._state = array("B")
        self._why = array("H")
        """No longer than up to the last record that has one."""
        self._whys: list[str] = [""]
        self._why_of: dict[str, int] = {"": 0}

    def __len__(self) -> int:
        return len(self.time)

    def append(self, t: float | None) -> None:
        """Add a record, about which nothing is known yet."""
        self.time.append(t if t is not None else self.time[-1] if self.time else 0.0)
        if len(self.time) > len(self._state):  # the others are ahead, so that they need not be asked for each record
            for column in (self.exchange, self.partner, self.violations, self.advice, self.notes, self._state):
                column.frombytes(bytes(column.itemsize * _AHEAD))

    def set_exchange(self, at: int, number: int | None, kind: ExchangeKind, state: State, why: str) -> None:
        """Set the exchange that a record belongs to, and its state."""
        self.exchange[at] = number or 0
        self._state[at] = self._state[at] & _NOTHING | _CODES[kind, state]
        if why and at >= len(self._why):
            self._why.frombytes(bytes(self._why.itemsize * (at + 1 - len(self._why))))
        if at < len(self._why):
            self._why[at] = self._intern(why)

    def standing(self, at: int) -> tuple[ExchangeKind, State, str] | None:
        """Kind, state and reason of failure of a record's exchange; None where it belongs to none."""
        code = self._state[at] & _STATE
        if not code:
            return None
        state, kind = divmod(code - 1, len(_KINDS))
        return _KINDS[kind], _STATES[state], self._whys[self._why[at] if at < len(self._why) else 0]

    def fail(self, at: int) -> None:
        """Note that a record says by itself that something came to nothing, whatever its exchange."""
        self._state[at] |= _NOTHING

    def pair(self, request: int, reply: int) -> None:
        """Link both ends of an exchange."""
        self.partner[request] = reply + 1
        self.partner[reply] = request + 1

    def partner_of(self, at: int) -> int | None:
        """The record at the other end."""
        return self.partner[at] - 1 if self.partner[at] else None

    def charge(self, at: int, level: str, by: int = 1) -> None:
        """Count one more finding of this level for a record, or one less."""
        column = self._of[level]
        charged = column[at] + by
        if 0 <= charged <= _MOST:
            column[at] = charged

    def is_sound(self, at: int) -> bool:
        """Whether no finding of any level charges a record."""
        return not (self.violations[at] or self.advice[at] or self.notes[at])

    def worst(self, first: int, after: int) -> Worst:
        """The worst of the records from `first` up to `after`."""
        if _any(self.violations, first, after):
            return "violation"
        if self._state[first:after].tobytes().translate(None, _SOUND):
            return "failed"
        return "advice" if _any(self.advice, first, after) else ""

    def failed(self, at: int, forward: bool) -> int | None:
        """The next record after `at`, or before it, of an exchange that came to nothing, or that tells of something."""
        return _next(self._state, _FAILED, at, forward)

    def charged(self, at: int, forward: bool) -> int | None:
        """The next record after `at`, or before it, that a violation or advice charges."""
        found = [_next(column, _ANY, at, forward) for column in (self.violations, self.advice)]
        places = [place for place in found if place is not None]
        return None if not places else min(places) if forward else max(places)

    def slow(self, at: int, forward: bool, seconds: float) -> int | None:
        """The next reply after `at`, or before it, that took longer than `seconds`."""
        time, partner = self.time, self.partner
        places = range(at + 1, len(time)) if forward else range(min(at, len(time)) - 1, -1, -1)
        return next(
            (place for place in places if 0 < partner[place] <= place and time[place] - time[partner[place] - 1] > seconds),
            None,
        )

    def _intern(self, why: str) -> int:
        """The code of a reason. Reasons are few; of a transcript that invents many, the first ones are kept."""
        if why not in self._why_of and len(self._whys) < _WHYS:
            self._why_of[why] = len(self._whys)
            self._whys.append(why)
        return self._why_of.get(why, 0)


def _next(column: array[int], marks: bytes, at: int, forward: bool) -> int | None:
    """The next entry after `at`, or before it, whose code is one in `marks`."""
    marked = column.tobytes().translate(marks)
    found = marked.find(1, at + 1) if forward else marked.rfind(1, 0, max(at, 0))
    return found if found >= 0 else None


def _any(column: array[int], first: int, after: int) -> bool:
    """Whether one of these is not 0, without making an object for each."""
    part = column[first:after].tobytes()
    return part != bytes(len(part))
