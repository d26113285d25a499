"""A bundle read back (`cgp-bundle/1`), and what it proves.

A bundle is foreign text: it is checked like a line of the wire, and then compared, member by member, with the document that
its evidence makes. So whatever a person reads in it, its hashes too, is what was judged. Only the instructions on how to
verify may differ, as another version of the program may word them otherwise.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from typing import Any, Final, TypeVar

import msgspec

from cgp_tui import limits
from cgp_tui.checks.exhibit import Exhibit, Proven, line_of
from cgp_tui.checks.types import NEVER_COVERED, Appraisal, RootAppraisal
from cgp_tui.errors import InputError
from cgp_tui.protocol.capability import AttesterKey
from cgp_tui.protocol.envelope import Frames
from cgp_tui.report.bundle import FORMAT, bundle_document
from cgp_tui.report.problem import Problem
from cgp_tui.wire.decode import decode, text_fault
from cgp_tui.wire.line import Decoded

_FIX: Final = "Get the bundle again from whoever sent it, or make one: cgp-tui prove FILE --frame ID -o BUNDLE"

_UPDATE: Final = "Update cgp-tui: python -m pip install --upgrade cgp-tui"
_NUMBERED: Final = re.compile("cgp-bundle/[0-9]{1,9}")

_NAME_CHARS: Final = 64
"""How much of a foreign name is repeated where it is refused."""

_REASON_CHARS: Final = 256
"""And so much of what a parser says, which may repeat one."""

_ABSENT: Final = (b"null", b"")

_HOW: Final = "how_to_verify"

_ESCAPED_MARK: Final = b"\\u0022"

_MEMBERS: Final = msgspec.json.Decoder(dict[str, msgspec.Raw]).decode

S = TypeVar("S", bound=msgspec.Struct)


_NONE: Final = msgspec.Raw(b"")


class _Format(msgspec.Struct):
    format: str


class _Frame(msgspec.Struct):
    frame: msgspec.Raw
    identity: msgspec.Raw
    attestation: msgspec.Raw = _NONE
    inclusion_proof: msgspec.Raw = _NONE


class _OneOfAll(_Frame, forbid_unknown_fields=True):
    provenance: msgspec.Raw = _NONE
    hashes: msgspec.Raw = _NONE


class _Bundle(msgspec.Struct, forbid_unknown_fields=True):
    """Every member that a bundle may have. One frame has its members here; those of a whole answer have them in `frames`."""

    format: str
    keys: tuple[AttesterKey, ...]
    result_attestation: msgspec.Raw = _NONE
    frames: list[_OneOfAll] | None = None
    how_to_verify: msgspec.Raw = _NONE
    frame: msgspec.Raw = _NONE
    identity: msgspec.Raw = _NONE
    provenance: msgspec.Raw = _NONE
    attestation: msgspec.Raw = _NONE
    inclusion_proof: msgspec.Raw = _NONE
    hashes: msgspec.Raw = _NONE


def read(data: bytes) -> Exhibit:
    """The evidence in a bundle. Raises InputError `not_a_bundle` where it is no bundle, or does not say what it proves."""
    if len(data) > limits.BUNDLE_BYTES:
        raise _bad(f"It is larger than {limits.BUNDLE_BYTES:,} bytes.")
    fault = text_fault(data)
    if fault is not None:
        raise _bad(f"It is not JSON that can be read: {fault.detail}.")
    name = _typed(data, _Format).format
    if name != FORMAT:
        newer = _NUMBERED.fullmatch(name) is not None
        raise _bad(f"Its format is {name[:_NAME_CHARS]!r}, known is {FORMAT}.", _UPDATE if newer else _FIX)
    head = _typed(data, _Bundle)
    if len(bytes(head.how_to_verify)) > limits.SLOW_JSON_BYTES:
        raise _bad("Its member how_to_verify is too long.")
    frames = [_typed(data, _Frame)] if head.frames is None else head.frames
    if not frames:
        raise _bad("It holds no frame.")
    entries = [_entry(one) for one in frames if not _absent(one.attestation) or not _absent(one.inclusion_proof)]
    root = None if _absent(head.result_attestation) else bytes(head.result_attestation)
    line = line_of([bytes(one.frame) for one in frames], b"[" + b",".join(entries) + b"]", root)
    decoded = decode(line)
    if not isinstance(decoded.envelope, Frames) or decoded.faults or decoded.bad_frames:
        raise _bad(f"Its evidence cannot be read: {_fault(decoded)}.")
    names = {_provider(one.identity) for one in frames}
    if len(names) != 1:
        raise _bad("Its frames are not all of one provider.")
    shown = Exhibit(line, names.pop(), head.keys, whole=head.frames is not None)
    made = bundle_document(shown)
    different = _difference(data, made)
    if different is not None:
        message = f"This bundle was changed: its member {different[:_NAME_CHARS]} does not match the rest of it."
        raise InputError("not_a_bundle", message, _FIX)
    _is_unambiguous(data, made, head.how_to_verify)
    return shown


def verified_document(
    bundle: str | None,
    shown: Exhibit | None,
    proven: Proven | None,
    problem: Problem | None = None,
    *,
    unusable: Problem | None = None,
) -> dict[str, Any]:
    """`verify-bundle --format json`. `whole` tells whether all frames of an answer are in the bundle, `siblings` how many
    hashes of others the proof of a frame discloses; `root` is the signature over a whole answer. `trust_store` (`{"state",
    "message", "fix"}`) is there only where the store is `unusable`."""
    document: dict[str, Any] = {
        "bundle": bundle,
        "format": None if shown is None else FORMAT,
        "whole": None if shown is None else shown.whole,
        "attested": proven is not None and proven.attested,
        "frames": [] if proven is None or shown is None else [_proved(one, shown) for one in proven.appraisals],
        "root": None if proven is None or proven.root is None else _root(proven.root),
    }
    more = (("trust_store", unusable), ("error", problem))
    return document | {name: value for name, value in more if value is not None}


def _proved(one: Appraisal, shown: Exhibit) -> dict[str, Any]:
    name = one.frame
    return {
        "frame_id": name.frame_id,
        "provider_name": name.provider_id,
        "content_digest": name.content_digest,
        "verdict": one.verdict,
        "proof": one.proof or None,
        "standing": one.standing,
        "key_id": one.key_id,
        "public_key": one.public_key,
        "signer": one.signer,
        "covers": one.covers,
        "not_covered": NEVER_COVERED if "content" in one.covers else ("content", *NEVER_COVERED),
        "siblings": shown.siblings(one.frame),
        "steps": (*one.steps, *one.path),
    }


def _root(one: RootAppraisal) -> dict[str, Any]:
    members = ("verdict", "standing", "leaf_count", "key_id", "public_key", "signer", "steps")
    return {name: getattr(one, name) for name in members}


def _is_unambiguous(data: bytes, made: Mapping[str, Any], how: msgspec.Raw) -> None:
    """Raises InputError where two readers may understand in two ways what says the same as `made`, with `how` in its place.

    Every doubled member costs at least two quotation marks; only marks written as escapes can make up for them.
    """
    words = bytes(how)
    if _ESCAPED_MARK in data:
        if len(data) > limits.SLOW_JSON_BYTES:
            raise _bad(
                "It is too long to tell whether a member occurs in it twice: its quotation marks are written as escapes."
            )
        twice = _repeats(data)
    else:
        ours = msgspec.json.encode({**made, _HOW: how} if words else {name: made[name] for name in made if name != _HOW})
        twice = data.count(b'"') != ours.count(b'"') or bool(words and _repeats(words))
    if twice:
        raise _bad("A member occurs in it twice.")


def _repeats(data: bytes) -> bool:
    doubled = False

    def members(pairs: list[tuple[str, object]]) -> None:
        nonlocal doubled
        doubled = doubled or len({name for name, _ in pairs}) != len(pairs)

    json.loads(data, object_pairs_hook=members, parse_int=str, parse_float=str)
    return doubled


def _typed(data: bytes, kind: type[S]) -> S:
    try:
        return msgspec.json.decode(data, type=kind)
    except msgspec.DecodeError as error:
        raise _bad(f"It lacks what a bundle holds: {str(error)[:_REASON_CHARS]}.") from None


def _absent(raw: msgspec.Raw) -> bool:
    return bytes(raw) in _ABSENT


def _entry(one: _Frame) -> bytes:
    members = [b'"frame":' + bytes(one.identity)]
    for name, raw in ((b"attestation", one.attestation), (b"inclusion_proof", one.inclusion_proof)):
        if not _absent(raw):
            members.append(b'"' + name + b'":' + bytes(raw))
    return b"{" + b",".join(members) + b"}"


class _Named(msgspec.Struct):
    provider_id: str


def _provider(identity: msgspec.Raw) -> str:
    return _typed(bytes(identity), _Named).provider_id


def _fault(decoded: Decoded) -> str:
    faults: Iterable[Any] = (*decoded.faults, *(fault for bad in decoded.bad_frames for fault in bad.faults))
    return next((fault.detail for fault in faults), "it holds no frame")


def _difference(data: bytes, made: dict[str, Any]) -> str | None:
    """The first member that differs, the instructions for a person left aside."""
    given = _MEMBERS(data)
    ours = _MEMBERS(msgspec.json.encode(made))
    names = (name for name in dict.fromkeys((*ours, *given)) if name != _HOW)
    return next((name for name in names if name not in given or name not in ours or _differ(given[name], ours[name])), None)


def _differ(given: msgspec.Raw, ours: msgspec.Raw) -> bool:
    """Whether two values differ. One with more parts than ours, which has no escapes, does differ, and is not built: that
    may take many times its size."""
    theirs, mine = bytes(given), bytes(ours)
    return any(theirs.count(sign) > mine.count(sign) for sign in (b",", b"[", b"{")) or (
        bool(msgspec.json.decode(theirs) != msgspec.json.decode(mine))
    )


def _bad(reason: str, fix: str = _FIX) -> InputError:
    return InputError("not_a_bundle", f"This is not an evidence bundle that can be read here. {reason}", fix)
