"""The chain link by link, the proof hash by hash."""

from __future__ import annotations

import msgspec
import pytest

from cgp_tui.checks.types import Appraisal, ProofStep, Standing
from cgp_tui.present.evidence import chain_rows, every_step, proof_rows, standing_rows, standing_sentence, walk
from cgp_tui.present.spans import Jump
from cgp_tui.present.subject import Subject
from cgp_tui.present.symbols import ASCII, Look
from cgp_tui.protocol.frame import ContextFrame, Provenance
from cgp_tui.protocol.identity import FrameId
from tests.present.samples import LOOK, ROOT, SIBLING_OF_FIRST, SIBLING_OF_SECOND, attested_answer, subjects, text, trusted

GENESIS = "2ab226c884ffeb5ac95d300a8d8ee726cb4488fb59a19047d21da7170e9b63d6"
AFTER_ONE = "ac5418d723088033179a2671d17cd08d3e082eefa783e3eeb1a5145f83592178"
AFTER_TWO = "2245cb46807d55e9e89479b2948d7887fbba95430dd315d63972744a47a18410"
LINKS = (
    Provenance("file", uri="src/retry.rs", range="L10-L20", digest="sha256:" + "ab" * 32),
    Provenance("derivation", method="extractive_summary", by="refprov/1.0"),
)

SIGNED = subjects(attested_answer(), [trusted()])[3]


def appraisal(subject: Subject, place: int) -> Appraisal:
    found = subject.appraisal(place)
    assert found is not None
    return found


def test_the_chain_hash_after_each_link_is_that_of_the_published_vectors() -> None:
    frame = ContextFrame("a", "doc", "t", 0.5, 0, provenance=LINKS)
    lines = text(chain_rows(frame, LOOK)).splitlines()
    assert lines[0] == f"start       {GENESIS}"
    assert f"so far      {AFTER_ONE}" in lines
    assert f"chain head  {AFTER_TWO}" in lines
    assert (
        lines.index("1 file")
        < lines.index(f"so far      {AFTER_ONE}")
        < lines.index("2 derivation  extractive_summary  by refprov/1.0")
    )


def test_an_empty_chain_is_a_claim_of_its_own() -> None:
    seen = text(chain_rows(ContextFrame("a", "doc", "t", 0.5, 0), LOOK))
    assert GENESIS in seen
    assert "No provenance is claimed." in seen


def test_the_tree_leads_from_the_leaf_to_the_published_root() -> None:
    proof = appraisal(SIGNED, 1)
    lines = text(proof_rows(proof, len(proof.steps) - 1, LOOK)).splitlines()
    assert lines[:3] == [
        f"{ROOT[:8]}…{ROOT[-4:]}  root",
        f"├─ {SIBLING_OF_SECOND[:8]}…{SIBLING_OF_SECOND[-4:]}  given, left",
        f"└─ {SIBLING_OF_FIRST[:8]}…{SIBLING_OF_FIRST[-4:]}  leaf: repo-graph:retry-sym",
    ]


def test_a_step_opens_its_hashes_in_full() -> None:
    proof = appraisal(SIGNED, 1)
    at = next(number for number, step in enumerate(proof.steps) if step.name == "node")
    seen = text(proof_rows(proof, at, LOOK))
    assert f"  left      {SIBLING_OF_SECOND}" in seen
    assert f"  right     {SIBLING_OF_FIRST}" in seen
    assert f"  computed  {ROOT}" in seen
    assert f"step {at + 1} of {len(proof.steps)}: the same so far" in seen


def test_steps_beyond_the_cursor_have_no_outcome_yet() -> None:
    proof = appraisal(SIGNED, 1)
    lines = text(proof_rows(proof, 0, LOOK)).splitlines()
    signs = [line.split()[1] for line in lines if line.startswith(" ") and line[:3].strip().isdigit()]
    assert signs == ["✓", *["·"] * (len(proof.steps) - 1)]
    detail = proof.steps[-1].detail
    assert detail and detail not in "\n".join(lines) and detail in text(proof_rows(proof, len(proof.steps) - 1, LOOK), 200)


def test_every_step_can_be_opened() -> None:
    proof = appraisal(SIGNED, 1)
    jumps = [row.jump for row in proof_rows(proof, 0, LOOK) if row.jump is not None]
    assert jumps == [Jump(step=number) for number in range(len(proof.steps))]


def test_the_step_that_fails_ends_it_and_says_so() -> None:
    messages = attested_answer()
    messages[3]["result"]["frames"][1]["provenance"][0]["range"] = "L1-2"
    forged = appraisal(subjects(messages, [trusted()])[3], 1)
    failed = next(number for number, step in enumerate(forged.steps) if step.ok is False)
    seen = text(proof_rows(forged, failed, LOOK), 200)
    assert f"✗ step {failed + 1} fails: " in seen
    assert "It stops here." in seen
    for rows in (proof_rows(forged, failed, LOOK), every_step(forged, LOOK)):
        drawn = list(rows)
        stop = next(at for at, row in enumerate(drawn) if "It stops here." in row.text)
        assert max(row.jump.step for row in drawn[:stop] if row.jump is not None) == failed  # type: ignore[type-var]
    assert "It stops here." not in text(proof_rows(forged, failed - 1, LOOK), 200)


