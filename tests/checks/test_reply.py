"""Who answered whom, and what is wrong with that."""

from __future__ import annotations

import pytest

from cgp_tui.checks.reply import ROWS, judge_pairing
from tests.dialogue import tell

OPEN, PLAIN = ">> handshake\n<< ack correlation verify\n", ">> handshake\n<< ack\n"
VECTORS = '>> handshake\n<< ack {"capabilities":{"embeddings_fingerprint":"m/3"}}\n'
BAD = '>> raw {"type":"query","id":"q1"}\n'

CASES = [
    # a wrong, a missing, a changed id under correlation
    (OPEN + ">> query q1\n<< frames - a", ["H4 line 4"]),
    (OPEN + ">> query q1\n<< frames Q1 a", ["H4 line 4"]),
    (OPEN + ">> query q1\n<< error - internal", ["H4 line 4"]),
    (OPEN + ">> verify v1 f\n<< verified - f=valid", ["H4 line 4"]),
    (OPEN + ">> query -\n<< frames q1 a", ["H4 line 4"]),
    (OPEN + '>> query q1\n<< raw {"type":"frames","id":5,"result":{"frames":[],"truncated":false}}', ["H4 line 4"]),
    (PLAIN + '>> query -\n<< raw {"type":"frames","id":5,"result":{"frames":[],"truncated":false}}', ["SHAPE line 4"]),
    (
        OPEN
        + '>> raw {"type":"query","id":5,"query":{"goal":"g","max_frames":1,"max_tokens":1}}\n'
        + '<< raw {"type":"error","id":5,"message":"no","code":"bad_request"}',
        ["SHAPE line 3"],
    ),
    (OPEN + '>> query q1\n<< raw {"type":"frames","x":' + "[" * 70 + "]" * 70 + "}", ["ENV line 4"]),
    # a refusal that does not say so, of a version that is none at all
    ('>> raw {"type":"handshake","protocol_version":""}\n<< error - internal', ["H1 advice line 1", "H3 advice line 2"]),
    # a handshake that cannot be read may be refused by another name than a bad request
    ('>> raw {"type":"handshake"}\n<< error - incompatible_version', ["SHAPE line 1"]),
    # whoever does not declare verify owes a reply, and no verdicts
    (PLAIN + ">> verify - f\nnote gave_up verify", ["9 advice line 3", "3.2 note line 3"]),
    (OPEN + ">> verify - f\nnote gave_up verify", ["V2 note line 3"]),
    # strays under correlation
    (OPEN + "<< frames q9 a", ["H4 line 3"]),
    (OPEN + ">> query q1\n>> query q2\n<< frames - a", ["H4 line 5"]),
    (OPEN + ">> query q1\n<< frames q1 a\n<< frames q1 a", ["H4 line 5"]),
    (OPEN + "<< frames - a", ["3.2 advice line 3"]),
    (OPEN + "<< ack", ["3.2 advice line 3"]),
    # strays without it
    ("<< ack", ["3.2 advice line 1"]),
    (PLAIN + "<< frames - a", ["3.2 advice line 3"]),
    (PLAIN + ">> query -\n<< frames - a\n<< frames - a", ["3.2 advice line 5"]),
    # an id that was not asked for
    (PLAIN + ">> query -\n<< frames q7 a", ["3.2 advice line 4"]),
    (PLAIN + ">> query q1\n<< frames q1 a", ["3.2 line 3"]),
    # what cannot be read at all is said of the line, not of its type
    (PLAIN + ">> query -\n<< raw {{{", ["ENV line 4"]),
    # a wrong type
    (PLAIN + ">> query -\n<< verified - f=valid", ["3.2 advice line 4"]),
    (">> handshake\n<< frames - a", ["3.2 advice line 2"]),
    # no reply at all
    (">> handshake\nnote gave_up 1", ["H1 note line 1"]),
    (OPEN + ">> query q1\nnote gave_up q1", ["3.2 note line 3"]),
    (OPEN + ">> query q1\nnote exit", ["3.2 note line 3"]),
    (OPEN + ">> query q1\nnote send_failed q1 stalled", ["3.2 note line 3"]),
    (OPEN + ">> verify - f\nnote gave_up verify", ["V2 note line 3"]),
    # what an error says
    (OPEN + ">> query q1\n<< error q1 too_busy", ["U3 advice line 4"]),
    (OPEN + ">> query q1\n<< error q1 acme:", ["U3 line 4"]),
    (OPEN + "<< error - quota", ["3.2 advice line 3", "U3 advice line 3"]),
    (OPEN + BAD + "<< error q1 internal", ["SHAPE line 3", "R1 advice line 4"]),
    (OPEN + BAD + "<< error q1", ["SHAPE line 3", "R1 advice line 4"]),
    (OPEN + BAD + "<< frames q1 a", ["SHAPE line 3", "R1 advice line 4"]),
    (VECTORS + '>> query - {"embedding":[1]}\n<< error - internal', ["E1 line 3", "E1 advice line 4"]),
]


