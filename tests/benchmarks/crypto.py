"""The hashes and signatures of SPEC 6.5, each beside the same work with nothing around it."""

from __future__ import annotations

import hashlib
import importlib.util
from collections.abc import Iterator, Sequence

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

from cgp_tui.protocol import ed25519
from cgp_tui.protocol.attestation import frame_commitment
from cgp_tui.protocol.frame import Provenance
from cgp_tui.protocol.merkle import MerkleTree, inclusion_proof, merkle_root
from tests.benchmarks.measure import Row, cpu_seconds, least_by_turns

ROUNDS = 9
FRAMES = 20_000
LEAVES = 100_000
SIGNATURES = 400
PROOF_SECONDS = 8e-6


def whole() -> Iterator[Row]:
    """A commitment, a tree, its proofs, and a strict verification."""
    yield from _commitments()
    yield from _trees()
    yield from _signatures()


def _commitments() -> Iterator[Row]:
    digest = "sha256:" + "a1" * 32
    uri = "file:///repo/src/mod42/file123.rs"
    links = (
        Provenance("file", uri, "L40-80", digest),
        Provenance("derivation", uri, method="summarize/v2", by="repo-graph@1.4.0"),
        Provenance("episode", uri, method="summarize/v2", by="repo-graph@1.4.0"),
    )
    names = [f"frm_{place:07d}" for place in range(FRAMES)]
    flat_links = [(link.kind, (link.uri, link.range, link.digest, link.method, link.by)) for link in links]
    assert frame_commitment("repo-graph", names[0], digest, links) == _flat("repo-graph", names[0], digest, flat_links)
    ours, floor = least_by_turns(
        lambda: cpu_seconds(lambda: [frame_commitment("repo-graph", name, digest, links) for name in names]),
        lambda: cpu_seconds(lambda: [_flat("repo-graph", name, digest, flat_links) for name in names]),
        ROUNDS,
    )
    rate = f"{FRAMES / ours:,.0f} a second"
    yield Row(f"{FRAMES:,} frame commitments, 3 links / flat over hashlib", ours, floor, 1.4, rate)


def _flat(provider: str, frame: str, digest: str, links: Sequence[tuple[str, tuple[str | None, ...]]]) -> bytes:
    """The construction of SPEC 6.5.2 in one piece: every byte is joined here, and nothing else is looked at."""
    sha256 = hashlib.sha256
    head = sha256(b"contextgraph/attest/1/genesis").digest()
    for kind, optional in links:
        data = kind.encode()
        encoded = b"contextgraph/attest/1/link" + head + len(data).to_bytes(4, "big") + data
        for member in optional:
            if member is None:
                encoded += b"\x00"
            else:
                data = member.encode()
                encoded += b"\x01" + len(data).to_bytes(4, "big") + data
        head = sha256(encoded).digest()
    name, place, content = provider.encode(), frame.encode(), digest.encode()
    return sha256(
        b"contextgraph/attest/1/frame"
        + len(name).to_bytes(4, "big")
        + name
        + len(place).to_bytes(4, "big")
        + place
        + b"\x01"
        + len(content).to_bytes(4, "big")
        + content
        + head
    ).digest()


def _trees() -> Iterator[Row]:
    leaves = [hashlib.sha256(place.to_bytes(4, "big")).digest() for place in range(LEAVES)]
    ours, floor = least_by_turns(
        lambda: cpu_seconds(lambda: MerkleTree(leaves).root), lambda: cpu_seconds(lambda: _bare(leaves)), ROUNDS
    )
    yield Row(f"root and levels over {LEAVES:,} leaves / a bare loop of 2n-1 hashes", ours, floor, 1.2)
    what = f"root and levels over {LEAVES:,} leaves / pymerkle"
    if importlib.util.find_spec("pymerkle") is None:
        print(f"{what}: not measured, pymerkle comes with the extra `benchmarks`")
    else:
        assert _peer(leaves[:1000]) == MerkleTree(leaves[:1000]).root
        ours, peer = least_by_turns(
            lambda: cpu_seconds(lambda: MerkleTree(leaves).root), lambda: cpu_seconds(lambda: _peer(leaves)), 3
        )
        yield Row(what, ours, peer, 1 / 5)
    ours, limit = least_by_turns(lambda: _proofs(leaves), lambda: PROOF_SECONDS * LEAVES, 3)
    yield Row(f"all {LEAVES:,} inclusion proofs / 8 µs each", ours, limit, 1.0)
    ours, floor = least_by_turns(
        lambda: cpu_seconds(lambda: inclusion_proof(leaves, LEAVES // 2)),
        lambda: cpu_seconds(lambda: merkle_root(leaves)),
        5,
    )
    yield Row(f"the proof of one frame of {LEAVES:,} / the root alone", ours, floor, 1.5)


def _bare(leaves: Sequence[bytes]) -> None:
    """As many hashes over as many bytes as the tree has nodes; it builds nothing."""
    sha256 = hashlib.sha256
    node = b"\x01" + leaves[0] + leaves[1]
    for leaf in leaves:
        sha256(b"\x00" + leaf).digest()
    for _ in range(len(leaves) - 1):
        sha256(node).digest()


def _peer(leaves: Sequence[bytes]) -> bytes:
    """The root over the same leaves by another library that keeps all levels."""
    from pymerkle import InmemoryTree

    tree = InmemoryTree(algorithm="sha256")
    for leaf in leaves:
        tree.append_entry(leaf)
    root: bytes = tree.get_state()
    return root


def _proofs(leaves: Sequence[bytes]) -> float:
    tree = MerkleTree(leaves)
    return cpu_seconds(lambda: [tree.proof(place) for place in range(len(leaves))])


def _signatures() -> Iterator[Row]:
    """One provider's key over many messages, the key object kept on both sides; then a key that nobody has seen before."""
    seeds = [hashlib.sha256(place.to_bytes(4, "big")).digest() for place in range(SIGNATURES)]
    messages = [hashlib.sha256(seed).digest() for seed in seeds]
    seed, key = seeds[0], ed25519.public_key(seeds[0])
    signed = [(ed25519.sign(seed, message), message) for message in messages]
    kept = Ed25519PublicKey.from_public_bytes(key)
    ours, floor = least_by_turns(
        lambda: cpu_seconds(lambda: [ed25519.verify(key, signature, message) for signature, message in signed]),
        lambda: cpu_seconds(lambda: [kept.verify(signature, message) for signature, message in signed]),
        ROUNDS,
    )
    rate = f"{SIGNATURES / ours:,.0f} a second"
    yield Row(f"{SIGNATURES} strict verifications, one key / cryptography, key kept", ours, floor, 1.15, rate)
    strangers = [
        (ed25519.public_key(seed), ed25519.sign(seed, message), message)
        for seed, message in zip(seeds, messages, strict=True)
    ]
    ours, floor = least_by_turns(
        lambda: cpu_seconds(lambda: [ed25519.verify(*one) for one in strangers]),
        lambda: cpu_seconds(lambda: [Ed25519PublicKey.from_public_bytes(key).verify(*one) for key, *one in strangers]),
        ROUNDS,
    )
    yield Row(f"{SIGNATURES} strict verifications, a new key each / cryptography, key loaded", ours, floor, None)
