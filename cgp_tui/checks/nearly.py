"""What stands where a member, or a message, was expected: most often the right thing under another name, or a log line.

It adds to what a finding found, and makes none: unknown members are legal (U1).
"""

from __future__ import annotations

import codecs
import difflib
import re
from collections.abc import Callable
from functools import cache, lru_cache
from typing import Any, Final

import msgspec

from cgp_tui import limits
from cgp_tui.checks.breach import said
from cgp_tui.wire.line import UNFINISHED, Fault
from cgp_tui.wire.ranges import TYPE_OF
from cgp_tui.wire.skeleton import struct_in

_STRUCTS: Final[dict[str, Any]] = {tag: kind for kind, tag in TYPE_OF.items()}
_WORDS: Final = re.compile(r"[A-Z]?[a-z]+|[A-Z]+|[0-9]+")
_ALIKE: Final = 0.8
"""How alike two spellings are, from 0 to 1, where one is taken for a slip of the other."""
_OTHERS: Final = 16
"""Among more unknown names than this none is looked for: a peer may send a million."""
_SHOWN: Final = 80
"""Bytes of a line that is no message."""


def quoted(raw: bytes, fault: Fault) -> str:
    """The beginning of a line that is not JSON and was hardly meant to be, such as one of a log; empty for any other."""
    text = raw[:_SHOWN].strip()
    if fault.code != "not_json" or not text or text[:1] in (b"{", b"[", b"\xef"):
        return ""
    shown = text.decode(errors="ignore")
    return f": {said(shown)}{'…' if len(raw) > _SHOWN else ''}"


def mending(raw: bytes, fault: Fault) -> str | None:
    """How to mend text that was meant as a message and is not JSON; None where nothing shows that."""
    if fault.code != "not_json":
        return None
    if raw.startswith(codecs.BOM_UTF8):
        return "Write UTF-8 without a byte order mark; in Python, encoding utf-8 instead of utf-8-sig."
    if raw[:_SHOWN].lstrip()[:1] in (b"{", b"[") and fault.detail == UNFINISHED:
        return "Write each message on one line: JSON without line breaks, ended by a newline."
    return None


def untagged(read: Callable[[], Any], fault: Fault, size: int) -> str:
    """The member of a message without a `type` that was probably meant for it; empty where none is alike. A text longer
    than `limits.SLOW_JSON_BYTES` is not looked through; `size` is that of this one."""
    if fault.code != "no_type" or fault.path or size > limits.SLOW_JSON_BYTES:
        return ""
    others = tuple(sorted(read().keys() - _ANYWHERE))
    meant = _nearest("type", others) if len(others) <= _OTHERS else None
    return "" if meant is None else said(meant)


def misspelt(raw: bytes, read: Callable[[], Any], kind: str | None, fault: Fault, base: int = 0) -> str:
    """The name of the unknown member that was probably meant for one that is missing; empty where none is alike.

    `read` reads `raw`, the text of the line or of one of its frames, without types; the fault's path has `base` steps to it.
    `kind` is the type of the message. A long text is not looked through.
    """
    if not fault.missing or len(raw) > limits.SLOW_JSON_BYTES:
        return ""
    *steps, name = fault.path.split("/")[1:]
    struct = _STRUCTS.get(kind or "")
    for step in steps:
        struct = struct if step.isdecimal() else _inner(struct, step)
    value = read()
    for step in steps[base:]:
        value = _entered(value, step)
    if struct is None or not isinstance(value, dict):
        return ""
    others = tuple(sorted(value.keys() - _known(struct)))
    meant = _nearest(name, others) if len(others) <= _OTHERS else None
    return "" if meant is None else said(meant)


def _inner(struct: Any, name: str) -> Any:
    """The struct that a member of another holds, itself or in a list."""
    fields = () if struct is None else msgspec.structs.fields(struct)
    return next((struct_in(field.type)[0] for field in fields if field.encode_name == name), None)


def _entered(value: Any, step: str) -> Any:
    if isinstance(value, list):
        return value[int(step)] if step.isdecimal() and int(step) < len(value) else None
    return value.get(step) if isinstance(value, dict) else None


@cache
def _known(struct: Any) -> frozenset[str]:
    tag = struct.__struct_config__.tag_field
    return frozenset((tag or "", *(field.encode_name for field in msgspec.structs.fields(struct))))


_ANYWHERE: Final = frozenset().union(*map(_known, TYPE_OF))
"""The members of any message."""


@lru_cache(maxsize=256)
def _nearest(name: str, others: tuple[str, ...]) -> str | None:
    """The other name that is the same but for case and separators, or a slip of the pen away, or a word of it."""
    plain = name.replace("_", "")
    spelled = {other: "".join(_WORDS.findall(other)).lower() for other in others if len(other) <= 2 * len(name)}
    best = max(spelled, key=lambda other: difflib.SequenceMatcher(None, plain, spelled[other]).ratio(), default=None)
    if best is not None and difflib.SequenceMatcher(None, plain, spelled[best]).ratio() >= _ALIKE:
        return best
    return next((other for other in spelled if spelled[other] in name.split("_")), None)
