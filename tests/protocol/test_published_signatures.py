"""Signatures that others published to tell verifiers apart: the twelve of ed25519-speccheck ("Taming the many EdDSAs"), and
the first two groups of Wycheproof's Ed25519 cases."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from cgp_tui.protocol.ed25519 import key_fault, verify

DATA = Path(__file__).with_name("data")
SPECCHECK: list[dict[str, Any]] = json.loads((DATA / "ed25519_speccheck.json").read_text())
WYCHEPROOF: dict[str, Any] = json.loads((DATA / "ed25519_wycheproof.json").read_text())
KEY = bytes.fromhex(WYCHEPROOF["public_key"])


def verdict(case: dict[str, str]) -> bool:
    return verify(*(bytes.fromhex(case[name]) for name in ("public_key", "signature", "message")))


@pytest.mark.parametrize("case", SPECCHECK, ids=lambda case: f"{case['case']}: {case['what']}")
def test_a_strict_verifier_takes_the_fourth_alone(case: dict[str, str]) -> None:
    assert verdict(case) is (case["case"] == 3)


def test_the_keys_of_small_order_and_of_other_spellings_are_none() -> None:
    bad = {case["case"] for case in SPECCHECK if key_fault(bytes.fromhex(case["public_key"])) is not None}
    assert bad == {0, 1, 10, 11}


@pytest.mark.parametrize("case", WYCHEPROOF["valid"], ids=lambda case: case["message"][:16] or "empty")
def test_ordinary_signatures_hold_and_hold_for_nothing_else(case: dict[str, str]) -> None:
    signature, message = bytes.fromhex(case["signature"]), bytes.fromhex(case["message"])
    assert verify(KEY, signature, message)
    assert not verify(KEY, signature, message + b"\x00")
    # cut, padded, doubled
    for other in (
        signature[:-1],
        signature[1:],
        signature + b"\x00",
        b"\x00" + signature,
        b"",
        signature[:32],
        signature * 2,
    ):
        assert not verify(KEY, other, message)


@pytest.mark.parametrize("signature", WYCHEPROOF["special_values"]["signatures"])
def test_special_values_of_nonce_and_scalar(signature: str) -> None:
    assert not verify(KEY, bytes.fromhex(signature), bytes.fromhex(WYCHEPROOF["special_values"]["message"]))
