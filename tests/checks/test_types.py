"""What the checks hand up: words that the verdicts lead to, and what no signature covers tried on a signed answer."""

from __future__ import annotations

from typing import Any, get_args

import msgspec
import pytest

from cgp_tui.checks.attestation import STANDINGS
from cgp_tui.checks.types import (
    NEVER_COVERED,
    Appraisal,
    Judged,
    Outcome,
    Problem,
    ProofStep,
    RefusedNeed,
    RootAppraisal,
    Standing,
)
from cgp_tui.protocol.envelope import ContextQueryResult
from cgp_tui.protocol.frame import Provenance, Relation
from tests.checks.signed import AT, by_root, entry, frame, one_by_one, only, replace, root, sent, trusted

LATER = "2026-08-30T12:00:00Z"
OF_A_FRAME: dict[str, tuple[dict[str, Any], ...]] = {
    "title": ({"title": "another"},),
    "citation_label": ({"citation_label": "another"},),
    "kind": ({"kind": "fact"},),
    "uri": ({"uri": "file:///another"},),
    "score": ({"score": 0.25},),
    "dates": ({"valid_from": AT}, {"valid_to": LATER}, {"recorded_at": AT}),
    "relations": ({"relations": (Relation("code.calls", "file:///b", "b"),)},),
}
OF_A_SIGNATURE: dict[str, tuple[dict[str, Any], ...]] = {
    "attester_id": ({"attester_id": "another"},),
    "issued_at": ({"issued_at": LATER},),
}
COVERED: dict[str, dict[str, Any]] = {
    "frame id": {"id": "another"},
    "content_digest": {"content_digest": "sha256:" + "0" * 64},
    "provenance": {"provenance": (Provenance("derivation", method="forged"),)},
    "content": {"content": "toxt"},
}
SHAPES = pytest.mark.parametrize("signed", [by_root, one_by_one], ids=["root", "frame"])


def standing(result: ContextQueryResult) -> Standing:
    return only(sent(result, [trusted()])).standing


def changed(result: ContextQueryResult, change: dict[str, Any]) -> ContextQueryResult:
    """The answer with another frame in the place of its only one, named by the same evidence."""
    made: ContextQueryResult = replace(result, frames=(replace(result.frames[0], **change),))
    return entry(made, 0, frame=made.frames[0].identity(result.frame_attestations[0].frame.provider_id))


def test_every_standing_is_what_some_verdict_comes_to() -> None:
    of_the_signer = {"attested", "signer_unknown", "signer_not_for_provider", "content_mismatch"}
    assert set(STANDINGS.values()) | of_the_signer == set(get_args(Standing))
    assert of_the_signer.isdisjoint(STANDINGS.values())


def test_everything_that_is_listed_as_never_covered_is_tried_here() -> None:
    assert sorted(NEVER_COVERED) == sorted([*OF_A_FRAME, *OF_A_SIGNATURE])


@SHAPES
@pytest.mark.parametrize("name", OF_A_FRAME)
def test_what_is_never_covered_can_be_changed_under_a_good_signature(name: str, signed: Any) -> None:
    made = signed(frame("a"))
    for change in OF_A_FRAME[name]:
        other = changed(made, change)
        assert other.frames != made.frames
        assert standing(other) == "attested"


@pytest.mark.parametrize("name", OF_A_SIGNATURE)
def test_nor_is_what_a_signature_says_of_itself(name: str) -> None:
    for change in OF_A_SIGNATURE[name]:
        assert standing(root(by_root(frame("a")), **change)) == "attested"
        inner = {f"attestation__{member}": value for member, value in change.items()}
        assert standing(entry(one_by_one(frame("a")), 0, **inner)) == "attested"


@SHAPES
@pytest.mark.parametrize("name", COVERED)
def test_what_is_covered_cannot(name: str, signed: Any) -> None:
    made = signed(frame("a"))
    assert {*COVERED, "provider name"} == set(only(sent(made)).covers)
    assert set(only(sent(made)).covers).isdisjoint(NEVER_COVERED)
    assert standing(changed(made, COVERED[name])) in ("mismatch", "content_mismatch", "invalid")


@pytest.mark.parametrize("kind", [ProofStep, Appraisal, RootAppraisal, Judged, Problem, RefusedNeed, Outcome])
def test_what_is_handed_up_is_shared_and_so_never_changed(kind: type[msgspec.Struct]) -> None:
    assert kind.__struct_config__.frozen


def test_an_outcome_that_names_nothing_has_no_frames_and_cost_nothing() -> None:
    refused = Outcome("consent_required", None)
    assert (refused.frames, refused.findings, refused.needs, refused.truncated) == ((), (), (), False)
    assert (refused.problem, refused.usage) == (None, None)
