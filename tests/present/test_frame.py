"""A frame as a card."""

from __future__ import annotations

from typing import Any

import pytest

from cgp_tui.present.frame import bad_frame_rows, frame_rows, score_text
from cgp_tui.present.spans import Jump
from cgp_tui.protocol.frame import ContextFrame
from cgp_tui.wire.line import BadFrame
from tests.present.samples import HANDSHAKE, LOOK, ack, frame, frames, query, subjects, text

DIGEST = "sha256:" + "ab" * 32


def card(served: dict[str, Any], **asked: Any) -> str:
    subject = subjects([HANDSHAKE, ack(), query(1, **asked), frames(1, served)])[3]
    found = subject.frame(0)
    if isinstance(found, BadFrame):
        return text(bad_frame_rows(found, subject, LOOK))
    assert isinstance(found, ContextFrame)
    return text(frame_rows(found, subject, 0, LOOK))


def test_a_card_says_what_the_frame_is() -> None:
    seen = card(frame("frm_retry", uri="file:///repo/a.rs"))
    assert 'kind        doc  full\ntitle       "title of frm_retry"\ncite        "frm_retry.md L1"' in seen
    assert "cost        4 declared, 4 counted (13 bytes) ✓ same" in seen
    assert "provider    repo-graph\nframe id    frm_retry" in seen
    assert "standing    · unattested\n            Nothing was signed. That is allowed." in seen
    assert "uri         file:///repo/a.rs" in seen


def test_content_is_quoted_line_by_line() -> None:
    seen = card(frame("a", content="one\n\n  two\x1b[31m"))
    assert seen.endswith("content, quoted: evidence, not instruction  [ctl 1] shown as signs\n│ one\n│\n│   two␛[31m")


def test_a_cost_that_differs_says_so_in_words() -> None:
    assert "1 declared, 4 counted (13 bytes) ✗ differs" in card(frame("a", token_cost=1))


def test_findings_about_the_frame_stand_first() -> None:
    assert card(frame("a", title="")).startswith("✗ F2 a: ")


@pytest.mark.parametrize(
    ("digest", "seen"),
    [
        (None, "digest      absent: this copy is not to be reused unchecked (D3)"),
        ("sha256:5b71f81b45f6ac9ab0cf3c21af21a9dc20cad4a9e8f83b7ed1d8a08f3b3d6b0e", "≠ not the SHA-256 of this content"),
        ("sha256:3ecceaa5e04f826705301ca965cdc5108ec63cb7903a7b6cdb72dd35e583bb3e", "✓ the SHA-256 of this content"),
    ],
)
def test_the_digest_is_held_against_the_content(digest: str | None, seen: str) -> None:
    assert seen in card(frame("a", content="single leaf", content_digest=digest))


def test_times_relations_and_the_pinned_instant_are_told() -> None:
    seen = card(
        frame(
            "a",
            valid_from="2026-01-01T00:00:00Z",
            recorded_at="2026-07-20T18:00:00Z",
            relations=[{"rel": "code.calls", "target_uri": "file:///b.rs", "display_name": "net::retry"}],
        ),
        as_of="2026-06-01T00:00:00Z",
    )
    assert "valid       2026-01-01T00:00:00Z to open  asked as of 2026-06-01T00:00:00Z" in seen
    assert "recorded    2026-07-20T18:00:00Z" in seen
    assert 'relation    code.calls > file:///b.rs "net::retry"' in seen


def test_a_reference_says_that_no_content_travels() -> None:
    ref = {"provider_id": "repo-graph", "uri": "ref://1", "expires_at": "2026-09-01T00:00:00Z"}
    served = frame("a", representation="reference", token_cost=0, content_ref=ref, canonical_content_hash=DIGEST)
    del served["content"]
    seen = card(served)
    assert "kind        doc  reference" in seen
    assert "content ref ref://1 of repo-graph  until 2026-09-01T00:00:00Z" in seen
    assert f"source hash\n  {DIGEST}" in seen
    assert seen.endswith("No inline content travels with this frame.")


def test_a_compact_frame_names_its_transform_and_its_embedding() -> None:
    made = {"method": "distil", "implementation": "repo-graph", "version": "1"}
    embedding = {"fingerprint": "e5", "vector": [0.5, 0.25]}
    seen = card(frame("a", representation="compact", transform=made, embedding=embedding))
    assert "transform   distil by repo-graph 1" in seen
    assert "embedding   e5  2 numbers" in seen


def test_empty_content_is_not_shown_as_a_blank() -> None:
    assert card(frame("a", content="")).endswith("The content is empty.")


def test_an_absent_label_is_named() -> None:
    assert "cite        absent" in card(frame("a", citation_label=None))


def test_a_frame_that_did_not_decode_says_where_and_why() -> None:
    seen = card(frame("a", score="high"))
    assert "Frame 1 of the answer did not decode." in seen
    assert "/result/frames/0/score" in seen


@pytest.mark.parametrize(("score", "seen"), [(0.5, "0.50"), (0.123456, "0.1235"), (1.0, "1.00"), (0.0001, "0.0001")])
def test_a_score_is_not_rounded_to_another(score: float, seen: str) -> None:
    assert score_text(score) == seen


def test_a_relation_leads_to_the_frame_of_its_uri_in_the_same_answer() -> None:
    edges = [{"rel": "a.calls", "target_uri": uri, "display_name": "x"} for uri in ("u:b", "u:a", "u:none")]
    served = [frame("a", uri="u:a", relations=edges), frame("b", uri="u:b")]
    subject = subjects([HANDSHAKE, ack(), query(1), frames(1, *served)])[3]
    found = subject.frame(0)
    assert isinstance(found, ContextFrame)
    rows = [row for row in frame_rows(found, subject, 0, LOOK) if "a.calls" in row.text]
    assert [row.jump for row in rows] == [Jump(place=1), None, None]
    assert rows[0].text == 'relation    a.calls > u:b "x"  → frame 2 of this answer'
    assert rows[1].text.endswith('> u:a "x"'), "to itself"


def test_what_stands_behind_a_compact_form_is_told() -> None:
    more: dict[str, Any] = {
        "representation": "compact",
        "content_fidelity": "lossy\x1b",
        "minimum_content_fidelity": "exact",
        "inline_content_requirement": "required",
        "canonical_token_cost": 1200,
        "tokenizer_ref": "t:1",
    }
    seen = card(frame("a", **more), representation_preferences=["full", "compact"])
    assert "kind        doc  compact  asked for: full, compact" in seen
    for line in (
        "fidelity    lossy␛",
        "at least    exact",
        "inline      required",
        "in full     1,200 tokens, counted by t:1",
    ):
        assert line in seen
