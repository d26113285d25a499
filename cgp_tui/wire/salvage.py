"""Takes apart a line that does not decode as a whole: which member is at fault, and what is left without it."""

from __future__ import annotations

import re
from functools import cache
from typing import Any, Final, NamedTuple

import msgspec

from cgp_tui import limits
from cgp_tui.protocol.envelope import ContextQueryResult, HandshakeAck
from cgp_tui.protocol.frame import ContextFrame
from cgp_tui.protocol.verify import VerifyResponse
from cgp_tui.wire import skeleton, walk, words
from cgp_tui.wire.line import NOTHING, BadFrame, Decoded, Fault, FaultCode
from cgp_tui.wire.ranges import TYPE_OF, U32, U32_MEMBERS, within_u32
from cgp_tui.wire.surrogates import Replaced
from cgp_tui.wire.walk import Piece

_BY_TYPE: Final[dict[str, type[Any]]] = {tag: kind for kind, tag in TYPE_OF.items()}

_EXPENDABLE: Final = {
    (ContextQueryResult, "frames"),
    (ContextQueryResult, "frame_attestations"),
    (ContextQueryResult, "result_attestation"),
    (VerifyResponse, "verdicts"),
    (HandshakeAck, "attester_keys"),
}
"""Lists whose bad items are left out while the rest is kept: frames have siblings, evidence may never cost a frame (F9)."""

_TEXT: Final = msgspec.json.Decoder(str).decode

_REASON: Final = re.compile(r"(?:Expected `([^`]*)`, got `([^`]*)`|(.*?))(?: - at `\$(?:\[(\d+)\])?`)?", re.DOTALL)


class _Bad:
    """Marks a value that could not be read."""


_BAD: Final = _Bad()


class _Object(NamedTuple):
    """The members that a struct knows, as written, and the names of those given more than once."""

    members: dict[str, Piece]
    doubled: frozenset[str]


def _nothing_known_is_doubled(struct: Any, raw: bytes) -> bool:
    return skeleton.doubles_nothing(struct, raw) or skeleton.known_stand_once(struct, msgspec.json.format(raw, indent=-1))


def salvage(raw: bytes, replaced: Replaced) -> Decoded:
    """Everything that can be read of `raw`, a line of valid JSON that did not decode as a message.

    `replaced` is the same line without lone surrogates, which no decoder accepts.
    """
    return _Salvage(raw, replaced.stand_in).line(Piece(replaced.text, 0))


