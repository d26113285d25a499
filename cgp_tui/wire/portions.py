"""A long line read in portions: it says the same as read in one go, and no single step keeps other threads waiting.

A parser lets nobody else have a turn while it is at work, so it is never given more than a portion. Where a portion ends is
guessed from how the items of a list begin, and proved by reading it: from where a value is known to begin, only whole values
parse. What is not proved to be a message in order is left to whoever takes lines apart.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any, Final, TypeVar

import msgspec

from cgp_tui import limits
from cgp_tui.wire import forms, proof, skeleton, slices, spent
from cgp_tui.wire.cut import cut
from cgp_tui.wire.line import Decoded
from cgp_tui.wire.ranges import TYPE_OF

PORTION: Final = 256 * 1024
"""The most that is parsed at once: some two milliseconds."""
_GUESSES: Final = 3
"""So many ends of a portion are tried, then its items are read one by one."""
_LOOKS: Final = 64
"""Among so many places that look like the beginning of an item."""
_NAME_BYTES: Final = 4096
"""A longer name of a member, with the blanks around it, is not read here."""

_ANY: Final = msgspec.json.Decoder(msgspec.Raw).decode
_TEXT: Final = msgspec.json.Decoder(str).decode

_TRAILING: Final = re.compile(r"trailing characters \(byte (\d+)\)")
_BLANKS: Final = re.compile(rb"[ \t\r\n]*+")
_NAME: Final = re.compile(rb'"([^"\\\x00-\x1f]*+)"[ \t\r\n]*+:[ \t\r\n]*+')
_BEGIN: Final = re.compile(rb'\{[ \t\r\n]*+"[^"\\]{0,64}"[ \t\r\n]*+:|\{|\[|"')
_Told = TypeVar("_Told")

_KIND_OF: Final[dict[str, Any]] = {tag: kind for kind, tag in TYPE_OF.items()}


class _Unproved(Exception):
    """This is not proved to be in order; it may well be."""


def read(raw: bytes) -> Decoded | None:
    """What `raw` says, where all of it is proved to be a message in order, or to be of a type that is not known; None where
    that is not proved. Numbers beyond their range are let through."""
    return _try(raw, _Reader.line)


def members(raw: bytes, *names: str) -> tuple[bytes | None, ...] | None:
    """The last member of each of these names of the object that `raw` is, None for one it has not; None where that is not
    proved."""
    return _try(raw, lambda reader: reader.named(names))


def is_value(raw: bytes) -> bool:
    """Whether `raw` is proved to be one JSON value without anything around it, not even blanks."""
    return not raw[:1].isspace() and not raw[-1:].isspace() and bool(_try(raw, _Reader.is_value))


def value_end(raw: bytes, at: int) -> int | None:
    """Where the first byte stands after the value at `at` and the blanks behind it; None where that is not proved."""
    return _try(raw, lambda reader: reader.value_end(at))


def utf8(raw: bytes) -> bytes | None:
    """The UTF-8 of the string that `raw` is, quotes and all; None where that is not proved."""
    return _try(raw, _Reader.utf8)


def _try(raw: bytes, ask: Callable[[_Reader], _Told]) -> _Told | None:
    reader = _Reader(raw)
    try:
        return ask(reader)
    except (_Unproved, msgspec.DecodeError, RecursionError, UnicodeDecodeError):
        pass
    for values in reader.lists:
        while values:
            del values[-spent.AT_ONCE :]
    return None


class _Reader:
    """Offsets are into `raw`, `depth` counts the arrays and objects around a value. Where nothing is proved, every function
    raises one of what `_try` catches."""

    def __init__(self, raw: bytes) -> None:
        self._raw = raw
        self._view = memoryview(raw)
        self.lists: list[list[Any]] = []
        """The values of all arrays, to be let go of a few at a time where they are of no use."""
        self._extras = False
        self._one_by_one = 0
        """Up to here items are read one by one."""
        self._strict = True
        """Whether what no type knows has to be UTF-8 and not too deep."""
        self._closed = 0
        """Where the object that was gone over last has ended."""

    # -- all of it

    def line(self) -> Decoded:
        at = self._object_at(0)
        self._strict = False  # what is passed over is read again
        tag = next((self._string_at(begin, end) for name, begin, end in self._members(at, 0) if name == "type"), None)
        self._strict, self._one_by_one = True, 0
        if tag is None:
            raise _Unproved
        kind = _KIND_OF.get(tag)
        if kind is None:
            return self._foreign(tag, at)
        envelope, end = self._struct(kind, at, 0)
        self._ends(end)
        return Decoded(tag, getattr(envelope, "id", None), envelope, extras=self._extras)

    def named(self, names: tuple[str, ...]) -> tuple[bytes | None, ...]:
        self._strict = False
        found = {name: (begin, end) for name, begin, end in self._members(self._object_at(0), 0) if name in names}
        self._ends(self._closed)
        spans = map(found.get, names)
        return tuple(None if span is None else self._raw[slice(*span)] for span in spans)

    def is_value(self) -> bool:
        self._strict = False
        return self.skip(0, 0) == len(self._raw)

    def value_end(self, at: int) -> int:
        self._strict = False
        return self._after(self.skip(at, 0))

    def utf8(self) -> bytes:
        parts: list[bytes] = []
        self._ends(self._string(0, lambda piece: parts.append(_TEXT(piece).encode())))
        return b"".join(parts)

    def _foreign(self, tag: str, at: int) -> Decoded:
        """A message of a type that is not known: only its type and its id are looked at, and what may hide one of them."""
        if slices.holds(self._raw, b"\\ud") or slices.holds(self._raw, b"\\uD"):
            raise _Unproved
        found = []
        for count, (name, begin, end) in enumerate(self._members(at, 0)):
            if count == limits.OBJECT_MEMBERS:
                raise _Unproved
            if name in ("type", "id"):
                found.append((name, begin, end))
        self._ends(self._closed)
        if [name for name, _, _ in found].count("type") != 1:
            raise _Unproved
        ids = [(begin, end) for name, begin, end in found if name == "id"]
        quoted = len(ids) == 1 and self._byte(ids[0][0]) == b'"'
        return Decoded(tag, self._string_at(*ids[0]) if quoted else None, None)

    def _object_at(self, at: int) -> int:
        at = self._after(at)
        if self._byte(at) != b"{":
            raise _Unproved
        return at

    def _string_at(self, begin: int, end: int) -> str:
        if end - begin > PORTION:
            raise _Unproved
        return _TEXT(self._view[begin:end])

    def _ends(self, at: int) -> None:
        if self._after(at) != len(self._raw):
            raise _Unproved

    # -- what the types know

    def _value(self, kind: Any, at: int, depth: int) -> tuple[Any, int]:
        """The value that stands at `at`, and where it ends."""
        end = self._end(at)
        if end is not None:
            text = self._raw[at:end]
            value = forms.decoder(kind)(text)
            self._prove(kind, text, depth)
            return value, end
        form, first = forms.form(kind), self._byte(at)
        if first == b'"' and form.text:
            parts: list[str] = []
            end = self._string(at, lambda piece: parts.append(_TEXT(piece)))
            return "".join(parts), end
        if first == b"[" and form.item is not None:
            return self._array(form.item, at, depth)
        if first == b"{" and form.struct is not None:
            return self._struct(form.struct, at, depth)
        raise _Unproved

    def _struct(self, kind: Any, at: int, depth: int) -> tuple[Any, int]:
        fields, tag = forms.members(kind), kind.__struct_config__.tag_field
        values: dict[str, Any] = {}
        tagged = tag is None
        at, more = self._open(at, b"}")
        while more:
            name, at = self._name(at)
            field = fields.get(name)
            if name == tag:
                if tagged:
                    raise _Unproved
                tagged, at = True, self.skip(at, depth + 1)
            elif field is None:
                self._extras = True
                at = self.skip(at, depth + 1)
            elif field.name in values:
                raise _Unproved
            else:
                values[field.name], at = self._value(field.type, at, depth + 1)
            at, more = self._next(at, b"}")
        if any(field.required and field.name not in values for field in fields.values()):
            raise _Unproved
        return kind(**values), at

    def _array(self, item: Any, at: int, depth: int) -> tuple[tuple[Any, ...], int]:
        values: list[Any] = []
        self.lists.append(values)
        many: Any = tuple[item, ...]
        read = forms.decoder(many)

        def take(text: bytes) -> None:
            part = read(text)
            self._prove(many, text, depth)
            values.extend(part)

        at, more = self._open(at, b"]")
        while more:
            end = self._portion(at, b"[%b]", take)
            if end is None:
                value, end = self._value(item, at, depth + 1)
                values.append(value)
            at, more = self._next(end, b"]")
        return tuple(values), at

    def _prove(self, kind: Any, text: bytes, depth: int) -> None:
        """That a text, which decodes as `kind`, is UTF-8, not too deep, and doubles nothing that is known."""
        if skeleton.holds_only_known_members(kind, text):
            return
        compact = msgspec.json.format(text, indent=-1)
        if len(compact) < len(text) and skeleton.holds_only_known_members(kind, compact):
            return
        self._sound(text, depth)
        one = forms.form(kind).struct
        if not skeleton.nothing_repeats(compact) and (one is None or not skeleton.known_stand_once(one, compact)):
            raise _Unproved
        self._extras = True

    # -- what no type knows

    def skip(self, at: int, depth: int) -> int:
        """Where the value ends that stands at `at`, whatever it is: it is JSON, UTF-8, and not too deep."""
        end = self._end(at)
        if end is not None:
            self._sound(self._raw[at:end], depth)
            return end
        first = self._byte(at)
        if first == b'"':
            return self._string(at, lambda piece: self._pass(piece, depth))
        if first == b"[":
            at, more = self._open(at, b"]")
            while more:
                end = self._portion(at, b"[%b]", lambda text: self._pass(text, depth))
                at, more = self._next(self.skip(at, depth + 1) if end is None else end, b"]")
            return at
        if first == b"{":
            for _ in self._members(at, depth):
                pass
            return self._closed
        raise _Unproved

    def _members(self, at: int, depth: int) -> Iterator[tuple[str, int, int]]:
        """The members of an object: name, and where the value begins and ends."""
        at, more = self._open(at, b"}")
        while more:
            name, at = self._name(at)
            end = self.skip(at, depth + 1)
            yield name, at, end
            at, more = self._next(end, b"}")
        self._closed = at

    def _pass(self, text: bytes, depth: int) -> None:
        _ANY(text)
        self._sound(text, depth)

    def _sound(self, text: bytes, depth: int) -> None:
        if self._strict and not (proof.is_utf8(text) and not proof.is_deep(text, limits.JSON_DEPTH - depth)):
            raise _Unproved

    # -- steps

    def _byte(self, at: int) -> bytes:
        return self._raw[at : at + 1]

    def _after(self, at: int) -> int:
        """The next byte that is no blank."""
        while True:
            match = _BLANKS.match(self._raw, at, at + PORTION)
            end = at if match is None else match.end()
            if end - at < PORTION:
                return end
            at = end

    def _open(self, at: int, close: bytes) -> tuple[int, bool]:
        """Where the first part of an array or object stands, and whether there is one; else where it ends."""
        at = self._after(at + 1)
        return (at + 1, False) if self._byte(at) == close else (at, True)

    def _next(self, at: int, close: bytes) -> tuple[int, bool]:
        """The same of the part after the one that ends at `at`."""
        at = self._after(at)
        byte = self._byte(at)
        if byte == close:
            return at + 1, False
        if byte != b",":
            raise _Unproved
        return self._after(at + 1), True

    def _name(self, at: int) -> tuple[str, int]:
        match = _NAME.match(self._raw, at, at + _NAME_BYTES)
        if match is None:
            raise _Unproved
        return match[1].decode(), match.end()

    def _end(self, at: int) -> int | None:
        """Where a value ends, blanks after it included; None where it is longer than a portion, or none."""
        upto = at + PORTION
        try:
            _ANY(self._view[at:upto])
        except msgspec.DecodeError as error:
            match = _TRAILING.search(str(error))
            return None if match is None else at + int(match[1]) - 1
        return len(self._raw) if upto >= len(self._raw) else None

    def _portion(self, at: int, frame: bytes, take: Callable[[bytes], None]) -> int | None:
        """Give as many parts as a portion holds to `take`, within `frame`, and tell where the last one ends; None where they
        are to be read one by one."""
        if at < self._one_by_one:
            return None
        raw = self._raw
        begin = _BEGIN.match(raw, at)
        tries, cut = 0, at + PORTION
        for _ in range(_LOOKS):
            if begin is None:
                cut = raw.rfind(b",", at, cut)
            else:
                cut = raw.rfind(begin[0], at + 1, cut)
                while cut > at and raw[cut - 1] in b" \t\r\n":
                    cut -= 1
                cut -= 1
            if cut <= at:
                break
            if raw[cut] != 0x2C:
                continue
            try:
                take(frame % raw[at:cut])
            except (msgspec.DecodeError, _Unproved):
                tries += 1
                if tries == _GUESSES:
                    break
                continue
            return cut
        self._one_by_one = at + PORTION
        return None

    def _string(self, at: int, take: Callable[[bytes], None]) -> int:
        """Give the string that begins at `at` to `take`, in strings of a portion, and tell where it ends."""
        raw, pos = self._raw, at + 1
        if self._byte(at) != b'"':
            raise _Unproved
        while True:
            end = cut(raw, pos, PORTION)
            if end == pos:
                raise _Unproved
            try:
                take(b'"%b"' % raw[pos:end])
            except msgspec.DecodeError as error:
                match = _TRAILING.search(str(error))
                if match is None:
                    raise
                end = raw.rfind(b'"', pos, pos + int(match[1]) - 2) + 1
                take(b'"%b' % raw[pos:end])
                return end
            pos = end
