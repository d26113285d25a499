"""Unknown members that look like a slip of the pen: legal (U1), and advice where the member that was meant is absent.

Only optional members are looked for: what a receiver cannot do without is missed by `line`. A name counts as a slip where it
differs from that of an absent member in case and separators alone, or by one letter, and its value has a type that the
member can have. An extension is left alone: a name with a prefix, or one among very many.
"""

from __future__ import annotations

import re
import types
import typing
from collections.abc import Iterator
from functools import cache, lru_cache
from typing import Any, Final, NamedTuple

import msgspec

from cgp_tui import limits
from cgp_tui.checks.breach import Breach, Charge, few, said
from cgp_tui.protocol.requirements import Finding
from cgp_tui.session.spoken import sender
from cgp_tui.wire.line import Seen
from cgp_tui.wire.ranges import TYPE_OF
from cgp_tui.wire.skeleton import struct_in

_SENTENCE: Final = "An unknown member is spelled almost like one that is absent; a receiver ignores it."

_STRUCTS: Final[dict[str, Any]] = {tag: kind for kind, tag in TYPE_OF.items()}
_LEAST: Final = 5
"""Shorter names are too easily alike."""
_LEAST_REPLACED: Final = 8
"""With one letter for another, a shorter name may be another word: `context` is no slip of `content`."""
_LONGEST: Final = 64
_OTHERS: Final = 16
"""Among more unknown names than this in one object none is looked for."""
_EXTENSION: Final = re.compile(r"[xX][-_]|[^A-Za-z]|.*[.:/@]", re.DOTALL)
_SEPARATORS: Final = str.maketrans("", "", "_- ")

_UNTYPED: Final = msgspec.json.Decoder().decode


class _Shape(NamedTuple):
    """A struct's names; its optional members with their plain spelling and the types of their values; the structs in it."""

    known: frozenset[str]
    optional: tuple[tuple[str, str, tuple[type, ...]], ...]
    inner: tuple[tuple[str, Any], ...]


def judge_names(seen: Seen, exchange: int | None = None) -> list[Finding]:
    """The advice about a line's unknown members; a line longer than `limits.LOOKALIKE_BYTES` is not looked through."""
    struct = _STRUCTS.get(seen.decoded.type or "")
    if struct is None or not seen.decoded.extras or len(seen.line.raw) > limits.LOOKALIKE_BYTES:
        return []
    try:
        whole = _UNTYPED(seen.line.raw)
    except (msgspec.DecodeError, RecursionError):
        return []
    charge = Charge(seen.line.n, exchange, sender(seen))
    found = _walked(struct, whole, "", None)
    return few([charge.find("SHAPE", _SENTENCE, breach, frame_id=frame_id) for breach, frame_id in found])


def _walked(struct: Any, value: Any, path: str, frame_id: str | None) -> Iterator[tuple[Breach, str | None]]:
    """What is found in an object and in those in it, each with the frame that it belongs to."""
    if not isinstance(value, dict):
        return
    shape = _shape(struct)
    others = value.keys() - shape.known
    for name in sorted(others) if 0 < len(others) <= _OTHERS else ():
        kind: Any = type(value[name])
        meant = _meant(struct, name, kind) if len(name) <= _LONGEST else None
        if meant is not None and meant not in value:
            fix = f"Write `{meant}` if that is what is meant; as it stands the member is ignored."
            found = f"`{said(name)}`, and no `{meant}`"
            yield (
                Breach(f"{path}/{_pointed(name)}", f"`{meant}`", found, level="advice", reference="accepted", fix=fix),
                frame_id,
            )
    for name, inner in shape.inner:
        held = value.get(name)
        here = f"{path}/{name}"
        for place, one in enumerate(held) if isinstance(held, list) else ():
            named = one.get("id") if here == "/result/frames" and isinstance(one, dict) else frame_id
            yield from _walked(inner, one, f"{here}/{place}", named if isinstance(named, str) else None)
        yield from _walked(inner, held, here, frame_id)


@cache
def _shape(struct: Any) -> _Shape:
    fields = msgspec.structs.fields(struct)
    tag = struct.__struct_config__.tag_field
    optional = [
        (field.encode_name, _plain(field.encode_name), _values(field.type))
        for field in fields
        if not field.required and len(_plain(field.encode_name)) >= _LEAST
    ]
    inner = ((field.encode_name, struct_in(field.type)[0]) for field in fields)
    return _Shape(
        frozenset((tag or "", *(field.encode_name for field in fields))),
        tuple(optional),
        tuple((name, one) for name, one in inner if one is not None),
    )


@lru_cache(maxsize=1024)
def _meant(struct: Any, name: str, kind: Any) -> str | None:
    """The optional member that a name was probably meant for, whose value is of type `kind`; None for an extension."""
    if _EXTENSION.match(name):
        return None
    plain = _plain(name)
    meant = (one for one, wanted, kinds in _shape(struct).optional if kind in kinds and _one_slip(plain, wanted))
    return next(meant, None)


def _plain(name: str) -> str:
    return name.translate(_SEPARATORS).lower()


def _one_slip(a: str, b: str) -> bool:
    """Whether two spellings are the same, or one letter too many, too few, another one or swapped with the next apart."""
    if a == b:
        return True
    if abs(len(a) - len(b)) > 1:
        return False
    at = next((place for place, (x, y) in enumerate(zip(a, b, strict=False)) if x != y), min(len(a), len(b)))
    if len(a) != len(b):
        longer, shorter = (a, b) if len(a) > len(b) else (b, a)
        return longer[at + 1 :] == shorter[at:]
    if a[at : at + 2] == b[at : at + 2][::-1] and a[at + 2 :] == b[at + 2 :]:
        return True
    return len(b) >= _LEAST_REPLACED and a[at + 1 :] == b[at + 1 :]


def _values(annotation: Any) -> tuple[type, ...]:
    """The types of the untyped values that a member can have."""
    options = typing.get_args(annotation) if isinstance(annotation, types.UnionType) else (annotation,)
    found: list[type] = []
    for option in options:
        if typing.get_origin(option) is tuple:
            found.append(list)
        elif option is float:
            found += (float, int)
        elif option is not types.NoneType:
            found.append(dict if issubclass(option, msgspec.Struct) else option)
    return tuple(found)


def _pointed(name: str) -> str:
    """A name as a step of a JSON Pointer."""
    return name.replace("~", "~0").replace("/", "~1")
