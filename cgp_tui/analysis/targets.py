"""Finds the frame that a relation points at (SPEC 8): a relation names a URI, and a frame may have that URI.

Memory is bounded: a URI keeps its first place and the newest few, and the URIs met least recently are forgotten first.
"""

from __future__ import annotations

from array import array
from collections import OrderedDict
from hashlib import blake2b
from typing import Final, NamedTuple

from cgp_tui import limits
from cgp_tui.checks.types import Judged
from cgp_tui.protocol.envelope import Frames

_KEPT: Final = 8
_PLACES: Final = 1 << 32
"""More than any answer has frames."""
_LINES: Final = 1 << 32
"""More than any transcript has lines; 64 bits have room for the place of a frame too. Greater ones are not remembered."""


class At(NamedTuple):
    """A frame: the wire line of its answer, from 1, and its wire position there, from 0."""

    line: int
    place: int


class Targets:
    """The frames of judged answers, by their URI."""

    def __init__(self) -> None:
        self._known: OrderedDict[bytes, array[int]] = OrderedDict()
        """Packed: an object for each would take ten times the room."""

    def meet(self, judged: Judged) -> None:
        """Remember the frames of an answer; doing so again, when it is judged again, changes nothing."""
        reply = judged.exchange.reply
        answer = None if reply is None else reply.decoded.envelope
        if reply is None or not isinstance(answer, Frames) or not 0 < reply.line.n < _LINES:
            return
        for index, frame in enumerate(answer.result.frames):
            if frame.uri is not None:
                self._add(_name(frame.uri), At(reply.line.n, reply.decoded.place(index)))

    def _add(self, name: bytes, at: At) -> None:
        places = self._known.get(name)
        if places is None:
            self._known[name] = array("Q", [_packed(at)])
            if len(self._known) > limits.HISTORY_FRAMES:
                self._known.popitem(last=False)
            return
        self._known.move_to_end(name)
        if _packed(at) not in places:
            if len(places) == _KEPT:
                del places[1]
            places.append(_packed(at))

    def find(self, uri: str, line: int) -> At | None:
        """The frame with this URI nearest to `line`: the last one before it, else the first one after it, never one on the
        line itself. None where none was met."""
        known = (At(*divmod(at, _PLACES)) for at in self._known.get(_name(uri), ()))
        others = [at for at in known if at.line != line]
        before = [at for at in others if at.line < line]
        return max(before) if before else min(others, default=None)


def _packed(at: At) -> int:
    return at.line * _PLACES + min(at.place, _PLACES - 1)


def _name(uri: str) -> bytes:
    return blake2b(uri.encode("utf-8", "surrogatepass"), digest_size=16).digest()
