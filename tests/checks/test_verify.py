"""Verify and its answers: what stands where, what an echo is, what is legal."""

from __future__ import annotations

import json
import time
from typing import Any

import pytest

from cgp_tui.checks.verify import Pair, judge_verify
from cgp_tui.session import Exchange
from cgp_tui.wire.decode import decode
from cgp_tui.wire.line import Line, Seen
from tests.checks.cases import brief
from tests.checks.witnesses import Witness
from tests.checks.witnesses.verifies import (
    BOTH,
    MUTATED,
    ONE,
    SERVED,
    TEXT,
    VERIFIES,
    ZERO,
    asked,
    asking,
    identity,
    told,
    verdict,
)
from tests.dialogue import message, tell


@pytest.mark.parametrize(
    ("text", "named"),
    [
        # a requested identity with a body in it is no fault of the echo
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
        (
            asked(identity()) + told(verdict(replacementContent_base64="eA==", FULLTEXT="x")),
            ["V4 /response/verdicts/0/replacementContent_base64", "V4 /response/verdicts/0/FULLTEXT"],
        ),
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
        # a name that has such a word in it without being one: it tells about a frame, and is ignored (U1)
        asked(identity(context_id="c1", contextId=2, content_type="text/plain", frameKind="doc", texture=1, html=True)),
        asked(identity()) + told(verdict(context_id="c1", content_digest=ZERO, frame_id="f", bodyLength=4, framework="x")),
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
    assert pair(text).place(0) == 1
    assert brief(tell(text).findings) == ["V3 /response/verdicts/0/status", "V3 /response/verdicts/1/status"]


def test_of_an_answer_that_is_not_whole_nothing_is_missed() -> None:
    bad = '{"frame":{"provider_id":"docs","frame_id":"f"},"status":5}'
    text = BOTH + '<< raw {"type":"verified","response":{"verdicts":[' + bad + "]}}"
    assert [found.anchor for found in tell(text).findings] == ["V3"]


def test_a_line_with_members_without_end_is_read_in_passing() -> None:
    members = ",".join(f'"x{number}":{number}' for number in range(50_000))
    line = '{"type":"verify",' + members + ',"request":{"frames":[]}}'
    assert tell(BOTH.split(">> verify")[0] + f">> raw {line}").broken == []


@pytest.mark.parametrize("spoil", ['"\\ud800":0,', '"x":"\\ud800",'])
def test_half_a_surrogate_pair_hides_no_body(spoil: str) -> None:
    text = asked(identity(body="x")) + told(verdict(body="x"))
    spoilt = text.replace('{"provider_id"', "{" + spoil + '"provider_id"')
    assert brief(tell(spoilt).findings) == ["V1 /request/frames/0/body", "V4 /response/verdicts/0/body"]


@pytest.mark.parametrize(
    ("other", "named"),
    [
        (5, None),
        ({"frame": 5, "status": "valid", "body": "x"}, "V4 None /response/verdicts/0/body"),
        ({"frame": {"frame_id": 5, "text": "x"}, "status": "valid"}, "V4 None /response/verdicts/0/frame/text"),
        ({"frame": identity("g"), "status": 5, "body": "x"}, "V4 g /response/verdicts/0/body"),
        ({"frame": identity("\ud800"), "status": "valid", "body": "x"}, "V4 None /response/verdicts/0/body"),
    ],
)
def test_a_verdict_that_cannot_be_read_hides_no_body(other: Any, named: str | None) -> None:
    # Written with escapes, as half a pair can only be.
    line = json.dumps({"type": "verified", "response": {"verdicts": [other, verdict(content="x")]}}, separators=(",", ":"))
    found = [
        f"{one.anchor} {one.frame_id} {one.path}"
        for one in tell(asked(identity()) + f"<< raw {line}").findings
        if one.anchor == "V4"
    ]
    assert found == [*([] if named is None else [named]), "V4 f /response/verdicts/1/content"]


def test_many_verdicts_after_a_bad_one_are_placed_in_passing() -> None:
    verdicts = ",".join(f'{{"frame":{{"provider_id":"d","frame_id":"{n}"}},"status":"valid"}}' for n in range(20_000))
    asking, raw = message("verify - f"), ('{"type":"verified","response":{"verdicts":[5,' + verdicts + "]}}").encode()
    request, reply = (
        Seen(Line(3, 1, "host", 0.0, asking), decode(asking)),
        Seen(Line(4, 1, "provider", 0.0, raw), decode(raw)),
    )
    began = time.process_time()
    found = judge_verify(Exchange(2, 1, "verify", "answered", request, reply))
    assert found[-1].path == "/response/verdicts/20000/frame"
    assert time.process_time() - began < 5


@pytest.mark.parametrize("witness", VERIFIES, ids=lambda witness: witness.named)
def test_every_row_names_its_witness_and_spares_its_neighbour(witness: Witness) -> None:
    assert witness.named in tell(witness.broken).broken
    assert tell(witness.legal).broken == []


def test_a_digest_that_was_never_served_here_is_doubted_where_it_is_called_valid() -> None:
    for digest, named in ((ONE, ["V2 advice /response/verdicts/0/status"]), (TEXT, [])):
        name = identity(content_digest=digest)
        assert brief(tell(SERVED + asking(name) + told({"frame": name, "status": "valid"})).findings) == named
