"""What came before a line, as far as it bears on the line: the part of a connection's history that checks are given."""

from __future__ import annotations

from typing import Any, Final

import msgspec

from cgp_tui.protocol.identity import FrameId
from cgp_tui.wire.line import Seen
from cgp_tui.wire.note import Exit


class Past(msgspec.Struct, frozen=True, gc=False, omit_defaults=True):
    """Of an exchange, what came before its request and its reply; of another line, what came before that line.

    Most lines have a past in which nothing matters (`NOTHING`). It is the same live and replayed: only lines and notes of
    the transcript make it.
    """

    early: bool = False
    """The request was sent before its handshake was answered."""
    refused: str = ""
    """The code by which the host had to refuse the ack it went on with; the host's own word, where it gave one."""
    reuses_id: bool = False
    """A request with the same id was still in flight."""
    after_shutdown: bool = False
    """`shutdown` had been sent, and this line is no answer to what was asked before it."""
    unserved: int | None = None
    """The host line that opened no exchange and that this `error` is for."""
    ended_here: bool = False
    """The provider's process ended on this line: no later host line, and no word from the provider after it."""
    exit: str = ""
    """How the process ended after this `shutdown`, where that was not in order."""
    hung: bool = False
    """The host killed it then, and had given up a request before that was never answered."""
    anchored: str | None = None
    """The id of a frame served before that the query's anchors, kinds and budget admit, where the answer holds none."""
    never_served: frozenset[FrameId] = frozenset()
    """The verdicts' identities whose frame was served before, but never under that digest."""
    disowned: bool = False
    """Every asked identity was served before, each under its digest, and every verdict is `unknown`."""
    changed_keys: tuple[str, ...] = ()
    """The ids of keys that an ack of the same name published before with other bytes."""


NOTHING: Final = Past()


def past_of(**told: Any) -> Past:
    """A past of what is told; `NOTHING` itself where that is nothing."""
    return Past(**told) if any(told.values()) else NOTHING


def past_after(note: Exit, shutdown: Seen, *, hung: bool) -> Past:
    """What the end of the process tells of the `shutdown` before it; `hung` says that a request had been given up."""
    if not note.ours or note.signal is None:
        return past_of(exit=f"signal {note.signal}" if note.signal else f"exit status {note.code}" if note.code else "")
    waited = note.t - shutdown.line.t
    after = f" after {waited:.1f} s".replace(".0 s", " s") if waited > 0 else ""
    return Past(exit=f"still running{after}, killed by the host", hung=hung)


class Remark(msgspec.Struct, frozen=True, gc=False):
    """A line that belongs to no exchange, or that something later throws a light on, with its past."""

    seen: Seen
    past: Past
