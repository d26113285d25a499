"""What came of a withdrawal: four outcomes, each with what it means, why, and the way on."""

from __future__ import annotations

from pathlib import Path

import pytest

from cgp_tui.consent.ledger import Revoked
from cgp_tui.present.withdrawal import withdrawn_rows
from cgp_tui.text import own
from tests.present.consents import INDEX, WIDE, binding, record, target, text_of

RECOVER = own("cgp-tui consent recover")


def told(done: Revoked) -> str:
    return text_of(withdrawn_rows(done, RECOVER, WIDE))


def test_confirmed_says_what_that_promises(tmp_path: Path) -> None:
    written = record(5, "revoke", binding(target(tmp_path)))
    said = told(Revoked("confirmed", (written,)))
    assert said.startswith("✓ Confirmed: no more leaves.")
    assert "Bytes already given to a pipe or socket count as sent." in said
    assert f"on record   #5 revoke  {INDEX}  acme" in said
    assert "next" not in said


@pytest.mark.parametrize(
    ("done", "first", "means", "after"),
    [
        (
            Revoked("not_confirmed", (), (4711, 4712), "busy"),
            "! Recorded, not confirmed: PID 4711, 4712.",
            "what was begun may still leave",
            "next        End that process.",
        ),
        (
            Revoked("emergency_stop", detail="disk full"),
            "✗ Emergency stop: nothing leaves until `cgp-tui consent recover`.",
            "every gate on this ledger is shut",
            "next        cgp-tui consent recover",
        ),
        (
            Revoked("not_recorded", detail="read-only"),
            "✗ NOT RECORDED, only this process stopped.",
            "Other processes may go on sending",
            "next        End every program that uses this ledger, then revoke again.",
        ),
    ],
)
def test_what_is_less_than_confirmed_says_why_and_what_to_do(done: Revoked, first: str, means: str, after: str) -> None:
    said = told(done)
    assert said.splitlines()[0] == first
    assert means in said
    assert f"because     {done.detail}" in said
    assert said.splitlines()[-1] == after
