"""Proofs about bytes that decode: that they are UTF-8, not too deep, and give no member twice."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any, Final

import msgspec

from cgp_tui import limits
from cgp_tui.wire import skeleton, slices

_STRING: Final = re.compile(rb'"[^"\\]*+(?:\\.[^"\\]*+)*+"', re.DOTALL)
_MARK: Final = re.compile(rb'["\[\]{}]')
_SQUARE: Final = bytes.maketrans(b"{}", b"[]")
_NOT_MARKS: Final = bytes(byte for byte in range(256) if byte not in b'"[]{}')


def extras(kind: Any, raw: bytes, levels: int = limits.JSON_DEPTH) -> bool | None:
    """Whether `raw`, which decodes as `kind`, may hold members that no type knows; None where it is not proved to be UTF-8,
    nested no deeper than `levels`, and without doubled known members.

    If it holds only known members, the typed decode has seen every string and every level, which settles all three.
    """
    if skeleton.holds_only_known_members(kind, raw):
        return False
    compact = msgspec.json.format(raw, indent=-1)
    if len(compact) < len(raw) and skeleton.holds_only_known_members(kind, compact):
        return False
    if not is_utf8(raw) or is_deep(raw, levels):
        return None
    return True if skeleton.nothing_repeats(compact) or skeleton.known_stand_once(kind, compact) else None


def repeats_nothing(raw: bytes) -> bool:
    """Whether JSON is proved to be UTF-8, nested no deeper than we read, and without any member given twice. Nothing has to
    be prepared for its type. False proves nothing."""
    return is_utf8(raw) and not is_deep(raw) and skeleton.nothing_repeats(msgspec.json.format(raw, indent=-1))


def is_utf8(raw: bytes) -> bool:
    """Whether every byte belongs to a character."""
    return (len(raw) <= slices.SLICE and raw.isascii()) or slices.first_bad_byte(raw) < 0


def is_deep(raw: bytes, levels: int = limits.JSON_DEPTH) -> bool:
    """Whether valid JSON nests deeper than `levels`. Few brackets settle it at once; otherwise each pass removes the
    innermost pairs, and so one level."""
    # bytes.replace searches with memchr, whereas bytes.count looks at every byte.
    openers = 0
    for part in _apart(raw):
        openers += len(part) * 2 - len(part.replace(b"{", b"")) - len(part.replace(b"[", b""))
        if openers > levels:
            break
    else:
        return False
    brackets = _outside(raw)
    for _ in range(levels):
        # Pairs that only form during a pass wait for the next one, so that each pass removes exactly one level.
        brackets = brackets.replace(b"[]", b"")
        if not brackets:
            return False
    return True


def _outside(raw: bytes) -> bytes:
    """The brackets of valid JSON outside of strings, all turned into square ones.

    Escapes only occur in strings, and two adjacent quotation marks change nothing for what comes after them.
    """
    found = []
    within = False
    for part in _apart(raw):
        bare = part.replace(b"\\\\", b"").replace(b'\\"', b"") if b"\\" in part else part
        pieces = bare.translate(_SQUARE, _NOT_MARKS).replace(b'""', b"").split(b'"')
        found.append(b"".join(pieces[within::2]))
        within ^= len(pieces) % 2 == 0
    return b"".join(found)


def _apart(raw: bytes) -> Iterable[bytes]:
    return (raw,) if len(raw) <= slices.SLICE else slices.apart(raw)


def goes_deep(raw: bytes) -> bool:
    """Whether text that is not JSON opens more levels than the cap, read from its start until it does."""
    depth = at = 0
    while (mark := _MARK.search(raw, at, limits.SLOW_JSON_BYTES)) is not None:
        at = mark.end()
        if mark[0] == b'"':
            string = _STRING.match(raw, mark.start(), limits.SLOW_JSON_BYTES)
            if string is None:
                return False  # all that follows is in it
            at = string.end()
            continue
        depth += 1 if mark[0] in b"[{" else -1
        if depth > limits.JSON_DEPTH:
            return True
    return False
