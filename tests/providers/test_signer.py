"""What a signer makes is what a verifier of SPEC 6.5 finds good, and nothing else."""

from __future__ import annotations

from itertools import permutations

import pytest

from cgp_tui.protocol.attestation import Proof, Verdict, frame_commitment, verify_commitment, verify_inclusion
from cgp_tui.protocol.digest import digest_bytes
from cgp_tui.protocol.envelope import ContextQueryResult
from cgp_tui.protocol.frame import ContextFrame, Provenance
from cgp_tui.protocol.merkle import merkle_root
from cgp_tui.providers.signer import Signer

NAME = "repo-graph"
WHEN = "2026-09-15T08:00:00Z"
SIGNER = Signer(bytes([0x2A]) * 32, "key-1")
KEY = bytes.fromhex("197f6b23e16c8532c6abc838facd5ea789be0c76b2920334039bfa8b3d368d61")


def frame(id: str, digest: str | None = "sha256:" + "0e" * 32) -> ContextFrame:
    return ContextFrame(id, "doc", id, 0.5, 0, content="", content_digest=digest, provenance=(Provenance("file", id),))


def commitment(of: ContextFrame, name: str = NAME) -> bytes:
    return frame_commitment(name, of.id, of.content_digest, of.provenance)


def attested(*frames: ContextFrame, singly: str = "") -> ContextQueryResult:
    return SIGNER.attest(ContextQueryResult(frames, False), NAME, WHEN, lambda of: of.id in singly)


def test_the_published_key_belongs_to_the_published_seed() -> None:
    assert SIGNER.key.public_key == KEY.hex()
    assert (SIGNER.key.key_id, SIGNER.key.algorithm) == ("key-1", "ed25519")


def test_a_seed_of_another_length_is_refused() -> None:
    with pytest.raises(ValueError, match="32"):
        Signer(b"short", "key-1")


def test_the_root_covers_exactly_the_frames_in_canonical_order() -> None:
    result = attested(frame("b"), frame("c"), frame("a"))
    root = merkle_root([commitment(frame(id)) for id in "abc"])
    assert result.result_attestation is not None
    assert digest_bytes(result.result_attestation.signed_commitment) == root
    assert verify_commitment(root, result.result_attestation, KEY) is Verdict.VALID
    assert result.result_attestation.attester_id == NAME
    assert result.result_attestation.issued_at == WHEN


def test_the_order_of_the_answer_changes_no_evidence() -> None:
    made = {
        (attested(*order).result_attestation, frozenset(attested(*order).frame_attestations))
        for order in permutations((frame("a"), frame("b"), frame("c")))
    }
    assert len(made) == 1


def test_every_frame_gets_a_proof_under_its_own_identity() -> None:
    result = attested(frame("b"), frame("a"), frame("b", digest=None))
    assert result.result_attestation is not None
    root = digest_bytes(result.result_attestation.signed_commitment)
    for served, entry, place in zip(result.frames, result.frame_attestations, (2, 0, 1), strict=True):
        assert entry.frame == served.identity(NAME)
        assert entry.inclusion_proof is not None
        included = verify_inclusion(commitment(served), entry.inclusion_proof, root, leaf_count=3, leaf_index=place)
        assert included is Proof.INCLUDED
        assert verify_inclusion(commitment(served, "local-id"), entry.inclusion_proof, root) is Proof.PROOF_INVALID


def test_only_the_picked_frames_get_a_signature_of_their_own() -> None:
    result = attested(frame("a"), frame("b"), singly="b")
    first, second = result.frame_attestations
    assert first.attestation is None
    assert second.attestation is not None
    assert verify_commitment(commitment(frame("b")), second.attestation, KEY) is Verdict.VALID
    assert verify_commitment(commitment(frame("a")), second.attestation, KEY) is Verdict.COMMITMENT_MISMATCH


def test_an_answer_without_frames_is_signed_as_such() -> None:
    result = attested()
    assert result.frame_attestations == ()
    assert result.result_attestation is not None
    assert verify_commitment(merkle_root([]), result.result_attestation, KEY) is Verdict.VALID


def test_the_rest_of_the_answer_is_kept() -> None:
    before = ContextQueryResult((frame("a"),), True, 3)
    after = SIGNER.attest(before, NAME, WHEN, lambda _: False)
    assert (after.frames, after.truncated, after.dropped_estimate) == (before.frames, True, 3)
