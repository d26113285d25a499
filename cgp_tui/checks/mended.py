"""A frame that could not be read whole, judged by what can be read of it.

Its unreadable members are taken out, or replaced by harmless ones where a frame needs them, and the rows about frames look
at the rest. Whatever they find about a member taken out, or about one that means nothing without it, is dropped.
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
"""What replaces an unreadable item, so that the others keep their places; no row finds anything in it."""

_OF_THE_CONTENT: Final = ("content", "content_digest", "token_cost", "canonical_token_cost", "canonical_content_hash")
_OF_THE_FORM: Final = (*_OF_THE_CONTENT, "representation", "content_ref", "transform")
_MEANINGLESS: Final = {"content": _OF_THE_CONTENT, "representation": _OF_THE_FORM}
"""For a member: those about which nothing can be said without it."""

_MEMBERS: Final = msgspec.json.Decoder(dict[str, msgspec.Raw]).decode


class Mended(NamedTuple):
    """What can be read of a frame: its place on the wire, its id where it has a readable one, the frame with stand-ins, and
    the paths about which nothing can be said."""

    place: int
    frame_id: str | None
    frame: ContextFrame
    unread: frozenset[str]

    def tells(self, path: str) -> bool:
        """Whether something can be said of what stands at `path`."""
        return not any(path == other or path.startswith(f"{other}/") for other in self.unread)


def mend(bad: BadFrame) -> Mended | None:
    """A frame made of what can be read of `bad`; None where that is too little."""
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
    """The findings about the frame beyond the faults that kept it from being read."""
    return [
        msgspec.structs.replace(found, frame_id=mended.frame_id)
        for found in judge_frame(mended.frame, mended.place, charge, rows)
        if mended.tells(found.path)
    ]


def _values(text: bytes) -> tuple[dict[str, Any] | None, list[str]]:
    """The members of an object, None where the text is none, and the names of those that have no value: a number beyond all
    range, say."""
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
    """Take out an unreadable member, or only its unreadable item. Returns the path of what was taken out."""
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
