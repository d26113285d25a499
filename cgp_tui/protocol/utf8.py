"""The bytes of a text of any length, a slice at a time: to encode a long one at once keeps other threads waiting."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

SLICE: Final = 512 * 1024
"""Characters that are encoded at once."""


def encoded(text: str) -> Iterator[bytes]:
    """The UTF-8 of `text` in order; half a surrogate pair passes as it is."""
    for at in range(0, len(text), SLICE):
        yield text[at : at + SLICE].encode("utf-8", "surrogatepass")


def size(text: str) -> int:
    """How many bytes the UTF-8 of `text` has."""
    return len(text) if text.isascii() else sum(map(len, encoded(text)))
