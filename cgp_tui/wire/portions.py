"""Goes over a long text in portions: what a part of it says is proved, and no single step keeps other threads waiting.

No other thread runs while the parser works, so it is never given more than a portion. Where a portion ends is guessed from
how the items of a list begin, and proved by parsing it: from the known beginning of a value on, only whole values parse. A
text that is not proved to be sound may well be; `unproved` tells how far the proof got.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any, Final, TypeVar

import msgspec

from cgp_tui import limits
from cgp_tui.wire import proof, spent
from cgp_tui.wire.cut import cut
from cgp_tui.wire.small import MEMBER

PORTION: Final = 256 * 1024
"""The most bytes parsed at once: about two milliseconds."""
_GUESSES: Final = 3
"""The number of guessed ends that are tried; then the items of a portion are read one by one."""
_LOOKS: Final = 64
"""How many places that look like the beginning of an item are considered for a guess."""
_NAME_BYTES: Final = 4096
"""A member's name that is longer than this, with the blanks around it, is not read here."""

_ANY: Final = msgspec.json.Decoder(msgspec.Raw).decode
_TEXT: Final = msgspec.json.Decoder(str).decode

_TRAILING: Final = re.compile(r"trailing characters \(byte (\d+)\)")
_BLANKS: Final = re.compile(rb"[ \t\r\n]*+")
_NAME: Final = re.compile(rb'"([^"\\\x00-\x1f]*+)"[ \t\r\n]*+:[ \t\r\n]*+')
_BEGIN: Final = re.compile(rb'\{[ \t\r\n]*+"[^"\\]{0,64}"[ \t\r\n]*+:|\{|\[|"')
Told = TypeVar("Told")


class Unproved(Exception):
    """The text is not proved to be sound, but may well be."""


def members(raw: bytes, *names: str) -> tuple[bytes | None, ...] | None:
    """For each name the last member of that name in the object `raw`, None where it has none. None instead of the tuple
    where nothing is proved."""
    return attempt(Passage(raw), lambda passage: passage.named(names))


def is_value(raw: bytes) -> bool:
    """Whether `raw` is proved to be exactly one JSON value, without even blanks around it."""
    return not raw[:1].isspace() and not raw[-1:].isspace() and unproved(raw) is None


def unproved(raw: bytes) -> tuple[bytes, int] | None:
    """How far `raw` is proved to be one JSON value with blanks around it, as a short text that stands for the proved part
    and the offset where that ends; None where all of it is proved. The short text followed by the rest is JSON exactly if
    `raw` is, and otherwise broken in the same way."""
    passage = Passage(raw)
    if attempt(passage, Passage.is_value):
        return None
    return b"".join(passage.around), passage.spot


def value_end(raw: bytes, at: int) -> int | None:
    """The offset of the first byte after the value at `at` and its blanks; None where that is not proved."""
    return attempt(Passage(raw), lambda passage: passage.value_end(at))


def utf8(raw: bytes) -> bytes | None:
    """The UTF-8 of the string `raw`, which includes its quotes; None where that is not proved."""
    return attempt(Passage(raw), Passage.utf8)


P = TypeVar("P", bound="Passage")


def attempt(passage: P, ask: Callable[[P], Told]) -> Told | None:
    """The result of asking a passage, None where it is not proved."""
    try:
        return ask(passage)
    except (Unproved, msgspec.DecodeError, RecursionError, UnicodeDecodeError):
        pass
    for values in passage.lists:
        while values:
            del values[-spent.AT_ONCE :]
    return None


