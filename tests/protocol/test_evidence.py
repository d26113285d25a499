"""Evidence as it travels: the schema's members, and nothing that is absent."""

from __future__ import annotations

import json
from pathlib import Path

import msgspec
import pytest

from cgp_tui.protocol.evidence import FrameAttestation, InclusionProof, InclusionStep, ProvenanceAttestation
from cgp_tui.protocol.identity import FrameId
from tests.protocol.shape import members, published

DIGEST = "sha256:" + "ab" * 32
FRAME = FrameId("docs", "f1", DIGEST)
SIGNATURE = ProvenanceAttestation(DIGEST, "k", "ed25519", "acme", "ab" * 64, "2026-08-29T12:00:00Z")
PROOF = InclusionProof(1, 3, (InclusionStep(DIGEST, True), InclusionStep(DIGEST, False)))


@pytest.mark.parametrize("struct", [InclusionStep, InclusionProof, ProvenanceAttestation, FrameAttestation])
def test_its_members_are_the_schemas(struct: type[msgspec.Struct], shared: Path) -> None:
    assert members(struct) == published(shared, struct.__name__)


@pytest.mark.parametrize(
    ("entry", "written"),
    [
        (FrameAttestation(FRAME, SIGNATURE, PROOF), ["frame", "attestation", "inclusion_proof"]),
        (FrameAttestation(FRAME, SIGNATURE), ["frame", "attestation"]),
        (FrameAttestation(FRAME, inclusion_proof=PROOF), ["frame", "inclusion_proof"]),
        (FrameAttestation(FRAME), ["frame"]),
    ],
    ids=["both", "signature", "proof", "neither"],
)
def test_an_entry_carries_what_it_has(entry: FrameAttestation, written: list[str]) -> None:
    raw = msgspec.json.encode(entry)
    assert list(json.loads(raw)) == written
    assert msgspec.json.decode(raw, type=FrameAttestation) == entry


def test_a_proof_keeps_the_order_and_the_side_of_its_steps() -> None:
    assert json.loads(msgspec.json.encode(PROOF)) == {
        "leaf_index": 1,
        "leaf_count": 3,
        "path": [{"sibling": DIGEST, "sibling_is_left": True}, {"sibling": DIGEST, "sibling_is_left": False}],
    }
    assert msgspec.json.decode(msgspec.json.encode(PROOF), type=InclusionProof) == PROOF


def test_a_path_of_no_steps_is_still_a_path() -> None:
    lone = InclusionProof(0, 1, ())
    assert json.loads(msgspec.json.encode(lone)) == {"leaf_index": 0, "leaf_count": 1, "path": []}
    with pytest.raises(msgspec.ValidationError, match="path"):
        msgspec.json.decode(b'{"leaf_index":0,"leaf_count":1}', type=InclusionProof)


@pytest.mark.parametrize("missing", ["signed_commitment", "key_id", "algorithm", "attester_id", "signature", "issued_at"])
def test_no_member_of_a_signature_can_be_missing(missing: str) -> None:
    half = {name: value for name, value in msgspec.to_builtins(SIGNATURE).items() if name != missing}
    with pytest.raises(msgspec.ValidationError, match=missing):
        msgspec.convert(half, ProvenanceAttestation)


def test_spellings_are_kept_for_whoever_verifies() -> None:
    """An algorithm nobody knows, an upper-case digest and an odd time are no faults of the shape (F8, 6.5.4)."""
    odd = msgspec.structs.replace(SIGNATURE, algorithm="later", signed_commitment=DIGEST.upper(), signature="", issued_at="")
    assert msgspec.json.decode(msgspec.json.encode(odd), type=ProvenanceAttestation) == odd
    known = {**msgspec.to_builtins(SIGNATURE), "later": [1]}
    assert msgspec.convert(known, ProvenanceAttestation) == SIGNATURE
