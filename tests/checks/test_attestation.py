"""Which evidence counts for which frame, and what we say of it."""

from __future__ import annotations

import time
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cgp_tui import limits
from cgp_tui.checks import appraise
from cgp_tui.checks.attestation import STANDINGS
from cgp_tui.protocol.attestation import ProvenanceAttestation, Verdict, chain_heads, frame_commitment, merkle_root
from cgp_tui.protocol.envelope import ContextQueryResult
from cgp_tui.protocol.frame import Provenance
from cgp_tui.protocol.identity import FrameId
from cgp_tui.providers.signer import Signer
from tests.checks.cases import brief
from tests.checks.signed import (
    AT,
    NAME,
    SIGNER,
    ack,
    answer,
    by_root,
    entry,
    frame,
    one_by_one,
    only,
    replace,
    root,
    sent,
    trusted,
)

SHAPES = pytest.mark.parametrize("signed", [one_by_one, by_root, answer])


class TestGoodEvidence:
    @SHAPES
    def test_a_handshake_key_never_says_who_signed(self, signed: Any) -> None:
        judged = sent(signed(frame("a"), frame("b")))
        assert judged.findings == ()
        assert [a.standing for a in judged.appraisals] == ["signer_unknown"] * 2
        assert [a.verdict for a in judged.appraisals] == ["valid"] * 2
        assert {a.signer for a in judged.appraisals} == {None}
        assert judged.appraisals[0].key_id == "k1"
        assert judged.appraisals[0].attester_id == NAME
        assert judged.appraisals[0].public_key == SIGNER.key.public_key

    @SHAPES
    def test_a_trusted_key_attests(self, signed: Any) -> None:
        judged = sent(signed(frame("a")), [trusted()])
        assert only(judged).standing == "attested"
        assert only(judged).signer == "Ada"
        assert "content" in only(judged).covers

    @SHAPES
    def test_a_key_trusted_for_others_does_not(self, signed: Any) -> None:
        judged = sent(signed(frame("a")), [trusted(names=("other",))])
        assert only(judged).standing == "signer_not_for_provider"
        assert judged.findings == ()

    def test_the_heads_are_the_chain(self) -> None:
        links = (Provenance("file", "file:///a", digest="sha256:" + "0" * 64), Provenance("derivation"))
        made = frame("a", provenance=links)
        assert only(sent(one_by_one(made))).heads == tuple(head.hex() for head in chain_heads(links))

    def test_a_frame_signature_counts_before_a_proof(self) -> None:
        made = answer(frame("a"))
        judged = sent(root(made, signature="00" * 64), [trusted()])
        assert only(judged).standing == "attested"

    def test_unsigned_frames_beside_signed_ones_are_unattested(self) -> None:
        made = one_by_one(frame("a"), frame("b"))
        judged = sent(replace(made, frame_attestations=made.frame_attestations[:1]))
        assert [a.standing for a in judged.appraisals] == ["signer_unknown", "unattested"]
        assert judged.findings == ()

    def test_a_root_without_a_proof_says_nothing_of_a_frame(self) -> None:
        made = replace(by_root(frame("a")), frame_attestations=())
        judged = sent(made, [trusted()])
        assert only(judged).standing == "unattested"
        assert judged.root is not None
        assert judged.root.standing == "attested"
        assert judged.findings == ()

    def test_no_evidence_no_finding(self) -> None:
        judged = sent(ContextQueryResult((frame("a"),), False))
        assert only(judged).standing == "unattested"
        assert (only(judged).steps, only(judged).heads, judged.root, judged.findings) == ((), (), None, ())


