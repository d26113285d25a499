"""A line's type and id, for lists: cheap and forgiving, and never to be acted on."""

from __future__ import annotations

import re
from typing import Final

import msgspec

from cgp_tui import limits


class Peek(msgspec.Struct, frozen=True):
    """`type` and `id` as spelled; None where a line does not show them as strings."""

    type: str | None
    id: str | None


class _Members(msgspec.Struct):
    type: msgspec.Raw | msgspec.UnsetType = msgspec.UNSET
    id: msgspec.Raw | msgspec.UnsetType = msgspec.UNSET


_DECODE: Final = msgspec.json.Decoder(_Members).decode
_STRING: Final = msgspec.json.Decoder(str).decode

_BEGINNING: Final = 64 * 1024
"""How much of a line that is not JSON is searched for its type."""

_HEAD: Final = re.compile(rb'[ \t\r]*\{[ \t\r]*"type"[ \t\r]*:[ \t\r]*"([ !#-\[\]-~]{1,64})"')
_HEAD_ID: Final = re.compile(rb'[ \t\r]*,[ \t\r]*"id"[ \t\r]*:[ \t\r]*("(?:[^"\\\x00-\x1f]|\\.){0,256}")')
_TAIL_ID: Final = re.compile(rb',[ \t\r]*"id"[ \t\r]*:[ \t\r]*("(?:[^"\\\x00-\x1f]|\\.){0,256}")[ \t\r]*\}[ \t\r]*\Z')


def peek(raw: bytes) -> Peek:
    """Type and id of a whole line. A line that is not JSON still shows a type that it begins with."""
    try:
        if len(raw) > limits.SHELL_AT_ONCE_BYTES:
            from cgp_tui.wire import complaint, portions  # the first paint does without

            found = portions.members(raw, "type", "id")
            if found is not None:
                return Peek(*[None if member is None else _text(member) for member in found])
            complaint.check(raw)
        members = _DECODE(raw)
    except (msgspec.DecodeError, RecursionError):
        return Peek(prefix(raw[:_BEGINNING]).type, None)
    return Peek(_text(members.type), _text(members.id))


def prefix(head: bytes, tail: bytes = b"") -> Peek:
    """Type and id from the first bytes of a long line, or the id from its last ones, as most serializers place it."""
    match = _HEAD.match(head)
    if match is None:
        return Peek(None, None)
    found = _HEAD_ID.match(head, match.end()) or _TAIL_ID.search(tail)
    return Peek(match[1].decode("ascii"), None if found is None else _text(found[1]))


def _text(raw: msgspec.Raw | bytes | msgspec.UnsetType) -> str | None:
    if isinstance(raw, msgspec.UnsetType):
        return None
    try:
        return _STRING(raw)
    except msgspec.DecodeError:
        return None
