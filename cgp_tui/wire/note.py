"""The notes of a transcript (cgp-transcript/1), which record what no line shows: one struct a kind, tagged by `note`."""

from __future__ import annotations

from typing import Literal

import msgspec


class Note(msgspec.Struct, frozen=True, omit_defaults=True, tag_field="note", kw_only=True):
    """`t` is seconds since the start of the recording; `connection` counts from 1."""

    t: float
    connection: int


class ShownTarget(msgspec.Struct, frozen=True):
    """A target as a transcript keeps it: kind, masked argv or URL, and the digests that consent is bound to."""

    kind: Literal["stdio", "http"]
    shown: tuple[str, ...]
    digest: str
    code: str


class NeedNote(msgspec.Struct, frozen=True, omit_defaults=True):
    """One need of a gate's answer; `reason` is empty where a receipt permits."""

    basis: str
    scope: str
    reason: str = ""
    receipt_id: str = ""


class LedgerMark(msgspec.Struct, frozen=True):
    """The ledger head at that moment: id, sequence number, hash in hex."""

    id: str
    seq: int
    hash: str


class Connect(Note, frozen=True, tag="connect", kw_only=True):
    """A connection begins: our own id of the provider, and what is started."""

    provider_id: str
    target: ShownTarget


class Spawn(Note, frozen=True, tag="spawn", kw_only=True):
    """The process runs; `sandbox` is the kind that it was put into, `none` where it was not."""

    pid: int
    sandbox: str


class Exit(Note, frozen=True, tag="exit", kw_only=True):
    """`code` for a normal end, `signal` for a killed process; both are None when unknown. `ours` says that the host killed
    it, or, without a signal, that it was about to because the provider had closed its stdout."""

    code: int | None = None
    signal: int | None = None
    ours: bool = False


class Stderr(Note, frozen=True, tag="stderr", kw_only=True):
    """What the provider wrote to stderr, for people: a piece of foreign text."""

    text: str


class GateNote(Note, frozen=True, tag="gate", kw_only=True):
    """What the gate answered, never the payload. `bytes` is the size of the message it was asked about; `exchange` is None
    where the answer was no: a refused request never travels, so it has no number."""

    allowed: bool
    bytes: int
    asked: Literal["query", "verify"] = "query"
    exchange: int | None = None
    needs: tuple[NeedNote, ...] = ()
    ledger: LedgerMark | None = None


class GaveUp(Note, frozen=True, tag="gave_up", kw_only=True):
    """Nobody waits for the reply to `exchange` any more, after so many seconds."""

    exchange: int
    after_s: float


class Refused(Note, frozen=True, tag="refused", kw_only=True):
    """A line that was seen and had no effect, or an ack that was refused; `fault` is an error code."""

    line: int | None = None
    fault: str = ""


class Cut(Note, frozen=True, tag="cut", kw_only=True):
    """A message whose rest was withheld after `bytes` of it had been sent."""

    exchange: int
    bytes: int


class AnsweredAfterRevoke(Note, frozen=True, tag="answered_after_revoke", kw_only=True):
    """The reply in `line` came after consent had been taken back, and was handed to nobody."""

    line: int


class Poisoned(Note, frozen=True, tag="poisoned", kw_only=True):
    """From here on no reply of this connection can be told from another; `reason` is an error code."""

    reason: str = ""


class SendFailed(Note, frozen=True, tag="send_failed", kw_only=True):
    """A message did not go out whole, or not at all: then it has no `exchange`. `reason` is an error code."""

    exchange: int | None = None
    reason: str = ""


class Dropped(Note, frozen=True, tag="dropped", kw_only=True):
    """So many wire lines could not be recorded."""

    lines: int


class UnknownNote(msgspec.Struct, frozen=True):
    """A note of a later format: kept and shown, never acted on."""

    kind: str
    t: float
    connection: int
    raw: bytes


KnownNote = (
    Connect
    | Spawn
    | Exit
    | Stderr
    | GateNote
    | GaveUp
    | Refused
    | Cut
    | AnsweredAfterRevoke
    | Poisoned
    | SendFailed
    | Dropped
)
AnyNote = KnownNote | UnknownNote