class TestContent:
    @SHAPES
    def test_without_a_digest_a_signature_covers_no_content(self, signed: Any) -> None:
        judged = sent(signed(frame("a", digest=None)), [trusted()])
        assert (only(judged).verdict, only(judged).standing) == ("valid_identity_only", "identity_only")
        assert "content" not in only(judged).covers
        assert brief(judged.findings) == ["6.5.4 advice /result/frame_attestations/0"]

    @SHAPES
    def test_content_edited_under_a_kept_digest_and_signature(self, signed: Any) -> None:
        made = signed(frame("a"))
        judged = sent(replace(made, frames=(replace(made.frames[0], content="toxt"),)), [trusted()])
        assert (only(judged).verdict, only(judged).standing) == ("valid", "content_mismatch")
        assert brief(judged.findings) == ["6.3 advice /result/frames/0/content_digest"]
        assert "content" not in only(judged).covers

    def test_a_frame_without_content_has_nothing_that_could_be_attested(self) -> None:
        made = frame("a", None, "sha256:" + "0" * 64, representation="hologram")
        assert only(sent(one_by_one(made), [trusted()])).standing == "identity_only"

    @pytest.mark.parametrize("content", ["", "e\u0301", "\u00e9", "\ufefftext", "a\r\nb"])
    def test_the_digest_is_over_the_exact_bytes(self, content: str) -> None:
        assert only(sent(one_by_one(frame("a", content)), [trusted()])).standing == "attested"

    @SHAPES
    def test_two_contents_of_one_identity_are_neither_attested(self, signed: Any) -> None:
        twin = frame("a")
        judged = sent(signed(twin, replace(twin, content="toxt")), [trusted()])
        assert [a.standing for a in judged.appraisals] == ["content_mismatch"] * 2

    @SHAPES
    def test_the_same_frame_twice_is_no_conflict(self, signed: Any) -> None:
        judged = sent(signed(frame("a"), frame("a")), [trusted()])
        assert [a.standing for a in judged.appraisals] == ["attested"] * 2


class TestNames:
    def test_a_signature_under_another_providers_name_is_a_mismatch(self) -> None:
        """Signed as somebody else, or as our own local id for the provider."""
        made = one_by_one(frame("a"), name="mine")
        judged = sent(entry(made, 0, frame=FrameId(NAME, "a", made.frames[0].content_digest)))
        assert (only(judged).verdict, only(judged).standing) == ("commitment_mismatch", "mismatch")
        assert brief(judged.findings) == ["F7 /result/frame_attestations/0/attestation/signed_commitment"]

    @pytest.mark.parametrize("signed", [one_by_one, by_root])
    def test_an_entry_under_another_providers_name_is_anothers(self, signed: Any) -> None:
        judged = sent(replace(signed(frame("a"), name="mine"), result_attestation=None))
        assert only(judged).standing == "mismatch"
        assert brief(judged.findings) == ["F11 /result/frame_attestations/0/frame"]
        assert [step.ok for step in only(judged).steps] == [False]

    def test_even_where_it_signs_the_right_bytes(self) -> None:
        made = one_by_one(frame("a"))
        wrong = FrameId("mine", "a", made.frames[0].content_digest)
        assert only(sent(entry(made, 0, frame=wrong), [trusted()])).standing == "mismatch"

    @pytest.mark.parametrize(
        "name", [FrameId(NAME, "z", None), FrameId(NAME, "a", None), FrameId(NAME, "a", "sha256:" + "0" * 64)]
    )
    def test_an_entry_must_name_a_served_frame_in_full(self, name: FrameId) -> None:
        judged = sent(entry(one_by_one(frame("a")), 0, frame=name))
        assert only(judged).standing == "unattested"
        assert brief(judged.findings) == ["F11 /result/frame_attestations/0/frame"]
        assert judged.findings[0].frame_id == name.frame_id

    def test_entries_count_in_any_order(self) -> None:
        made = one_by_one(frame("a"), frame("b"))
        judged = sent(replace(made, frame_attestations=made.frame_attestations[::-1]), [trusted()])
        assert [a.standing for a in judged.appraisals] == ["attested"] * 2

    def test_the_first_entry_of_an_identity_counts(self) -> None:
        made = one_by_one(frame("a"))
        bad = replace(
            made.frame_attestations[0], attestation=replace(made.frame_attestations[0].attestation, signature="00" * 64)
        )
        assert (
            only(sent(replace(made, frame_attestations=(bad, *made.frame_attestations)), [trusted()])).standing == "invalid"
        )
        assert (
            only(sent(replace(made, frame_attestations=(*made.frame_attestations, bad)), [trusted()])).standing == "attested"
        )

    def test_an_entry_with_neither_asserts_nothing(self) -> None:
        judged = sent(entry(one_by_one(frame("a")), 0, attestation=None))
        assert only(judged).standing == "unattested"
        assert brief(judged.findings) == ["F11 advice /result/frame_attestations/0"]

    def test_without_an_ack_nothing_can_be_checked_and_nobody_is_accused(self) -> None:
        made = answer(frame("a"))
        appraisal, other = appraise(None, replace(made, frames=(*made.frames, frame("b"))), [trusted()])
        assert (appraisal.standing, other.standing) == ("uncheckable", "unattested")
        (proved,) = appraise(None, by_root(frame("a")), [trusted()])
        assert proved.standing == "uncheckable"


