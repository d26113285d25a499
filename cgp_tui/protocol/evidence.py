"""The shapes of evidence as it travels beside the frames (SPEC 6.5); `attestation` and `merkle` verify it."""

import msgspec

from cgp_tui.protocol.identity import FrameId


class InclusionStep(msgspec.Struct, frozen=True, gc=False):
    """One sibling on the way up: its hash as a digest, and the side it stands on."""

    sibling: str
    sibling_is_left: bool


class InclusionProof(msgspec.Struct, frozen=True, gc=False):
    """The way from one leaf to the root, from the leaf upwards (SPEC 6.5.3)."""

    leaf_index: int
    leaf_count: int
    path: tuple[InclusionStep, ...]


class ProvenanceAttestation(msgspec.Struct, frozen=True, gc=False):
    """A signature over `signed_commitment`: a frame's commitment (6.5.2) or a result's root (6.5.3).

    `signed_commitment` is `sha256:` and 64 lowercase hex digits, `signature` 128 lowercase hex digits.
    """

    signed_commitment: str
    key_id: str
    algorithm: str
    attester_id: str
    signature: str
    issued_at: str


class FrameAttestation(msgspec.Struct, frozen=True, gc=False, omit_defaults=True):
    """One entry of `result.frame_attestations`: the identity it covers and its evidence (F11)."""

    frame: FrameId
    attestation: ProvenanceAttestation | None = None
    inclusion_proof: InclusionProof | None = None
