"""When nothing of a connection's past bears on what follows."""

from __future__ import annotations

import pytest

from cgp_tui.session.settled import settled
from tests.dialogue import tell

OPEN = ">> handshake\n<< ack correlation\n"


@pytest.mark.parametrize(
    "rest", ["", ">> query q1\n<< frames q1 f1", ">> query q1\n<< error q1 internal", '<< raw {"type":"later"}']
)
def test_at_rest(rest: str) -> None:
    assert settled(tell(OPEN + rest).session)


@pytest.mark.parametrize(
    "text",
    [
        ">> handshake",
        f"{OPEN}>> query q1",
        f"{OPEN}>> query q1\nnote gave_up q1",
        f"{OPEN}>> query q1\n<< raw []",
        f"{OPEN}>> raw []",
        f"{OPEN}>> shutdown",
        f"{OPEN}note exit 0",
        f"{OPEN}note dropped 3",
        ">> handshake\n<< ack graph",
        ">> handshake\n<< ack verify",
    ],
)
def test_not_at_rest(text: str) -> None:
    assert not settled(tell(text).session)
