"""The JSON forms of the wire's types, for reading a value one part at a time."""

from __future__ import annotations

import types
import typing
from collections.abc import Callable
from functools import cache
from typing import Any, NamedTuple

import msgspec

from cgp_tui.wire import skeleton


class Form(NamedTuple):
    """The form of a member that is too long to be read at once: a string, an array of `item`, an object like `struct`."""

    text: bool
    item: Any
    struct: Any


@cache
def decoder(kind: Any) -> Callable[[bytes], Any]:
    """The decoder for a type."""
    return msgspec.json.Decoder(kind).decode


@cache
def members(kind: Any) -> dict[str, msgspec.structs.FieldInfo]:
    """The members of a struct, by their names on the wire."""
    return {field.encode_name: field for field in msgspec.structs.fields(kind)}


@cache
def form(kind: Any) -> Form:
    """The JSON form of a type."""
    options = typing.get_args(kind) if isinstance(kind, types.UnionType) else (kind,)
    item = next((typing.get_args(option)[0] for option in options if typing.get_origin(option) is tuple), None)
    struct, many = skeleton.struct_in(kind)
    return Form(str in options, item, None if many else struct)
