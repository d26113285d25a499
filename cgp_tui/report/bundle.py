"""Evidence to hand on: one frame of an answer, or all of them, as `cgp-bundle/1`.

The hashes listed in a bundle are for a person with `sha256sum`; our own reader computes them anew.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from hashlib import sha256
from typing import Any, Final

import msgspec

from cgp_tui.checks.exhibit import Exhibit, frames_of
from cgp_tui.protocol import merkle
from cgp_tui.protocol.attestation import FrameAttestation, chain_heads, commitment_bytes, link_bytes
from cgp_tui.protocol.evidence import InclusionProof
from cgp_tui.protocol.frame import ContextFrame
from cgp_tui.protocol.identity import FrameId

FORMAT: Final = "cgp-bundle/1"

HOW: Final = (
    "This file shows who signed a frame of the Context Graph Protocol, and over what (its specification, section 6.5).",
    "1. Every entry of `hashes` holds bytes in hex and their SHA-256. Compute each one anew.",
    "2. Read the bytes. `content` is the text of the frame. Each `link` begins with contextgraph/attest/1/link and the hash "
    "before it (the first: SHA-256 of contextgraph/attest/1/genesis); then type, uri, range, digest, method and by follow, "
    "each with its length in four bytes, the last five after a byte 01, or a byte 00 alone where there is none.",
    "3. `commitment` begins with contextgraph/attest/1/frame; provider name, frame id and, after a byte 01, content_digest "
    "follow, each with its length; the last 32 bytes are the hash of the last link, or of the genesis where there is none. "
    "content_digest must be sha256: and the hash of `content`.",
    "4. `leaf` is a byte 00 and the commitment. `node` is a byte 01 and two hashes: the one before it and its sibling of "
    "`inclusion_proof`, on the side that is given there. The last one is the root.",
    "5. signed_commitment must be sha256: and the commitment (in `attestation`) or the root (in `result_attestation`).",
    "6. `signature` must be the Ed25519 signature of those 32 bytes under the key with its key_id in `keys`.",
    "7. The key came with the frame, from the party that is under audit. Who holds it, only somebody else can tell you: "
    "compare it with a key that you know from elsewhere.",
    "No signature covers title, citation_label, kind, uri, score, dates, relations, attester_id and issued_at. The sibling "
    "hashes of a proof tell nothing of the other frames, but confirm a correct guess of one.",
)
"""How to verify a bundle by hand; written into each."""


class Hash(msgspec.Struct, frozen=True):
    """One hash: what it stands for, the hashed bytes and the result, both in hex."""

    what: str
    bytes: str
    sha256: str


def bundle_document(shown: Exhibit) -> dict[str, Any]:
    """The bundle as written: one frame's members at the top, or `frames` with those of each."""
    result, evidence = shown.result, shown.evidence()
    entries = {entry.frame: entry for entry in result.frame_attestations}
    frames = [
        _frame_members(raw, frame, name, entries.get(name), alone=not shown.whole)
        for raw, frame, name in zip(frames_of(shown.line), result.frames, evidence.identities, strict=True)
    ]
    document: dict[str, Any] = {"format": FORMAT}
    if shown.whole:
        document["frames"] = frames
        if evidence.tree is not None:
            leaves = (evidence.commitments[index] for index in evidence.order)
            document["hashes"] = list(_tree_hashes(evidence.tree, leaves))
    else:
        document.update(frames[0])
    return document | {
        "result_attestation": result.result_attestation,
        "keys": shown.keys,
        "how_to_verify": HOW,
    }


def bundle_bytes(shown: Exhibit) -> bytes:
    """The bundle as a file: ASCII, a member a line, one LF at the end."""
    built = msgspec.to_builtins(bundle_document(shown))
    return msgspec.json.format(json.dumps(built).encode("ascii"), indent=2) + b"\n"


def _frame_members(
    raw: bytes, frame: ContextFrame, name: FrameId, entry: FrameAttestation | None, *, alone: bool
) -> dict[str, Any]:
    proof = None if entry is None else entry.inclusion_proof
    return {
        "frame": msgspec.json.decode(raw),
        "identity": {"provider_id": name.provider_id, "frame_id": name.frame_id, "content_digest": name.content_digest},
        "provenance": frame.provenance,
        "attestation": None if entry is None else entry.attestation,
        "inclusion_proof": proof,
        "hashes": list(_hashes(frame, name, proof if alone else None)),
    }


def _hashes(frame: ContextFrame, name: FrameId, proof: InclusionProof | None) -> Iterator[Hash]:
    if frame.content is not None:
        yield _hash("content", frame.content.encode())
    heads = chain_heads(frame.provenance)
    for number, link in enumerate(frame.provenance):
        yield _hash(f"link {number + 1}", link_bytes(heads[number], link))
    yield (commitment := _hash("commitment", commitment_bytes(name, heads[-1])))
    if proof is not None and merkle.shape_fault(proof) is None:
        for step in merkle.steps(bytes.fromhex(commitment.sha256), proof):
            yield _step_hash(step.left, step.right)


def _tree_hashes(tree: merkle.MerkleTree, commitments: Iterable[bytes]) -> Iterator[Hash]:
    """Every leaf in canonical order (SPEC 6.3), then the nodes level by level; the last one is the root."""
    for commitment in commitments:
        yield _step_hash(commitment, None)
    for level in tree.levels:
        for left, right in zip(level[::2], level[1::2], strict=False):
            yield _step_hash(left, right)


def _step_hash(left: bytes, right: bytes | None) -> Hash:
    return _hash("leaf", b"\x00" + left) if right is None else _hash("node", b"\x01" + left + right)


def _hash(what: str, data: bytes) -> Hash:
    return Hash(what, data.hex(), sha256(data).hexdigest())
