"""When nothing of a connection's past bears on what follows."""

from __future__ import annotations

import pytest

from cgp_tui.wire.decode import decode
from cgp_tui.wire.line import Line, Seen
from tests.dialogue import message, tell

OPEN = ">> handshake\n<< ack correlation\n"


@pytest.mark.parametrize(
    "rest", ["", ">> query q1\n<< frames q1 f1", ">> query q1\n<< error q1 internal", '<< raw {"type":"later"}']
)
def test_at_rest(rest: str) -> None:
    assert tell(OPEN + rest).session.settled


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
def test_a_session_with_anything_open_is_not_settled(text: str) -> None:
    assert not tell(text).session.settled


def test_an_error_may_still_come_for_a_line_without_a_sender() -> None:
    session = tell(OPEN).session
    session.feed(Seen(Line(3, 1, None, 0.0, b"junk"), decode(b"junk")))
    assert not session.settled
    error = message("error - bad_request")
    session.feed(Seen(Line(4, 1, None, 0.0, error), decode(error)))
    assert session.settled
