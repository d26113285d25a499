"""One hash over a whole answer, and the proof that one frame was in it (SPEC 6.5.3, RFC 6962 section 2.1).

The tree is built level by level: neighbours pair up, and a last one without a neighbour moves up unchanged. That gives the
tree of RFC 6962, whose left half is the largest power of two below the size, without recursion or copied slices.

An index and a count determine the side of every sibling on a path. A path is checked against them before anything is
hashed: folding alone would accept any index and count as long as the hashes work out.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from enum import StrEnum
from functools import cached_property
from typing import Final

import msgspec

from cgp_tui.protocol.digest import digest_bytes, digest_text
from cgp_tui.protocol.evidence import InclusionProof, InclusionStep

EMPTY_ROOT: Final = hashlib.sha256(b"contextgraph/attest/1/merkle-empty").digest()
"""The root over no frames at all."""

MAX_PATH_STEPS: Final = 64
"""Longer paths are refused unseen: their tree would have more than 2**64 leaves."""


class Proof(StrEnum):
    """What an inclusion proof proves."""

    INCLUDED = "included"
    PROOF_INVALID = "proof_invalid"
    NO_ROOT = "no_root"


class Step(msgspec.Struct, frozen=True, gc=False):
    """One hash of a verification, in raw bytes.

    The first step hashes a leaf: `left` is the commitment and `right` is None. Every other step hashes the 32-byte nodes
    `left` and `right`. `expected` is what the result must be, None where there is nothing to compare it with.
    """

    left: bytes
    right: bytes | None
    computed: bytes
    expected: bytes | None

    @property
    def ok(self) -> bool | None:
        """Whether the hash is the expected one; None where nothing is expected."""
        return None if self.expected is None else self.computed == self.expected


class MerkleTree:
    """All hashes over `commitments` (32 bytes each, in canonical order), built once in O(n) time and memory.

    `levels[0]` holds the leaves' hashes, the last level only the root; a tree without leaves has no levels.
    """

    __slots__ = ("__dict__", "levels")

    def __init__(self, commitments: Sequence[bytes]) -> None:
        level = _leaves(commitments)
        self.levels: list[list[bytes]] = [level] if level else []
        while len(level) > 1:
            level = _above(level)
            self.levels.append(level)

    @property
    def count(self) -> int:
        """The number of leaves."""
        return len(self.levels[0]) if self.levels else 0

    @property
    def root(self) -> bytes:
        return self.levels[-1][0] if self.levels else EMPTY_ROOT

    def proof(self, index: int) -> InclusionProof:
        """The proof of leaf `index`, from 0. Raises IndexError where there is no such leaf."""
        if not 0 <= index < self.count:
            raise IndexError(f"leaf {index} of {self.count}")
        path = []
        place = index
        for level, made in zip(self.levels, self._steps, strict=False):
            sibling = place ^ 1
            step = made.get(sibling)
            if step is None and sibling < len(level):
                step = made[sibling] = InclusionStep(digest_text(level[sibling]), sibling % 2 == 0)
            if step is not None:
                path.append(step)
            place >>= 1
        return InclusionProof(index, self.count, tuple(path))

    @cached_property
    def _steps(self) -> list[dict[int, InclusionStep]]:
        """For each level below the root, the steps made so far: proofs share them."""
        return [{} for _ in self.levels[:-1]]


def _leaves(commitments: Sequence[bytes]) -> list[bytes]:
    """The lowest level. Copying a hash state that already holds the prefix costs less than a new one for each leaf."""
    begun, level = hashlib.sha256(b"\x00").copy, []
    for commitment in commitments:
        state = begun()
        state.update(commitment)
        level.append(state.digest())
    return level


def _above(below: list[bytes]) -> list[bytes]:
    """The next level: neighbours pair up, and a last one without a neighbour moves up unchanged."""
    begun, level = hashlib.sha256(b"\x01").copy, []
    nodes = iter(below)
    for left, right in zip(nodes, nodes, strict=False):
        state = begun()
        state.update(left + right)
        level.append(state.digest())
    if len(below) % 2:
        level.append(below[-1])
    return level


def merkle_root(commitments: Sequence[bytes]) -> bytes:
    """The 32-byte root over `commitments` in the order given, which must be the canonical one (SPEC 6.3)."""
    return MerkleTree(commitments).root


def inclusion_proof(commitments: Sequence[bytes], index: int) -> InclusionProof:
    """The proof that `commitments[index]` is in their root. Raises IndexError where there is no such leaf.

    For many proofs over the same commitments, build one `MerkleTree` and call its `proof`.
    """
    return MerkleTree(commitments).proof(index)


def path_sides(leaf_index: int, leaf_count: int) -> tuple[bool, ...]:
    """For each step of the path of leaf `leaf_index` among `leaf_count`, whether its sibling stands on the left.

    `0 <= leaf_index < leaf_count` is a precondition. A node without a neighbour moves up and needs no step.
    """
    sides = []
    place, last = leaf_index, leaf_count - 1
    while last:
        if place % 2:
            sides.append(True)
        elif place < last:
            sides.append(False)
        place >>= 1
        last >>= 1
    return tuple(sides)


def shape_fault(proof: InclusionProof, *, leaf_count: int | None = None, leaf_index: int | None = None) -> str | None:
    """Why the proof cannot belong to any tree, or cannot belong to the known one; None where its shape is right.

    `leaf_count` and `leaf_index` are what the verifier knows by itself: the number of frames in the answer and the frame's
    place in canonical order. A proof alone cannot tell leaf 1 of 2 from leaf 2 of 3.
    """
    path = proof.path
    if len(path) > MAX_PATH_STEPS:
        return f"the path has {len(path)} steps, more than {MAX_PATH_STEPS}"
    if not 0 <= proof.leaf_index < proof.leaf_count:
        return "the leaf index is not below the leaf count"
    if proof.leaf_count > 1 << MAX_PATH_STEPS:
        return f"the leaf count is beyond a tree of {MAX_PATH_STEPS} levels"
    if leaf_count is not None and proof.leaf_count != leaf_count:
        return f"the proof counts {proof.leaf_count} leaves, the answer has {leaf_count}"
    if leaf_index is not None and proof.leaf_index != leaf_index:
        return f"the proof is for leaf {proof.leaf_index}, the frame is leaf {leaf_index}"
    sides = path_sides(proof.leaf_index, proof.leaf_count)
    if len(path) != len(sides):
        return f"the path has {len(path)} steps, leaf {proof.leaf_index} of {proof.leaf_count} needs {len(sides)}"
    for place, (step, left) in enumerate(zip(path, sides, strict=True), 1):
        if step.sibling_is_left != left:
            return f"the sibling of step {place} belongs on the {'left' if left else 'right'}"
        if digest_bytes(step.sibling) is None:
            return f"the sibling of step {place} is no digest"
    return None


def steps(
    commitment: bytes, proof: InclusionProof, root: bytes | None = None, *, tree: MerkleTree | None = None
) -> tuple[Step, ...]:
    """Every hash from the commitment up to the root, beginning with the leaf's, so never empty. The last one decides.

    `root` is the signed root, which the last hash must equal. `tree`, where the whole answer is at hand, holds what every
    other hash must be, provided that the proof's leaf is in it. Raises ValueError where `shape_fault` finds the proof's own
    shape wrong.
    """
    fault = shape_fault(proof)
    if fault is not None:
        raise ValueError(fault)
    return _walk(commitment, proof, root, tree)


def verify_inclusion(
    commitment: bytes,
    proof: InclusionProof,
    root: bytes | None,
    *,
    leaf_count: int | None = None,
    leaf_index: int | None = None,
) -> Proof:
    """Whether `commitment` is under `root` at the place that the proof names, and at the known place where one is given.

    `root` is None where there is no signed root to compare with.
    """
    if shape_fault(proof, leaf_count=leaf_count, leaf_index=leaf_index) is not None:
        return Proof.PROOF_INVALID
    if root is None:
        return Proof.NO_ROOT
    return Proof.INCLUDED if _walk(commitment, proof, root, None)[-1].ok else Proof.PROOF_INVALID


def _walk(commitment: bytes, proof: InclusionProof, root: bytes | None, tree: MerkleTree | None) -> tuple[Step, ...]:
    known = _known(proof, tree)
    node = hashlib.sha256(b"\x00" + commitment).digest()
    hashed: list[tuple[bytes, bytes | None, bytes]] = [(commitment, None, node)]
    for step in proof.path:
        sibling = bytes.fromhex(step.sibling.removeprefix("sha256:"))
        left, right = (sibling, node) if step.sibling_is_left else (node, sibling)
        node = hashlib.sha256(b"\x01" + left + right).digest()
        hashed.append((left, right, node))
    if root is not None:
        known[-1] = root
    return tuple(
        Step(left, right, computed, expected) for (left, right, computed), expected in zip(hashed, known, strict=True)
    )


def _known(proof: InclusionProof, tree: MerkleTree | None) -> list[bytes | None]:
    """The tree's hash for each step of the path; all None where there is no tree of the proof's size."""
    if tree is None or tree.count != proof.leaf_count:
        return [None] * (len(proof.path) + 1)
    place = proof.leaf_index
    known: list[bytes | None] = [tree.levels[0][place]]
    for height in range(1, len(tree.levels)):
        alone = place % 2 == 0 and place + 1 == len(tree.levels[height - 1])
        place >>= 1
        if not alone:
            known.append(tree.levels[height][place])
    return known
