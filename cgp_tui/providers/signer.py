"""Sign what a provider serves: single frames, or a whole answer under one Merkle root (SPEC 6.5)."""

from __future__ import annotations

from collections.abc import Callable

import msgspec

from cgp_tui.protocol import ed25519
from cgp_tui.protocol.attestation import ALGORITHM, FrameAttestation, ProvenanceAttestation, frame_commitment
from cgp_tui.protocol.capability import AttesterKey
from cgp_tui.protocol.digest import digest_text
from cgp_tui.protocol.envelope import ContextQueryResult
from cgp_tui.protocol.frame import ContextFrame
from cgp_tui.protocol.merkle import MerkleTree


class Signer:
    """One Ed25519 key. `seed` is 32 raw bytes; `key` is what the handshake publishes.

    Raises ValueError for a seed of another length.
    """

    def __init__(self, seed: bytes, key_id: str) -> None:
        self._seed = seed
        self.key = AttesterKey(key_id, ALGORITHM, ed25519.public_key(seed).hex())

    def sign(self, message: bytes, attester_id: str, issued_at: str) -> ProvenanceAttestation:
        """A detached signature over a 32-byte commitment or root; `issued_at` is an F4 instant, which nothing signs."""
        signature = ed25519.sign(self._seed, message).hex()
        return ProvenanceAttestation(digest_text(message), self.key.key_id, ALGORITHM, attester_id, signature, issued_at)

    def attest(
        self,
        result: ContextQueryResult,
        provider_name: str,
        issued_at: str,
        singly: Callable[[ContextFrame], bool],
    ) -> ContextQueryResult:
        """`result` with its evidence beside it: the signed root over exactly its frames in canonical order (F12), a proof
        for each of them (F13), and a signature of its own for every frame that `singly` picks.

        `provider_name` is the declared name, the only one a commitment may hold (SPEC 6.5.2).
        """
        frames = sorted(result.frames, key=lambda frame: frame.identity(provider_name).sort_key())
        commitments = [frame_commitment(provider_name, frame.id, frame.content_digest, frame.provenance) for frame in frames]
        tree = MerkleTree(commitments)
        entries = {
            id(frame): FrameAttestation(
                frame.identity(provider_name),
                self.sign(commitment, provider_name, issued_at) if singly(frame) else None,
                tree.proof(place),
            )
            for place, (frame, commitment) in enumerate(zip(frames, commitments, strict=True))
        }
        return msgspec.structs.replace(
            result,
            frame_attestations=tuple(entries[id(frame)] for frame in result.frames),
            result_attestation=self.sign(tree.root, provider_name, issued_at),
        )
