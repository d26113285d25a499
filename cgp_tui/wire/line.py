"""One wire line and what it decodes to: the values that travel between rooms."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Literal

import msgspec

from cgp_tui.protocol.anchors import Party

if TYPE_CHECKING:
    from cgp_tui.protocol.envelope import Envelope

FaultCode = Literal[
    "invalid_utf8",
    "not_json",
    "not_one_object",
    "too_deep",
    "duplicate_member",
    "line_too_long",
    "no_type",
    "shape",
]
"""Why a line, or a part of it, has no value. `shape`: a defined member is missing, of a wrong type or out of range."""


class Line(msgspec.Struct, frozen=True, gc=False):
    """The bytes of one message without its newline. `n` counts the transcript's wire lines from 1, `t` is in seconds since
    its start (0.0 in a bare file), `sender` is None where neither the record nor the message's type tells."""

    n: int
    connection: int
    sender: Party | None
    t: float
    raw: bytes


NOTHING: Final = "nothing"
"""What is found where a member is missing."""


UNFINISHED: Final = "the text ends too early"
"""What is wrong with a text that would be JSON if it went on."""


class Fault(msgspec.Struct, frozen=True, gc=False):
    """One defect of a line. `path` is a JSON Pointer (`/result/frames/2/score`), `detail` a sentence for a person. The same
    in two halves, where there are two: `expected` with all that belongs there, and what was `found`."""

    code: FaultCode
    path: str
    detail: str
    expected: str = ""
    found: str = ""

    @property
    def missing(self) -> bool:
        """Whether the member is not there at all."""
        return self.found == NOTHING


class BadFrame(msgspec.Struct, frozen=True, gc=False):
    """A frame that did not decode: its place in `result.frames`, its id where that is readable, and the reasons."""

    place: int
    frame_id: str | None
    raw: bytes
    faults: tuple[Fault, ...]


class Decoded(msgspec.Struct, frozen=True, gc=False):
    """What a line says. `type` and `id` are as spelled, wherever they are readable. `envelope` is None for an unknown type,
    and for a line whose `faults` leave nothing to act on. `bad_frames` are missing from `envelope.result.frames`;
    `places[i]` is the wire position of `envelope.result.frames[i]`, and `places` is None where every position equals its
    index. Unless `extras` is set, the line provably holds no member that the SPEC does not define."""

    type: str | None
    id: str | None
    envelope: Envelope | None
    faults: tuple[Fault, ...] = ()
    bad_frames: tuple[BadFrame, ...] = ()
    places: tuple[int, ...] | None = None
    extras: bool = False

    def place(self, index: int) -> int:
        """The wire position of the decoded frame `index`."""
        return index if self.places is None else self.places[index]


class Seen(msgspec.Struct, frozen=True, gc=False):
    """A line together with what it decodes to."""

    line: Line
    decoded: Decoded
