"""The order of a session: whom a finding blames, and what is legal."""

from __future__ import annotations

import json

import pytest

from cgp_tui.checks.course import judge_course
from cgp_tui.session.past import NOTHING, Past
from cgp_tui.wire.decode import decode
from cgp_tui.wire.line import Line, Seen
from tests.checks.witnesses import Witness
from tests.checks.witnesses.sessions import COURSE
from tests.dialogue import tell

HELLO = ">> handshake\n"
OPEN = HELLO + "<< ack correlation verify\n"
PLAIN = HELLO + "<< ack\n"


@pytest.mark.parametrize(
    ("text", "blamed"),
    [
        (PLAIN + ">> raw {{{\nnote exit 1", [("ENV", "host", 3), ("R1", "provider", 3)]),
        (
            PLAIN + '>> raw {"type":"query"}\nnote exit 1',
            [("SHAPE", "host", 3), ("3.2", "provider", 3), ("R1", "provider", 3)],
        ),
        (PLAIN + ">> raw {{{\n<< error -", [("ENV", "host", 3), ("R1", "provider", 4)]),
        (PLAIN + ">> shutdown\nnote exit 0 9", [("R2", "provider", 3)]),
        (PLAIN + ">> shutdown\n<< frames - f", [("3.2", "provider", 4), ("R2", "provider", 4)]),
        (OPEN + ">> query q1\n>> query q1", [("3.2", "host", 4)]),
        (OPEN + "<< query q1", [("3.2", "provider", 3)]),
        (HELLO + '<< ack {"protocol_version":"contextgraph/2.0"}\n>> query -', [("H1", "provider", 2), ("H3", "host", 3)]),
    ],
)
def test_a_break_is_charged_to_its_line_and_to_whoever_caused_it(text: str, blamed: list[tuple[str, str, int]]) -> None:
    found = sorted((one.anchor, str(one.party), one.line) for one in tell(text).findings)
    assert found == sorted(blamed)


@pytest.mark.parametrize(
    "text",
    [
        PLAIN + ">> query -\n>> shutdown\n<< frames - f\nnote exit 0",
        PLAIN + ">> shutdown",
        PLAIN + '>> raw {"type":"later"}\n<< error - bad_request',
        PLAIN + '<< raw {"type":"later"}',
        OPEN + ">> query q1\n>> query q2\n<< frames q2 a\n<< frames q1 b",
        PLAIN + "note exit 1",
    ],
)
def test_what_is_legal_is_not_accused(text: str) -> None:
    assert tell(text).broken == []


def test_a_line_of_an_unknown_sender_goes_in_no_direction() -> None:
    raw = b'{"type":"query","query":{"goal":"g","max_frames":1,"max_tokens":1}}'
    assert judge_course(Seen(Line(1, 1, None, 0.0, raw), decode(raw)), NOTHING) == []
    (found,) = judge_course(Seen(Line(1, 1, "provider", 0.0, raw), decode(raw)), NOTHING, 7)
    assert (found.anchor, found.level, found.exchange) == ("3.2", "advice", 7)


def test_a_past_without_a_word_on_this_line_says_nothing() -> None:
    raw = b'{"type":"shutdown"}'
    assert judge_course(Seen(Line(1, 1, "host", 0.0, raw), decode(raw)), Past(anchored="f")) == []


@pytest.mark.parametrize("witness", COURSE, ids=lambda witness: witness.named)
def test_every_row_names_its_witness_and_spares_its_neighbour(witness: Witness) -> None:
    assert witness.named in tell(witness.broken).broken
    assert tell(witness.legal).broken == []


def test_of_the_keys_of_an_ack_the_changed_one_is_named() -> None:
    def keys(*made: str) -> str:
        published = [{"key_id": f"k{n}", "algorithm": "ed25519", "public_key": key * 32} for n, key in enumerate(made)]
        return f"<< ack {json.dumps({'attester_keys': published}, separators=(',', ':'))}\n"

    played = tell(HELLO + keys("00", "11", "22") + HELLO + keys("00", "33", "22"))
    assert [(found.anchor, found.path) for found in played.findings] == [("6.5.4", "/attester_keys/1/public_key")]


def test_a_provider_that_the_host_killed_is_told_so_and_not_by_a_signal() -> None:
    (found,) = tell(PLAIN + ">> shutdown\nnote exit 0 9 ours").findings
    assert (found.anchor, found.level, found.party) == ("R2", "violation", "provider")
    assert (found.expected, found.found) == ("exit status 0", "still running after 0.2 s, killed by the host")


def test_after_a_request_that_was_given_up_the_kill_is_no_second_cause() -> None:
    hung = PLAIN + ">> query -\nnote gave_up query 1\n>> shutdown\nnote exit 0 9 ours"
    assert tell(hung).broken == ["3.2 note line 3", "R2 advice line 4"]
    assert tell(hung.replace("9 ours", "9")).broken == ["3.2 note line 3", "R2 line 4"]
    answered = hung.replace(">> shutdown", "<< frames - f\n>> shutdown")
    assert "R2 line 5" in tell(answered).broken
