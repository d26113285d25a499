"""Whose signature it is: keys that are published, keys that are trusted, and when."""

from __future__ import annotations

from typing import Any

import pytest

from cgp_tui.protocol.capability import AttesterKey
from cgp_tui.protocol.timestamp import parse
from tests.checks.cases import brief
from tests.checks.signed import (
    FORGED,
    FORGER,
    SIGNER,
    ack,
    frame,
    one_by_one,
    only,
    sent,
    trusted,
)


def test_our_trust_counts_where_the_handshake_publishes_nothing() -> None:
    greeting = ack(AttesterKey("other", "ed25519", "00"))
    assert only(sent(one_by_one(frame("a")), [trusted()], greeting=greeting)).standing == "attested"


def test_and_where_it_publishes_another_key_under_that_id() -> None:
    judged = sent(one_by_one(frame("a")), [trusted()], greeting=ack(FORGER.key))
    assert only(judged).standing == "attested"
    assert only(judged).public_key == SIGNER.key.public_key


def test_but_a_key_trusted_for_others_is_not_tried() -> None:
    judged = sent(one_by_one(frame("a")), [trusted(names=("other",))], greeting=ack(FORGER.key))
    assert only(judged).standing == "invalid"


@pytest.mark.parametrize(
    ("before", "after", "now", "standing"),
    [
        ("2026-01-01T00:00:00Z", "2026-12-31T00:00:00Z", "2026-06-01T00:00:00Z", "attested"),
        ("2026-01-01T00:00:00Z", None, "2026-01-01T00:00:00Z", "attested"),
        (None, "2026-12-31T00:00:00Z", "2026-12-31T00:00:00.000Z", "attested"),
        (None, "2026-12-31T00:00:00Z", "2026-12-31T00:00:00.1Z", "signer_not_for_provider"),
        ("2026-01-01T00:00:00Z", None, "2025-12-31T23:59:60Z", "signer_not_for_provider"),
        ("2026-01-01T00:00:00Z", None, None, "signer_not_for_provider"),
        ("once", None, "2026-01-01T00:00:00Z", "signer_not_for_provider"),
        (None, None, None, "attested"),
    ],
)
def test_a_key_vouches_inside_its_window_only(before: Any, after: Any, now: Any, standing: str) -> None:
    keys = [trusted(before=before, after=after)]
    assert only(sent(one_by_one(frame("a")), keys, parse(now) if now else None)).standing == standing


def test_a_second_entry_of_trust_may_be_the_one_that_vouches() -> None:
    keys = [trusted(before="2030-01-01T00:00:00Z"), trusted()]
    assert only(sent(one_by_one(frame("a")), keys)).standing == "attested"


def test_two_keys_under_one_id_name_none() -> None:
    for keys in ((SIGNER.key, FORGER.key), (FORGER.key, SIGNER.key)):
        judged = sent(one_by_one(frame("a")), [trusted()], greeting=ack(*keys))
        assert (only(judged).verdict, only(judged).standing) == ("unknown_key", "uncheckable")
        assert brief(judged.findings) == ["6.5.4 note /result/frame_attestations/0/attestation/key_id"]


def test_one_key_published_twice_is_still_one() -> None:
    assert only(sent(one_by_one(frame("a")), greeting=ack(SIGNER.key, SIGNER.key))).verdict == "valid"


@pytest.mark.parametrize("algorithm", ["p256", "Ed25519", ""])
def test_a_key_of_another_algorithm_is_none(algorithm: str) -> None:
    judged = sent(one_by_one(frame("a")), greeting=ack(AttesterKey("k1", algorithm, SIGNER.key.public_key)))
    assert only(judged).standing == "uncheckable"


def test_every_key_that_is_trusted_for_the_provider_is_tried() -> None:
    greeting = ack(AttesterKey("other", "ed25519", "00"))
    for keys in ([trusted(FORGED), trusted()], [trusted(), trusted(FORGED)]):
        assert only(sent(one_by_one(frame("a")), keys, greeting=greeting)).standing == "attested"
    judged = only(sent(one_by_one(frame("a")), [trusted(FORGED)], greeting=greeting))
    assert (judged.verdict, judged.standing) == ("unknown_key", "uncheckable")
