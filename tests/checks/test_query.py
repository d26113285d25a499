"""Requests: whom an id may go to, and what a time looks like."""

from __future__ import annotations

import pytest

from cgp_tui.checks.query import question_faults
from cgp_tui.protocol.query import ContextQuery
from tests.dialogue import tell

OPEN, PLAIN = ">> handshake\n<< ack correlation\n", ">> handshake\n<< ack\n"


@pytest.mark.parametrize(
    ("text", "broken"),
    [
        (PLAIN + ">> query q1", ["3.2 line 3"]),
        (PLAIN + ">> verify v1 f", ["3.2 line 3"]),
        (OPEN + ">> query q1", []),
        (PLAIN + ">> query -", []),
        (">> query q1", []),
        (">> handshake\n>> query q1\n<< ack", []),
        (OPEN + '>> query q1 {"as_of":"yesterday"}', ["F4 line 3"]),
        (OPEN + '>> query q1 {"as_of":"2026-07-01T00:00:00Z"}', []),
        (OPEN + '>> query q1 {"as_of":null}', []),
    ],
)
def test_requests(text: str, broken: list[str]) -> None:
    played = tell(text)
    assert played.broken == broken
    assert all(found.party == "host" for found in played.findings)


def test_a_host_can_ask_before_it_sends() -> None:
    assert question_faults(ContextQuery("why", 8, 2000)) == ()
    (fault,) = question_faults(ContextQuery("why", 8, 2000, as_of="2026-07-01"))
    assert fault.path == "/query/as_of"
