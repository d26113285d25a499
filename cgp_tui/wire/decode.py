"""Strict decoding: a line becomes a message, or the parts that are wrong are named.

Most lines take the short way: one typed decode, and a proof that nothing is doubled or unknown. Only a line for which that
fails is taken apart (`salvage`), so that one bad frame never costs its siblings.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import TYPE_CHECKING, Any, Final

import msgspec

from cgp_tui import limits
from cgp_tui.protocol.envelope import Envelope, Frames, Query
from cgp_tui.wire import proof, slices
from cgp_tui.wire.line import UNFINISHED, Decoded, Fault, FaultCode
from cgp_tui.wire.peek import Peek, peek
from cgp_tui.wire.ranges import TYPE_OF, U32, within_u32

if TYPE_CHECKING:
    from cgp_tui.wire.memo import FrameMemo
    from cgp_tui.wire.surrogates import Replaced

_TYPED: Final = msgspec.json.Decoder(Envelope).decode
_ANY: Final = msgspec.json.Decoder(msgspec.Raw).decode


def decode(raw: bytes, memo: FrameMemo | None = None) -> Decoded:
    """What a line says. Never raises, whatever the bytes are.

    Refused as a whole, with `envelope` None: bytes that are not UTF-8 (`invalid_utf8`), nesting beyond limits.JSON_DEPTH
    (`too_deep`), text that is not JSON, NaN included (`not_json`), a value that is not one object (`not_one_object`), an
    object without a `type` string (`no_type`), a known member of the message given twice (`duplicate_member`), or a
    required member missing or of a wrong type (`shape`; a u32 member out of range too). The same faults in a frame, an
    attestation entry, a verdict or a published key refuse only that part. Unknown members are ignored and may repeat (U1);
    an unknown `type` is no fault (SPEC 2.1).

    With a `memo` a frame is decoded once for as long as the memo keeps it; the result is the same without.
    """
    if len(raw) > limits.SHELL_AT_ONCE_BYTES:
        from cgp_tui.wire import long  # the first paint does without

        found = long.read(raw)
        return found if found is not None and _ranges_hold(found.envelope) else _part_by_part(raw)
    if memo is not None:
        again = _shell()(raw, memo)
        if again is not None:
            return again
    try:
        envelope = _TYPED(raw)
    except (msgspec.DecodeError, RecursionError):
        return _part_by_part(raw)
    extras = proof.extras(type(envelope), raw) if _ranges_hold(envelope) else None
    if extras is None:
        return _part_by_part(raw)
    return Decoded(TYPE_OF[type(envelope)], getattr(envelope, "id", None), envelope, extras=extras)


def glance(raw: bytes) -> Decoded:
    """Like `decode`, for callers that only show the line: it is not searched for members that no type knows, so `extras` may
    be set where there are none. That saves what `decode` prepares for the search."""
    try:
        envelope = _TYPED(raw) if len(raw) <= limits.SLOW_JSON_BYTES else None
    except (msgspec.DecodeError, RecursionError):
        envelope = None
    if envelope is None or not _ranges_hold(envelope) or not proof.repeats_nothing(raw):
        return decode(raw)
    return Decoded(TYPE_OF[type(envelope)], getattr(envelope, "id", None), envelope, extras=True)


@cache
def _shell() -> Callable[[bytes, FrameMemo], Decoded | None]:
    """Imported only for callers that keep frames."""
    from cgp_tui.wire import shell

    return shell.read


def text_fault(raw: bytes) -> Fault | None:
    """Why a text is not JSON that we read, whatever it says; None where it is: `invalid_utf8`, `too_deep`, `not_json`,
    `not_one_object` for two objects, `shape` for a lone surrogate. Builds no tree of it."""
    from cgp_tui.wire import surrogates

    replaced = surrogates.replace(raw)
    fault = _refusal(raw, replaced)
    if fault is None and replaced is not None and replaced.stand_in:
        return _fault("shape", "the text holds half of a surrogate pair")
    return fault


def _ranges_hold(envelope: Envelope | None) -> bool:
    """Whether every u32 member is in range."""
    if isinstance(envelope, Frames):
        if envelope.result.dropped_estimate is not None and not within_u32(envelope.result):
            return False
        for frame in envelope.result.frames:
            if not 0 <= frame.token_cost <= U32 or frame.canonical_token_cost is not None:
                return all(map(within_u32, envelope.result.frames))
    elif isinstance(envelope, Query):
        query = envelope.query
        return 0 <= query.max_frames <= U32 and 0 <= query.max_tokens <= U32
    return True


def _part_by_part(raw: bytes) -> Decoded:
    # Imported for the first faulty line.
    from cgp_tui.wire import salvage, surrogates

    replaced = surrogates.replace(raw)
    refusal = _refusal(raw, replaced)
    if refusal is None and replaced is not None:
        return salvage.salvage(raw, replaced)
    assert refusal is not None  # noqa: S101 - a line with too many halves is refused
    seen = Peek(None, None) if refusal.code in ("not_json", "not_one_object") else peek(raw)
    return Decoded(seen.type, seen.id, None, (refusal,))


def _refusal(raw: bytes, replaced: Replaced | None) -> Fault | None:
    """Why the line as a whole is not JSON text that we read; None where it is."""
    if not proof.is_utf8(raw):
        return _fault("invalid_utf8", f"byte {slices.first_bad_byte(raw) + 1} of the line is not UTF-8")
    if replaced is None:
        from cgp_tui.wire import surrogates

        return _fault("shape", f"the text holds more than {surrogates.MOST:,} halves of surrogate pairs")
    try:
        _is_json(replaced.text)
    except RecursionError:
        return _too_deep()
    except msgspec.DecodeError as error:
        return _too_deep() if proof.goes_deep(raw) else _not_json(raw, str(error))
    return _too_deep() if proof.is_deep(replaced.text) else None


def _is_json(text: bytes) -> None:
    """Raises what the parser raises for a text that is not JSON."""
    if len(text) <= limits.SHELL_AT_ONCE_BYTES:
        _ANY(text)
        return
    from cgp_tui.wire import complaint  # the first paint does without

    complaint.check(text)


def _not_json(raw: bytes, reason: str) -> Fault:
    """Why the text is not JSON, in words; two objects on one line are told from garbage."""
    body = slices.strip(raw)
    if not body:
        return _fault("not_json", "the line is empty")
    if body.startswith(b"\xef\xbb\xbf"):
        return _fault("not_json", "the line begins with a byte order mark")
    if body.startswith(b"{") and len(body) <= limits.SLOW_JSON_BYTES and _two_objects(body.decode()):
        return _fault("not_one_object", "the line holds two objects")
    plain = reason.removeprefix("JSON is malformed: ")
    return _fault("not_json", plain.replace("Input data was truncated", UNFINISHED))


def _two_objects(text: str) -> bool:
    """Whether an object is followed by the start of another. Numbers stay text, so that a long one is not computed."""

    import json

    def never(constant: str) -> Any:
        raise ValueError(constant)

    reader = json.JSONDecoder(parse_int=str, parse_float=str, parse_constant=never)
    try:
        end = reader.raw_decode(text)[1]
    except (ValueError, RecursionError):
        return False
    return text[end:].lstrip(" \t\r").startswith("{")


def _fault(code: FaultCode, detail: str) -> Fault:
    return Fault(code, "", detail)


def _too_deep() -> Fault:
    return _fault("too_deep", f"arrays and objects are nested deeper than {limits.JSON_DEPTH} levels")
