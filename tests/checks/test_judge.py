"""Everything about one exchange, each thing once."""

from __future__ import annotations

import itertools
import json
import time
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cgp_tui.checks import judge, judge_line, judge_remark, once
from cgp_tui.protocol.attestation import ProvenanceAttestation
from cgp_tui.protocol.frame import ContextFrame
from cgp_tui.protocol.requirements import REQUIREMENTS, Finding
from cgp_tui.session import Exchange, Session
from cgp_tui.transcript.reader import Transcript
from cgp_tui.wire.decode import decode
from cgp_tui.wire.line import Line, Seen
from cgp_tui.wire.note import Exit
from tests.dialogue import frame, message, tell

OPEN = ">> handshake\n<< ack correlation\n"


def test_request_and_reply_are_charged_each_for_its_own() -> None:
    played = tell(OPEN + '>> query q1 {"as_of":"x","max_tokens":0,"kinds":["fact"]}\n<< frames q1 a{"score":2}')
    assert played.broken == ["F4 line 3", "F1 line 4 a", "Q1 line 4 a", "B1 line 4"]
    assert {found.exchange for found in played.findings} == {2}
    assert [found.party for found in played.findings] == ["host", "provider", "provider", "provider"]


def test_a_handshake_is_judged_against_what_the_host_offered() -> None:
    assert tell('>> handshake\n<< ack {"protocol_version":"contextgraph/2.0"}').broken == ["H1 line 2"]
    foreign = '>> raw {"type":"handshake","protocol_version":"contextgraph/2.0"}\n'
    assert tell(foreign + "<< ack").broken == ["H1 line 2"]
    assert tell(foreign + "<< error - bad_request").broken == ["H3 advice line 2"]
    assert tell(">> handshake\n<< error - bad_request").broken == ["H1 advice line 2"]


def test_a_stray_ack_is_held_against_no_version() -> None:
    assert tell('<< ack {"protocol_version":"contextgraph/2.0"}').broken == ["3.2 advice line 1"]


def test_an_unreadable_reply_is_one_finding() -> None:
    assert tell(OPEN + ">> query q1\n<< raw junk").broken == ["ENV line 4"]


def test_frames_that_answer_nothing_are_still_frames() -> None:
    assert tell(OPEN + '<< frames q9 a{"score":2}').broken == ["H4 line 3", "F1 line 3 a"]


def test_line_and_exchange_together_report_once() -> None:
    played = tell(OPEN + '>> query q1\n<< frames q1 a{"title":5} a{"title":5}')
    assert played.broken == ["F2 line 4 a", "F2 line 4 a", "6.3 advice line 4 a"]
    assert [found.path for found in played.findings[:2]] == ["/result/frames/0/title", "/result/frames/1/title"]


def test_what_is_wrong_with_each_line_by_itself_is_part_of_it() -> None:
    asked, answered = b'{"type":"query","id":"q1"}', b'{"type":"error","id":"q1"}'
    request = Seen(Line(3, 1, "host", 0.0, asked), decode(asked))
    reply = Seen(Line(4, 1, "provider", 0.0, answered), decode(answered))
    found = judge(Exchange(2, 1, "query", "failed", request, reply)).findings
    assert [(one.anchor, one.line, one.path, one.exchange) for one in found] == [
        ("SHAPE", 3, "/query", 2),
        ("SHAPE", 4, "/message", 2),
    ]


def test_once_keeps_the_first_of_each_place() -> None:
    def made(anchor: str, line: int, frame_id: str | None, path: str, message: str) -> Finding:
        return Finding(anchor, "violation", None, line, None, frame_id, path, message, "", "", "")

    first, again = made("F1", 1, "a", "/x", "first"), made("F1", 1, "a", "/x", "again")
    others = [
        made("F2", 1, "a", "/x", ""),
        made("F1", 2, "a", "/x", ""),
        made("F1", 1, "b", "/x", ""),
        made("F1", 1, "a", "/y", ""),
    ]
    assert once([first, again, *others]) == (first, *others)


