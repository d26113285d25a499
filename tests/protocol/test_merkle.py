"""The tree over an answer: published roots, every small tree, and every way to bend a proof."""

from __future__ import annotations

import hashlib
import itertools

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cgp_tui.protocol.attestation import frame_commitment
from cgp_tui.protocol.digest import digest_text
from cgp_tui.protocol.evidence import InclusionProof, InclusionStep
from cgp_tui.protocol.merkle import (
    EMPTY_ROOT,
    MAX_PATH_STEPS,
    MerkleTree,
    Proof,
    inclusion_proof,
    merkle_root,
    path_sides,
    shape_fault,
    steps,
    verify_inclusion,
)
from tests.protocol import naive

PUBLISHED_ROOTS = (
    "1d7896160c99d216069525861650366067ae242de9ee5e86730a36c80e57bcc2",
    "ca097914b0d358813bf20c3916fe1fcbc92695bf26cc94cae2df6bfc049072ae",
    "4162de7a1474da412cf29c4ff2f687122feb66d1cb554aaf743fdbe762f58d4b",
    "bb7a2c794a3f8de323372acf692a4cf95ea4015487caf761ff964d41e4eb15b2",
    "a29d4042e68ee59dd8713ec5361031add15e4814353da0bfca7a5bf59a96c869",
    "b0d3ce1782e0e0d11edb552808a97b52cbfd613e0114feeb5c7573b61060c737",
    "f31947ee4c7de5436c40771ec97ea5c801f9aa57ef05434b6b35d649e7f96202",
    "4b421f5b2831079accda2aea30aaa989e5dfb3cb01a01fdc3855f7d1d1ff1cb3",
)


def published_leaves(count: int) -> list[bytes]:
    return [frame_commitment("repo-graph", f"f{place}", "sha256:" + "0e" * 32, ()) for place in range(count)]


def leaves(count: int) -> list[bytes]:
    return [hashlib.sha256(b"leaf %d" % place).digest() for place in range(count)]


@pytest.mark.parametrize("count", range(8))
def test_published_roots(count: int) -> None:
    assert merkle_root(published_leaves(count)).hex() == PUBLISHED_ROOTS[count]


def test_the_root_of_nothing_has_a_tag_of_its_own() -> None:
    assert merkle_root([]) == EMPTY_ROOT == MerkleTree([]).root
    assert MerkleTree([]).count == 0


def test_the_published_proof() -> None:
    proof = inclusion_proof(published_leaves(7), 3)
    assert proof == InclusionProof(
        3,
        7,
        (
            InclusionStep("sha256:dc1ae14ddfe6bd0fdc1b030179837fe1b8154201fe1060d4511bc07099536629", True),
            InclusionStep("sha256:" + PUBLISHED_ROOTS[2], True),
            InclusionStep("sha256:761a1b093e5a4c6f5f1a2eb2d5378377e6b62291ec11ec0a9b99822121659cc3", False),
        ),
    )
    assert verify_inclusion(published_leaves(7)[3], proof, bytes.fromhex(PUBLISHED_ROOTS[7])) is Proof.INCLUDED


def test_every_tree_to_one_hundred_against_the_recursion() -> None:
    for count in range(1, 101):
        commitments = leaves(count)
        tree = MerkleTree(commitments)
        assert tree.root == naive.root(commitments)
        assert tree.count == count
        for index in range(count):
            proof = tree.proof(index)
            expected = [(digest_text(sibling), left) for sibling, left in naive.path(index, commitments)]
            assert [(step.sibling, step.sibling_is_left) for step in proof.path] == expected
            known = {"leaf_count": count, "leaf_index": index}
            assert verify_inclusion(commitments[index], proof, tree.root, **known) is Proof.INCLUDED
            assert steps(commitments[index], proof, tree.root)[-1].computed == tree.root


@given(st.lists(st.binary(min_size=32, max_size=32), max_size=40))
def test_any_commitments_doubled_ones_too(commitments: list[bytes]) -> None:
    assert merkle_root(commitments) == naive.root(commitments)
    for index, commitment in enumerate(commitments):
        proof = inclusion_proof(commitments, index)
        assert verify_inclusion(commitment, proof, merkle_root(commitments)) is Proof.INCLUDED


def flipped(data: bytes, bit: int) -> bytes:
    return (int.from_bytes(data) ^ 1 << bit).to_bytes(len(data))


@pytest.mark.parametrize("count", range(1, 17))
def test_every_flipped_bit_is_noticed(count: int) -> None:
    commitments = leaves(count)
    tree = MerkleTree(commitments)
    for index, commitment in enumerate(commitments):
        proof = tree.proof(index)
        for bit in range(256):
            assert verify_inclusion(flipped(commitment, bit), proof, tree.root) is Proof.PROOF_INVALID
            assert verify_inclusion(commitment, proof, flipped(tree.root, bit)) is Proof.PROOF_INVALID
            for place, step in enumerate(proof.path):
                bent = digest_text(flipped(bytes.fromhex(step.sibling[7:]), bit))
                path = (*proof.path[:place], InclusionStep(bent, step.sibling_is_left), *proof.path[place + 1 :])
                bad = msgspec.structs.replace(proof, path=path)
                assert verify_inclusion(commitment, bad, tree.root) is Proof.PROOF_INVALID


