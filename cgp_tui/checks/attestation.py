"""Which evidence counts for which frame, and what it amounts to (SPEC 6.5, F6–F13).

For each frame the first entry that names its whole identity counts: the entry's own signature if it has one, else its proof
together with the signature over the answer's root. The name declared in the handshake is the only provider name that
counts: an entry under any other belongs to another provider. Nothing here ever removes a frame (F9).

A verdict (SPEC 6.5.4) says how the evidence is built; a standing is what we say of the frame. `attested` needs a good
signature by a key that the person trusts for this declared name, now, over a digest that matches the content. Where two
frames share an identity but not their content, neither is attested. A frame without inline content has nothing to attest.

Everything is computed once an answer, from the answer in hand, in canonical order (SPEC 6.3). Where a frame of it could not
be read there is no root to compare, and its proofs are held against the signed root alone.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from functools import cached_property
from typing import Final, NamedTuple

import msgspec

from cgp_tui.checks.signer import Keyring, Signed
from cgp_tui.checks.steps import (
    commitment_step,
    compare_step,
    foreign_step,
    no_root_step,
    proof_steps,
    signature_steps,
    stop,
)
from cgp_tui.checks.types import Appraisal, ProofStep, RootAppraisal, Standing
from cgp_tui.protocol import merkle
from cgp_tui.protocol.attestation import (
    Proof,
    ProvenanceAttestation,
    TrustedKey,
    Verdict,
    chain_heads,
    frame_commitment,
)
from cgp_tui.protocol.digest import digest_bytes, sha256_of_text
from cgp_tui.protocol.envelope import ContextQueryResult, HandshakeAck
from cgp_tui.protocol.evidence import InclusionProof
from cgp_tui.protocol.frame import ContextFrame
from cgp_tui.protocol.identity import FrameId
from cgp_tui.protocol.timestamp import Instant
from cgp_tui.wire.line import BadFrame

STANDINGS: Final[dict[Verdict, Standing]] = {
    Verdict.UNATTESTED: "unattested",
    Verdict.UNKNOWN_ALGORITHM: "uncheckable",
    Verdict.UNKNOWN_KEY: "uncheckable",
    Verdict.MALFORMED_COMMITMENT: "invalid",
    Verdict.MALFORMED_KEY: "invalid",
    Verdict.MALFORMED_SIGNATURE: "invalid",
    Verdict.BAD_SIGNATURE: "invalid",
    Verdict.COMMITMENT_MISMATCH: "mismatch",
    Verdict.VALID_IDENTITY_ONLY: "identity_only",
}
"""What each verdict makes of a frame; a `valid` one depends on its content and its signer."""

_COVERS: Final = {
    Verdict.VALID: ("provider name", "frame id", "content_digest", "provenance", "content"),
    Verdict.VALID_IDENTITY_ONLY: ("provider name", "frame id", "provenance"),
}
_COVERING: Final = frozenset({"attested", "signer_unknown", "signer_not_for_provider", "identity_only", "content_mismatch"})


class Target(NamedTuple):
    """What a proof must lead to, and what we know without it: the number of leaves, which leaf is meant, the tree."""

    root: bytes | None
    leaf_count: int | None
    leaf_index: int | None
    tree: merkle.MerkleTree | None


class Weighed(NamedTuple):
    """One frame's evidence, examined: the place of its entry (None where it has none) and the result."""

    entry: int | None
    verdict: Verdict
    proof: Proof | None
    appraisal: Appraisal


