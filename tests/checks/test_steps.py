"""A verification as steps: every hash up to the first that fails."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

from tests.checks.signed import (
    by_root,
    entry,
    frame,
    one_by_one,
    replace,
    sent,
    trusted,
)


class TestSteps:
    def names(self, judged: Any, place: int = 0) -> list[tuple[str, bool | None]]:
        return [(step.name, step.ok) for step in judged.appraisals[place].steps]

    def test_a_signature_step_by_step(self) -> None:
        judged = sent(one_by_one(frame("a")), [trusted()])
        assert self.names(judged) == [("commitment", True), ("compare", True), ("signature", True), ("signer", True)]

    def test_a_proof_step_by_step(self) -> None:
        judged = sent(by_root(*(frame(name) for name in "abcde")))
        steps = judged.appraisals[0].steps
        nodes = [("node", True)] * 3
        ending = [("compare", True), ("signature", True), ("signer", None)]
        assert self.names(judged) == [("commitment", True), ("leaf", True), *nodes, *ending]
        assert steps[1].left == steps[0].computed
        for below, node in pairwise(steps[1:5]):
            assert below.computed in (node.left, node.right)
            assert node.expected == node.computed
        assert steps[4].computed == steps[5].computed == steps[5].expected

    def test_they_end_where_the_evidence_fails(self) -> None:
        made = by_root(*(frame(name) for name in "abcde"))
        proof = made.frame_attestations[0].inclusion_proof
        assert proof is not None
        bad = replace(proof.path[1], sibling="sha256:" + "0" * 64)
        judged = sent(entry(made, 0, inclusion_proof=replace(proof, path=(proof.path[0], bad, proof.path[2]))))
        ending = [("compare", None), ("signature", None), ("signer", None)]
        assert self.names(judged) == [("commitment", True), ("leaf", True), ("node", True), ("node", False), *ending]
        assert judged.appraisals[0].steps[3].expected != judged.appraisals[0].steps[3].computed

    def test_a_misshapen_proof_ends_at_its_leaf(self) -> None:
        made = by_root(frame("a"), frame("b"))
        judged = sent(entry(made, 0, inclusion_proof=replace(made.frame_attestations[0].inclusion_proof, path=())))
        assert self.names(judged)[:3] == [("commitment", True), ("leaf", False), ("compare", None)]
        assert "path" in judged.appraisals[0].steps[1].detail

    def test_a_root_over_other_frames_fails_at_the_comparison(self) -> None:
        made = by_root(frame("a"), frame("b"), frame("c"))
        judged = sent(replace(made, frames=made.frames[:2], frame_attestations=made.frame_attestations[:2]))
        assert self.names(judged)[-3:] == [("compare", False), ("signature", None), ("signer", None)]
        assert judged.root is not None
        assert [step.ok for step in judged.root.steps] == [False, None, None]

    def test_without_a_root_there_is_nothing_to_compare_with(self) -> None:
        judged = sent(replace(by_root(frame("a")), result_attestation=None))
        assert self.names(judged)[-1] == ("compare", False)

    def test_an_entry_under_another_name_is_one_step_that_says_both(self) -> None:
        made = one_by_one(frame("a"))
        (step,) = sent(entry(made, 0, frame=made.frames[0].identity("other"))).appraisals[0].steps
        assert (step.name, step.ok) == ("commitment", False)
        assert step.detail == "the entry is for provider other, the handshake names docs"

    def test_a_root_over_frames_that_cannot_all_be_read_is_compared_with_the_proof_alone(self) -> None:
        made = by_root(frame("a"), frame("b"))
        judged = sent(made, raw=lambda line: line.replace(b'"title":"T b"', b'"title":5'))
        assert judged.root is not None
        (compare,) = [step for step in judged.root.steps if step.name == "compare"]
        assert (compare.ok, compare.computed) == (True, "")
        assert compare.detail.startswith("not every frame of the answer is at hand")
