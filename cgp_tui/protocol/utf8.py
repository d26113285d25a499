"""The bytes of a text of any length, a slice at a time: encoding a long one at once keeps other threads waiting."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

SLICE: Final = 512 * 1024
"""The number of characters encoded at once."""


def encoded(text: str) -> Iterator[bytes]:
    """The UTF-8 of `text`, in order; a lone surrogate passes through."""
    for at in range(0, len(text), SLICE):
        yield text[at : at + SLICE].encode("utf-8", "surrogatepass")


def halved(text: str) -> bool:
    """Whether `text` holds half a character, a lone surrogate, which has no UTF-8."""
    return not text.isascii() and any("\ud800" <= char <= "\udfff" for char in text)


def size(text: str) -> int:
    """The number of bytes in the UTF-8 of `text`."""
    return len(text) if text.isascii() else sum(map(len, encoded(text)))