def test_what_cannot_be_checked_is_not_called_bad() -> None:
    unknown = appraisal(subjects(attested_answer())[3], 1)
    failed = next(number for number, step in enumerate(unknown.steps) if step.ok is False)
    seen = text(proof_rows(unknown, failed, LOOK))
    assert f"? step {failed + 1} cannot be done: " in seen
    assert "✗" not in seen


def test_a_proof_beside_a_signature_is_walked_after_it() -> None:
    both = appraisal(SIGNED, 0)
    assert [step.name for step in walk(both)] == ["commitment", "compare", "signature", "signer", "leaf", "node"]
    seen = text(proof_rows(both, 5, LOOK))
    assert seen.startswith(f"{ROOT[:8]}…{ROOT[-4:]}  root\n├─ ")
    assert "Beside its own signature, a proof under the answer's root:" in seen
    assert f"  computed  {ROOT}" in seen
    assert "Beside its own signature, a proof under the answer's root:" in text(every_step(both, LOOK))


def test_a_frame_without_evidence_has_nothing_to_walk() -> None:
    bare = Appraisal(FrameId("p", "a"), 0, "unattested", "", "unattested")
    assert text(proof_rows(bare, 0, LOOK)) == "verdict     unattested\nThere is no evidence to walk through for this frame."


STANDINGS: list[tuple[Standing, str, str]] = [
    ("attested", "✓ attested", "the team, whom you trust for this provider"),
    ("signer_unknown", "~ signer unknown", "the key is not in your trust store"),
    ("signer_not_for_provider", "~ signer not for provider", "Built correctly by the team"),
    ("identity_only", "~ identity only", "the content is not covered"),
    ("content_mismatch", "≠ content mismatch", "not what was signed"),
    ("mismatch", "≠ mismatch", "another's"),
    ("invalid", "✗ invalid", "broken or forged"),
    ("uncheckable", "? uncheckable", "Says nothing either way"),
    ("unattested", "· unattested", "That is allowed"),
]


@pytest.mark.parametrize(("standing", "word", "sentence"), STANDINGS)
def test_each_standing_has_a_sign_a_word_and_a_sentence(standing: Standing, word: str, sentence: str) -> None:
    judged = Appraisal(FrameId("p", "a"), 0, "valid", "included", standing, signer="the team")
    seen = text(standing_rows(judged, LOOK))
    assert word in seen
    assert sentence in standing_sentence(judged)
    assert text(standing_rows(judged, Look(ASCII, 78))).isascii()


def test_only_one_standing_is_good() -> None:
    good = [
        standing
        for standing, _, _ in STANDINGS
        if any(
            span.token == "good"
            for row in standing_rows(Appraisal(FrameId("p", "a"), 0, "valid", "", standing), LOOK)
            for span in row.spans
        )
    ]
    assert good == ["attested"]


def test_what_is_not_covered_is_listed() -> None:
    covered = Appraisal(FrameId("p", "a"), 0, "valid", "", "attested", covers=("frame id", "content"))
    seen = text(standing_rows(covered, LOOK))
    assert "not covered title, citation_label, kind, uri, score, dates, relations," in seen
    without = msgspec.structs.replace(covered, covers=("frame id",))
    assert "not covered content, title," in text(standing_rows(without, LOOK))


def test_the_attester_is_a_claim_and_never_the_signer() -> None:
    named = Appraisal(FrameId("p", "a"), 0, "valid", "", "signer_unknown", key_id="k1", attester_id="Bank of X")
    seen = text(standing_rows(named, LOOK))
    assert "attester    Bank of X  a claim: the signature does not cover it" in seen
    assert "Bank of X" not in standing_sentence(named)


def test_a_frame_not_judged_yet_says_so() -> None:
    assert text(standing_rows(None, LOOK)) == "standing    not appraised yet"


def test_a_deep_tree_nests_from_the_root_down() -> None:
    leaf = ProofStep("leaf", True, left="c", computed="0" * 64)
    first = ProofStep("node", True, left="0" * 64, right="1" * 64, computed="2" * 64)
    root = ProofStep("node", True, left="3" * 64, right="2" * 64, computed="4" * 64)
    deep = Appraisal(FrameId("p", "frm"), 0, "valid", "included", "attested", steps=(leaf, first, root))
    assert text(proof_rows(deep, 2, LOOK)).splitlines()[:5] == [
        "44444444…4444  root",
        "├─ 33333333…3333  given, left",
        "└─ 22222222…2222  computed",
        "   ├─ 00000000…0000  leaf: frm",
        "   └─ 11111111…1111  given, right",
    ]
