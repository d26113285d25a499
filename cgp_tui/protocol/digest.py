"""Digests as the wire writes them (SPEC 6.2): `sha256:` and 64 hex digits, lower case only, compared byte for byte."""

from __future__ import annotations

import hashlib
import re
from typing import Final

from cgp_tui.protocol import utf8

PREFIX: Final = "sha256:"

_GRAMMAR: Final = re.compile(r"sha256:[0-9a-f]{64}").fullmatch


def is_digest(text: str) -> bool:
    """Whether `text` follows the grammar, which has no upper-case hex digits (F5, F7, D1)."""
    return _GRAMMAR(text) is not None


def sha256_digest(data: bytes) -> str:
    """The digest of exactly these bytes: no line ending, BOM or trailing newline is adjusted (SPEC 6.2)."""
    return PREFIX + hashlib.sha256(data).hexdigest()


def sha256_of_text(text: str) -> str:
    """The digest of the UTF-8 of `text`, whatever its length."""
    found = hashlib.sha256()
    for part in utf8.encoded(text):
        found.update(part)
    return PREFIX + found.hexdigest()


def digest_text(raw: bytes) -> str:
    """The wire's spelling of 32 raw hash bytes."""
    return PREFIX + raw.hex()


def digest_bytes(text: str) -> bytes | None:
    """The 32 raw bytes of a digest's text, or None where `text` is no digest."""
    return bytes.fromhex(text[len(PREFIX) :]) if is_digest(text) else None