@pytest.mark.parametrize(("text", "broken"), CASES)
def test_a_pairing_breaks_exactly_its_rules(text: str, broken: list[str]) -> None:
    assert tell(text).broken == broken


@pytest.mark.parametrize("place", range(len(ROWS)), ids=lambda place: f"{ROWS[place].anchor}-{place}")
def test_every_row_is_what_names_its_breaks(place: int) -> None:
    rows = (*ROWS[:place], *ROWS[place + 1 :])
    changes = [change for text, _ in CASES for change in tell(text).changes]
    assert any(judge_pairing(change) != judge_pairing(change, rows) for change in changes)


@pytest.mark.parametrize(
    "text",
    [
        OPEN + ">> query q1\n<< frames q1 a\n>> verify - f\n<< verified - f=valid",
        OPEN + ">> verify v1 f\n<< verified v1 f=valid",
        OPEN + ">> query q1\n<< error q1 acme:unheard-of",
        OPEN + ">> query q1\n<< error q1",
        # what a handshake carries as an id is no id to echo
        '>> raw {"type":"handshake","protocol_version":"contextgraph/1.0","id":"h1","x":"\\ud800"}\n<< ack correlation',
        VECTORS + '>> query - {"embedding":[1,2,3]}\n<< error - internal',
        OPEN + ">> query -\n<< frames - a",
        PLAIN + ">> query -\n<< error - internal",
        OPEN + ">> query q1",
        # a late reply is nobody's fault beyond the silence before it
        OPEN + ">> query q1\nnote cut q1\n<< frames q1 a",
        # a line was lost: it may have held the request
        OPEN + "note dropped 1\n<< frames q9 a",
        PLAIN + "note dropped 1\n<< frames - a",
        # the request could not be read: no id to echo
        OPEN + '>> query q1\n<< frames q1 a\n<< raw {"type":"notice"}',
        # the stream ended for a cause of its own
        OPEN + ">> query q1\nnote poisoned line_too_long",
    ],
)
def test_what_is_legal_is_not_accused(text: str) -> None:
    assert tell(text).broken == []


def test_an_unreadable_request_has_no_id_to_echo() -> None:
    text = OPEN + BAD + "<< error - bad_request"
    assert tell(text).broken == ["SHAPE line 3"]


def test_a_missing_reply_is_the_providers() -> None:
    (found,) = tell(OPEN + ">> query q1\nnote gave_up q1").findings
    assert (found.party, found.exchange, found.line) == ("provider", 2, 3)


def test_a_stray_has_no_exchange_and_a_pair_its_requests() -> None:
    assert [found.exchange for found in tell(OPEN + "<< frames q9 a").findings] == [None]
    assert [found.exchange for found in tell(OPEN + ">> query q1\n<< frames - a").findings] == [2]


@pytest.mark.parametrize("text", [OPEN + ">> query q1\n<< frames q1 a", OPEN + ">> verify v1 f\n<< error v1 bad_request"])
def test_no_row_has_anything_to_say_of_a_pair_in_order(text: str) -> None:
    for change in tell(text).changes:
        assert [row.sentence for row in ROWS if list(row.test(change))] == []


@pytest.mark.parametrize(
    ("text", "expected", "found"),
    [
        (">> handshake\nnote gave_up 1 2.5", "handshake_ack or error", "nothing within 2.5 s"),
        (OPEN + ">> query q1\nnote gave_up q1 30", "frames or error", "nothing within 30 s"),
        (OPEN + ">> query q1\nnote exit", "frames or error", "nothing, and the end of the process"),
        (
            OPEN + ">> verify - f\nnote send_failed verify stalled",
            "verified or error",
            "nothing, and the request was not read",
        ),
        (PLAIN + ">> query -\n<< verified - f=valid", "frames or error", "verified"),
    ],
)
def test_what_should_have_come_is_named_and_what_came_instead(text: str, expected: str, found: str) -> None:
    (told,) = tell(text).findings
    assert (told.expected, told.found) == (expected, found)
    assert told.fix.startswith("Answer ")