class _Salvage:
    def __init__(self, raw: bytes, stand_in: bytes) -> None:
        self._raw = raw
        self._stand_in = stand_in
        self._faults: list[Fault] = []
        self._bad_frames: list[BadFrame] = []
        self._places: list[int] = []

    def line(self, whole: Piece) -> Decoded:
        if not walk.is_object(whole.raw):
            return Decoded(None, None, None, (Fault("not_one_object", "", "the line is not one object"),))
        outer = self._object(whole, _ANY_ENVELOPE)
        tag, name = self._plain_text(outer, "type"), self._plain_text(outer, "id")
        if "type" in outer.doubled:
            return Decoded(None, name, None, (Fault("duplicate_member", "/type", "`type` is given more than once"),))
        if tag is None:
            why = "`type` is not a string" if "type" in outer.members else "`type` is missing"
            return Decoded(None, name, None, (Fault("no_type", "/type" if "type" in outer.members else "", why),))
        kind: Any = _BY_TYPE.get(tag)
        if kind is None:
            return Decoded(tag, name, None)
        envelope = self._struct(kind, outer, "")
        return Decoded(
            tag,
            name if "id" in _names(kind) else None,
            None if isinstance(envelope, _Bad) else envelope,
            tuple(self._faults),
            tuple(self._bad_frames),
            tuple(self._places) if self._bad_frames else None,
            extras=True,
        )

    def _one(self, kind: Any, piece: Piece, path: str) -> Any:
        if not walk.is_object(piece.raw):
            return self._other(path, "an object", words.an_object(kind), piece)
        return self._struct(kind, self._object(piece, _names(kind)), path)

    def _struct(self, kind: Any, found: _Object, path: str) -> Any:
        values: dict[str, Any] = {}
        whole = True
        for field in _fields(kind):
            name = field.encode_name
            here = f"{path}/{name}"
            piece = found.members.get(name)
            value: Any
            if name in found.doubled:
                twice = f"`{name}` is given more than once"
                value = self._fault("duplicate_member", here, twice, f"`{name}` once", twice)
            elif piece is None:
                if not field.required:
                    continue
                value = self._fault("shape", here, f"`{name}` is missing", words.wanted(kind, field.name), NOTHING)
            else:
                value = self._value(kind, field.name, field.type, piece, here)
            if isinstance(value, _Bad):
                whole = whole and not field.required and (kind, field.name) in _EXPENDABLE
            else:
                values[field.name] = value
        return kind(**values) if whole else _BAD

    def _value(self, kind: Any, name: str, annotation: Any, piece: Piece, path: str) -> Any:
        struct, many = skeleton.struct_in(annotation)
        if struct is not None and piece.raw != b"null":
            return self._many((kind, name), struct, piece, path) if many else self._one(struct, piece, path)
        try:
            value = _leaf(annotation)(piece.raw)
        except (msgspec.DecodeError, RecursionError) as error:
            where, expected, found = _why(str(error))
            if where:
                one = expected or words.item(annotation)
                return self._fault("shape", path + where, _sentence(one, found), one, found)
            if expected:
                return self._other(path, words.short(annotation), words.wanted(kind, name), piece)
            return self._fault("shape", path, _sentence(words.short(annotation), found), words.wanted(kind, name), found)
        if self._holds_half(piece):
            half = "half a surrogate pair, which is not a Unicode character"
            return self._fault("shape", path, f"the text holds {half}", words.wanted(kind, name), half)
        if name in U32_MEMBERS.get(kind, ()) and value is not None and not 0 <= value <= U32:
            return self._other(path, words.wanted(kind, name), words.wanted(kind, name), piece)
        return value

    def _other(self, path: str, short: str, expected: str, piece: Piece) -> _Bad:
        """Something else stands where `expected` belongs, in a sentence `short`."""
        found = words.seen(piece.raw)
        return self._fault("shape", path, _sentence(short, found), expected, found)

    def _many(self, member: tuple[Any, str], struct: Any, piece: Piece, path: str) -> Any:
        if not walk.is_array(piece.raw):
            return self._other(path, "an array", words.wanted(*member), piece)
        kept: list[Any] = []
        lost = 0
        for place, (raw, at) in enumerate(walk.items(piece.raw)):
            item = Piece(raw, piece.at + at)
            before = len(self._faults)
            value = self._item(struct, item, f"{path}/{place}")
            if not isinstance(value, _Bad):
                kept.append(value)
                if struct is ContextFrame:
                    self._places.append(place)
                continue
            lost += 1
            if struct is ContextFrame:
                self._bad_frame(place, item, before)
            if lost == limits.BAD_PARTS:
                return self._fault("shape", path, f"{lost:,} parts are faulty, the rest was not checked")
        return tuple(kept) if not lost or member in _EXPENDABLE else _BAD

    def _item(self, struct: Any, item: Piece, path: str) -> Any:
        """One item of a list. Most are sound beside a faulty sibling, so the typed decode is tried first."""
        if not self._holds_half(item):
            try:
                value = _leaf(struct)(item.raw)
            except (msgspec.DecodeError, RecursionError):
                pass
            else:
                if within_u32(value) and _nothing_known_is_doubled(struct, item.raw):
                    return value
        return self._one(struct, item, path)

    def _bad_frame(self, place: int, item: Piece, before: int) -> None:
        """Move the faults found since `before` to the frame they belong to."""
        found = self._object(item, frozenset(("id",))) if walk.is_object(item.raw) else None
        name = None if found is None else self._plain_text(found, "id")
        raw = self._raw[item.at : item.at + len(item.raw)]
        self._bad_frames.append(BadFrame(place, name, raw, tuple(self._faults[before:])))
        del self._faults[before:]

    def _plain_text(self, found: _Object, name: str) -> str | None:
        """A string member that is given exactly once; None for anything else."""
        piece = found.members.get(name)
        if piece is None or name in found.doubled or self._holds_half(piece):
            return None
        try:
            return _TEXT(piece.raw)
        except msgspec.DecodeError:
            return None

    def _holds_half(self, piece: Piece) -> bool:
        return bool(self._stand_in) and self._stand_in in piece.raw

    def _object(self, whole: Piece, known: frozenset[str]) -> _Object:
        """The `known` members of an object. Where it has too many members to visit, those seen so far count as doubled."""
        found: dict[str, Piece] = {}
        doubled: set[str] = set()
        for count, (name, (raw, at)) in enumerate(walk.members(whole.raw)):
            if count == limits.OBJECT_MEMBERS:
                return _Object(found, frozenset(found))
            if name in known:
                if name in found:
                    doubled.add(name)
                found[name] = Piece(raw, whole.at + at)
        return _Object(found, frozenset(doubled))

    def _fault(self, code: FaultCode, path: str, detail: str, expected: str = "", found: str = "") -> _Bad:
        self._faults.append(Fault(code, path, detail, expected, found))
        return _BAD


@cache
def _fields(kind: Any) -> tuple[msgspec.structs.FieldInfo, ...]:
    return msgspec.structs.fields(kind)


@cache
def _names(kind: Any) -> frozenset[str]:
    return frozenset(field.encode_name for field in _fields(kind))


_ANY_ENVELOPE: Final = frozenset(("type", "id")).union(*map(_names, TYPE_OF))
"""The members of any message, so that one walk over a line both finds its type and reads it."""


@cache
def _leaf(annotation: Any) -> Any:
    return msgspec.json.Decoder(annotation).decode


def _why(reason: str) -> tuple[str, str, str]:
    """A decoder's complaint about one member: the rest of the JSON Pointer, what it expected where it says so, and what it
    found."""
    match = _REASON.fullmatch(reason)
    assert match is not None  # noqa: S101 -- any text is a reason of its own
    where = "" if match[4] is None else f"/{match[4]}"
    if match[1] is not None:
        expected = " or ".join(words.OF_TYPE.get(word, word) for word in match[1].split(" | "))
        return where, expected, words.OF_TYPE.get(match[2], match[2])
    return where, "", "a number out of range" if "out of range" in match[3] else match[3]


def _sentence(expected: str, found: str) -> str:
    return f"{expected} is expected, {found} was found"
