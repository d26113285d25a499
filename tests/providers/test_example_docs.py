"""The bundled search: what it finds, leaves out and refuses, and what it says of frames it served before."""

from __future__ import annotations

import msgspec
import pytest

from cgp_tui.protocol.attestation import frame_commitment
from cgp_tui.protocol.digest import digest_bytes
from cgp_tui.protocol.frame import KINDS, ContextFrame
from cgp_tui.protocol.identity import FrameId
from cgp_tui.protocol.merkle import merkle_root
from cgp_tui.protocol.query import ContextQuery
from cgp_tui.protocol.verify import VerifyRequest
from cgp_tui.providers.example_docs import NAME, ExampleDocs, example_docs
from cgp_tui.providers.kit import Refusal

DOCS = example_docs()
EVERYTHING = "a frame, its tokens and token_cost, a run, the wire, reviews and a provider"


def ask(goal: str = "how are tokens counted", **more: object) -> ContextQuery:
    return msgspec.convert({"goal": goal, "max_frames": 50, "max_tokens": 100_000, **more}, ContextQuery)


def found(query: ContextQuery, provider: ExampleDocs = DOCS) -> list[ContextFrame]:
    return list(provider.query(query).frames)


def test_the_page_that_answers_the_question_comes_first() -> None:
    assert found(ask("how are tokens counted"))[0].id == "doc-tokens"
    assert found(ask("who agreed that something may leave, and until when"))[0].id in {"doc-receipts", "doc-leave"}
    assert found(ask("g", query_text="merkle root sibling"))[0].id == "doc-proofs"


def test_scores_fall_and_stay_between_nought_and_one() -> None:
    scores = [frame.score for frame in found(ask())]
    assert scores == sorted(scores, reverse=True)
    assert all(0 < score <= 1 for score in scores)
    assert len(scores) > 3


def test_nothing_in_common_finds_nothing() -> None:
    result = DOCS.query(ask("xylophone"))
    assert (result.frames, result.truncated, result.dropped_estimate) == ((), False, None)


def test_the_same_query_gets_the_same_bytes_from_another_instance() -> None:
    for sign in (False, True):
        one, two = (msgspec.json.encode(example_docs(sign=sign).query(ask())) for _ in range(2))
        assert one == two


@pytest.mark.parametrize("kind", KINDS)
def test_only_the_kinds_asked_for(kind: str) -> None:
    every = found(ask(EVERYTHING))
    narrow = found(ask(EVERYTHING, kinds=[kind, "vendor:other"]))
    assert {frame.kind for frame in narrow} == {kind}
    assert narrow == [frame for frame in every if frame.kind == kind]


def test_kinds_nobody_serves_are_refused_with_the_ones_that_are() -> None:
    with pytest.raises(Refusal, match="snippet") as refusal:
        DOCS.query(ask(kinds=["vendor:other"]))
    assert refusal.value.code == "unsupported_kind"


@pytest.mark.parametrize(
    ("as_of", "id", "there"),
    [
        (None, "fact-draft", False),
        (None, "fact-version", True),
        ("2026-07-01T00:00:00Z", "fact-draft", True),
        ("2026-07-01T00:00:00Z", "fact-version", False),
        ("2026-08-10T23:59:59.999Z", "fact-draft", True),
        ("2026-08-11T00:00:00Z", "fact-draft", False),
        ("2026-08-11T00:00:00.0Z", "fact-version", True),
        ("2026-01-14T23:59:60Z", "fact-draft", False),
        ("2000-01-01T00:00:00Z", "memory-review", True),
    ],
)
def test_an_instant_gets_what_held_then_the_end_not_included(as_of: str | None, id: str, there: bool) -> None:
    ids = {frame.id for frame in found(ask("the wire and its reviews", as_of=as_of))}
    assert (id in ids) is there


def test_an_instant_that_is_none_is_refused() -> None:
    with pytest.raises(Refusal, match="as_of") as refusal:
        DOCS.query(ask(as_of="last tuesday"))
    assert refusal.value.code == "bad_request"


