"""The tables: complete, and nothing in them that cannot happen."""

from __future__ import annotations

from typing import get_args

from cgp_tui.protocol.messages import FROM_HOST, FROM_PROVIDER
from cgp_tui.session.exchange import ExchangeKind, State
from cgp_tui.session.states import ANSWERS, ENDINGS, FAULTS, NEXT, REQUESTS, Event
from cgp_tui.wire.line import FaultCode
from cgp_tui.wire.note import KnownNote


def test_every_step_leads_from_a_known_state_to_another() -> None:
    for (state, event), after in NEXT.items():
        assert {state, after} <= set(get_args(State))
        assert event in get_args(Event)
        assert state != after


def test_nothing_becomes_pending_again_and_strays_never_move() -> None:
    assert "pending" not in NEXT.values()
    assert not {state for state, _ in NEXT} & {"orphan", "duplicate"}


def test_every_request_kind_has_an_answer_and_no_answer_comes_from_a_host() -> None:
    assert set(REQUESTS) == set(FROM_HOST) - {"shutdown"}
    assert set(ANSWERS) == set(FROM_PROVIDER)
    assert {kind for kinds in ANSWERS.values() for kind in kinds} == set(get_args(ExchangeKind))


def test_endings_are_notes_and_faults_are_faults() -> None:
    assert set(ENDINGS) <= set(get_args(KnownNote))
    assert set(FAULTS) <= set(get_args(FaultCode))
