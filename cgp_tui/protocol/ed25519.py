"""Strict Ed25519 (SPEC 6.5.4, RFC 8032): a signature that two sound verifiers could judge differently is refused.

OpenSSL does the arithmetic but accepts too much: keys and nonces of small order, with which one signature fits many messages
or even all of them, and non-canonical encodings of points and scalars. Those are refused here first.

`cryptography` is imported only when something is verified or signed: most commands do neither.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

KEY_BYTES: Final = 32
SIGNATURE_BYTES: Final = 64

_P: Final = 2**255 - 19
_L: Final = 2**252 + 27742317777372353535851937790883648493
_D: Final = -121665 * pow(121666, -1, _P) % _P
_SIGN_BIT: Final = 1 << 255

_HEX_KEY: Final = rb"[0-9a-fA-F]{64}"

_SMALL_ORDER: Final = frozenset(
    bytes.fromhex(encoding)
    for encoding in (
        "01" + "00" * 31,
        "ec" + "ff" * 30 + "7f",
        "00" * 32,
        "00" * 31 + "80",
        "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05",
        "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc85",
        "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a",
        "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac03fa",
    )
)
"""The eight points whose order divides eight, as RFC 8032 encodes them."""

_SIGNED_ZERO: Final = frozenset(bytes.fromhex(encoding) for encoding in ("01" + "00" * 30 + "80", "ec" + "ff" * 31))
"""Encodings of the two points with x = 0 whose sign bit is set: RFC 8032 decodes neither, OpenSSL both."""


def verify(public_key: bytes, signature: bytes, message: bytes) -> bool:
    """Whether `signature` (64 bytes) is `public_key`'s (32 bytes) over `message`, strictly. Never raises for bad input.

    Whether both points lie on the curve is left to OpenSSL, which refuses those that do not.
    """
    if len(signature) != SIGNATURE_BYTES or len(public_key) != KEY_BYTES:
        return False
    if int.from_bytes(signature[32:], "little") >= _L:
        return False
    if _encoding_fault(public_key) is not None or _encoding_fault(signature[:32]) is not None:
        return False
    from cryptography.exceptions import InvalidSignature

    try:
        _loaded(public_key).verify(signature, message)
    except InvalidSignature:
        return False
    return True


@lru_cache(maxsize=256)
def _loaded(public_key: bytes) -> Ed25519PublicKey:
    """The key as an OpenSSL object, kept because setting one up costs a tenth of a verification."""
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

    return Ed25519PublicKey.from_public_bytes(public_key)


@lru_cache(maxsize=256)
def key_fault(public_key: bytes) -> str | None:
    """Why these bytes are no usable key, in words that continue a sentence after "the key"; None for a usable one."""
    if len(public_key) != KEY_BYTES:
        return f"is {len(public_key)} bytes long, not {KEY_BYTES}"
    fault = _encoding_fault(public_key)
    if fault is not None:
        return fault
    return None if _on_curve(public_key) else "is not a point of the curve"


def public_key(seed: bytes) -> bytes:
    """The 32-byte public key of a 32-byte seed. Raises ValueError for another length."""
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

    return Ed25519PrivateKey.from_private_bytes(seed).public_key().public_bytes_raw()


def sign(seed: bytes, message: bytes) -> bytes:
    """The 64-byte signature of `seed`'s (32 bytes) key over `message`. Raises ValueError for a seed of another length."""
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

    return Ed25519PrivateKey.from_private_bytes(seed).sign(message)


def seed_of_pem(data: bytes) -> bytes | None:
    """The 32-byte seed in a PEM file with an unencrypted Ed25519 private key (RFC 8410), None for any other content."""
    from cryptography.exceptions import UnsupportedAlgorithm
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
    from cryptography.hazmat.primitives.serialization import load_pem_private_key

    try:
        key = load_pem_private_key(data, password=None)
    except (ValueError, TypeError, UnsupportedAlgorithm):
        return None
    return key.private_bytes_raw() if isinstance(key, Ed25519PrivateKey) else None


def key_of_text(data: bytes) -> bytes | None:
    """The 32-byte public key in a file: 64 hex digits, or a PEM public key (RFC 8410); None for any other content.

    `key_fault` says whether a strict verifier accepts it.
    """
    from cryptography.exceptions import UnsupportedAlgorithm
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
    from cryptography.hazmat.primitives.serialization import load_pem_public_key

    if re.fullmatch(_HEX_KEY, data.strip()):
        return bytes.fromhex(data.strip().decode("ascii"))
    try:
        key = load_pem_public_key(data)
    except (ValueError, TypeError, UnsupportedAlgorithm):
        return None
    return key.public_bytes_raw() if isinstance(key, Ed25519PublicKey) else None


def _encoding_fault(point: bytes) -> str | None:
    """Why a strict verifier must reject this 32-byte point, which OpenSSL may accept; None where it need not."""
    if point in _SMALL_ORDER:
        return "is a point of small order, for which one signature can fit every message"
    if point in _SIGNED_ZERO:
        return "is not a point of the curve"
    if int.from_bytes(point, "little") & (_SIGN_BIT - 1) >= _P:
        return "is not the canonical spelling of a point"
    return None


def _on_curve(point: bytes) -> bool:
    """Whether RFC 8032 section 5.1.3 can decode this encoding: (y² - 1) / (dy² + 1) must be the square of some x."""
    y = int.from_bytes(point, "little") & (_SIGN_BIT - 1)
    # A quotient is a square exactly where the product is, and a product needs no inversion.
    return pow((y * y - 1) * (_D * y * y + 1), (_P - 1) // 2, _P) == 1