def test_the_limits_hold_and_what_was_left_out_is_counted() -> None:
    every = found(ask())
    few = DOCS.query(ask(max_frames=2))
    assert list(few.frames) == every[:2]
    assert (few.truncated, few.dropped_estimate) == (True, len(every) - 2)
    cheap = DOCS.query(ask(max_tokens=100))
    assert 0 < sum(frame.token_cost for frame in cheap.frames) <= 100
    assert cheap.truncated
    exact = sum(frame.token_cost for frame in every)
    assert DOCS.query(ask(max_tokens=exact)).truncated is False
    assert DOCS.query(ask(max_tokens=exact - 1)).truncated is True


def test_a_frame_that_does_not_fit_gives_way_to_a_cheaper_one() -> None:
    first = found(ask())[0]
    ids = [frame.id for frame in found(ask(max_tokens=first.token_cost - 1))]
    assert ids
    assert first.id not in ids


def test_a_budget_below_the_cheapest_match_is_refused() -> None:
    with pytest.raises(Refusal, match="9 tokens") as refusal:
        DOCS.query(ask("token_cost", max_tokens=8))
    assert refusal.value.code == "budget_unsatisfiable"
    assert [frame.id for frame in found(ask("token_cost", max_tokens=9))] == ["symbol-token-cost"]


def test_no_frames_wanted_is_an_empty_answer_and_no_refusal() -> None:
    result = DOCS.query(ask(max_frames=0, max_tokens=0))
    assert (result.frames, result.truncated) == ((), True)


def test_anchored_frames_come_first_even_without_a_word_in_common() -> None:
    anchor = "docs://cgp/budgets#counting-tokens"
    frames = found(ask("xylophone merkle", anchors=[anchor]))
    anchored = [frame.uri == anchor or anchor in {relation.target_uri for relation in frame.relations} for frame in frames]
    assert anchored == sorted(anchored, reverse=True)
    assert anchored.count(True) >= 4
    assert anchored.count(False) >= 1
    scores = [frame.score for frame in frames]
    assert scores == sorted(scores, reverse=True)
    assert {frame.id for frame in frames} > {frame.id for frame in found(ask("xylophone merkle"))}


def test_anchors_widen_no_filter() -> None:
    frames = found(ask("xylophone", anchors=["docs://cgp/budgets#counting-tokens"], kinds=["episode"]))
    assert [frame.id for frame in frames] == ["episode-812"]


def test_verdicts_go_by_frame_id_and_digest_whoever_asks() -> None:
    held = found(ask())[0]
    changed = "sha256:" + "0" * 64
    asked = (
        FrameId("whatever the host calls us", held.id, held.content_digest),
        FrameId(NAME, held.id, changed),
        FrameId(NAME, "doc-draft-shapes", changed),
        FrameId(NAME, "never-served", changed),
        FrameId(NAME, held.id, None),
    )
    verdicts = DOCS.verify(VerifyRequest(asked)).verdicts
    assert tuple(verdict.frame for verdict in verdicts) == asked
    assert [verdict.status for verdict in verdicts] == ["valid", "stale", "gone", "unknown", "unknown"]
    assert [verdict.replacement_digest for verdict in verdicts] == [None, held.content_digest, None, None, None]


def test_unsigned_it_publishes_no_key_and_no_evidence() -> None:
    result = DOCS.query(ask())
    assert DOCS.attester_keys == ()
    assert (result.frame_attestations, result.result_attestation) == ((), None)


def test_signed_it_covers_what_it_returns_and_never_what_it_left_out() -> None:
    signed = example_docs(sign=True)
    result = signed.query(ask("token_cost and tokens", max_frames=3))
    assert [key.key_id for key in signed.attester_keys] == ["example-docs-ed25519-1"]
    assert result.truncated
    frames = sorted(result.frames, key=lambda frame: frame.identity(NAME).sort_key())
    root = merkle_root([frame_commitment(NAME, one.id, one.content_digest, one.provenance) for one in frames])
    assert result.result_attestation is not None
    assert digest_bytes(result.result_attestation.signed_commitment) == root
    assert all(entry.inclusion_proof is not None for entry in result.frame_attestations)
    alone = {entry.frame.frame_id for entry in result.frame_attestations if entry.attestation is not None}
    assert alone == {frame.id for frame in result.frames if frame.kind != "doc"}
    assert 0 < len(alone) < len(result.frames)
