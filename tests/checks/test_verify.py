"""Verify and its answers: what stands where, what an echo is, what is legal."""

from __future__ import annotations

import pytest

from cgp_tui.checks.verify import Pair
from cgp_tui.session import Exchange
from tests.checks.cases import brief
from tests.checks.witnesses.verifies import BOTH, MUTATED, ONE, ZERO, asked, identity, told, verdict
from tests.dialogue import tell


@pytest.mark.parametrize(
    ("text", "named"),
    [
        # an identity that was asked with a body in it is no fault of the echo
        (
            asked(identity(content="x")) + told({"frame": identity(content="x"), "status": "valid"}),
            ["V1 /request/frames/0/content"],
        ),
        (
            asked(identity()) + told({"frame": identity(content="x"), "status": "valid"}),
            ["V4 /response/verdicts/0/frame/content"],
        ),
        # of several, only those that look like bodies; however they are spelled
        (
            asked(identity(Body=1, fullText=None, rank=2)),
            ["V1 /request/frames/0/Body", "V1 /request/frames/0/fullText"],
        ),
        (asked(identity()) + told(verdict(frame_body="x")), ["V4 /response/verdicts/0/frame_body"]),
        # another digest than that asked is another identity
        (
            asked(identity()) + told({"frame": identity(content_digest=ONE), "status": "valid"}),
            ["V2 /response/verdicts", "V2 advice /response/verdicts/0/frame"],
        ),
        (asked(identity()) + told(), ["V2 /response/verdicts"]),
        (BOTH + "<< verified - f=unknown", ["9 advice /response/verdicts"]),
        (BOTH + "<< verified - f=Valid g=valid", ["V3 /response/verdicts/0/status"]),
        (
            asked(identity()) + told(verdict(status="gone", replacement_digest=ZERO.upper())),
            ["V4 /response/verdicts/0/replacement_digest"],
        ),
    ],
)
def test_what_is_named_and_where(text: str, named: list[str]) -> None:
    assert brief(tell(text).findings) == named


@pytest.mark.parametrize(
    "text",
    [
        BOTH + "<< verified - g=unknown f=gone",
        BOTH + "<< verified - f=valid g=valid f=valid",
        asked() + told(),
        asked(identity(x_vendor=1)) + told({"frame": identity(x_vendor=1), "status": "valid", "x_cost": 2}),
        asked(identity()) + told(verdict(status="stale")),
        asked(identity()) + told(verdict(status="stale", replacement_digest=ONE)),
        asked(identity(content_digest=MUTATED)) + told({"frame": identity(content_digest=MUTATED), "status": "unknown"}),
        asked(identity("f"), identity("f")) + told(verdict("f")),
    ],
)
def test_what_is_legal_is_not_accused(text: str) -> None:
    assert tell(text).broken == []


def pair(text: str) -> Pair:
    exchange: Exchange = tell(text).changes[-1]
    return Pair(exchange)


def test_verdicts_keep_their_places_where_one_could_not_be_read() -> None:
    bad = '{"frame":{"provider_id":"docs","frame_id":"f"},"status":5}'
    good = '{"frame":{"provider_id":"docs","frame_id":"g","content_digest":"' + ZERO + '"},"status":"fresh"}'
    text = BOTH + '<< raw {"type":"verified","response":{"verdicts":[' + bad + "," + good + "]}}"
    assert [pair(text).place(index) for index in (0, 1)] == [1, 2]
    assert brief(tell(text).findings) == ["V3 /response/verdicts/0/status", "V3 /response/verdicts/1/status"]


def test_of_an_answer_that_is_not_whole_nothing_is_missed() -> None:
    bad = '{"frame":{"provider_id":"docs","frame_id":"f"},"status":5}'
    text = BOTH + '<< raw {"type":"verified","response":{"verdicts":[' + bad + "]}}"
    assert [found.anchor for found in tell(text).findings] == ["V3"]


def test_a_line_with_members_without_end_is_read_in_passing() -> None:
    members = ",".join(f'"x{number}":{number}' for number in range(50_000))
    line = '{"type":"verify",' + members + ',"request":{"frames":[]}}'
    assert tell(BOTH.split(">> verify")[0] + f">> raw {line}").broken == []