def test_judging_changes_nothing_and_says_the_same_again() -> None:
    (*_, last) = tell(OPEN + '>> query q1\n<< frames q1 a{"score":2}').changes
    assert judge(last) == judge(last)
    assert judge(last).exchange is last


def check(path: Path) -> list[Finding]:
    """The findings of a bare file: a session for each of its connections."""
    numbers = itertools.count(1)
    sessions: dict[int, Session] = {}
    findings: list[Finding] = []
    transcript = Transcript.open(path)
    for record in transcript.records():
        assert isinstance(record, Line)
        seen = Seen(record, decode(record.raw))
        changed = sessions.setdefault(record.connection, Session(record.connection, numbers)).feed(seen)
        if not changed:
            findings += judge_line(seen)
        for exchange in changed:
            findings += judge(exchange).findings
    transcript.close()
    return list(once(findings))


FIELD = ("F01_separators", "F07_not_numbers", "F09_duplicate_members", "F10_id_echo", "F17_welded", "F23_minimal_good",
         "F25_placeholder_provenance", "F28a_single_leaf_good", "F28b_single_leaf_padded", "F30_identity_key", "F44_markup",
         "F47_long_evidence", "F51_control_in_findings")  # fmt: skip


@pytest.mark.parametrize("name", FIELD)
def test_inputs_from_the_field(shared: Path, name: str) -> None:
    folder = shared / "field" / "inputs"
    expected = json.loads((folder / f"{name}.expect.json").read_bytes())
    broken = [found for found in check(folder / f"{name}.ndjson") if found.level == "violation"]

    def meets(found: Finding, row: dict[str, Any], anchors: list[str]) -> bool:
        return (found.line, found.frame_id) == (row["line"], row["frame_id"]) and found.anchor in anchors

    for row in expected["violations"]:
        met = [found for found in broken if meets(found, row, [row["anchor"], *row["also_accept"]])]
        assert met, row
        assert {found.party for found in met} == {row["party"]}
    for found in broken:
        wanted = any(meets(found, row, [row["anchor"], *row["also_accept"]]) for row in expected["violations"])
        assert wanted or any(meets(found, row, row["anchors"]) for row in expected["permitted"]), found


def test_the_example_of_a_whole_session_is_clean() -> None:
    opening = ">> handshake\n<< ack correlation verify\n"
    text = opening + ">> query q1\n<< frames q1 a b\n>> verify - a\n<< verified - a=valid\n>> shutdown"
    assert tell(text).broken == []


WORDS = st.sampled_from(
    ["", "x", "file", "full", "compact", "reference", "ed25519", "sha256:" + "0" * 64, "2026-01-01T00:00:00Z"]
)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-2, 2**33) | st.floats(allow_nan=False, allow_infinity=False) | WORDS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(WORDS, inner, max_size=3),
    max_leaves=6,
)
MEMBERS = [*ContextFrame.__struct_fields__, "attestation"]


@given(st.dictionaries(st.sampled_from(MEMBERS), VALUES, max_size=6), st.lists(VALUES, max_size=2), VALUES)
@settings(max_examples=150, deadline=None)
def test_no_shape_of_an_answer_is_too_strange_to_judge(members: dict[str, Any], entries: list[Any], root: Any) -> None:
    result = {
        "frames": [frame("a", members), frame("b")],
        "truncated": False,
        "frame_attestations": entries,
        "result_attestation": root,
    }
    raw = json.dumps({"type": "frames", "id": "q1", "result": result}).encode()
    asked = message("query q1")
    request = Seen(Line(3, 1, "host", 0.0, asked), decode(asked))
    reply = Seen(Line(4, 1, "provider", 0.0, raw), decode(raw))
    ack = tell(OPEN).session.ack
    judged = judge(Exchange(2, 1, "query", "answered", request, reply, ack))
    for found in judged.findings:
        assert found.anchor in REQUIREMENTS
        assert found.line in (3, 4)
        assert found.message
    assert {appraisal.place for appraisal in judged.appraisals} <= {0, 1}
    if reply.decoded.envelope is not None:
        assert 1 in {appraisal.place for appraisal in judged.appraisals}, "one bad frame hid its sibling"


