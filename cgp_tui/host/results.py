"""What a caller gets for an exchange that is over: its outcome, or the error that says the same."""

from __future__ import annotations

import functools
import time

from cgp_tui.checks.outcome import outcome as outcome_of
from cgp_tui.checks.outcome import problem as problem_of
from cgp_tui.checks.types import Judged, Outcome, Problem
from cgp_tui.checks.usage import accounted
from cgp_tui.host.errors import HostError, failure
from cgp_tui.protocol.timestamp import utc_text

_utc_text = functools.lru_cache(maxsize=1)(utc_text)


def queried(judged: Judged, provider_id: str, reference_parity: bool = False) -> Outcome:
    """The outcome of a query, what it cost included (UR1). Whether it failed, its `problem` says."""
    return accounted(outcome_of(judged, reference_parity), judged, provider_id, _utc_text(int(time.time())))


def served(judged: Judged, provider_id: str, reference_parity: bool) -> Outcome:
    """The same; raises the HostError of one that failed."""
    outcome = queried(judged, provider_id, reference_parity)
    if outcome.problem is not None:
        raise failure(outcome.problem, provider_id, outcome)
    return outcome


def answered(judged: Judged, provider_id: str) -> Judged:
    """A verify or handshake, unchanged; raises the HostError of one that came to nothing."""
    trouble = problem_of(judged)
    if trouble is not None:
        raise failed(judged, trouble, provider_id)
    return judged


def failed(judged: Judged, trouble: Problem, provider_id: str) -> HostError:
    """The error for an exchange that failed by `trouble`."""
    return failure(
        trouble, provider_id, Outcome("failed", judged.exchange.number, findings=judged.findings, problem=trouble)
    )
