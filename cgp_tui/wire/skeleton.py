"""Cheap proofs that a piece of JSON doubles no member.

A struct's skeleton has the same members, with values kept as raw bytes. Encoding the skeleton of a line gives each known
member once: for a compact line without unknown, doubled or escaped names, that is every byte of it. So equal lengths prove
the absence of all three, however the values are spelled; a doubled member can only make the line longer.
"""

from __future__ import annotations

import types
import typing
from collections.abc import Callable
from functools import cache
from typing import Any, Final

import msgspec

from cgp_tui import limits

_ENCODE: Final = msgspec.json.Encoder().encode
_UNTYPED: Final = msgspec.json.Decoder().decode


def holds_only_known_members(kind: Any, raw: bytes | msgspec.Raw) -> bool:
    """Whether `raw`, which decodes as `kind` (a struct or a list of them), is proved to hold only known members, each once,
    and no blanks.

    The typed decode has then seen every string and every level of it. False proves nothing.
    """
    return len(_ENCODE(_decoder(kind)(raw))) == len(raw)


def nothing_repeats(compact: bytes) -> bool:
    """Whether compact JSON is proved to double no member at all, known or not. False proves nothing.

    The value of an untyped decode, encoded again, has as many quotation marks as the text: every doubled member loses at
    least two, and only a mark written as an escape could make up for them. Long texts are not tried, because their values
    take many times their size.
    """
    if len(compact) > limits.SLOW_JSON_BYTES or b"\\u0022" in compact:
        return False
    try:
        kept = _ENCODE(_UNTYPED(compact))
    except (msgspec.DecodeError, RecursionError):
        return False
    return kept.count(b'"') == compact.count(b'"')


def known_stand_once(kind: Any, compact: bytes) -> bool:
    """Whether compact JSON, which decodes as `kind`, is proved to double no member that its types know. False proves
    nothing.

    The skeleton keeps the last of doubled members, so the name of the others occurs more often in the text than in the
    skeleton. Only a name spelled with an escape could hide from that.
    """
    if b"\\u" in compact:
        return False
    kept = _ENCODE(_decoder(kind)(compact))
    return all(kept.count(name) == compact.count(name) for name in _names(kind))


def doubles_nothing(struct: type[msgspec.Struct], raw: bytes) -> bool:
    """Whether `raw`, which decodes as `struct`, is proved to double no member, by the cheapest proof that holds."""
    if holds_only_known_members(struct, raw):
        return True
    compact = msgspec.json.format(raw, indent=-1)
    return (len(compact) < len(raw) and holds_only_known_members(struct, compact)) or nothing_repeats(compact)


def struct_in(annotation: Any) -> tuple[type[msgspec.Struct] | None, bool]:
    """The struct that a member's type holds, None for a plain value, and whether it holds a list of them."""
    options = typing.get_args(annotation) if isinstance(annotation, types.UnionType) else (annotation,)
    for option in options:
        if isinstance(option, type) and issubclass(option, msgspec.Struct):
            return option, False
        if typing.get_origin(option) is tuple:
            inner = typing.get_args(option)[0]
            if isinstance(inner, type) and issubclass(inner, msgspec.Struct):
                return inner, True
    return None, False


@cache
def _names(kind: Any) -> frozenset[bytes]:
    """The names that a struct knows, and those of the structs in it, in quotation marks."""
    tag = kind.__struct_config__.tag_field
    names = {b'"%b"' % tag.encode()} if tag is not None else set()
    for field in msgspec.structs.fields(kind):
        names.add(b'"%b"' % field.encode_name.encode())
        inner = struct_in(field.type)[0]
        names |= _names(inner) if inner is not None else set()
    return frozenset(names)


@cache
def _decoder(kind: Any) -> Callable[[bytes | msgspec.Raw], Any]:
    return msgspec.json.Decoder(_bones(kind)).decode


@cache
def _skeleton(struct: type[msgspec.Struct]) -> type[msgspec.Struct]:
    fields: list[tuple[str, Any, Any]] = [
        (field.encode_name, _bones(field.type) | msgspec.UnsetType, msgspec.UNSET)
        for field in msgspec.structs.fields(struct)
    ]
    tag = struct.__struct_config__.tag_field
    if tag is not None:
        fields.append((tag, msgspec.Raw | msgspec.UnsetType, msgspec.UNSET))
    return msgspec.defstruct(f"{struct.__name__}Skeleton", fields, gc=False)


def _bones(annotation: Any) -> Any:
    struct, many = struct_in(annotation)
    if struct is None:
        return msgspec.Raw
    bones: Any = list[_skeleton(struct)] if many else _skeleton(struct)  # type: ignore[misc]
    return bones | None if types.NoneType in typing.get_args(annotation) else bones
