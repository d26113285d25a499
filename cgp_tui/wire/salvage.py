"""A line that does not decode as a whole, taken apart: which member is at fault, and what still stands without it."""

from __future__ import annotations

import json
import re
from collections import Counter
from functools import cache
from typing import Any, Final, NamedTuple

import msgspec

from cgp_tui import limits
from cgp_tui.protocol.envelope import ContextQueryResult, Envelope, HandshakeAck
from cgp_tui.protocol.frame import ContextFrame
from cgp_tui.protocol.query import ContextQuery
from cgp_tui.protocol.verify import VerifyResponse
from cgp_tui.wire.line import BadFrame, Decoded, Fault, FaultCode
from cgp_tui.wire.skeleton import struct_in

TYPE_OF: Final[dict[type[Any], str]] = {kind: kind.__struct_config__.tag for kind in Envelope.__args__}
"""Each message's struct with its `type`."""

_BY_TYPE: Final[dict[str, type[Any]]] = {tag: kind for kind, tag in TYPE_OF.items()}

_EXPENDABLE: Final = {
    (ContextQueryResult, "frames"),
    (ContextQueryResult, "frame_attestations"),
    (ContextQueryResult, "result_attestation"),
    (VerifyResponse, "verdicts"),
    (HandshakeAck, "attester_keys"),
}
"""Members whose bad parts are left out while the rest stands: frames have siblings, evidence may never cost a frame (F9)."""

_U32_MEMBERS: Final = {
    (ContextQuery, "max_frames"),
    (ContextQuery, "max_tokens"),
    (ContextFrame, "token_cost"),
    (ContextFrame, "canonical_token_cost"),
    (ContextQueryResult, "dropped_estimate"),
}

_MEMBERS: Final = msgspec.json.Decoder(dict[str, msgspec.Raw]).decode
_ITEMS: Final = msgspec.json.Decoder(list[msgspec.Raw]).decode
_TEXT: Final = msgspec.json.Decoder(str).decode
_ENCODE: Final = msgspec.json.Encoder().encode

_ESCAPE: Final = re.compile(
    rb"\\(?:u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|u[dD][89a-fA-F][0-9a-fA-F]{2}|.)", re.DOTALL
)
_STAND_INS: Final = tuple(f"\\u{text}".encode() for text in ("fdd0", "fdd1", "FDD0", "FDD1", "fDd0", "FdD1"))


class _Bad:
    """The mark of a value that could not be read."""


_BAD: Final = _Bad()

_WORDS: Final = {
    "str": "a string",
    "int": "a whole number",
    "float": "a number",
    "bool": "true or false",
    "object": "an object",
    "array": "an array",
}


class _Object(NamedTuple):
    members: dict[str, bytes]
    doubled: frozenset[str]


def without_lone_surrogates(raw: bytes) -> bytes:
    """The same line with every escape of half a surrogate pair replaced by a non-character of equal length.

    Half a pair is legal JSON and no Unicode text: msgspec refuses the whole line for it, we refuse the string.
    """
    if b"\\ud" not in raw and b"\\uD" not in raw:
        return raw
    stand_in = _stand_in(raw)
    return _ESCAPE.sub(lambda match: stand_in if _is_lone(match[0]) else match[0], raw)


def _stand_in(raw: bytes) -> bytes:
    """An escape that the line does not use; the first one where it uses them all, which refuses those strings as well."""
    return next((text for text in _STAND_INS if text not in raw), _STAND_INS[0])


def _is_lone(escape: bytes) -> bool:
    return len(escape) == 6 and escape[:3] in (b"\\ud", b"\\uD") and escape[3:4] in b"89abcdefABCDEF"


def salvage(raw: bytes) -> Decoded:
    """Everything that can be said of a line of valid JSON that did not decode as a message."""
    return _Salvage(raw).line()


