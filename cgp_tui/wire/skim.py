"""Skims JSON of any size in bounded steps: finds where a value ends without decoding it, a stretch at a time.

Nothing is checked and nothing is built: a text that is not JSON raises `Broken`, or comes apart into pieces that are not
JSON either. Each function is a generator that yields between two stretches, so that a screen can answer keys meanwhile, and
returns what it found.
"""

from __future__ import annotations

import re
from collections.abc import Generator
from typing import Final

STRETCH: Final = 128 * 1024
"""The most bytes that one step looks at: a few milliseconds."""

_STEPS: Final = 2048
"""The most brackets and strings in one step."""

_STRING: Final = rb'"(?:[^"\\]++|\\.)*+"'
_INSIDE: Final = re.compile(rb'(?:[^"\\]++|\\.)*+', re.DOTALL)
_LEVEL: Final = rb'(?:[^"\[\]{}]++|' + _STRING + rb")*+"
_FLAT: Final = re.compile(
    rb'(?:[^"\[\]{}]++|' + _STRING + rb"|\[" + _LEVEL + rb"\]|\{" + _LEVEL + rb"\})*+",
    re.DOTALL,
)
_SCALAR: Final = re.compile(rb'[^\s,:"\[\]{}]*+')
_BLANKS: Final = re.compile(rb"[ \t\r\n]*+")

Steps = Generator[None, None, int]
"""Yields nothing, between two stretches, and returns an offset."""


class Broken(ValueError):
    """The text is not JSON; `at` is the offset of the first byte that cannot be where it is."""

    def __init__(self, at: int) -> None:
        super().__init__(f"no JSON from byte {at} on")
        self.at = at


def blanks_end(raw: bytes, at: int) -> Steps:
    """The offset of the first byte from `at` on that is not a blank; the length of `raw` where there is none."""
    return _run(_BLANKS, raw, at)


def value_end(raw: bytes, at: int) -> Steps:
    """The offset after the value whose first byte is at `at`. Raises Broken where no value ends."""
    first = raw[at : at + 1]
    if first == b'"':
        return (yield from string_end(raw, at))
    if first in (b"[", b"{"):
        return (yield from close(raw, at + 1))
    end = yield from _run(_SCALAR, raw, at)
    if end == at:
        raise Broken(at)
    return end


def _run(pattern: re.Pattern[bytes], raw: bytes, at: int) -> Steps:
    """Where a run of one kind of bytes ends."""
    while True:
        found = pattern.match(raw, at, at + STRETCH)
        end = at if found is None else found.end()
        if end - at < STRETCH:
            return end
        at = end
        yield


def string_end(raw: bytes, at: int) -> Steps:
    """The offset after the string whose opening quote is at `at`. Raises Broken where it is not closed."""
    pos = at + 1
    while True:
        found = _INSIDE.match(raw, pos, pos + STRETCH)
        end = pos if found is None else found.end()
        if raw[end : end + 1] == b'"':
            return end + 1
        # A stretch may end between a backslash and what it escapes; then the next one begins before both.
        if end == pos:
            raise Broken(at)
        pos = end
        yield


def close(raw: bytes, at: int) -> Steps:
    """The offset after the bracket that closes the object or array around `at`. Raises Broken where none does."""
    depth, pos, begun, steps = 1, at, at, 0
    while pos < len(raw):
        found = _FLAT.match(raw, pos, pos + STRETCH)
        end = pos if found is None else found.end()
        byte = raw[end : end + 1]
        if byte == b'"':
            pos = yield from string_end(raw, end)
        elif byte in (b"[", b"{"):
            depth, pos = depth + 1, end + 1
        elif byte in (b"]", b"}"):
            depth, pos = depth - 1, end + 1
            if not depth:
                return pos
        else:
            pos = end
        steps += 1
        if steps == _STEPS or pos - begun > STRETCH:
            begun, steps = pos, 0
            yield
    raise Broken(len(raw))