class TestProofs:
    def many(self) -> ContextQueryResult:
        return by_root(*(frame(f"f{n}") for n in range(7)))

    def test_every_leaf_is_included(self) -> None:
        judged = sent(self.many(), [trusted()])
        assert {(a.proof, a.standing) for a in judged.appraisals} == {("included", "attested")}
        assert judged.findings == ()

    def test_the_wire_order_of_frames_does_not_matter(self) -> None:
        made = self.many()
        assert sent(replace(made, frames=made.frames[::-1]), [trusted()]).findings == ()

    @given(st.integers(0, 6), st.data())
    @settings(max_examples=60, deadline=None)
    def test_any_flipped_bit_of_a_proof_is_found(self, leaf: int, data: st.DataObject) -> None:
        made = self.many()
        proof = made.frame_attestations[leaf].inclusion_proof
        assert proof is not None
        place = data.draw(st.integers(0, len(proof.path) - 1))
        step = proof.path[place]
        bit = data.draw(st.integers(0, 256))
        if bit == 256:
            bad = replace(step, sibling_is_left=not step.sibling_is_left)
        else:
            flipped = int(step.sibling[7:], 16) ^ (1 << bit)
            bad = replace(step, sibling=f"sha256:{flipped:064x}")
        path = (*proof.path[:place], bad, *proof.path[place + 1 :])
        judged = sent(entry(made, leaf, inclusion_proof=replace(proof, path=path)), [trusted()])
        assert judged.appraisals[leaf].proof == "proof_invalid"
        assert judged.appraisals[leaf].standing == "invalid"
        assert judged.appraisals[leaf].covers == ()
        assert brief(judged.findings) == [f"F13 /result/frame_attestations/{leaf}/inclusion_proof"]
        assert [a.standing for a in judged.appraisals].count("attested") == 6

    @pytest.mark.parametrize(
        "change", [{"leaf_count": 6}, {"leaf_count": 8}, {"leaf_index": 2}, {"leaf_index": 7}, {"path": ()}]
    )
    def test_index_and_count_are_those_of_the_answer(self, change: dict[str, Any]) -> None:
        made = self.many()
        judged = sent(entry(made, 3, inclusion_proof=replace(made.frame_attestations[3].inclusion_proof, **change)))
        assert judged.appraisals[3].proof == "proof_invalid"
        assert brief(judged.findings) == ["F13 /result/frame_attestations/3/inclusion_proof"]

    def test_leaf_one_of_two_recast_as_leaf_two_of_three(self) -> None:
        made = by_root(frame("a"), frame("b"))
        proof = replace(made.frame_attestations[1].inclusion_proof, leaf_index=2, leaf_count=3)
        judged = sent(entry(made, 1, inclusion_proof=proof))
        assert judged.appraisals[1].standing == "invalid"
        assert brief(judged.findings) == ["F13 /result/frame_attestations/1/inclusion_proof"]

    def test_a_proof_beside_a_signature_is_looked_at_too(self) -> None:
        made = answer(frame("a"), frame("b"))
        judged = sent(entry(made, 1, inclusion_proof=made.frame_attestations[0].inclusion_proof), [trusted()])
        assert (judged.appraisals[1].proof, judged.appraisals[1].standing) == ("proof_invalid", "attested")
        assert brief(judged.findings) == ["F13 /result/frame_attestations/1/inclusion_proof"]

    def test_a_proof_without_a_root(self) -> None:
        judged = sent(replace(by_root(frame("a")), result_attestation=None), [trusted()])
        assert (only(judged).proof, only(judged).standing) == ("no_root", "uncheckable")
        assert brief(judged.findings) == ["F13 /result/frame_attestations/0/inclusion_proof"]

    def test_a_misshapen_proof_without_a_root(self) -> None:
        made = by_root(frame("a"))
        proof = replace(made.frame_attestations[0].inclusion_proof, leaf_count=9)
        judged = sent(entry(replace(made, result_attestation=None), 0, inclusion_proof=proof))
        assert (only(judged).proof, only(judged).standing) == ("proof_invalid", "invalid")


