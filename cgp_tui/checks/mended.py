"""A frame that could not be read, judged for everything but what could not be read.

Its unreadable members are taken out, or harmless ones put in their place where a frame needs them, and the rows about frames
look at the rest. What they say of the members taken out, or of one that means nothing without them, is dropped.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final, NamedTuple

import msgspec

from cgp_tui.checks.breach import Charge
from cgp_tui.checks.frame import ROWS, Row, judge_frame
from cgp_tui.protocol.frame import ContextFrame
from cgp_tui.protocol.requirements import Finding
from cgp_tui.wire import surrogates
from cgp_tui.wire.line import BadFrame
from cgp_tui.wire.ranges import within_u32

_NEEDED: Final[dict[str, Any]] = {"id": "x", "kind": "doc", "title": "x", "score": 0.5, "token_cost": 0}

_ITEMS: Final[dict[str, Any]] = {
    "provenance": {"type": "derivation"},
    "relations": {"rel": "x:x", "target_uri": "x:x", "display_name": "x"},
}
"""What stands in for an unreadable item, so that the others keep their places; no row has anything to say of it."""

_OF_THE_CONTENT: Final = ("content", "content_digest", "token_cost", "canonical_token_cost", "canonical_content_hash")
_OF_THE_FORM: Final = (*_OF_THE_CONTENT, "representation", "content_ref", "transform")
_MEANINGLESS: Final = {"content": _OF_THE_CONTENT, "representation": _OF_THE_FORM}
"""Members of which nothing can be said without another one."""

_MEMBERS: Final = msgspec.json.Decoder(dict[str, msgspec.Raw]).decode


class Mended(NamedTuple):
    """What can be read of a frame: its place on the wire, its id where that is told, the frame with stand-ins, and the paths
    of which nothing can be said."""

    place: int
    frame_id: str | None
    frame: ContextFrame
    unread: frozenset[str]

    def tells(self, path: str) -> bool:
        """Whether something can be said of what stands at `path`."""
        return not any(path == other or path.startswith(f"{other}/") for other in self.unread)


def mend(bad: BadFrame) -> Mended | None:
    """A frame of what can be read of `bad`; None where that is too little."""
    whole = surrogates.replace(bad.raw)
    members, lost = (None, []) if whole is None else _values(whole.text)
    base = f"/result/frames/{bad.place}"
    unread = {f"{base}/{name}" for name in lost}
    for fault in bad.faults:
        name, _, rest = fault.path.removeprefix(f"{base}/").partition("/")
        unread.add(f"{base}/{_take_out(members, name, rest.partition('/')[0])}")
        unread.update(f"{base}/{other}" for other in _MEANINGLESS.get(name, ()))
    try:
        frame = msgspec.convert(members, ContextFrame)
    except (msgspec.ValidationError, RecursionError):
        return None
    return Mended(bad.place, bad.frame_id, frame, frozenset(unread)) if within_u32(frame) else None


def judge_mended(mended: Mended, charge: Charge, rows: Iterable[Row] = ROWS) -> list[Finding]:
    """What there is to say of the frame beyond its faults."""
    return [
        msgspec.structs.replace(found, frame_id=mended.frame_id)
        for found in judge_frame(mended.frame, mended.place, charge, rows)
        if mended.tells(found.path)
    ]


def _values(text: bytes) -> tuple[dict[str, Any] | None, list[str]]:
    """The members of an object, and the names of those that no value is made of, as of a number beyond all range; None for
    what is no object."""
    try:
        members = _MEMBERS(text)
    except msgspec.DecodeError:
        return None, []
    values: dict[str, Any] = {}
    lost: list[str] = []
    for name, raw in members.items():
        try:
            values[name] = msgspec.json.decode(raw)
        except msgspec.DecodeError:
            lost.append(name)
    return values, lost


def _take_out(members: Any, name: str, item: str) -> str:
    """Take an unreadable member out, or only its unreadable item; the path of what was taken."""
    if not isinstance(members, dict):
        return name
    items = members.get(name)
    if name in _ITEMS and item.isdecimal() and isinstance(items, list) and int(item) < len(items):
        items[int(item)] = _ITEMS[name]
        return f"{name}/{item}"
    if name in _NEEDED:
        members[name] = _NEEDED[name]
    else:
        members.pop(name, None)
    return name