class _Salvage:
    def __init__(self, raw: bytes) -> None:
        self._text = without_lone_surrogates(raw)
        self._lone = b"" if self._text is raw else _stand_in(raw)
        self._faults: list[Fault] = []
        self._bad_frames: list[BadFrame] = []
        self._places: list[int] = []

    def line(self) -> Decoded:
        top = self._object(self._text)
        if top is None:
            return Decoded(None, None, None, (Fault("not_one_object", "", "the line is not one object"),))
        tag, name = self._plain_text(top, "type"), self._plain_text(top, "id")
        if "type" in top.doubled:
            return Decoded(None, name, None, (Fault("duplicate_member", "/type", "`type` is given more than once"),))
        if tag is None:
            why = "`type` is no string" if "type" in top.members else "`type` is missing"
            return Decoded(None, name, None, (Fault("no_type", "/type" if "type" in top.members else "", why),))
        kind = _BY_TYPE.get(tag)
        if kind is None:
            return Decoded(tag, name, None)
        envelope = self._struct(kind, top, "")
        return Decoded(
            tag,
            name,
            None if isinstance(envelope, _Bad) else envelope,
            tuple(self._faults),
            tuple(self._bad_frames),
            tuple(self._places) if self._bad_frames else None,
        )

    def _struct(self, kind: Any, found: _Object, path: str) -> Any:
        values: dict[str, Any] = {}
        whole = True
        for field in _fields(kind):
            name = field.encode_name
            here = f"{path}/{name}"
            piece = found.members.get(name)
            value: Any
            if name in found.doubled:
                value = self._fault("duplicate_member", here, f"`{name}` is given more than once")
            elif piece is None:
                if not field.required:
                    continue
                value = self._fault("shape", here, f"`{name}` is missing")
            else:
                value = self._value(kind, field.name, field.type, piece, here)
            if isinstance(value, _Bad):
                whole = whole and not field.required and (kind, field.name) in _EXPENDABLE
            else:
                values[field.name] = value
        return kind(**values) if whole else _BAD

    def _value(self, kind: Any, name: str, annotation: Any, piece: bytes, path: str) -> Any:
        struct, many = struct_in(annotation)
        if struct is not None and piece != b"null":
            return self._many((kind, name), struct, piece, path) if many else self._one(struct, piece, path)
        try:
            value = _leaf(annotation)(piece)
        except (msgspec.DecodeError, RecursionError) as error:
            where, detail = _why(str(error))
            return self._fault("shape", path + where, detail)
        if self._lone and self._lone in piece:
            return self._fault("shape", path, "the text holds half a surrogate pair, which is no Unicode character")
        if (kind, name) in _U32_MEMBERS and value is not None and not 0 <= value <= 0xFFFF_FFFF:
            return self._fault("shape", path, "a whole number from 0 to 4294967295 is expected")
        return value

    def _one(self, struct: Any, piece: bytes, path: str) -> Any:
        found = self._object(piece)
        if found is None:
            return self._fault("shape", path, "an object is expected")
        return self._struct(struct, found, path)

    def _many(self, member: tuple[Any, str], struct: Any, piece: bytes, path: str) -> Any:
        try:
            items = _ITEMS(piece)
        except msgspec.DecodeError:
            return self._fault("shape", path, "an array is expected")
        kept: list[Any] = []
        whole = True
        for place, item in enumerate(items):
            here, before = f"{path}/{place}", len(self._faults)
            value = self._one(struct, bytes(item), here)
            if not isinstance(value, _Bad):
                kept.append(value)
                if struct is ContextFrame:
                    self._places.append(place)
                continue
            whole = False
            if struct is ContextFrame:
                self._bad_frame(place, bytes(item), before)
        return tuple(kept) if whole or member in _EXPENDABLE else _BAD

    def _bad_frame(self, place: int, raw: bytes, before: int) -> None:
        """Move the faults found since `before` to the frame they belong to."""
        found = self._object(raw)
        name = None if found is None else self._plain_text(found, "id")
        self._bad_frames.append(BadFrame(place, name, raw, tuple(self._faults[before:])))
        del self._faults[before:]

    def _plain_text(self, found: _Object, name: str) -> str | None:
        """A string member that is given once; None for anything else."""
        piece = found.members.get(name)
        if piece is None or name in found.doubled or (self._lone and self._lone in piece):
            return None
        try:
            return _TEXT(piece)
        except msgspec.DecodeError:
            return None

    def _object(self, raw: bytes) -> _Object | None:
        """An object's members and which of them are doubled; None for another value."""
        try:
            members = {name: bytes(piece) for name, piece in _MEMBERS(raw).items()}
        except msgspec.DecodeError:
            return None
        return _Object(members, _doubled(raw, members))

    def _fault(self, code: FaultCode, path: str, detail: str) -> _Bad:
        self._faults.append(Fault(code, path, detail))
        return _BAD


def _doubled(raw: bytes, members: dict[str, bytes]) -> frozenset[str]:
    """The names that an object gives more than once. Equal lengths prove that there are none; else its names are listed.

    An object too large to list is taken to repeat every name it has: nobody sends such a one by honest means.
    """
    once = 1 + sum(len(_ENCODE(name)) + 2 + len(piece) for name, piece in members.items())
    if once == len(raw) or not members:
        return frozenset()
    if len(raw) > limits.SLOW_JSON_BYTES:
        compact = {name: _compact(piece) for name, piece in members.items()}
        whole = _compact(raw)
        return frozenset(members) if len(whole) == len(raw) else _doubled(whole, compact)
    names = json.loads(raw, object_pairs_hook=_names, parse_int=str, parse_float=str)
    return frozenset(name for name, times in Counter(names).items() if times > 1)


def _compact(raw: bytes) -> bytes:
    return msgspec.json.format(raw, indent=-1)


def _names(pairs: list[tuple[str, Any]]) -> list[str]:
    return [name for name, _ in pairs]


@cache
def _fields(kind: Any) -> tuple[msgspec.structs.FieldInfo, ...]:
    return msgspec.structs.fields(kind)


@cache
def _leaf(annotation: Any) -> Any:
    return msgspec.json.Decoder(annotation).decode


_REASON: Final = re.compile(r"(?:Expected `([^`]*)`, got `([^`]*)`|(.*?))(?: - at `\$(?:\[(\d+)\])?`)?")


def _why(reason: str) -> tuple[str, str]:
    """A decoder's complaint about one member, as the rest of its JSON Pointer and a sentence."""
    match = _REASON.fullmatch(reason)
    if match is None:
        return "", reason
    where = "" if match[4] is None else f"/{match[4]}"
    if match[1] is not None:
        wanted = " or ".join(_WORDS.get(word, word) for word in match[1].split(" | "))
        return where, f"{wanted} is expected, {_WORDS.get(match[2], match[2])} was found"
    return where, "the number is out of range" if "out of range" in match[3] else match[3]