class TestRoots:
    def test_a_root_over_frames_that_were_cut_away_is_one_finding(self) -> None:
        made = by_root(frame("a"), frame("b"), frame("c"))
        judged = sent(replace(made, frames=made.frames[:2], frame_attestations=made.frame_attestations[:2]), [trusted()])
        assert [a.standing for a in judged.appraisals] == ["mismatch"] * 2
        assert [a.proof for a in judged.appraisals] == ["included"] * 2
        assert brief(judged.findings) == ["F12 /result/result_attestation/signed_commitment"]
        assert judged.root is not None
        assert (judged.root.verdict, judged.root.standing) == ("commitment_mismatch", "mismatch")

    def test_a_root_in_wire_order_is_not_canonical(self) -> None:
        frames = (frame("b"), frame("a"))
        commitments = [frame_commitment(NAME, one.id, one.content_digest, one.provenance) for one in frames]
        wrong = SIGNER.sign(merkle_root(commitments), NAME, AT)
        judged = sent(ContextQueryResult(frames, False, result_attestation=wrong))
        assert brief(judged.findings) == ["F12 /result/result_attestation/signed_commitment"]

    def test_no_frames_have_the_empty_root(self) -> None:
        made = by_root()
        judged = sent(made, [trusted()])
        assert judged.findings == ()
        assert judged.root is not None
        assert (judged.root.standing, judged.root.leaf_count) == ("attested", 0)

    def test_an_inner_node_is_no_root_of_its_leaves(self) -> None:
        made = by_root(*(frame(name) for name in "abc"))
        proof = made.frame_attestations[2].inclusion_proof
        assert proof is not None
        judged = sent(root(made, signed_commitment=proof.path[0].sibling))
        assert brief(judged.findings) == ["F12 /result/result_attestation/signed_commitment"]
        assert {a.standing for a in judged.appraisals} == {"mismatch"}

    def test_a_root_that_is_no_digest_does_not_excuse_a_bad_proof(self) -> None:
        made = root(by_root(frame("a"), frame("b")), signed_commitment="x")
        bad = entry(made, 0, inclusion_proof=made.frame_attestations[1].inclusion_proof)
        assert brief(sent(bad).findings) == [
            "F12 /result/result_attestation/signed_commitment",
            "F13 /result/frame_attestations/0/inclusion_proof",
        ]

    def test_an_unreadable_frame_leaves_nothing_to_compare_the_root_with(self) -> None:
        made = by_root(frame("a"), frame("b"))
        spoil = b'"title":"T b"'
        judged = sent(made, [trusted()], raw=lambda line: line.replace(spoil, b'"title":5'))
        assert only(judged).standing == "attested"
        assert only(judged).proof == "included"
        assert brief(judged.findings) == ["F2 /result/frames/1/title"]
        assert judged.root is not None
        assert judged.root.computed == ""
        assert judged.root.leaf_count == 2

    def test_and_its_evidence_names_a_frame_that_is_there(self) -> None:
        made = one_by_one(frame("a"), frame("b"))
        judged = sent(made, raw=lambda line: line.replace(b'"title":"T b"', b'"title":5'))
        assert brief(judged.findings) == ["F2 /result/frames/1/title"]

    def test_an_unreadable_sibling_does_not_excuse_a_root_that_is_no_digest(self) -> None:
        made = root(by_root(frame("a"), frame("b")), signed_commitment="x")
        judged = sent(made, raw=lambda line: line.replace(b'"title":"T b"', b'"title":5'))
        assert brief(judged.findings) == ["F2 /result/frames/1/title", "F12 /result/result_attestation/signed_commitment"]

    def test_places_are_those_on_the_wire(self) -> None:
        made = one_by_one(frame("a"), frame("b"))
        judged = sent(made, raw=lambda line: line.replace(b'"title":"T a"', b'"title":5'))
        assert only(judged).place == 1


