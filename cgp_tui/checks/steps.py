"""A verification as steps to look at: commitment, leaf, nodes, compare, signature, signer.

A step shows what is hashed and what must come out. Nothing is computed after the first step that fails; the later ones are
listed by name only. A signer that nobody vouches for is no failure of the evidence: that step is left open.
"""

from __future__ import annotations

from typing import Final

from cgp_tui.checks.signer import GOOD, Signed
from cgp_tui.checks.types import ProofStep, Standing
from cgp_tui.protocol import merkle
from cgp_tui.protocol.attestation import ALGORITHM, ProvenanceAttestation, Verdict, chain_head
from cgp_tui.protocol.evidence import InclusionProof
from cgp_tui.protocol.frame import ContextFrame

AT_COMPARE: Final = frozenset({Verdict.UNKNOWN_ALGORITHM, Verdict.MALFORMED_COMMITMENT, Verdict.COMMITMENT_MISMATCH})
"""Verdicts that are reached before a key or a signature is looked at."""

_REASONS: Final = {
    Verdict.UNKNOWN_ALGORITHM: "the algorithm is unknown here",
    Verdict.MALFORMED_COMMITMENT: "signed_commitment is malformed",
    Verdict.COMMITMENT_MISMATCH: "the signed commitment does not match what was served",
    Verdict.UNKNOWN_KEY: "no one key with this key_id is known",
    Verdict.MALFORMED_KEY: "a strict verifier rejects this key",
    Verdict.MALFORMED_SIGNATURE: "the signature is not 128 lower-case hex digits",
    Verdict.BAD_SIGNATURE: "the signature does not verify under this key",
}

_SIGNERS: Final[dict[Standing, str]] = {
    "attested": "{}, whom you trust for this provider",
    "signer_not_for_provider": "{}, whom you trust for other providers or other dates",
    "signer_unknown": "the key is not in your trust store",
    "unattested": "",
}


def commitment_step(frame: ContextFrame, commitment: bytes) -> ProofStep:
    head = chain_head(frame.provenance).hex()
    return ProofStep("commitment", True, right=head, computed=commitment.hex(), detail="from identity and chain head")


def foreign_step(commitment: bytes, named: str, declared: str | None) -> ProofStep:
    """The one step of an entry for the same frame under another provider's name."""
    detail = f"the entry is for provider {named}, the handshake names {declared}"
    return ProofStep("commitment", False, computed=commitment.hex(), detail=detail)


def proof_steps(
    commitment: bytes,
    proof: InclusionProof,
    fault: str | None,
    root: bytes | None,
    tree: merkle.MerkleTree | None,
) -> tuple[ProofStep, ...]:
    """The leaf and every node; a proof of the wrong shape (`fault`) ends at its leaf, before any node is hashed."""
    if fault is not None:
        leaf = merkle.steps(commitment, InclusionProof(0, 1, ()))[0].computed
        return (ProofStep("leaf", False, left=commitment.hex(), computed=leaf.hex(), detail=fault),)
    return tuple(_hash_step(step) for step in merkle.steps(commitment, proof, root, tree=tree))


def _hash_step(step: merkle.Step) -> ProofStep:
    good = step.ok is not False
    return ProofStep(
        "leaf" if step.right is None else "node",
        good,
        left=step.left.hex(),
        right="" if step.right is None else step.right.hex(),
        expected=None if step.expected is None else step.expected.hex(),
        computed=step.computed.hex(),
        detail="" if good else "the frames and the signed root make another hash",
    )


def no_root_step() -> ProofStep:
    return ProofStep("compare", False, detail="the answer carries no signed root")


def compare_step(signature: ProvenanceAttestation, signed: Signed, computed: str) -> ProofStep:
    """What was signed, compared with what is here; `computed` is empty where not everything could be read."""
    detail = _REASONS[signed.verdict] if signed.verdict in AT_COMPARE else ""
    if not computed:
        detail = detail or "not every frame of the answer is at hand, so only the proof is checked against the signed root"
    expected = signature.signed_commitment.removeprefix("sha256:")
    return ProofStep("compare", signed.verdict not in AT_COMPARE, expected=expected, computed=computed, detail=detail)


def signature_steps(
    signature: ProvenanceAttestation, signed: Signed, standing: Standing, label: str | None
) -> tuple[ProofStep, ProofStep]:
    """The signature under its key, then whose key that is to the person: the signer's `standing` and `label`."""
    good = signed.verdict in GOOD
    detail = f"{ALGORITHM}, key {signature.key_id}" if good else _REASONS[signed.verdict]
    return (
        ProofStep("signature", good, left=signed.public_key or "", right=signature.signature, detail=detail),
        ProofStep("signer", True if standing == "attested" else None, detail=_SIGNERS[standing].format(label)),
    )


def stop(steps: tuple[ProofStep, ...]) -> tuple[ProofStep, ...]:
    """The steps up to the first that fails, and only the names of those after it."""
    for place, step in enumerate(steps):
        if step.ok is False:
            later = (ProofStep(step.name, None) for step in steps[place + 1 :] if step.name not in ("leaf", "node"))
            return (*steps[: place + 1], *later)
    return steps
