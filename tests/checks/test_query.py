"""Requests: whom an id may go to, and what a time looks like."""

from __future__ import annotations

import json
from typing import Any

import pytest

from cgp_tui.checks.query import question_faults
from cgp_tui.protocol.query import ContextQuery
from tests.dialogue import tell

OPEN, PLAIN = ">> handshake\n<< ack correlation\n", ">> handshake\n<< ack verify\n"


def offering(**capabilities: Any) -> str:
    return ">> handshake\n<< ack " + json.dumps({"capabilities": capabilities}, separators=(",", ":")) + "\n"


VECTORS = offering(embeddings_fingerprint="m/3/l2")
SHORT = offering(representations=["full", "compact"], resolve=True)


@pytest.mark.parametrize(
    ("text", "broken"),
    [
        (PLAIN + ">> query q1", ["3.2 line 3"]),
        (PLAIN + ">> verify v1 f", ["3.2 line 3"]),
        (PLAIN + '>> verify - f {"id":""}', ["3.2 line 3"]),
        (OPEN + ">> query q1", []),
        (PLAIN + ">> query -", []),
        (">> query q1", []),
        (">> handshake\n>> query q1\n<< ack", ["3.2 advice line 2"]),
        # a vector for a provider that has no fingerprint, even an empty one; one of another length than it has
        (OPEN + '>> query q1 {"embedding":[0.1]}', ["E1 line 3"]),
        (OPEN + '>> query q1 {"embedding":[]}', ["E1 line 3"]),
        (VECTORS + '>> query - {"embedding":[1,2]}', ["E1 line 3"]),
        (VECTORS + '>> query - {"embedding":[]}', ["E1 line 3"]),
        (VECTORS + '>> query - {"embedding":[1,2,3]}', []),
        (offering(embeddings_fingerprint="unclear") + '>> query - {"embedding":[1]}', ["E1 advice line 2"]),
        (offering(embeddings_fingerprint="") + '>> query - {"embedding":[1]}', ["E1 advice line 2", "E1 line 3"]),
        (OPEN + '>> query q1 {"embedding":null}', []),
        ('>> query q1 {"embedding":[1]}', []),
        # a representation that is not offered; full always is
        (OPEN + '>> query q1 {"representation_preferences":["compact"]}', ["P5 line 3"]),
        (SHORT + '>> query - {"representation_preferences":["reference","compact","hologram"]}', ["P5 line 3", "P5 line 3"]),
        (SHORT + '>> query - {"representation_preferences":["compact","full"]}', []),
        (OPEN + '>> query q1 {"representation_preferences":["full"]}', []),
        (OPEN + '>> query q1 {"representation_preferences":[]}', []),
        ('>> query q1 {"representation_preferences":["compact"]}', []),
        (OPEN + '>> query q1 {"as_of":"yesterday"}', ["F4 line 3"]),
        (OPEN + '>> query q1 {"as_of":"2026-07-01T00:00:00Z"}', []),
        (OPEN + '>> query q1 {"as_of":null}', []),
    ],
)
def test_a_request_breaks_exactly_its_rules_and_is_charged_to_the_host(text: str, broken: list[str]) -> None:
    played = tell(text)
    assert played.broken == broken
    assert all(found.party == "host" for found in played.findings if not found.path.startswith("/capabilities"))


def test_a_host_can_ask_before_it_sends() -> None:
    assert question_faults(ContextQuery("why", 8, 2000)) == ()
    (fault,) = question_faults(ContextQuery("why", 8, 2000, as_of="2026-07-01"))
    assert fault.path == "/query/as_of"
