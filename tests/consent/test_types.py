"""What the gate answers, as others read it: the code of a refusal and the notes of a transcript."""

from __future__ import annotations

import pytest

from cgp_tui.consent.types import Denial, Permit, Reason, ReasonCode
from tests.consent.people import BOOLEAN, draft, scoped
from tests.consent.test_decision import records


@pytest.mark.parametrize(
    ("causes", "code"),
    [
        (("no_receipt",), "consent_required"),
        (("revoked", "expired"), "consent_required"),
        (("identity_changed", "identity_changed"), "consent_required"),
        (("tampered",), "tampered"),
        (("tampered", "tampered"), "tampered"),
        (("clock_behind",), "clock_behind"),
        (("identity_unrepresentable", "no_receipt"), "consent_required"),
    ],
)
def test_the_code_names_what_shuts_the_whole_gate(causes: tuple[ReasonCode, ...], code: str) -> None:
    denial = Denial(tuple(Reason(scoped()[0], cause) for cause in causes), "ok", None, "", "")
    assert (denial.code, denial.allowed) == (code, False)


def test_notes_keep_need_reason_and_receipt() -> None:
    denial = Denial((Reason(BOOLEAN[0], "expired", "ab"),), "ok", None, "", "")
    assert [(note.basis, note.scope, note.reason, note.receipt_id) for note in denial.notes()] == [
        ("boolean", "", "expired", "ab")
    ]
    permit = Permit(scoped(), tuple(records(draft())), None)
    assert [(note.scope, note.reason, note.receipt_id) for note in permit.notes()] == [
        ("third-party-index", "", f"{1:032x}")
    ]
    assert permit.allowed


def test_a_permit_is_alive_between_revive_and_end() -> None:
    permit = Permit((), (), None)
    states = [permit.alive]
    permit.revive()
    states.append(permit.alive)
    permit.end()
    states.append(permit.alive)
    assert states == [False, True, False]
