"""Evidence taken out of its answer: what goes along, what it comes to alone, and when it is refused."""

from __future__ import annotations

from typing import Any

import pytest

from cgp_tui.checks.exhibit import Exhibit, agrees, exhibit, frames_of
from cgp_tui.checks.judge import judge
from cgp_tui.checks.types import Judged
from cgp_tui.protocol.attestation import FrameAttestation
from cgp_tui.protocol.envelope import ContextQueryResult
from tests.checks.signed import FORGER, SIGNER, ack, answer, by_root, entry, frame, one_by_one, replace, root, sent, trusted

FRAMES = (frame("a"), frame("b", "other"), frame("c"))


@pytest.mark.parametrize("make", [answer, by_root, one_by_one])
def test_one_frame_takes_along_what_its_evidence_needs(make: Any) -> None:
    shown = exhibit(sent(make(*FRAMES)), 1)
    assert [one.id for one in shown.result.frames] == ["b"]
    assert [one.frame.frame_id for one in shown.result.frame_attestations] == ["b"]
    assert (shown.result.result_attestation is None) == (make is one_by_one)
    assert shown.provider == "docs" and shown.keys == (SIGNER.key,) and not shown.whole
    proven = shown.appraise((trusted(),))
    assert proven.attested and proven.root is None
    assert shown.siblings(proven.appraisals[0].frame) == (0 if make is one_by_one else 2)


def test_a_whole_answer_takes_everything_along() -> None:
    shown = exhibit(sent(by_root(*FRAMES)), None)
    proven = shown.appraise((trusted(),))
    assert len(shown.result.frames) == 3 and shown.whole and proven.attested
    assert proven.root is not None and proven.root.leaf_count == 3


def test_only_keys_that_are_named_go_along() -> None:
    greeting = ack(SIGNER.key, replace(FORGER.key, key_id="k2"))
    assert exhibit(sent(answer(*FRAMES), greeting=greeting), 0).keys == (SIGNER.key,)


def test_the_first_entry_of_an_identity_goes_along() -> None:
    """It is the one that counts in the answer too."""
    good = one_by_one(*FRAMES)
    (first, *others) = good.frame_attestations
    bad = replace(first, attestation=replace(first.attestation, signature="00" * 64))
    for entries, standing in (((first, bad), "attested"), ((bad, first), "invalid")):
        judged = sent(replace(good, frame_attestations=(*entries, *others)), [trusted()])
        for place in (0, None):
            shown = exhibit(judged, place)
            assert shown.appraise((trusted(),)).appraisals[0].standing == standing
            assert agrees(shown, judged, place, (trusted(),))


def test_nothing_is_known_of_the_frames_left_behind() -> None:
    shown = exhibit(sent(by_root(*FRAMES)), 0)
    evidence = shown.evidence()
    assert evidence.tree is None
    (target,) = [evidence.target(0, one.inclusion_proof) for one in shown.result.frame_attestations if one.inclusion_proof]
    assert target.leaf_count is None and target.root == evidence.signed_root


def test_a_wrong_proof_is_none_to_hand_on() -> None:
    good = answer(*FRAMES)
    proof = good.frame_attestations[0].inclusion_proof
    shown = exhibit(sent(entry(good, 0, inclusion_proof=replace(proof, leaf_index=1))), 0)
    proven = shown.appraise((trusted(),))
    assert proven.appraisals[0].standing == "attested" and not proven.attested and not proven.holds


@pytest.mark.parametrize("cut", [{"result_attestation": None}, {}])
def test_nor_is_one_without_a_root(cut: dict[str, Any]) -> None:
    rootless = replace(root(answer(*FRAMES), signed_commitment=" ha256:" + "0" * 64), **cut)
    for place in (0, None):
        proven = exhibit(sent(rootless), place).appraise((trusted(),))
        assert proven.appraisals[0].standing == "attested" and not proven.attested and not proven.holds


def test_a_root_that_nobody_trusts_is_not_attested() -> None:
    mixed = answer(*FRAMES)
    other = by_root(*FRAMES, signer=FORGER).result_attestation
    greeting = ack(SIGNER.key, replace(FORGER.key, key_id="k2"))
    shown = exhibit(sent(replace(mixed, result_attestation=replace(other, key_id="k2")), greeting=greeting), None)
    proven = shown.appraise((trusted(),))
    assert {one.standing for one in proven.appraisals} == {"attested"}
    assert proven.root is not None and proven.root.standing == "signer_unknown" and not proven.attested and proven.holds


@pytest.mark.parametrize(
    ("result", "place", "why"),
    [
        (ContextQueryResult((frame("a"),), False), 0, "Nothing here is signed"),
        (
            ContextQueryResult((frame("a"),), False, frame_attestations=(FrameAttestation(frame("a").identity("docs")),)),
            0,
            "Nothing",
        ),
        (ContextQueryResult((), False), None, "Nothing here is signed"),
    ],
)
def test_what_cannot_be_handed_on(result: ContextQueryResult, place: int | None, why: str) -> None:
    with pytest.raises(ValueError, match=why):
        exhibit(sent(result), place)


def test_without_an_answer_or_a_handshake_nobody_is_named() -> None:
    judged = sent(answer(*FRAMES))
    for changed in (
        replace(judged.exchange, reply=None),
        replace(judged.exchange, ack=None),
        replace(judged.exchange, reply=judged.exchange.request),
    ):
        with pytest.raises(ValueError, match="name of the signing provider"):
            exhibit(judge(changed), 0)


def test_an_answer_with_a_frame_that_cannot_be_read_has_no_root() -> None:
    judged = sent(answer(*FRAMES), raw=lambda line: line.replace(b'"score":0.5', b'"score":"x"', 1))
    with pytest.raises(ValueError, match="cannot be read"):
        exhibit(judged, None)
    assert [one.id for one in exhibit(judged, 1).result.frames] == ["b"]


def test_text_that_is_no_unicode_is_not_handed_on() -> None:
    with pytest.raises(ValueError, match="not Unicode"):
        frames_of(b'{"result":{"frames":[{"id":"\\ud800"}]}}')


def _alike(judged: Judged, place: int | None) -> bool:
    return agrees(exhibit(judged, place), judged, place)


def test_a_frame_speaks_for_itself_only_where_it_says_the_same() -> None:
    good = sent(by_root(*FRAMES))
    assert _alike(good, 0) and _alike(good, None)
    # A frame was put in afterwards: the old proofs still lead to the signed root, and only the whole answer shows it.
    result = by_root(*FRAMES)
    assert _alike(sent(replace(result, frames=(*result.frames, frame("d")))), None)
    twins = answer(frame("a"), frame("a", "twin", frame("a").content_digest))
    assert not _alike(sent(twins), 0)
    forged = root(by_root(*FRAMES), signature="00" * 64)
    assert _alike(sent(forged), 0)


def test_an_exhibit_of_another_name_is_anothers() -> None:
    shown = exhibit(sent(answer(*FRAMES)), 0)
    assert Exhibit(shown.line, "acme", shown.keys, whole=False).appraise().appraisals[0].standing == "mismatch"
