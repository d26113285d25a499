"""Edwards-curve arithmetic over plain integers (RFC 8032), to make the signatures that a library never would."""

from __future__ import annotations

import hashlib

P = 2**255 - 19
L = 2**252 + 27742317777372353535851937790883648493
D = -121665 * pow(121666, -1, P) % P

Point = tuple[int, int]
IDENTITY: Point = (0, 1)


def add(one: Point, other: Point) -> Point:
    (x1, y1), (x2, y2) = one, other
    product = D * x1 * x2 * y1 * y2 % P
    x = (x1 * y2 + x2 * y1) * pow(1 + product, -1, P) % P
    y = (y1 * y2 + x1 * x2) * pow(1 - product, -1, P) % P
    return x, y


def times(scalar: int, point: Point) -> Point:
    total = IDENTITY
    while scalar:
        if scalar & 1:
            total = add(total, point)
        point = add(point, point)
        scalar >>= 1
    return total


def decode(data: bytes) -> Point | None:
    """RFC 8032 section 5.1.3, without the demand that y is below p: whether a spelling is canonical is asked apart."""
    number = int.from_bytes(data, "little")
    sign, y = number >> 255, number % 2**255 % P
    square = (y * y - 1) * pow(D * y * y + 1, -1, P) % P
    x = pow(square, (P + 3) // 8, P)
    if x * x % P != square:
        x = x * pow(2, (P - 1) // 4, P) % P
    if x * x % P != square or (x == 0 and sign):
        return None
    return (P - x if x % 2 != sign else x), y


def encode(point: Point) -> bytes:
    x, y = point
    return (y | (x & 1) << 255).to_bytes(32, "little")


def is_canonical(data: bytes) -> bool:
    return int.from_bytes(data, "little") % 2**255 < P


def is_small(point: Point) -> bool:
    return times(8, point) == IDENTITY


BASE = decode((4 * pow(5, -1, P) % P).to_bytes(32, "little")) or IDENTITY
TORSION = decode(bytes.fromhex("26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05")) or IDENTITY
"""A point of order eight."""


def challenge(nonce: bytes, key: bytes, message: bytes) -> int:
    return int.from_bytes(hashlib.sha512(nonce + key + message).digest(), "little") % L


def holds(key: bytes, signature: bytes, message: bytes, cofactor: int = 1) -> bool:
    """The equation of verification, with or without the cofactor, and nothing else: no strictness at all."""
    public, nonce = decode(key), decode(signature[:32])
    if public is None or nonce is None:
        return False
    scalar = int.from_bytes(signature[32:], "little")
    left = times(scalar, BASE)
    right = add(nonce, times(challenge(signature[:32], key, message), public))
    return times(cofactor, left) == times(cofactor, right)
