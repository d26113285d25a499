"""Signatures that others published to tell verifiers apart: the twelve of ed25519-speccheck ("Taming the many EdDSAs"), and
all 151 of Wycheproof's Ed25519 cases (values only; published under Apache-2.0)."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from cgp_tui.protocol.ed25519 import key_fault, verify

DATA = Path(__file__).with_name("data")
SPECCHECK: list[dict[str, Any]] = json.loads((DATA / "ed25519_speccheck.json").read_text())
WYCHEPROOF: list[dict[str, Any]] = [
    {"public_key": group["public_key"], **case}
    for group in json.loads((DATA / "ed25519_wycheproof.json").read_text())
    for case in group["tests"]
]


def verdict(case: dict[str, Any]) -> bool:
    return verify(*(bytes.fromhex(case[name]) for name in ("public_key", "signature", "message")))


@pytest.mark.parametrize("case", SPECCHECK, ids=lambda case: f"{case['case']}: {case['what']}")
def test_a_strict_verifier_takes_the_fourth_alone(case: dict[str, Any]) -> None:
    assert verdict(case) is (case["case"] == 3)


def test_the_keys_of_small_order_and_of_other_spellings_are_none() -> None:
    bad = {case["case"] for case in SPECCHECK if key_fault(bytes.fromhex(case["public_key"])) is not None}
    assert bad == {0, 1, 10, 11}


@pytest.mark.parametrize("case", WYCHEPROOF, ids=lambda case: str(case["case"]))
def test_every_case_of_wycheproof_has_its_verdict(case: dict[str, Any]) -> None:
    assert verdict(case) is case["valid"]


def test_all_of_wycheproof_is_here() -> None:
    assert [case["case"] for case in WYCHEPROOF] == list(range(1, 152))


@pytest.mark.parametrize("case", [case for case in WYCHEPROOF if case["valid"]], ids=lambda case: str(case["case"]))
def test_a_signature_holds_in_its_own_length_and_for_its_own_message_alone(case: dict[str, Any]) -> None:
    key, signature, message = (bytes.fromhex(case[name]) for name in ("public_key", "signature", "message"))
    assert not verify(key, signature, message + b"\x00")
    for other in (
        signature[:-1],
        signature[1:],
        signature + b"\x00",
        b"\x00" + signature,
        b"",
        signature[:32],
        signature * 2,
    ):
        assert not verify(key, other, message)
