"""Strict decoding: a line becomes a message, or it is named what is wrong with which part of it.

Most lines take the short way: one typed decode, and a proof that nothing is doubled or unknown. Only a line for which
that fails is taken apart (`salvage`), so that one bad frame never costs its siblings.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import TYPE_CHECKING, Any, Final

import msgspec

from cgp_tui import limits
from cgp_tui.protocol.envelope import Envelope, Frames, Query
from cgp_tui.wire import proof, slices
from cgp_tui.wire.line import Decoded, Fault, FaultCode
from cgp_tui.wire.peek import Peek, peek
from cgp_tui.wire.ranges import TYPE_OF, U32, within_u32

if TYPE_CHECKING:
    from cgp_tui.wire.memo import FrameMemo
    from cgp_tui.wire.surrogates import Replaced

_TYPED: Final = msgspec.json.Decoder(Envelope).decode
_ANY: Final = msgspec.json.Decoder(msgspec.Raw).decode


def decode(raw: bytes, memo: FrameMemo | None = None) -> Decoded:
    """What a line says; never raises, whatever the bytes are.

    Refused as a whole, `envelope` None: bytes that are no UTF-8 (`invalid_utf8`), nesting beyond limits.JSON_DEPTH
    (`too_deep`), text that is no JSON, NaN included (`not_json`), a value that is not one object (`not_one_object`), an
    object without a `type` string (`no_type`), a known member of the message given twice (`duplicate_member`), or a
    member that the message needs missing or of a wrong type (`shape`; u32 members beyond their range too). The same in a
    frame, an attestation entry, a verdict or a published key refuses only that part. Unknown members are ignored and may
    repeat (U1); an unknown `type` is no fault (SPEC 2.1).

    With a `memo` a frame is read once for as long as the memo keeps it; what a line says is the same without.
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
    """What a line says, for who only tells of it: as `decode`, but not looked through for members that no type knows, so
    `extras` may stand where there are none. What `decode` makes for that once is not made."""
    try:
        envelope = _TYPED(raw) if len(raw) <= limits.SLOW_JSON_BYTES else None
    except (msgspec.DecodeError, RecursionError):
        envelope = None
    if envelope is None or not _ranges_hold(envelope) or not proof.repeats_nothing(raw):
        return decode(raw)
    return Decoded(TYPE_OF[type(envelope)], getattr(envelope, "id", None), envelope, extras=True)


@cache
def _shell() -> Callable[[bytes, FrameMemo], Decoded | None]:
    """Loaded for who keeps frames."""
    from cgp_tui.wire import shell

    return shell.read


def text_fault(raw: bytes) -> Fault | None:
    """What keeps a text from being JSON that is read here, whatever it says, None where nothing does: `invalid_utf8`,
    `too_deep`, `not_json`, `not_one_object` for two objects, `shape` for half a surrogate pair. Builds no tree of it."""
    from cgp_tui.wire import surrogates

    replaced = surrogates.replace(raw)
    fault = _refusal(raw, replaced)
    if fault is None and replaced is not None and replaced.stand_in:
        return _fault("shape", "the text holds half of a surrogate pair")
    return fault


def _ranges_hold(envelope: Envelope | None) -> bool:
    """Whether every u32 member is one."""
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
    # Loaded for the first line that is at fault.
    from cgp_tui.wire import salvage, surrogates

    replaced = surrogates.replace(raw)
    refusal = _refusal(raw, replaced)
    if refusal is None and replaced is not None:
        return salvage.salvage(raw, replaced)
    assert refusal is not None  # noqa: S101 - a line with too many halves is refused
    seen = Peek(None, None) if refusal.code in ("not_json", "not_one_object") else peek(raw)
    return Decoded(seen.type, seen.id, None, (refusal,))


def _refusal(raw: bytes, replaced: Replaced | None) -> Fault | None:
    """What keeps the line as a whole from being JSON text that we read; None where nothing does."""
    if not proof.is_utf8(raw):
        return _fault("invalid_utf8", f"byte {slices.first_bad_byte(raw) + 1} of the line is no UTF-8")
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
    """Raises what a parser says of a text that is no JSON."""
    if len(text) <= limits.SHELL_AT_ONCE_BYTES:
        _ANY(text)
        return
    from cgp_tui.wire import complaint  # the first paint does without

    complaint.check(text)


def _not_json(raw: bytes, reason: str) -> Fault:
    """Why the text is no JSON, in words; two objects on one line are told apart from garbage."""
    body = slices.strip(raw)
    if not body:
        return _fault("not_json", "the line is empty")
    if body.startswith(b"\xef\xbb\xbf"):
        return _fault("not_json", "the line begins with a byte order mark")
    if body.startswith(b"{") and len(body) <= limits.SLOW_JSON_BYTES and _two_objects(body.decode()):
        return _fault("not_one_object", "two objects stand on one line")
    plain = reason.removeprefix("JSON is malformed: ")
    return _fault("not_json", plain.replace("Input data was truncated", "the text ends too early"))


def _two_objects(text: str) -> bool:
    """Whether an object is followed by the start of another; numbers stay text, so that no long one is computed."""

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
