"""What a member must hold, in words for a person: read off the types of `protocol`, so that no sentence drifts from them."""

from __future__ import annotations

import itertools
import types
import typing
from functools import cache
from typing import Any, Final

import msgspec

from cgp_tui.wire.ranges import U32, U32_MEMBERS
from cgp_tui.wire.skeleton import struct_in

OF_TYPE: Final = {
    "str": "a string",
    "int": "a whole number",
    "float": "a number",
    "bool": "true or false",
    "object": "an object",
    "array": "an array",
    "null": "null",
}
"""The types of JSON as msgspec names them."""

_SEVERAL: Final = {
    "str": "strings",
    "int": "whole numbers",
    "float": "numbers",
    "bool": "true or false",
    "object": "objects",
    "array": "arrays",
}

_BEGINNINGS: Final = {b'"': "a string", b"{": "an object", b"[": "an array", b"t": "true", b"f": "false", b"n": "null"}

_DIGITS: Final = 20
"""A number of more digits is not repeated."""


@cache
def wanted(struct: type[msgspec.Struct], name: str) -> str:
    """What stands in the attribute `name` of a struct, with the members that an object must have."""
    if name in U32_MEMBERS.get(struct, ()):
        return f"a whole number from 0 to {U32}"
    return _whole(next(field.type for field in msgspec.structs.fields(struct) if field.name == name))


@cache
def an_object(struct: type[msgspec.Struct]) -> str:
    """An object of this struct, and the members that its author always writes: `an object with name, version (strings)`."""
    return f"an object{_carrying(' with ', struct)}"


def short(annotation: Any) -> str:
    """What a type holds, without what is in it: `a string or null`."""
    named = [_plain(option) for option in _options(annotation)]
    return " or ".join(OF_TYPE[name] for name in named)


def item(annotation: Any) -> str:
    """What an array of plain values holds, one of them: `a number`."""
    arrays = (option for option in _options(annotation) if typing.get_origin(option) is tuple)
    return OF_TYPE[_plain(typing.get_args(next(arrays))[0])]


def seen(raw: bytes) -> str:
    """What a JSON value is: its type, and the value itself where that says more."""
    kind = _BEGINNINGS.get(raw[:1])
    if kind is not None:
        return kind
    return raw.decode() if len(raw) <= _DIGITS else f"a number of {len(raw):,} characters"


def _whole(annotation: Any) -> str:
    struct, many = struct_in(annotation)
    if struct is not None:
        return f"an array of objects{_carrying(', each with ', struct)}" if many else an_object(struct)
    return " or ".join(_value(option) for option in _options(annotation))


def _value(option: Any) -> str:
    name = _plain(option)
    return f"an array of {_SEVERAL[_plain(typing.get_args(option)[0])]}" if name == "array" else OF_TYPE[name]


def _carrying(before: str, struct: type[msgspec.Struct]) -> str:
    always = [
        (field.encode_name, _plain(_options(field.type)[0]))
        for field in msgspec.structs.fields(struct)
        # A default made by a factory is written even where it could be left out.
        if field.required or field.default_factory is not msgspec.NODEFAULT
    ]
    groups = [(kind, [name for name, _ in members]) for kind, members in itertools.groupby(always, lambda one: one[1])]
    said = (f"{', '.join(names)} ({_SEVERAL[kind] if names[1:] else OF_TYPE[kind]})" for kind, names in groups)
    return before + ", ".join(said) if always else ""


def _options(annotation: Any) -> tuple[Any, ...]:
    return typing.get_args(annotation) if isinstance(annotation, types.UnionType) else (annotation,)


def _plain(option: Any) -> str:
    """The JSON type of one option, as msgspec names it."""
    if option is types.NoneType:
        return "null"
    if typing.get_origin(option) is tuple:
        return "array"
    return "object" if issubclass(option, msgspec.Struct) else option.__name__
