"""Strict Ed25519: what it takes, and every kind of signature that two verifiers could judge differently."""

from __future__ import annotations

import itertools

import pytest
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
from hypothesis import given
from hypothesis import strategies as st

from cgp_tui.protocol.ed25519 import key_fault, key_of_text, public_key, seed_of_pem, sign, verify
from tests.protocol import naive_ed25519 as curve

SMALL_ORDER = (
    "00" * 32,
    "00" * 31 + "80",
    "01" + "00" * 31,
    "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05",
    "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc85",
    "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a",
    "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac03fa",
    "ec" + "ff" * 30 + "7f",
)
NOT_CANONICAL = ("ed" + "ff" * 30 + "7f", "ee" + "ff" * 30 + "7f", "ff" * 32)

SECRET = 0x1234567890ABCDEF1234567890ABCDEF1234567890ABCDEF
PUBLIC_POINT = curve.times(SECRET, curve.BASE)
PUBLIC = curve.encode(PUBLIC_POINT)
MESSAGE = b"thirty-two bytes of a commitment"


def openssl_takes(key: bytes, signature: bytes, message: bytes) -> bool:
    try:
        Ed25519PublicKey.from_public_bytes(key).verify(signature, message)
    except (InvalidSignature, ValueError):
        return False
    return True


def signature(nonce: bytes, scalar: int) -> bytes:
    return nonce + scalar.to_bytes(32, "little")


def signed(message: bytes, secret: int = SECRET, key: bytes = PUBLIC, nonce_scalar: int = 987_654_321) -> bytes:
    nonce = curve.encode(curve.times(nonce_scalar, curve.BASE))
    return signature(nonce, (nonce_scalar + curve.challenge(nonce, key, message) * secret) % curve.L)


def test_rfc_8032_test_1() -> None:
    seed = bytes.fromhex("9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60")
    key = bytes.fromhex("d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a")
    expected = bytes.fromhex(
        "e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e065224901555fb8821590a33bacc61e39701cf9b46bd25bf5f0595bbe24655141438e7a100b"
    )
    assert public_key(seed) == key
    assert sign(seed, b"") == expected
    assert verify(key, expected, b"")
    assert not verify(key, expected, b"x")


@given(st.binary(min_size=32, max_size=32), st.binary(max_size=64), st.integers(0, 511))
def test_own_signatures_hold_and_no_bit_may_turn(seed: bytes, message: bytes, bit: int) -> None:
    key, good = public_key(seed), sign(seed, message)
    assert verify(key, good, message)
    bent = (int.from_bytes(good) ^ 1 << bit).to_bytes(64)
    assert not verify(key, bent, message)
    assert not verify(key, good, message + b"\x00")


def test_the_second_arithmetic_signs_as_openssl_expects() -> None:
    good = signed(MESSAGE)
    assert curve.holds(PUBLIC, good, MESSAGE)
    assert openssl_takes(PUBLIC, good, MESSAGE)
    assert verify(PUBLIC, good, MESSAGE)


@pytest.mark.parametrize("key", SMALL_ORDER)
def test_keys_of_small_order(key: str) -> None:
    fault = key_fault(bytes.fromhex(key))
    assert fault is not None
    assert "small order" in fault


@pytest.mark.parametrize("key", NOT_CANONICAL)
def test_keys_with_a_second_spelling(key: str) -> None:
    fault = key_fault(bytes.fromhex(key))
    assert fault is not None
    assert "canonical" in fault


@pytest.mark.parametrize("key", ["02" + "00" * 31, "01" + "00" * 30 + "80", "ec" + "ff" * 31])
def test_keys_off_the_curve(key: str) -> None:
    assert key_fault(bytes.fromhex(key)) == "is not a point of the curve"


@pytest.mark.parametrize("key", ["01" + "00" * 30 + "80", "01" + "00" * 31])
def test_the_identity_as_a_key_signs_nothing_under_either_sign(key: str) -> None:
    """Its signature is made without any secret and fits every message: OpenSSL takes it."""
    forged = signature(PUBLIC, SECRET)
    for message in (MESSAGE, b"another"):
        assert openssl_takes(bytes.fromhex(key), forged, message)
        assert not verify(bytes.fromhex(key), forged, message)


def test_a_signature_under_a_key_off_the_curve() -> None:
    for key in (bytes([low]) + b"\x07" * 31 for low in range(16)):
        assert (key_fault(key) is None) is (curve.decode(key) is not None)
        assert not verify(key, signed(MESSAGE), MESSAGE)


@pytest.mark.parametrize("length", [0, 31, 33, 64])
def test_keys_of_another_length(length: int) -> None:
    assert key_fault(b"\x05" * length) == f"is {length} bytes long, not 32"
    assert not verify(b"\x05" * length, signed(MESSAGE), MESSAGE)


@pytest.mark.parametrize("length", [0, 63, 65])
def test_signatures_of_another_length(length: int) -> None:
    assert not verify(PUBLIC, (signed(MESSAGE) + b"\x00")[:length], MESSAGE)


def test_keys_agree_with_the_definition() -> None:
    around = [*range(300), *range(curve.P - 300, 2**255)]
    spellings = [(y | sign << 255).to_bytes(32, "little") for y in around for sign in (0, 1)]
    small = 0
    for spelling in spellings:
        point = curve.decode(spelling)
        good = point is not None and curve.is_canonical(spelling) and not curve.is_small(point)
        assert (key_fault(spelling) is None) is good, spelling.hex()
        small += point is not None and curve.is_canonical(spelling) and curve.is_small(point)
    assert small == 4


