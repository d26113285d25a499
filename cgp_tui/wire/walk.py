"""Walks over one object or array of valid JSON, piece by piece: no value is built, so memory stays flat."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final, NamedTuple

import msgspec

from cgp_tui import limits
from cgp_tui.wire.small import MEMBER

_ANY: Final = msgspec.json.Decoder(msgspec.Raw).decode
_TEXT: Final = msgspec.json.Decoder(str).decode

_TRAILING: Final = re.compile(r"trailing characters \(byte (\d+)\)")
_NAME: Final = re.compile(rb'[ \t\r\n]*("[^"\\]*+(?:\\.[^"\\]*+)*+")[ \t\r\n]*:[ \t\r\n]*', re.DOTALL)
_BLANKS: Final = re.compile(rb"[ \t\r\n]*")

_OBJECT, _OBJECT_END, _ARRAY, _ARRAY_END = b"{}[]"


class Piece(NamedTuple):
    """A value as written, and where it starts in the text it came from."""

    raw: bytes
    at: int


def is_object(raw: bytes) -> bool:
    """Whether valid JSON is an object."""
    return raw[_after_blanks(raw, 0)] == _OBJECT


def is_array(raw: bytes) -> bool:
    """Whether valid JSON is an array."""
    return raw[_after_blanks(raw, 0)] == _ARRAY


def members(raw: bytes) -> Iterator[tuple[str, Piece]]:
    """The members of an object in order, as name and value; a doubled one comes each time.

    `raw` is valid JSON and an object. Each step searches for the end of a value: about a microsecond.
    """
    at = _after_blanks(raw, 0) + 1
    while True:
        small = MEMBER.match(raw, at)
        if small is not None:
            yield small[1].decode(), Piece(small[2], small.start(2))
            at = small.end()
            continue
        name = _NAME.match(raw, at)
        if name is None:
            return
        end = _value_end(raw, name.end())
        yield _TEXT(name[1]), _piece(raw, name.end(), end)
        at = end + 1
        if raw[end] == _OBJECT_END:
            return


def items(raw: bytes) -> Iterator[Piece]:
    """The items of an array in order. `raw` is valid JSON and an array."""
    at = _after_blanks(raw, _after_blanks(raw, 0) + 1)
    while raw[at] != _ARRAY_END:
        end = _value_end(raw, at)
        yield _piece(raw, at, end)
        if raw[end] == _ARRAY_END:
            return
        at = _after_blanks(raw, end + 1)


def _piece(raw: bytes, at: int, end: int) -> Piece:
    return Piece(raw[at:end].rstrip(b" \t\r\n"), at)


def _after_blanks(raw: bytes, at: int) -> int:
    match = _BLANKS.match(raw, at)
    return at if match is None else match.end()


def _value_end(raw: bytes, at: int) -> int:
    """The offset of the first byte after a value and its blanks.

    msgspec has no call for this, but its complaint about what follows a value names it, at the speed of a skip.
    """
    if len(raw) - at > limits.SHELL_AT_ONCE_BYTES:
        from cgp_tui.wire import portions  # it calls what calls this

        end = portions.value_end(raw, at)
        if end is not None:
            return end
    try:
        _ANY(memoryview(raw)[at:])
    except msgspec.DecodeError as error:
        match = _TRAILING.search(str(error))
        if match is not None:
            return at + int(match[1]) - 1
        raise
    return len(raw)