class Evidence:
    """The evidence of one answer. `bad_frames` and `places` are those of the decoded line. Where the frames are not the
    `whole` answer, nothing is known about the others, not even their number."""

    def __init__(
        self,
        ack: HandshakeAck | None,
        result: ContextQueryResult,
        keys: Sequence[TrustedKey] = (),
        now: Instant | None = None,
        *,
        bad_frames: Sequence[BadFrame] = (),
        places: Sequence[int] | None = None,
        whole: bool = True,
    ) -> None:
        self.result = result
        self.bad_frames = bad_frames
        self.whole = whole
        self.keyring = Keyring(ack, keys, now)
        self.provider = self.keyring.provider
        self._places = places

    def place(self, index: int) -> int:
        """The wire position of frame `index`."""
        return index if self._places is None else self._places[index]

    # What the answer in hand makes

    @cached_property
    def identities(self) -> tuple[FrameId, ...]:
        """The frames' identities under the declared name."""
        return tuple(frame.identity(self.provider or "") for frame in self.result.frames)

    @cached_property
    def counts(self) -> Counter[FrameId]:
        return Counter(self.identities)

    @cached_property
    def conflicts(self) -> frozenset[FrameId]:
        """Identities that stand for more than one content."""
        first: dict[FrameId, str | None] = {}
        frames = zip(self.identities, self.result.frames, strict=True)
        return frozenset(name for name, frame in frames if first.setdefault(name, frame.content) != frame.content)

    @cached_property
    def commitments(self) -> tuple[bytes, ...]:
        """Each frame's commitment (SPEC 6.5.2), in wire order."""
        return tuple(
            frame_commitment(name.provider_id, name.frame_id, name.content_digest, frame.provenance)
            for name, frame in zip(self.identities, self.result.frames, strict=True)
        )

    @cached_property
    def order(self) -> list[int]:
        """The frames' indexes in canonical order; equal identities stay in wire order."""
        return sorted(range(len(self.identities)), key=lambda index: self.identities[index].sort_key())

    @cached_property
    def leaves(self) -> dict[int, int]:
        """Each frame's leaf."""
        return {index: leaf for leaf, index in enumerate(self.order)}

    @cached_property
    def tree(self) -> merkle.MerkleTree | None:
        """The tree over exactly the frames of the answer (F12); None where one of them could not be read, or is not here."""
        if self.bad_frames or self.provider is None or not self.whole:
            return None
        return merkle.MerkleTree([self.commitments[index] for index in self.order])

    # What the evidence says

    @cached_property
    def entries(self) -> dict[FrameId, int]:
        """The place of the first entry for each identity."""
        found: dict[FrameId, int] = {}
        for place, entry in enumerate(self.result.frame_attestations):
            found.setdefault(entry.frame, place)
        return found

    @cached_property
    def foreign(self) -> dict[tuple[str, str | None], int]:
        """The place of the first entry for a frame's id and digest under any provider's name: for frames that no entry
        names under the declared one."""
        found: dict[tuple[str, str | None], int] = {}
        for name, place in self.entries.items():
            found.setdefault((name.frame_id, name.content_digest), place)
        return found

    @cached_property
    def signed_root(self) -> bytes | None:
        """The root that was signed; None where there is none or it is no digest."""
        signature = self.result.result_attestation
        return None if signature is None else digest_bytes(signature.signed_commitment)

    @cached_property
    def root_is_ours(self) -> bool:
        """Whether the signed root is that of the frames in hand."""
        return self.tree is not None and self.signed_root == self.tree.root

    @cached_property
    def root(self) -> Signed | None:
        """The signature over the whole answer, judged."""
        signature = self.result.result_attestation
        if signature is None or self.provider is None:
            return None
        return self.keyring.check(self.signed_root or b"" if self.tree is None else self.tree.root, signature)

    def target(self, index: int, inclusion: InclusionProof) -> Target:
        """What a frame's proof is held against: the signed root, and what we know of the leaf by ourselves.

        A signed root that differs from that of the frames in hand is a fault of its own (F12); a proof may then lead to our
        root, or to the signed one at a place we know nothing about. A frame that shares its identity with another may be
        either leaf.
        """
        count = len(self.result.frames) + len(self.bad_frames)
        if self.tree is None:
            return Target(self.signed_root, count if self.whole else None, None, None)
        leaf = self.leaves[index] if self.counts[self.identities[index]] == 1 else None
        if self.root_is_ours or self.result.result_attestation is None:
            return Target(self.signed_root, count, leaf, self.tree)
        ours = Target(self.tree.root, count, leaf, self.tree)
        leads_here = self._prove(index, inclusion, ours) == Proof.INCLUDED
        return ours if leads_here or self.signed_root is None else Target(self.signed_root, None, None, None)

    def proof_fault(self, index: int, inclusion: InclusionProof) -> str | None:
        """Why the shape of a proof is wrong for this frame; None where its hashes decide."""
        target = self.target(index, inclusion)
        return merkle.shape_fault(inclusion, leaf_count=target.leaf_count, leaf_index=target.leaf_index)

    # What comes of it

    def weigh(self) -> tuple[Weighed, ...]:
        """What each frame's evidence amounts to, in wire order; nothing where the answer carries no entry at all."""
        if not self.result.frame_attestations:
            return ()
        return tuple(self._weigh(index, frame) for index, frame in enumerate(self.result.frames))

    def appraisals(self, weighed: Sequence[Weighed]) -> tuple[Appraisal, ...]:
        """One appraisal for each frame that was read, in wire order; `weighed` is what `weigh` gave."""
        if weighed:
            return tuple(one.appraisal for one in weighed)
        return tuple(
            Appraisal(name, self.place(index), Verdict.UNATTESTED, "", "unattested")
            for index, name in enumerate(self.identities)
        )

    def root_appraisal(self) -> RootAppraisal | None:
        """What the signature over the whole answer amounts to."""
        signature, signed = self.result.result_attestation, self.root
        if signature is None or signed is None:
            return None
        signer, label = self.keyring.signer(signed)
        return RootAppraisal(
            verdict=signed.verdict,
            standing=STANDINGS.get(signed.verdict, signer),
            leaf_count=len(self.result.frames) + len(self.bad_frames),
            computed=self._root_hex(),
            key_id=signature.key_id,
            attester_id=signature.attester_id,
            signer=label,
            public_key=signed.public_key,
            steps=stop(self._ending(signature, signed, self._root_hex())),
        )

    def _weigh(self, index: int, frame: ContextFrame) -> Weighed:
        name = self.identities[index]
        if self.provider is None:
            named = self.foreign.get((name.frame_id, name.content_digest))
            verdict = Verdict.UNATTESTED if named is None else Verdict.UNKNOWN_KEY
            return self._weighed(index, named, verdict, STANDINGS[verdict])
        place = self.entries.get(name)
        if place is None:
            foreign = self.foreign.get((name.frame_id, name.content_digest))
            if foreign is not None:
                return self._by_foreign(index, foreign)
            return self._weighed(index, None, Verdict.UNATTESTED, "unattested")
        entry = self.result.frame_attestations[place]
        if entry.attestation is not None:
            return self._by_signature(index, frame, place, entry.attestation, entry.inclusion_proof)
        if entry.inclusion_proof is not None:
            return self._by_proof(index, frame, place, entry.inclusion_proof)
        return self._weighed(index, place, Verdict.UNATTESTED, "unattested")

    def _by_foreign(self, index: int, place: int) -> Weighed:
        entry = self.result.frame_attestations[place]
        step = foreign_step(self.commitments[index], entry.frame.provider_id, self.provider)
        signature = entry.attestation
        return self._weighed(index, place, Verdict.COMMITMENT_MISMATCH, "mismatch", signature=signature, steps=(step,))

    def _by_signature(
        self,
        index: int,
        frame: ContextFrame,
        place: int,
        signature: ProvenanceAttestation,
        inclusion: InclusionProof | None,
    ) -> Weighed:
        commitment = self.commitments[index]
        signed = self.keyring.check(commitment, signature, covers_content=frame.content_digest is not None)
        proof: Proof | None = None
        path: tuple[ProofStep, ...] = ()
        if inclusion is not None:
            target = self.target(index, inclusion)
            proof, path = self._prove(index, inclusion, target), self._hashes(commitment, inclusion, target)
        steps = (commitment_step(frame, commitment), *self._ending(signature, signed, commitment.hex()))
        standing = self._standing(index, frame, signed)
        weighed = self._weighed(
            index, place, signed.verdict, standing, proof=proof, signature=signature, signed=signed, steps=steps
        )
        return weighed._replace(appraisal=msgspec.structs.replace(weighed.appraisal, path=path))

    def _by_proof(self, index: int, frame: ContextFrame, place: int, inclusion: InclusionProof) -> Weighed:
        commitment, target = self.commitments[index], self.target(index, inclusion)
        proof = self._prove(index, inclusion, target)
        steps = (commitment_step(frame, commitment), *self._hashes(commitment, inclusion, target))
        signature, root = self.result.result_attestation, self.root
        if signature is None or root is None:
            standing: Standing = "invalid" if proof == Proof.PROOF_INVALID else "uncheckable"
            return self._weighed(index, place, Verdict.UNATTESTED, standing, proof=proof, steps=(*steps, no_root_step()))
        signed = root
        if root.verdict == Verdict.VALID and frame.content_digest is None:
            signed = Signed(Verdict.VALID_IDENTITY_ONLY, root.public_key)
        standing = "invalid" if proof == Proof.PROOF_INVALID else self._standing(index, frame, signed)
        steps = (*steps, *self._ending(signature, root, self._root_hex()))
        return self._weighed(
            index, place, signed.verdict, standing, proof=proof, signature=signature, signed=signed, steps=steps
        )

    @staticmethod
    def _hashes(commitment: bytes, inclusion: InclusionProof, target: Target) -> tuple[ProofStep, ...]:
        fault = merkle.shape_fault(inclusion, leaf_count=target.leaf_count, leaf_index=target.leaf_index)
        return proof_steps(commitment, inclusion, fault, target.root, target.tree)

    def _prove(self, index: int, inclusion: InclusionProof, target: Target) -> Proof:
        return merkle.verify_inclusion(
            self.commitments[index], inclusion, target.root, leaf_count=target.leaf_count, leaf_index=target.leaf_index
        )

    def _standing(self, index: int, frame: ContextFrame, signed: Signed) -> Standing:
        if signed.verdict != Verdict.VALID:
            return STANDINGS[signed.verdict]
        if frame.content is None:
            return "identity_only"
        same = frame.content_digest == sha256_of_text(frame.content)
        return (
            self.keyring.signer(signed)[0] if same and self.identities[index] not in self.conflicts else "content_mismatch"
        )

    def _root_hex(self) -> str:
        return "" if self.tree is None else self.tree.root.hex()

    def _ending(self, signature: ProvenanceAttestation, signed: Signed, computed: str) -> tuple[ProofStep, ...]:
        signer, label = self.keyring.signer(signed)
        return (compare_step(signature, signed, computed), *signature_steps(signature, signed, signer, label))

    def _weighed(
        self,
        index: int,
        entry: int | None,
        verdict: Verdict,
        standing: Standing,
        *,
        proof: Proof | None = None,
        signature: ProvenanceAttestation | None = None,
        signed: Signed | None = None,
        steps: tuple[ProofStep, ...] = (),
    ) -> Weighed:
        covers = _COVERS.get(verdict, ()) if standing in _COVERING else ()
        provenance = self.result.frames[index].provenance
        appraisal = Appraisal(
            frame=self.identities[index],
            place=self.place(index),
            verdict=verdict,
            proof="" if proof is None else proof,
            standing=standing,
            key_id=None if signature is None else signature.key_id,
            attester_id=None if signature is None else signature.attester_id,
            signer=None if signed is None else self.keyring.signer(signed)[1],
            public_key=None if signed is None else signed.public_key,
            covers=covers[:-1] if standing == "content_mismatch" else covers,
            heads=() if standing == "unattested" else tuple(head.hex() for head in chain_heads(provenance)),
            steps=stop(steps),
        )
        return Weighed(entry, verdict, proof, appraisal)


def appraise(
    ack: HandshakeAck | None,
    result: ContextQueryResult,
    keys: Sequence[TrustedKey] = (),
    now: Instant | None = None,
    *,
    bad_frames: Sequence[BadFrame] = (),
    places: Sequence[int] | None = None,
) -> tuple[Appraisal, ...]:
    """What each frame's evidence amounts to, in wire order, one for every frame that was read.

    `keys` are the person's trusted keys, `now` the time their windows are judged by.
    """
    evidence = Evidence(ack, result, keys, now, bad_frames=bad_frames, places=places)
    return evidence.appraisals(evidence.weigh())
