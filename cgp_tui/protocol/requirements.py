"""Every requirement of the SPEC once: whom it binds, its level, what it means, how to mend it, where it is checked."""

from __future__ import annotations

from collections.abc import Mapping
from types import EllipsisType, MappingProxyType
from typing import Final

import msgspec

from cgp_tui.protocol.anchors import LEVELS, MESSAGE_ROWS, Level, Party, Requirement, Where
from cgp_tui.protocol.frame_anchors import FRAME_ROWS

__all__ = ["LEVELS", "REQUIREMENTS", "Finding", "Level", "Party", "Requirement", "Where", "finding"]

_ROWS: Final = {row.anchor: row for row in (*MESSAGE_ROWS, *FRAME_ROWS)}

REQUIREMENTS: Final[Mapping[str, Requirement]] = MappingProxyType(_ROWS)
"""Every anchor of the SPEC's tables, the section numbers that stand for prose, and two of our own.

`ENV`: the line is no message at all. `SHAPE`: a defined member is missing, doubled or of a wrong type, and no row of the
SPEC's tables covers that member; where one does, that row is named instead.
"""


class Finding(msgspec.Struct, frozen=True, gc=False):
    """A broken or doubtful requirement on one line. `path` is a JSON Pointer into the envelope, `""` the whole of it.

    `line` is the wire line's number, `exchange` the number of its request, both from 1; `frame_id` is the frame at fault.
    `expected` and `found` are short and mix our words with the peer's values, so they are shown as foreign text.
    """

    anchor: str
    level: Level
    party: Party | None
    line: int
    exchange: int | None
    frame_id: str | None
    path: str
    message: str
    expected: str
    found: str
    fix: str
    reference: str = ""


def finding(  # noqa: PLR0917 -- a transcript may hold a million of them, and passing by name costs more
    anchor: str,
    line: int,
    exchange: int | None = None,
    frame_id: str | None = None,
    path: str = "",
    message: str = "",
    expected: str = "",
    found: str = "",
    level: Level | None = None,
    party: Party | EllipsisType | None = ...,
    fix: str | None = None,
    reference: str | None = None,
) -> Finding:
    """A finding of `anchor` at `line`; what is not given comes from its row of REQUIREMENTS.

    An empty `message` becomes the row's meaning. `party` defaults to whom the row binds; None says that the sender is not
    known. Raises KeyError for an anchor that has no row.
    """
    row = _ROWS[anchor]
    return Finding(  # by position, for the same reason
        anchor,
        row.level if level is None else level,
        row.binds if party is ... else party,
        line,
        exchange,
        frame_id,
        path,
        message or row.meaning,
        expected,
        found,
        row.fix if fix is None else fix,
        row.reference if reference is None else reference,
    )
