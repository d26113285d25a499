"""Digests: one spelling, exact bytes."""

from __future__ import annotations

import hashlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cgp_tui.protocol.digest import digest_bytes, digest_text, is_digest, sha256_digest, sha256_of_text

EMPTY = "sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"

BAD = (
    "",
    "sha256:",
    EMPTY[:-1],
    EMPTY + "0",
    EMPTY + "\n",
    " " + EMPTY,
    EMPTY.upper(),
    "SHA256" + EMPTY[6:],
    EMPTY.replace("e", "E"),
    EMPTY.replace("sha256:", "sha256-"),
    EMPTY.removeprefix("sha256:"),
    EMPTY.replace("sha256:", "sha256:0x"),
    "sha512:" + "0" * 128,
    "sha256:" + "g" * 64,
    "sha256:" + "٠" * 64,
    "sha256:" + " " * 64,
    "sha256:abc",
)


def test_the_digest_of_nothing() -> None:
    assert sha256_digest(b"") == EMPTY
    assert is_digest(EMPTY)


@pytest.mark.parametrize("text", BAD)
def test_any_other_spelling_is_no_digest(text: str) -> None:
    assert not is_digest(text)
    assert digest_bytes(text) is None


@given(st.binary(max_size=200))
def test_bytes_and_text_are_each_others_inverse(data: bytes) -> None:
    raw = hashlib.sha256(data).digest()
    assert digest_text(raw) == sha256_digest(data)
    assert digest_bytes(sha256_digest(data)) == raw


@pytest.mark.parametrize(("one", "other"), [("\r\n", "\n"), ("e\u0301", "\u00e9"), ("\ufeffx", "x"), ("x\n", "x")])
def test_bytes_are_hashed_as_they_are(one: str, other: str) -> None:
    assert sha256_digest(one.encode()) != sha256_digest(other.encode())


@pytest.mark.parametrize("text", ["", "x", "\u00e9\U0001f600", "\u00e9" * 700_000], ids=["none", "ascii", "wide", "long"])
def test_a_text_has_the_digest_of_its_bytes(text: str) -> None:
    assert sha256_of_text(text) == sha256_digest(text.encode())
