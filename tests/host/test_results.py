"""An exchange that is over, as a caller gets it: a value where it came to something, else an error that holds the same."""

from __future__ import annotations

import pytest

from cgp_tui.checks.judge import judge
from cgp_tui.checks.types import Judged, Problem
from cgp_tui.host.errors import Provider, Timeout
from cgp_tui.host.results import answered, failed, queried, served
from tests.dialogue import tell


def last(text: str) -> Judged:
    """The last exchange of a dialogue."""
    return judge(tell(f">> handshake\n<< ack correlation verify\n{text}").changes[-1])


def test_a_query_that_was_answered_is_served_with_its_bill() -> None:
    outcome = served(last(">> query q1\n<< frames q1 a"), "p", False)
    assert [frame.id for frame in outcome.frames] == ["a"]
    assert outcome.usage is not None
    assert outcome.usage.budget_consumed == 1


def test_a_query_that_failed_is_an_error_that_holds_its_outcome() -> None:
    judged = last(">> query q1\nnote gave_up q1 2.0")
    assert queried(judged, "p").problem is not None
    with pytest.raises(Timeout) as caught:
        served(judged, "p", False)
    assert caught.value.id == "p"
    assert caught.value.outcome.exchange == 2
    assert caught.value.outcome.usage is not None


def test_reference_parity_is_handed_on() -> None:
    judged = last('>> query q1\n<< frames q1 a{"token_cost":2}')
    assert (queried(judged, "p").kind, queried(judged, "p", True).kind) == ("budget_lie", "frames")


def test_a_verify_is_handed_on_or_raised() -> None:
    good = last(">> verify - a\n<< verified - a=valid")
    assert answered(good, "p") is good
    bad = last(">> verify - a\n<< error - internal")
    with pytest.raises(Provider) as caught:
        answered(bad, "p")
    assert caught.value.outcome.exchange == 2
    assert failed(bad, Problem("timeout", "no", "look"), "p").outcome.findings == bad.findings