def test_a_flood_of_tiny_frames_is_judged_in_passing() -> None:
    one = json.dumps(frame("f"))
    raw = ('{"type":"frames","id":"q1","result":{"truncated":false,"frames":[' + ",".join([one] * 50_000) + "]}}").encode()
    asked = message("query q1")
    request = Seen(Line(3, 1, "host", 0.0, asked), decode(asked))
    reply = Seen(Line(4, 1, "provider", 0.0, raw), decode(raw))
    began = time.process_time()
    judged = judge(Exchange(2, 1, "query", "answered", request, reply, tell(OPEN).session.ack))
    assert [found.anchor for found in judged.findings] == ["B1", "B4", "6.3"]
    assert len(judged.appraisals) == 50_000
    assert time.process_time() - began < 5


@pytest.mark.parametrize("words", ["correlation", "graph verify", ""])
@pytest.mark.parametrize("members", ["", ' {"as_of":"x"}'])
def test_of_a_request_that_was_asked_well_only_the_reply_is_judged(words: str, members: str) -> None:
    """What is said of the reply is what a whole judgement says of it."""
    answers = '<< frames q1 a{"score":2} a'
    played = tell(f">> handshake\n<< ack {words}\n>> query q1{members}\n{answers}")
    told = 0
    for exchange in played.changes:
        request = exchange.request
        if exchange.kind != "query" or exchange.reply is None or request is None:
            continue
        whole = judge(exchange)
        of_reply = tuple(found for found in whole.findings if found.line != request.line.n)
        assert judge(exchange, asked_well=True).findings == of_reply
        told += len(of_reply)
    assert told >= 2


def test_an_id_that_cannot_be_read_is_charged_to_the_request_and_not_to_its_echo() -> None:
    asked = '>> raw {"type":"query","id":5,"query":{"goal":"g","max_frames":1,"max_tokens":1}}\n'
    echo = '<< raw {"type":"error","id":5,"message":5,"code":"bad_request"}'
    found = [(one.line, one.path) for one in tell(OPEN + asked + echo).findings if one.anchor == "SHAPE"]
    assert found == [(3, "/id"), (4, "/message")]


def test_a_remark_says_what_came_out_about_an_earlier_line() -> None:
    session = Session(1, itertools.count(1))
    raw = b'{"type":"shutdown"}'
    session.feed(Seen(Line(1, 1, "host", 0.0, raw), decode(raw)))
    session.feed(Exit(t=0, connection=1, code=3, signal=None))
    (remark,) = session.remarks
    assert [(found.anchor, found.line, found.found) for found in judge_remark(remark)] == [("R2", 1, "exit status 3")]


@pytest.mark.parametrize(
    ("members", "appraised"),
    [
        ({}, False),
        ({"frames": [{**frame("a"), "attestation": {}}]}, True),
        ({"frame_attestations": [{"frame": {"provider_id": "docs", "frame_id": "a"}}]}, True),
        ({"result_attestation": dict.fromkeys(ProvenanceAttestation.__struct_fields__, "x")}, True),
    ],
)
def test_an_answer_without_any_evidence_is_appraised_only_where_that_is_wanted(
    members: dict[str, Any], appraised: bool
) -> None:
    result = {"frames": [frame("a")], "truncated": False, **members}
    raw = json.dumps({"type": "frames", "id": "q1", "result": result}).encode()
    (*_, exchange) = tell(f"{OPEN}>> query q1\n<< raw {raw.decode()}").changes
    assert bool(judge(exchange, unsigned=False).appraisals) == appraised
    assert judge(exchange, unsigned=False).findings == judge(exchange).findings
    assert judge(exchange).appraisals