def test_the_listed_points_are_all_there_are() -> None:
    torsion = {curve.encode(curve.times(factor, curve.TORSION)) for factor in range(8)}
    assert torsion == {bytes.fromhex(key) for key in SMALL_ORDER}


@given(st.binary(min_size=32, max_size=32))
def test_any_bytes_as_a_key(key: bytes) -> None:
    point = curve.decode(key)
    assert (key_fault(key) is None) == (point is not None and curve.is_canonical(key) and not curve.is_small(point))


def test_one_signature_for_every_message_under_the_identity() -> None:
    identity = bytes.fromhex("01" + "00" * 31)
    forged = signature(curve.encode(curve.times(7, curve.BASE)), 7)
    for message in (b"one", b"another", MESSAGE):
        assert openssl_takes(identity, forged, message), "no such danger, no need for the test"
        assert not verify(identity, forged, message)


@pytest.mark.parametrize(("key", "nonce"), itertools.product(SMALL_ORDER, SMALL_ORDER))
def test_small_keys_with_small_nonces(key: str, nonce: str) -> None:
    for message in (b"0", b"1", b"2", b"3"):
        assert not verify(bytes.fromhex(key), signature(bytes.fromhex(nonce), 0), message)


@pytest.mark.parametrize("nonce", SMALL_ORDER)
def test_good_keys_with_small_nonces(nonce: str) -> None:
    raw = bytes.fromhex(nonce)
    forged = signature(raw, curve.challenge(raw, PUBLIC, MESSAGE) * SECRET % curve.L)
    assert curve.holds(PUBLIC, forged, MESSAGE, cofactor=8)
    assert not verify(PUBLIC, forged, MESSAGE)


def test_the_identity_as_nonce_fools_openssl() -> None:
    raw = bytes.fromhex("01" + "00" * 31)
    forged = signature(raw, curve.challenge(raw, PUBLIC, MESSAGE) * SECRET % curve.L)
    assert openssl_takes(PUBLIC, forged, MESSAGE), "no such danger, no need for the test"
    assert not verify(PUBLIC, forged, MESSAGE)


@pytest.mark.parametrize("nonce", NOT_CANONICAL)
def test_nonces_with_a_second_spelling(nonce: str) -> None:
    raw = bytes.fromhex(nonce)
    forged = signature(raw, curve.challenge(raw, PUBLIC, MESSAGE) * SECRET % curve.L)
    assert not verify(PUBLIC, forged, MESSAGE)


def test_scalars_beyond_the_order() -> None:
    good = signed(MESSAGE)
    scalar = int.from_bytes(good[32:], "little")
    for beyond in range(1, 16):
        if scalar + beyond * curve.L < 2**256:
            forged = signature(good[:32], scalar + beyond * curve.L)
            assert curve.holds(PUBLIC, forged, MESSAGE)
            assert not verify(PUBLIC, forged, MESSAGE)


def test_a_mixed_key_is_held_to_the_equation_without_cofactor() -> None:
    mixed = curve.encode(curve.add(PUBLIC_POINT, curve.TORSION))
    assert key_fault(mixed) is None
    judged = set()
    for nonce_scalar in range(16, 32):
        made = signed(MESSAGE, key=mixed, nonce_scalar=nonce_scalar)
        assert curve.holds(mixed, made, MESSAGE, cofactor=8)
        assert verify(mixed, made, MESSAGE) is curve.holds(mixed, made, MESSAGE)
        judged.add(verify(mixed, made, MESSAGE))
    assert judged == {True, False}


def test_wrong_seeds_are_refused_by_name() -> None:
    for length in (0, 31, 33):
        with pytest.raises(ValueError, match="32"):
            sign(b"s" * length, MESSAGE)
        with pytest.raises(ValueError, match="32"):
            public_key(b"s" * length)


@pytest.mark.parametrize("encrypted", [False, True])
def test_a_seed_from_a_pem_file(encrypted: bool) -> None:
    from cryptography.hazmat.primitives import serialization as forms
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

    seed = bytes(range(32))
    lock = forms.BestAvailableEncryption(b"x") if encrypted else forms.NoEncryption()
    pem = Ed25519PrivateKey.from_private_bytes(seed).private_bytes(forms.Encoding.PEM, forms.PrivateFormat.PKCS8, lock)
    assert seed_of_pem(pem) == (None if encrypted else seed)


def test_another_kind_of_key_is_no_seed() -> None:
    from cryptography.hazmat.primitives import serialization as forms
    from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey

    pem = X25519PrivateKey.generate().private_bytes(forms.Encoding.PEM, forms.PrivateFormat.PKCS8, forms.NoEncryption())
    assert seed_of_pem(pem) is None
    assert seed_of_pem(b"") is None


def test_a_public_key_from_a_file() -> None:
    key = Ed25519PublicKey.from_public_bytes(PUBLIC)
    pem = key.public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo)
    for data in (PUBLIC.hex().encode(), f" {PUBLIC.hex()}\n".encode(), pem):
        assert key_of_text(data) == PUBLIC


def test_what_is_no_public_key_in_a_file() -> None:
    other = X25519PrivateKey.generate().public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo)
    cut = PUBLIC.hex().encode()[:-1]
    for data in (b"", cut, cut + b"g", PUBLIC, other, b"-----BEGIN PUBLIC KEY-----\nAA==\n-----END PUBLIC KEY-----\n"):
        assert key_of_text(data) is None