class Passage:
    """A text being gone over. Offsets are into `raw`; `depth` counts the arrays and objects around a value. A function that
    cannot prove its result raises one of the exceptions that `attempt` catches."""

    def __init__(self, raw: bytes) -> None:
        self.raw = raw
        self.view = memoryview(raw)
        self.lists: list[list[Any]] = []
        """The values of all arrays, to be released a few at a time where they are of no use."""
        self.around: list[bytes] = []
        """The short text that stands for everything before `spot`, level by level."""
        self.spot = 0
        """The offset of the first byte about which nothing is proved, when no types are read."""
        self.one_by_one = 0
        """The offset up to which items are read one by one."""
        self.strict = False
        """Whether skipped values must be UTF-8 and not too deep."""
        self.closed = 0
        """Where the object that was gone over last ended."""

    # -- all of it

    def named(self, names: tuple[str, ...]) -> tuple[bytes | None, ...]:
        found = {name: (begin, end) for name, begin, end in self.members(self.object_at(0), 0) if name in names}
        self.ends(self.closed)
        spans = map(found.get, names)
        return tuple(None if span is None else self.raw[slice(*span)] for span in spans)

    def is_value(self) -> bool:
        end = self.skip(self._after(0), 0)
        self.around = [b"0 "]
        return self._after(end) == len(self.raw)

    def value_end(self, at: int) -> int:
        return self._after(self.skip(at, 0))

    def utf8(self) -> bytes:
        parts: list[bytes] = []
        self.ends(self.string(0, lambda piece: parts.append(_TEXT(piece).encode())))
        return b"".join(parts)

    def object_at(self, at: int) -> int:
        at = self._after(at)
        if self.byte(at) != b"{":
            raise Unproved
        return at

    def ends(self, at: int) -> None:
        if self._after(at) != len(self.raw):
            raise Unproved

    # -- values

    def skip(self, at: int, depth: int) -> int:
        """The end of the value at `at`, whatever it is, once it is proved to be JSON, UTF-8, and not too deep."""
        end = self.end(at)
        if end is not None:
            self.sound(self.raw[at:end], depth)
            return end
        first = self.byte(at)
        if first == b'"':
            return self.string(at, lambda piece: self._pass(piece, depth))
        if first == b"[":
            self.around.append(b"[")
            at, more = self.open(at, b"]")
            while more:
                end = self.portion(at, b"[%b]", lambda text: self._pass(text, depth))
                end = self.skip(at, depth + 1) if end is None else end
                self.around[-1] = b"[0 "
                at, more = self.next(end, b"]")
                self.around[-1] = b"[0,"
            self.around.pop()
            return at
        if first == b"{":
            for _ in self.members(at, depth):
                pass
            return self.closed
        raise Unproved

    def members(self, at: int, depth: int) -> Iterator[tuple[str, int, int]]:
        """The members of an object, as name, beginning and end of the value."""
        self.around.append(b"{")
        at, more = self.open(at, b"}")
        while more:
            small = MEMBER.match(self.raw, at)
            if small is not None:
                yield small[1].decode(), small.start(2), small.end(2)
                self.around[-1], self.spot = b'{"":0,', small.end()
                at = small.end()
                continue
            name, at = self.name(at)
            self.around[-1], self.spot = b'{"":', at
            end = self.skip(at, depth + 1)
            yield name, at, end
            self.around[-1] = b'{"":0 '
            at, more = self.next(end, b"}")
            self.around[-1] = b'{"":0,'
        self.around.pop()
        self.closed = at

    def _pass(self, text: bytes, depth: int) -> None:
        _ANY(text)
        self.sound(text, depth)

    def sound(self, text: bytes, depth: int) -> None:
        if self.strict and not (proof.is_utf8(text) and not proof.is_deep(text, limits.JSON_DEPTH - depth)):
            raise Unproved

    # -- steps

    def byte(self, at: int) -> bytes:
        return self.raw[at : at + 1]

    def _after(self, at: int) -> int:
        """The offset of the next byte that is not a blank."""
        while True:
            match = _BLANKS.match(self.raw, at, at + PORTION)
            self.spot = end = at if match is None else match.end()
            if end - at < PORTION:
                return end
            at = end

    def open(self, at: int, close: bytes) -> tuple[int, bool]:
        """Where the first part of an array or object begins and True, or where the empty one ends and False."""
        at = self._after(at + 1)
        return (at + 1, False) if self.byte(at) == close else (at, True)

    def next(self, at: int, close: bytes) -> tuple[int, bool]:
        """The same for the part after the one that ends at `at`."""
        at = self._after(at)
        byte = self.byte(at)
        if byte == close:
            return at + 1, False
        if byte != b",":
            raise Unproved
        return self._after(at + 1), True

    def name(self, at: int) -> tuple[str, int]:
        match = _NAME.match(self.raw, at, at + _NAME_BYTES)
        if match is None:
            raise Unproved
        return match[1].decode(), self._after(match.end())

    def end(self, at: int) -> int | None:
        """Where a value ends, with the blanks after it; None where it is longer than a portion, or is not a value."""
        upto = at + PORTION
        try:
            _ANY(self.view[at:upto])
        except msgspec.DecodeError as error:
            match = _TRAILING.search(str(error))
            return None if match is None else at + int(match[1]) - 1
        return min(upto, len(self.raw)) if upto >= len(self.raw) or self.raw[upto - 1] in b" \t\r\n" else None

    def portion(self, at: int, frame: bytes, take: Callable[[bytes], None]) -> int | None:
        """Pass as many parts as a portion holds to `take`, within `frame`, and return where the last one ends; None where
        they have to be read one by one."""
        if at < self.one_by_one:
            return None
        raw = self.raw
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
            except (msgspec.DecodeError, Unproved):
                tries += 1
                if tries == _GUESSES:
                    break
                continue
            return cut
        self.one_by_one = at + PORTION
        return None

    def string(self, at: int, take: Callable[[bytes], None]) -> int:
        """Pass the string that begins at `at` to `take`, as strings of a portion each, and return where it ends."""
        raw, pos = self.raw, at + 1
        if self.byte(at) != b'"':
            raise Unproved
        self.around.append(b'"')
        while True:
            self.spot = pos
            end = cut(raw, pos, PORTION)
            if end == pos:
                raise Unproved
            try:
                take(b'"%b"' % raw[pos:end])
            except msgspec.DecodeError as error:
                match = _TRAILING.search(str(error))
                if match is None:
                    raise
                end = raw.rfind(b'"', pos, pos + int(match[1]) - 2) + 1
                take(b'"%b' % raw[pos:end])
                self.around.pop()
                return end
            pos = end
