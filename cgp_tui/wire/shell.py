"""Reads an answer as a small shell around frames, which may have been read before."""

from __future__ import annotations

import re
from functools import lru_cache
from operator import attrgetter
from typing import Any, Final

import msgspec

from cgp_tui.protocol.attestation import FrameAttestation, ProvenanceAttestation
from cgp_tui.protocol.envelope import ContextQueryResult, Frames
from cgp_tui.protocol.frame import ContextFrame
from cgp_tui.wire import skeleton
from cgp_tui.wire.line import Decoded
from cgp_tui.wire.memo import FrameMemo, Kept
from cgp_tui.wire.ranges import TYPE_OF, within_u32

_MARK: Final = b'"frames"'
_TYPE: Final = TYPE_OF[Frames]
_QUOTED: Final = f'"{_TYPE}"'.encode()
_LOOK: Final = 64
"""A line that does not say within this many bytes that it is an answer is read like any other."""
_HEAD: Final = re.compile(
    rb'\{"type":"frames",(?:"id":(?:null|"(?P<id>[^"\\\x00-\x1f]*+)"),)?"result":\{"frames":\[', re.DOTALL
)
"""How most answers begin: what follows is the first frame, or the end of the frames."""

_EMPTY: Final = b'{"type":"frames","result":{"frames":['
_SHORT: Final = 64
"""What follows the frames is looked up among earlier endings if it is no longer than this."""

_Member = msgspec.Raw | msgspec.UnsetType


class _Result(msgspec.Struct, gc=False):
    frames: tuple[msgspec.Raw, ...]
    truncated: msgspec.Raw
    dropped_estimate: _Member = msgspec.UNSET
    frame_attestations: _Member = msgspec.UNSET
    result_attestation: _Member = msgspec.UNSET


class _Shell(msgspec.Struct, gc=False):
    # No tag: encoding one that the line lacks would make up for an unknown member of the same length.
    type: msgspec.Raw
    result: _Result
    id: _Member = msgspec.UNSET


_SHELL: Final = msgspec.json.Decoder(_Shell).decode
_ENCODE: Final = msgspec.json.Encoder().encode
_ID: Final = msgspec.json.Decoder(str | None).decode
_FLAG: Final = {b"true": True, b"false": False}

_OPTIONAL: Final[dict[str, Any]] = {
    "dropped_estimate": int | None,
    "frame_attestations": tuple[FrameAttestation, ...],
    "result_attestation": ProvenanceAttestation | None,
}
_DECODERS: Final = {name: msgspec.json.Decoder(kind).decode for name, kind in _OPTIONAL.items()}
_optional: Final = attrgetter(*_OPTIONAL)
_NOTHING: Final = (msgspec.UNSET,) * len(_OPTIONAL)


def read(raw: bytes, memo: FrameMemo) -> Decoded | None:
    """What `raw` says, if it is a sound answer and the bytes around its frames are proved to be known members, each once;
    None where that is not proved.

    Frames at the start of the array that are known by their bytes are cut out, and only the rest is read.
    """
    if raw.find(_MARK, 0, _LOOK) < 0 or memo.rests():
        return None
    known: list[Kept] = []
    rest, more = raw, False
    head = _HEAD.match(raw)
    if head is not None:
        begin = head.end()
        known, end = memo.follow(raw, begin)
        more = raw[end - 1 : end] == b","
        if not more and len(raw) - end <= _SHORT:
            ending = _ending(raw[end:])
            if ending is not None:
                return _between(head["id"], memo.answer(known), known, ending)
        rest = raw[:begin] + raw[end:]
    try:
        shell = _known(rest) or _known(msgspec.json.format(rest, indent=-1))
        if shell is None or bytes(shell.type) != _QUOTED or (more and not shell.result.frames):
            return None
        told = _result(shell.result, known, memo)
        if told is None:
            return None
        ident = None if isinstance(shell.id, msgspec.UnsetType) else _ID(shell.id)
    except (msgspec.DecodeError, RecursionError):
        return None
    result, extras = told
    return Decoded(_TYPE, ident, Frames(result, ident), extras=extras)


def _between(
    quoted: bytes | None, frames: tuple[ContextFrame, ...], known: list[Kept], ending: ContextQueryResult
) -> Decoded | None:
    """The answer, where all its frames are known and its other members were read before; None where its id is no string."""
    try:
        ident = None if quoted is None else quoted.decode()
    except UnicodeDecodeError:
        return None
    result = ContextQueryResult(frames, ending.truncated, ending.dropped_estimate)
    return Decoded(_TYPE, ident, Frames(result, ident), extras=True in [one.extras for one in known])


@lru_cache(maxsize=256)
def _ending(rest: bytes) -> ContextQueryResult | None:
    """What an answer says behind its frames; None where that is not proved, or is more than the two members that most
    answers end with."""
    try:
        shell = _known(_EMPTY + rest)
        told = None if shell is None or shell.result.frames else _result(shell.result, [], FrameMemo())
    except (msgspec.DecodeError, RecursionError):
        return None
    if told is None or told[0].frame_attestations or told[0].result_attestation is not None:
        return None
    return told[0] if shell is not None and isinstance(shell.id, msgspec.UnsetType) else None


def _known(raw: bytes) -> _Shell | None:
    """The shell of a line; None where the line may hold more than its known members and the frames. The proof is that of
    `skeleton`: a doubled member, an unknown one or a blank makes the line longer."""
    shell = _SHELL(raw)
    return shell if _length(shell) == len(raw) else None


def _length(shell: _Shell) -> int:
    """The encoded length of a shell. Its frames are not encoded: copying a long answer keeps other threads waiting."""
    result, frames = shell.result, shell.result.frames
    result.frames = ()
    around = len(_ENCODE(shell))
    result.frames = frames
    return around + sum(map(len, frames)) + max(len(frames) - 1, 0)


def _result(result: _Result, known: list[Kept], memo: FrameMemo) -> tuple[ContextQueryResult, bool] | None:
    truncated = _FLAG.get(bytes(result.truncated))
    kept = memo.read(result.frames, known) if result.frames else known
    if truncated is None or kept is None:
        return None
    more: dict[str, Any] = {}
    for name in _OPTIONAL if _optional(result) != _NOTHING else ():
        member = getattr(result, name)
        if not isinstance(member, msgspec.UnsetType):
            if not skeleton.holds_only_known_members(_OPTIONAL[name], member):
                return None
            more[name] = _DECODERS[name](member)
    made = ContextQueryResult(memo.answer(kept), truncated, **more)
    return (made, True in [one.extras for one in kept]) if within_u32(made) else None
