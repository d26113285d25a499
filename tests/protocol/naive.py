"""The constructions of SPEC 6.5 a second time, written as the text reads: recursive, slow and without our code."""

from __future__ import annotations

import hashlib
import struct
from collections.abc import Sequence

Link = tuple[str, str | None, str | None, str | None, str | None, str | None]
"""type, uri, range, digest, method, by"""


def sha(data: bytes) -> bytes:
    return hashlib.sha256(data).digest()


def enc_str(text: str) -> bytes:
    data = text.encode("utf-8")
    return struct.pack(">I", len(data)) + data


def enc_opt(text: str | None) -> bytes:
    return bytes([0]) if text is None else bytes([1]) + enc_str(text)


def enc_link(link: Link) -> bytes:
    kind, *optional = link
    encoded = enc_str(kind)
    for member in optional:
        encoded += enc_opt(member)
    return encoded


def head(links: Sequence[Link]) -> bytes:
    if not links:
        return sha(b"contextgraph/attest/1/genesis")
    return sha(b"contextgraph/attest/1/link" + head(links[:-1]) + enc_link(links[-1]))


def commitment(provider: str, frame: str, digest: str | None, links: Sequence[Link]) -> bytes:
    return sha(b"contextgraph/attest/1/frame" + enc_str(provider) + enc_str(frame) + enc_opt(digest) + head(links))


def split(size: int) -> int:
    k = 1
    while k * 2 < size:
        k *= 2
    return k


def root(commitments: Sequence[bytes]) -> bytes:
    if not commitments:
        return sha(b"contextgraph/attest/1/merkle-empty")
    if len(commitments) == 1:
        return sha(b"\x00" + commitments[0])
    k = split(len(commitments))
    return sha(b"\x01" + root(commitments[:k]) + root(commitments[k:]))


def path(index: int, commitments: Sequence[bytes]) -> list[tuple[bytes, bool]]:
    """RFC 6962 section 2.1.1: siblings from the leaf upwards, each with whether it stands on the left."""
    if len(commitments) <= 1:
        return []
    k = split(len(commitments))
    if index < k:
        return [*path(index, commitments[:k]), (root(commitments[k:]), False)]
    return [*path(index - k, commitments[k:]), (root(commitments[:k]), True)]