class TestPublishedExamples:
    """Answers that the reference publishes, and that were recomputed independently."""

    def retry(self, **members: Any) -> ContextQueryResult:
        def link(path: str, lines: str, digit: str, method: str) -> Provenance:
            return Provenance("file", path, lines, "sha256:" + digit * 32, method, "repo-graph")

        frames = (
            frame(
                "repo-graph:retry-doc", "x", "sha256:9f2c3e7a1b",
                provenance=(link("file:///repo/docs/retry.md", "L1-20", "01", "file-read"),),
            ),
            frame(
                "repo-graph:retry-sym", "y", "sha256:1a2b3c4d5e",
                provenance=(link("file:///repo/src/config.rs", "L42-44", "08", "tree-sitter-symbol-extraction"),),
            ),
        )  # fmt: skip
        signer = Signer(b"\x2a" * 32, "repo-graph-2026-08")
        return signer.attest(ContextQueryResult(frames, False), "repo-graph", AT, lambda one: one.id.endswith("doc"))

    def test_the_commitment_the_root_and_both_signatures(self) -> None:
        made = self.retry()
        doc, sym = made.frame_attestations
        assert doc.attestation is not None
        assert doc.attestation.signed_commitment == "sha256:7951637413208edb0ade6e2a26d3a4cae01cc7b89ff5274529551a417b7f442d"
        assert doc.attestation.signature.startswith("7794b4b9438757ff7d2eedfcc2b39a72")
        assert sym.attestation is None
        assert made.result_attestation is not None
        assert made.result_attestation.signed_commitment == (
            "sha256:a6eb9a20c7ef7b4fb633d073c3ca917253fa925a663a0176915c0643de7e75ed"
        )
        assert made.result_attestation.signature.startswith("1afe9bca1d05835f06e00e59e6623ad6")

    def test_without_published_keys_it_is_uncheckable_and_with_ours_the_content_decides(self) -> None:
        made = self.retry()
        greeting = msgspec.structs.replace(ack(name="repo-graph"), attester_keys=())
        assert [a.standing for a in appraise(greeting, made)] == ["uncheckable"] * 2
        keys = [trusted(names=("repo-graph",))]
        assert [a.verdict for a in appraise(greeting, made, keys)] == ["valid"] * 2
        assert [a.standing for a in appraise(greeting, made, keys)] == ["content_mismatch"] * 2

    def test_a_link_field_that_is_absent_is_not_one_that_is_empty(self) -> None:
        made = one_by_one(frame("a", provenance=(Provenance("file", None),)))
        judged = sent(replace(made, frames=(frame("a", provenance=(Provenance("file", ""),)),)))
        assert only(judged).standing == "mismatch"


def test_every_verdict_has_a_standing_but_the_good_one() -> None:
    assert set(Verdict) - set(STANDINGS) == {Verdict.VALID}


def test_many_frames_take_linear_time() -> None:
    frames = tuple(frame(f"f{n}") for n in range(8_000))
    began = time.process_time()
    judged = sent(by_root(*frames), [trusted()])
    assert judged.findings == ()
    assert time.process_time() - began < 20


def test_a_line_full_of_entries_for_absent_frames_takes_linear_time() -> None:
    made = one_by_one(frame("a"))
    signature = made.frame_attestations[0].attestation
    assert isinstance(signature, ProvenanceAttestation)
    strangers = tuple(replace(made.frame_attestations[0], frame=FrameId(NAME, f"z{n}", None)) for n in range(20_000))
    began = time.process_time()
    judged = sent(replace(made, frame_attestations=strangers))
    assert len(judged.findings) == limits.FINDINGS_ALIKE + 1
    assert judged.findings[-1].found == "19,000 more"
    assert time.process_time() - began < 10
