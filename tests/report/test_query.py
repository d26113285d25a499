"""The document of one question: what a refusal carries beside its sentence."""

from __future__ import annotations

from cgp_tui.checks.types import Outcome, Problem, RefusedNeed
from cgp_tui.report.query import query_document


def test_a_refused_need_says_what_changed_and_only_then() -> None:
    needs = (
        RefusedNeed("scope", "third-party-index", "no_receipt"),
        RefusedNeed("boolean", "", "identity_changed", "code", "11" * 32, "22" * 32),
    )
    outcome = Outcome("consent_required", None, problem=Problem("consent_required", "no", "grant it"), needs=needs)
    document = query_document(outcome, provider_id="p")
    assert document["error"]["needs"] == [
        {"basis": "scope", "scope": "third-party-index", "reason": "no_receipt"},
        {
            "basis": "boolean",
            "scope": "",
            "reason": "identity_changed",
            "field": "code",
            "old": "11" * 32,
            "new": "22" * 32,
        },
    ]
