"""What bad evidence breaks, and where it is charged."""

from __future__ import annotations

from typing import Any

import pytest

from cgp_tui.protocol.capability import AttesterKey
from cgp_tui.protocol.envelope import ContextQueryResult
from cgp_tui.protocol.frame import Provenance
from tests.checks.cases import brief
from tests.checks.signed import (
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
from tests.checks.witnesses import Witness
from tests.checks.witnesses.evidence import EVIDENCE, SIGNED_ROWS
from tests.dialogue import tell


class TestBadEvidence:
    @pytest.mark.parametrize(
        ("change", "verdict", "standing", "expected"),
        [
            ({"algorithm": "rsa"}, "unknown_algorithm", "uncheckable", "F8 note {}/algorithm"),
            ({"algorithm": "Ed25519"}, "unknown_algorithm", "uncheckable", "F8 note {}/algorithm"),
            ({"key_id": "k9"}, "unknown_key", "uncheckable", "6.5.4 note {}/key_id"),
            ({"signature": "AB" * 64}, "malformed_signature", "invalid", "6.5.4 {}/signature"),
            ({"signature": "ab" * 63 + "a"}, "malformed_signature", "invalid", "6.5.4 {}/signature"),
            ({"signature": "ab" * 64 + "\n"}, "malformed_signature", "invalid", "6.5.4 {}/signature"),
            ({"signature": "0x" + "ab" * 63}, "malformed_signature", "invalid", "6.5.4 {}/signature"),
            ({"signature": "ab" * 64}, "bad_signature", "invalid", "6.5.4 {}/signature"),
        ],
    )
    def test_of_a_frame_or_a_root(self, change: dict[str, str], verdict: str, standing: str, expected: str) -> None:
        members = {f"attestation__{name}": value for name, value in change.items()}
        judged = sent(entry(one_by_one(frame("a")), 0, **members))
        assert (only(judged).verdict, only(judged).standing) == (verdict, standing)
        assert brief(judged.findings) == [expected.format("/result/frame_attestations/0/attestation")]
        assert judged.findings[0].frame_id == "a"
        judged = sent(root(by_root(frame("a")), **change))
        assert (only(judged).verdict, only(judged).standing) == (verdict, standing)
        assert brief(judged.findings) == [expected.format("/result/result_attestation")]
        assert judged.findings[0].frame_id is None

    @pytest.mark.parametrize("commitment", ["sha256:" + "A" * 64, "ab" * 32, "", "sha256:" + "a" * 64 + "\n"])
    def test_a_commitment_that_is_no_digest(self, commitment: str) -> None:
        judged = sent(entry(one_by_one(frame("a")), 0, attestation__signed_commitment=commitment))
        assert (only(judged).verdict, only(judged).standing) == ("malformed_commitment", "invalid")
        assert brief(judged.findings) == ["F7 /result/frame_attestations/0/attestation/signed_commitment"]
        judged = sent(root(by_root(frame("a")), signed_commitment=commitment))
        assert (only(judged).verdict, only(judged).standing) == ("malformed_commitment", "invalid")
        assert brief(judged.findings) == ["F12 /result/result_attestation/signed_commitment"]

    @pytest.mark.parametrize(
        "key", ["01" + "00" * 31, "ee" + "ff" * 30 + "7f", "02" + "00" * 31, "00", "zz", SIGNER.key.public_key.upper()]
    )
    def test_a_key_that_no_strict_verifier_takes_is_one_cause(self, key: str) -> None:
        made = answer(frame("a"), frame("b"))
        judged = sent(made, greeting=ack(AttesterKey("k1", "ed25519", key)))
        assert {a.verdict for a in judged.appraisals} == {"malformed_key"}
        assert {a.standing for a in judged.appraisals} == {"invalid"}
        assert brief(judged.findings) == ["6.5.4 /result/frame_attestations/0/attestation/key_id"]

    def test_with_the_identity_as_key_no_message_is_signed(self) -> None:
        made = one_by_one(frame("a"))
        forged = entry(made, 0, attestation__signature="01" + "00" * 63)
        judged = sent(forged, greeting=ack(AttesterKey("k1", "ed25519", "01" + "00" * 31)))
        assert only(judged).standing == "invalid"
        assert len(judged.findings) == 1

    def test_an_unknown_key_is_noted_once_however_many_signatures_name_it(self) -> None:
        judged = sent(one_by_one(frame("a"), frame("b"), frame("c")), greeting=ack(AttesterKey("other", "ed25519", "00")))
        assert [a.standing for a in judged.appraisals] == ["uncheckable"] * 3
        assert len(judged.findings) == 1

    def test_a_signature_lifted_from_another_frame_is_a_mismatch_before_any_signature_is_looked_at(self) -> None:
        made = one_by_one(frame("a"), frame("b"))
        lifted = replace(made.frame_attestations[0].attestation, signature="no signature at all")
        judged = sent(entry(made, 1, attestation=lifted))
        assert [a.standing for a in judged.appraisals] == ["signer_unknown", "mismatch"]
        assert brief(judged.findings) == ["F7 /result/frame_attestations/1/attestation/signed_commitment"]
        assert judged.findings[0].frame_id == "b"
        assert judged.findings[0].expected.startswith("sha256:")

    @pytest.mark.parametrize(
        "change",
        [
            {"id": "z"},
            {"content_digest": None},
            {"provenance": ()},
            {"provenance": (Provenance("derivation", method="made", by="b"),)},
        ],
    )
    def test_what_is_signed_cannot_change(self, change: dict[str, Any]) -> None:
        made = one_by_one(frame("a"))
        changed = replace(made.frames[0], **change)
        judged = sent(entry(replace(made, frames=(changed,)), 0, frame=changed.identity(NAME)))
        assert only(judged).standing == "mismatch"

    @pytest.mark.parametrize(
        "change", [{"title": "z"}, {"score": 0.1}, {"kind": "fact"}, {"uri": "x:y"}, {"citation_label": "z"}]
    )
    def test_what_is_not_signed_may(self, change: dict[str, Any]) -> None:
        made = one_by_one(frame("a"))
        assert only(sent(replace(made, frames=(replace(made.frames[0], **change),)), [trusted()])).standing == "attested"

    def test_a_bad_proof_of_a_frame_without_digest_is_the_one_cause(self) -> None:
        made = by_root(frame("a", digest=None), frame("b"))
        bad = entry(made, 0, inclusion_proof=made.frame_attestations[1].inclusion_proof)
        assert brief(sent(bad).findings) == ["F13 /result/frame_attestations/0/inclusion_proof"]


class TestMisplaced:
    """Evidence where it does not belong: it is not used, and it is named."""

    def inside(self, members: str) -> list[str]:
        made = ContextQueryResult((frame("a"),), False)
        spliced = b'"title":"T a",' + members.encode()
        judged = sent(made, raw=lambda line: line.replace(b'"title":"T a"', spliced))
        assert only(judged).standing == "unattested"
        assert all(found.frame_id == "a" for found in judged.findings)
        return brief(judged.findings)

    @pytest.mark.parametrize(
        "name", ["attestation", "attestations", "frame_attestations", "result_attestation", "inclusion_proof"]
    )
    def test_inside_a_frame(self, name: str) -> None:
        assert self.inside(f'"{name}":{{"signature":"00"}}') == [f"F6 /result/frames/0/{name}"]
        assert self.inside(f'"{name}":[]') == [f"F6 /result/frames/0/{name}"]

    def test_inside_a_link_of_a_frame(self) -> None:
        made = ContextQueryResult((frame("a"),), False)
        judged = sent(made, raw=lambda line: line.replace(b'"type":"derivation"', b'"attestation":{},"type":"derivation"'))
        assert brief(judged.findings) == ["F6 /result/frames/0/provenance/0/attestation"]
        judged = sent(made, raw=lambda line: line.replace(b'"type":"derivation"', b'"attestation":"x","type":"derivation"'))
        assert judged.findings == ()

    def test_its_name_may_be_spelled_with_an_escape(self) -> None:
        assert self.inside('"\\u0061ttestation":{}') == ["F6 /result/frames/0/attestation"]

    def test_links_that_cannot_be_read_hide_nothing_else(self) -> None:
        made = ContextQueryResult((frame("a"),), False)
        spoilt = b'"attestation":{},"provenance":[5],'
        judged = sent(made, raw=lambda line: line.replace(b'"provenance":', spoilt + b'"x":'))
        assert [found.anchor for found in judged.findings] == ["SHAPE", "F6"]

    def test_a_word_of_that_name_is_an_unknown_member(self) -> None:
        assert self.inside('"attestation":"none"') == []

    def test_beside_the_result(self) -> None:
        made = ContextQueryResult((frame("a"),), False)
        judged = sent(made, raw=lambda line: line.replace(b'"result"', b'"attestations":[],"result"'))
        assert brief(judged.findings) == ["F11 advice /attestations"]

    def test_a_frame_without_an_id_is_found_by_its_place(self) -> None:
        made = ContextQueryResult((frame("a"), frame("b")), False)
        judged = sent(made, raw=lambda line: line.replace(b'"id":"a"', b'"id":5,"attestation":{}'))
        assert [(f.anchor, f.frame_id) for f in judged.findings] == [("SHAPE", None), ("F6", None)]

    @pytest.mark.parametrize("half", [b'"\\ud800":0', b'"title":"\\ud800","x":0'])
    def test_half_a_surrogate_pair_hides_nothing(self, half: bytes) -> None:
        made = ContextQueryResult((frame("a"), frame("b")), False)
        judged = sent(made, raw=lambda line: line.replace(b'"id":"a"', half + b',"id":"a","attestation":{}'))
        assert "F6 /result/frames/0/attestation" in brief(judged.findings)

    def test_half_a_surrogate_pair_is_no_name(self) -> None:
        made = ContextQueryResult((frame("a"),), False)
        judged = sent(made, raw=lambda line: line.replace(b'"id":"a"', b'"id":"a\\ud800","attestation":{}'))
        assert [(f.anchor, f.frame_id) for f in judged.findings] == [("SHAPE", None), ("F6", None)]

    def test_what_is_no_frame_hides_nothing_in_its_siblings(self) -> None:
        made = ContextQueryResult((frame("a"), frame("b")), False)
        judged = sent(
            made, raw=lambda line: line.replace(b'[{"id":"a"', b'[5,{"id":"a"').replace(b'"T b"', b'"","attestation":{}')
        )
        assert [(f.anchor, f.frame_id, f.path) for f in judged.findings if f.anchor == "F6"] == [
            ("F6", "b", "/result/frames/2/attestation")
        ]


@pytest.mark.parametrize("witness", (*EVIDENCE, *SIGNED_ROWS), ids=lambda witness: witness.named)
def test_every_row_names_its_witness_and_spares_its_neighbour(witness: Witness) -> None:
    assert witness.named in tell(witness.broken).broken
    assert tell(witness.legal).broken == []


def test_a_frame_without_an_entry_beside_one_that_has_a_bad_one_is_not_charged() -> None:
    made = one_by_one(frame("a"), frame("b"))
    judged = sent(entry(replace(made, frame_attestations=made.frame_attestations[1:]), 0, attestation__algorithm="rsa"))
    assert [(found.anchor, found.frame_id) for found in judged.findings] == [("F8", "b")]
