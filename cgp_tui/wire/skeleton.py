"""A cheap proof that a line holds nothing but known members, each once.

A struct's skeleton has the same members, their values kept as raw bytes. Encoding a line's skeleton gives back all of its
known members once: in a compact line without unknown, repeated or escaped names that is every byte. So equal lengths
prove the absence of all three, whatever the values' spelling; a repeated member can only make the line longer.
"""

from __future__ import annotations

import types
import typing
from collections.abc import Callable
from functools import lru_cache
from typing import Any, Final

import msgspec

_ENCODE: Final = msgspec.json.Encoder().encode


@lru_cache(maxsize=64)
def decoder(struct: type[msgspec.Struct]) -> Callable[[bytes], Any]:
    """The decoder of a message's skeleton."""
    return msgspec.json.Decoder(_skeleton(struct)).decode


def holds_only_known_members(struct: type[msgspec.Struct], raw: bytes) -> bool:
    """Whether `raw`, a line that decodes as `struct`, is proved to hold known members only, each once.

    False proves nothing: blanks, unknown and repeated members all make it so.
    """
    return len(_ENCODE(decoder(struct)(raw))) == len(raw)


@lru_cache(maxsize=64)
def _skeleton(struct: type[msgspec.Struct]) -> type[msgspec.Struct]:
    fields: list[tuple[str, Any, Any]] = [
        (field.encode_name, _bones(field.type) | msgspec.UnsetType, msgspec.UNSET)
        for field in msgspec.structs.fields(struct)
    ]
    tag = struct.__struct_config__.tag_field
    if tag is not None:
        fields.append((tag, msgspec.Raw | msgspec.UnsetType, msgspec.UNSET))
    return msgspec.defstruct(f"{struct.__name__}Skeleton", fields, gc=False)


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


def _bones(annotation: Any) -> Any:
    struct, many = struct_in(annotation)
    if struct is None:
        return msgspec.Raw
    bones: Any = list[_skeleton(struct)] if many else _skeleton(struct)  # type: ignore[misc]
    return bones | None if types.NoneType in typing.get_args(annotation) else bones