@pytest.mark.parametrize("count", [2, 3, 5, 6, 7, 13, 64, 100])
def test_a_path_fits_its_place_or_is_refused(count: int) -> None:
    commitments = leaves(count)
    tree = MerkleTree(commitments)
    for index, commitment in enumerate(commitments):
        proof = tree.proof(index)
        path = proof.path
        bent = [path[:-1], (*path, path[0]), (*path, InclusionStep(digest_text(tree.root), True)), ()]
        for place, step in enumerate(path):
            turned = InclusionStep(step.sibling, not step.sibling_is_left)
            bent.append((*path[:place], turned, *path[place + 1 :]))
        for wrong in bent:
            bad = msgspec.structs.replace(proof, path=wrong)
            assert shape_fault(bad) is not None
            assert verify_inclusion(commitment, bad, tree.root) is Proof.PROOF_INVALID


PAIRS = [(index, count) for count in range(1, 65) for index in range(count)]
SIDES = {pair: path_sides(*pair) for pair in PAIRS}


def test_no_two_leaves_of_one_tree_share_a_path() -> None:
    for count in range(1, 65):
        assert len({SIDES[index, count] for index in range(count)}) == count


@pytest.mark.parametrize("true_count", [1, 2, 3, 6, 7, 16, 33, 64])
def test_every_wrong_place_is_refused(true_count: int) -> None:
    commitments = leaves(true_count)
    tree = MerkleTree(commitments)
    for index in {0, true_count // 2, true_count - 1}:
        proof = tree.proof(index)
        for pair in PAIRS:
            if pair == (index, true_count):
                continue
            wrong = InclusionProof(*pair, proof.path)
            known = {"leaf_count": true_count, "leaf_index": index}
            assert verify_inclusion(commitments[index], wrong, tree.root, **known) is Proof.PROOF_INVALID
            # Without knowledge of the answer only another path gives the claim away.
            alone = verify_inclusion(commitments[index], wrong, tree.root)
            assert alone is (Proof.INCLUDED if SIDES[pair] == proof_sides(proof) else Proof.PROOF_INVALID)


def proof_sides(proof: InclusionProof) -> tuple[bool, ...]:
    return tuple(step.sibling_is_left for step in proof.path)


def test_the_false_place_that_only_the_answer_refutes() -> None:
    commitments = leaves(2)
    tree = MerkleTree(commitments)
    recast = InclusionProof(2, 3, tree.proof(1).path)
    assert verify_inclusion(commitments[1], recast, tree.root) is Proof.INCLUDED
    assert verify_inclusion(commitments[1], recast, tree.root, leaf_count=2) is Proof.PROOF_INVALID
    assert verify_inclusion(commitments[1], recast, tree.root, leaf_index=1) is Proof.PROOF_INVALID


def test_the_right_proof_of_another_leaf() -> None:
    tree = MerkleTree(commitments := leaves(9))
    for one, other in itertools.permutations(range(9), 2):
        assert verify_inclusion(commitments[one], tree.proof(other), tree.root) is Proof.PROOF_INVALID


def test_without_a_root_nothing_is_proved() -> None:
    commitments = leaves(4)
    assert verify_inclusion(commitments[2], inclusion_proof(commitments, 2), None) is Proof.NO_ROOT
    broken = InclusionProof(2, 4, ())
    assert verify_inclusion(commitments[2], broken, None) is Proof.PROOF_INVALID


def test_a_leaf_padded_with_itself() -> None:
    (only,) = leaves(1)
    leaf = hashlib.sha256(b"\x00" + only).digest()
    padded = InclusionProof(0, 1, (InclusionStep(digest_text(leaf), False),))
    root = hashlib.sha256(b"\x01" + leaf + leaf).digest()
    assert verify_inclusion(only, padded, root) is Proof.PROOF_INVALID
    assert verify_inclusion(only, InclusionProof(0, 1, ()), leaf) is Proof.INCLUDED


def test_a_doubled_last_leaf_is_another_answer() -> None:
    three = leaves(3)
    assert merkle_root(three) != merkle_root([*three, three[2]])


def test_a_node_is_no_leaf() -> None:
    tree = MerkleTree(leaves(2))
    left, right = tree.levels[0]
    assert verify_inclusion(left + right, InclusionProof(0, 1, ()), tree.root) is Proof.PROOF_INVALID


@pytest.mark.parametrize(
    "text", ["", "sha256:AB" + "ab" * 31, "ab" * 32, "sha256:" + "ab" * 33, "sha256:" + "ab" * 32 + "\n"]
)
def test_a_sibling_that_is_no_digest(text: str) -> None:
    fault = shape_fault(InclusionProof(0, 2, (InclusionStep(text, False),)))
    assert fault == "the sibling of step 1 is no digest"


@pytest.mark.parametrize(
    ("index", "count"), [(-1, 2), (2, 2), (0, 0), (3, 2), (-1, -1), (0, -1), pytest.param(0, 10**5000, id="huge")]
)
def test_places_that_no_tree_has(index: int, count: int) -> None:
    for left in (False, True):
        proof = InclusionProof(index, count, (InclusionStep("sha256:" + "ab" * 32, left),))
        assert shape_fault(proof) is not None
        assert verify_inclusion(b"x" * 32, proof, b"y" * 32) is Proof.PROOF_INVALID


def test_the_longest_path() -> None:
    sibling = InclusionStep("sha256:" + "ab" * 32, False)
    proof = InclusionProof(0, 1 << MAX_PATH_STEPS, (sibling,) * MAX_PATH_STEPS)
    root = steps(b"c" * 32, proof)[-1].computed
    assert verify_inclusion(b"c" * 32, proof, root) is Proof.INCLUDED
    longer = InclusionProof(0, 1 << 65, (sibling,) * 65)
    assert shape_fault(longer) == "the path has 65 steps, more than 64"
    higher = InclusionProof(1 << 64, (1 << 64) + 1, (sibling,))
    assert shape_fault(higher) == "the leaf count is beyond a tree of 64 levels"


@pytest.mark.parametrize("index", [-1, 3, 4])
def test_no_proof_of_what_is_not_there(index: int) -> None:
    with pytest.raises(IndexError):
        inclusion_proof(leaves(3), index)


def test_no_proof_from_an_empty_tree() -> None:
    with pytest.raises(IndexError):
        MerkleTree([]).proof(0)


def test_steps_hash_what_they_show() -> None:
    commitments = leaves(11)
    tree = MerkleTree(commitments)
    for index, commitment in enumerate(commitments):
        shown = steps(commitment, tree.proof(index), tree.root)
        first, *rest = shown
        assert (first.left, first.right) == (commitment, None)
        assert first.computed == hashlib.sha256(b"\x00" + commitment).digest()
        below = first.computed
        for step in rest:
            assert step.right is not None
            assert below in (step.left, step.right)
            assert step.computed == hashlib.sha256(b"\x01" + step.left + step.right).digest()
            below = step.computed
        assert [step.expected for step in shown[:-1]] == [None] * (len(shown) - 1)
        assert [step.ok for step in shown] == [None] * (len(shown) - 1) + [True]
        assert shown[-1].expected == tree.root


@pytest.mark.parametrize("count", [1, 2, 3, 6, 7, 11])
def test_steps_know_the_whole_answer_where_it_is_at_hand(count: int) -> None:
    commitments = leaves(count)
    tree = MerkleTree(commitments)
    for index, commitment in enumerate(commitments):
        assert all(step.ok for step in steps(commitment, tree.proof(index), tree.root, tree=tree))
        assert all(step.ok for step in steps(commitment, tree.proof(index), tree=tree))
        assert not any(step.ok for step in steps(b"another" * 4, tree.proof(index), tree.root, tree=tree))


def test_steps_show_where_a_path_leaves_the_tree() -> None:
    commitments = leaves(7)
    tree = MerkleTree(commitments)
    proof = tree.proof(2)
    bent = msgspec.structs.replace(proof, path=(proof.path[0], InclusionStep("sha256:" + "ab" * 32, True), *proof.path[2:]))
    assert [step.ok for step in steps(commitments[2], bent, tree.root, tree=tree)] == [True, True, False, False]


def test_steps_of_a_signed_root_over_other_frames() -> None:
    commitments = leaves(4)
    tree = MerkleTree(commitments)
    shown = steps(commitments[0], tree.proof(0), merkle_root(leaves(5)), tree=tree)
    assert [step.ok for step in shown] == [True, True, False]


def test_a_tree_of_another_size_is_no_witness() -> None:
    commitments = leaves(4)
    shown = steps(commitments[0], inclusion_proof(commitments, 0), tree=MerkleTree(leaves(5)))
    assert [step.expected for step in shown] == [None, None, None]


def test_steps_refuse_a_path_of_the_wrong_shape() -> None:
    with pytest.raises(ValueError, match="needs 1"):
        steps(b"c" * 32, InclusionProof(0, 2, ()))


@pytest.mark.parametrize(
    ("known", "fault"),
    [
        ({"leaf_count": 3}, "the proof counts 2 leaves, the answer has 3"),
        ({"leaf_index": 0}, "the proof is for leaf 1, the frame is leaf 0"),
    ],
)
def test_shape_is_held_against_what_is_known(known: dict[str, int], fault: str) -> None:
    assert shape_fault(inclusion_proof(leaves(2), 1), **known) == fault


def test_a_hundred_thousand_leaves_need_no_recursion() -> None:
    commitments = leaves(100_000)
    tree = MerkleTree(commitments)
    assert sum(len(level) for level in tree.levels) < 200_100
    proof = tree.proof(99_999)
    assert verify_inclusion(commitments[99_999], proof, tree.root, leaf_count=100_000) is Proof.INCLUDED
