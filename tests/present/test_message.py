"""The other envelopes for people."""

from __future__ import annotations

from typing import Any

import pytest

from cgp_tui.present.message import message_rows
from tests.present.samples import HANDSHAKE, LOOK, ack, query, subjects, text

IDENTITY = {"provider_id": "repo-graph", "frame_id": "frm", "content_digest": "sha256:ab"}


def drawn(message: dict[str, Any] | bytes) -> str:
    return text(message_rows(subjects([message])[0], LOOK), 120)


def flow(**members: Any) -> dict[str, Any]:
    return {"name": "acme", "version": "1", "data_flow": {"reads": True, "writes": True, "egress": False} | members}


def test_a_provider_is_told_as_its_own_claim() -> None:
    seen = drawn(ack())
    assert "provider    repo-graph 0.2.0\n            its own claim" in seen
    assert "data flow   reads" in seen
    assert "sends away  no, it says" in seen
    assert "offers      correlation, verify" in seen
    assert "keys        none published" in seen


@pytest.mark.parametrize(
    ("scope", "seen"),
    [
        ("local-only", "local-only  stays on this machine"),
        ("third-party-model", "third-party-model  another company's model reads it"),
        ("acme:store", 'acme:store  acme\'s own word "store": only acme knows what it means'),
        ("Local-Only", "Local-Only  a word the SPEC does not list; it leaves this machine"),
        ("vendor:", "vendor:  ✗ no scope: it can never be consented to"),
    ],
)
def test_each_scope_is_told_in_words_and_raw(scope: str, seen: str) -> None:
    assert f"scope       {seen}" in drawn(ack(provider=flow(egress=True, egress_scopes=[scope])))


def test_data_that_leaves_is_said_to_leave() -> None:
    assert "sends away  ! yes" in drawn(ack(provider=flow(egress=True)))


def test_published_keys_settle_nothing() -> None:
    keys = [{"key_id": "k1", "algorithm": "ed25519", "public_key": "ab" * 32}]
    seen = drawn(ack(attester_keys=keys))
    assert f"key         k1  ed25519\n            {'ab' * 32}" in seen
    assert "it settles nothing about who signs" in seen


def test_a_query_lists_all_that_it_asks() -> None:
    seen = drawn(
        query(
            1,
            query_text="retry loop",
            kinds=["doc", "symbol"],
            anchors=["file:///a.rs"],
            as_of="2026-01-01T00:00:00Z",
            embedding=[0.5],
            representation_preferences=["compact"],
        )
    )
    for line in (
        "goal        why does the retry loop give up",
        "query text  retry loop",
        "kinds       doc, symbol",
        "anchor      file:///a.rs",
        "at most     8 frames, 2,000 budget tokens",
        "as of       2026-01-01T00:00:00Z",
        "prefers     compact",
        "embedding   1 numbers",
    ):
        assert line in seen


def test_verify_travels_without_content_and_its_verdicts_carry_words() -> None:
    assert "identity    frm  of repo-graph\n            sha256:ab" in drawn(
        {"type": "verify", "id": "v1", "request": {"frames": [IDENTITY]}}
    )
    verdicts = [{"frame": IDENTITY, "status": "stale", "replacement_digest": "sha256:cd"}]
    seen = drawn({"type": "verified", "id": "v1", "response": {"verdicts": verdicts}})
    assert "verdicts    1, only valid allows reuse (V3)" in seen
    assert "verdict     stale  frm  of repo-graph\n            sha256:ab\n  now       sha256:cd" in seen


@pytest.mark.parametrize(
    ("code", "seen"),
    [
        ("unavailable", "code        unavailable\nso          retry with back-off"),
        ("quota_exhausted", "code        quota_exhausted  read as internal (X1, X2)"),
        (None, "code        absent  read as internal (X1, X2)"),
    ],
)
def test_a_refusal_says_what_a_host_does_about_it(code: str | None, seen: str) -> None:
    message = {"type": "error", "message": "no"} | ({} if code is None else {"code": code})
    assert seen in drawn(message)


def test_handshake_and_shutdown_are_sentences() -> None:
    assert drawn(HANDSHAKE) == "speaks      contextgraph/1.0"
    assert drawn({"type": "shutdown"}) == "The host asks the provider to end."


def test_an_unknown_type_is_ignored_and_shown() -> None:
    seen = drawn({"type": "cursor"})
    assert seen.startswith("type        cursor\ncontextgraph/1.0 does not define this type.")


def test_a_line_without_effect_names_its_faults() -> None:
    seen = drawn(b'{"type":"query","query":{}}')
    assert "This line has no effect. Its bytes are under Raw." in seen
    assert "shape" in seen


def test_findings_stand_before_what_the_line_says() -> None:
    asked = subjects([HANDSHAKE, ack(), query(1, as_of="yesterday")])[2]
    assert text(message_rows(asked, LOOK)).startswith("✗ F4 ")
