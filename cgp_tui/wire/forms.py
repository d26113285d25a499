"""What the types of the wire may be written as, for whoever reads a value a part at a time."""

from __future__ import annotations

import types
import typing
from collections.abc import Callable
from functools import cache
from typing import Any, NamedTuple

import msgspec

from cgp_tui.wire import skeleton


class Form(NamedTuple):
    """What a member may be that is too long to be read at once: a string, an array of `item`, an object like `struct`."""

    text: bool
    item: Any
    struct: Any


@cache
def decoder(kind: Any) -> Callable[[bytes], Any]:
    """What reads a value of a type."""
    return msgspec.json.Decoder(kind).decode


@cache
def members(kind: Any) -> dict[str, msgspec.structs.FieldInfo]:
    """The members that a struct knows, by their names on the wire."""
    return {field.encode_name: field for field in msgspec.structs.fields(kind)}


@cache
def form(kind: Any) -> Form:
    """What a type may be written as."""
    options = typing.get_args(kind) if isinstance(kind, types.UnionType) else (kind,)
    item = next((typing.get_args(option)[0] for option in options if typing.get_origin(option) is tuple), None)
    struct, many = skeleton.struct_in(kind)
    return Form(str in options, item, None if many else struct)
