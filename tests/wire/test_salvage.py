"""Faults in words: each names its member by pointer and says in plain English what was expected."""

from __future__ import annotations

import json
from typing import Any

import pytest

from cgp_tui import limits
from cgp_tui.protocol.envelope import Envelope, Frames, Verified
from cgp_tui.protocol.frame import ContextFrame
from cgp_tui.protocol.query import ContextQuery
from cgp_tui.wire.decode import decode
from cgp_tui.wire.line import Decoded
from cgp_tui.wire.ranges import TYPE_OF, U32, within_u32

QUERY: dict[str, Any] = {"goal": "g", "max_frames": 1, "max_tokens": 1}

SAID: list[tuple[dict[str, Any], str, str]] = [
    ({"goal": 1}, "/query/goal", "a string is expected, 1 was found"),
    ({"goal": None}, "/query/goal", "a string is expected, null was found"),
    ({"max_frames": 1.5}, "/query/max_frames", "a whole number is expected, 1.5 was found"),
    ({"max_frames": True}, "/query/max_frames", "a whole number is expected, true was found"),
    ({"max_frames": U32 + 1}, "/query/max_frames", "a whole number from 0 to 4294967295 is expected, 4294967296 was found"),
    ({"query_text": []}, "/query/query_text", "a string or null is expected, an array was found"),
    ({"kinds": None}, "/query/kinds", "an array is expected, null was found"),
    ({"kinds": ["a", {}]}, "/query/kinds/1", "a string is expected, an object was found"),
    (
        {"anchors": ["a", "b", "\ud800"]},
        "/query/anchors",
        "the text holds half a surrogate pair, which is not a Unicode character",
    ),
    ({"embedding": [1, "x"]}, "/query/embedding/1", "a number is expected, a string was found"),
]


HALVES: list[tuple[bytes, str, str, str]] = [
    (b'{"type":"query","query":7}', "/query", "an object with goal (a string), max_frames, max_tokens (whole numbers)", "7"),
    (b'{"type":"query"}', "/query", "an object with goal (a string), max_frames, max_tokens (whole numbers)", "nothing"),
    (b'{"type":"frames","result":{"frames":{},"truncated":"no"}}', "/result/truncated", "true or false", "a string"),
    (
        b'{"type":"verify","request":{"frames":[null]}}',
        "/request/frames/0",
        "an object with provider_id, frame_id (strings)",
        "null",
    ),
    (b'{"type":"error","message":"","message":""}', "/message", "`message` once", "`message` is given more than once"),
    (
        b'{"type":"error","message":"\\ud800"}',
        "/message",
        "a string",
        "half a surrogate pair, which is not a Unicode character",
    ),
]


@pytest.mark.parametrize(("raw", "path", "expected", "found"), HALVES, ids=[row[1] + row[3] for row in HALVES])
def test_a_fault_says_what_belongs_there_and_what_is_there(raw: bytes, path: str, expected: str, found: str) -> None:
    fault = next(fault for fault in decode(raw).faults if fault.path == path)
    assert (fault.expected, fault.found, fault.missing) == (expected, found, found == "nothing")


@pytest.mark.parametrize(("members", "path", "detail"), SAID, ids=[row[2][:40] + row[1] for row in SAID])
def test_a_fault_is_said_in_words(members: dict[str, Any], path: str, detail: str) -> None:
    decoded = decode(json.dumps({"type": "query", "query": {**QUERY, **members}}).encode())
    assert [(fault.code, fault.path, fault.detail) for fault in decoded.faults] == [("shape", path, detail)]


def test_a_number_beyond_a_double_is_out_of_range() -> None:
    raw = json.dumps({"type": "query", "query": {**QUERY, "embedding": [0.5]}}).replace("0.5", "1e999").encode()
    (fault,) = decode(raw).faults
    assert (fault.path, fault.detail) == ("/query/embedding/0", "a number is expected, a number out of range was found")


def test_a_bad_verdict_costs_no_other_one() -> None:
    identity = {"provider_id": "p", "frame_id": "f"}
    verdicts = [{"frame": identity, "status": "valid"}, {"frame": identity}, {"frame": identity, "status": "gone"}]
    decoded = decode(json.dumps({"type": "verified", "response": {"verdicts": verdicts}}).encode())
    assert isinstance(decoded.envelope, Verified)
    assert [one.status for one in decoded.envelope.response.verdicts] == ["valid", "gone"]
    assert [(fault.path, fault.detail) for fault in decoded.faults] == [
        ("/response/verdicts/1/status", "`status` is missing")
    ]


def test_every_missing_member_is_named() -> None:
    faults = decode(b'{"type":"query","query":{}}').faults
    assert [(fault.path, fault.detail) for fault in faults] == [
        (f"/query/{name}", f"`{name}` is missing") for name in ("goal", "max_frames", "max_tokens")
    ]


def test_every_message_has_its_type() -> None:
    assert set(TYPE_OF) == set(Envelope.__args__)
    assert sorted(TYPE_OF.values()) == sorted(
        ["handshake", "handshake_ack", "query", "frames", "verify", "verified", "shutdown", "error"]
    )


def test_ranges_are_those_of_the_struct_itself() -> None:
    assert within_u32(ContextQuery(goal="", max_frames=0, max_tokens=U32))
    assert not within_u32(ContextQuery(goal="", max_frames=0, max_tokens=U32 + 1))
    frame = ContextFrame(id="f", kind="k", title="t", score=0.0, token_cost=0)
    assert within_u32(frame)
    assert not within_u32(ContextFrame(id="f", kind="k", title="t", score=0.0, token_cost=0, canonical_token_cost=-1))
    assert within_u32("a value that has no such members")


FRAME = {"id": "f", "kind": "doc", "title": "T", "score": 0.5, "token_cost": 1}
HALF = "\ud800"


def frames(*made: Any, **result: Any) -> bytes:
    return json.dumps({"type": "frames", "result": {"frames": made, "truncated": False, **result}}).encode()


def told(decoded: Decoded) -> list[tuple[str, str]]:
    return [(fault.code, fault.path) for fault in decoded.faults]


@pytest.mark.parametrize(
    ("raw", "type_", "id_", "faults"),
    [
        (b"[]", None, None, [("not_one_object", "")]),
        (b'{"id":"q"}', None, "q", [("no_type", "")]),
        (b'{"id":"q","type":7}', None, "q", [("no_type", "/type")]),
        (b'{"id":"q","type":"query","type":"query"}', None, "q", [("duplicate_member", "/type")]),
        (b'{"id":"q","type":"later","type_":1}', "later", "q", []),
        (b'{"id":"\\ud800","type":"later"}', "later", None, []),
        (b'{"type":"query","query":5}', "query", None, [("shape", "/query")]),
        (b'{"type":"query","query":null}', "query", None, [("shape", "/query")]),
        (b'{"type":"verify","request":{"frames":5}}', "verify", None, [("shape", "/request/frames")]),
    ],
)
def test_a_line_that_is_no_message_says_what_it_can(
    raw: bytes, type_: str | None, id_: str | None, faults: list[tuple[str, str]]
) -> None:
    decoded = decode(raw)
    assert (decoded.type, decoded.id, decoded.envelope, told(decoded)) == (type_, id_, None, faults)


def test_frames_that_can_be_read_stay_at_their_places_and_the_others_keep_their_bytes() -> None:
    bad = {**FRAME, "id": "bad", "title": 5}
    raw = frames(FRAME, bad, {**FRAME, "token_cost": U32 + 1}, 5, {**FRAME, "id": "last"})
    decoded = decode(raw)
    assert isinstance(decoded.envelope, Frames)
    assert [one.id for one in decoded.envelope.result.frames] == ["f", "last"]
    assert decoded.places == (0, 4)
    assert decoded.faults == ()
    assert [(one.place, one.frame_id, [fault.path for fault in one.faults]) for one in decoded.bad_frames] == [
        (1, "bad", ["/result/frames/1/title"]),
        (2, "f", ["/result/frames/2/token_cost"]),
        (3, None, ["/result/frames/3"]),
    ]
    assert [json.loads(one.raw) for one in decoded.bad_frames] == [bad, {**FRAME, "token_cost": U32 + 1}, 5]


def test_half_a_pair_spoils_its_own_string_and_names_nothing() -> None:
    decoded = decode(frames({**FRAME, "title": HALF}, {**FRAME, "id": HALF}, {**FRAME, "x": HALF}))
    assert isinstance(decoded.envelope, Frames)
    assert decoded.places == (2,)
    assert [(one.frame_id, one.faults[0].path) for one in decoded.bad_frames] == [
        ("f", "/result/frames/0/title"),
        (None, "/result/frames/1/id"),
    ]
    assert b"\\ud800" in decoded.bad_frames[0].raw, "its bytes are those of the line"


def test_a_member_given_twice_is_nobodys_claim_but_an_unknown_one_may_be() -> None:
    raw = frames(FRAME, FRAME).replace(b'"id": "f"', b'"id": "f", "id": "g"', 1)
    decoded = decode(raw)
    (bad,) = decoded.bad_frames
    assert (bad.frame_id, bad.faults[0].code, bad.faults[0].path) == (None, "duplicate_member", "/result/frames/0/id")
    harmless = frames(FRAME, {**FRAME, "title": 5}).replace(b'"id": "f"', b'"x": 1, "x": 2, "id": "f"', 1)
    assert decode(harmless).places == (0,)


@pytest.mark.parametrize(
    ("member", "value", "path"),
    [
        ("frame_attestations", 5, "/result/frame_attestations"),
        ("result_attestation", 5, "/result/result_attestation"),
        ("frame_attestations", [5], "/result/frame_attestations/0"),
        (
            "frame_attestations",
            [{"frame": {"provider_id": "p", "frame_id": 1}}],
            "/result/frame_attestations/0/frame/frame_id",
        ),
    ],
)
def test_evidence_that_cannot_be_read_is_left_out_and_costs_no_frame(member: str, value: Any, path: str) -> None:
    decoded = decode(frames(FRAME, **{member: value}))
    assert isinstance(decoded.envelope, Frames)
    assert len(decoded.envelope.result.frames) == 1
    assert getattr(decoded.envelope.result, member) in ((), None)
    assert told(decoded) == [("shape", path)]
    assert decoded.places is None


@pytest.mark.parametrize("value", [-1, "x", U32 + 1])
def test_what_an_answer_needs_or_says_wrongly_refuses_it(value: Any) -> None:
    decoded = decode(frames(FRAME, dropped_estimate=value))
    assert (decoded.envelope, told(decoded)) == (None, [("shape", "/result/dropped_estimate")])


def test_after_so_many_bad_parts_the_rest_is_not_looked_at(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "BAD_PARTS", 3)
    few = decode(frames(5, 5, FRAME))
    assert isinstance(few.envelope, Frames)
    many = decode(frames(5, 5, 5, FRAME))
    assert (many.envelope, told(many), len(many.bad_frames)) == (None, [("shape", "/result/frames")], 3)


def test_an_object_of_too_many_members_doubles_what_it_has_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    crowd = {f"x{number}": 0 for number in range(4)}
    raw = frames({**FRAME, **crowd, "title": 5})
    monkeypatch.setattr(limits, "OBJECT_MEMBERS", len(FRAME) + 4)
    assert [fault.code for fault in decode(raw).bad_frames[0].faults] == ["shape"]
    monkeypatch.setattr(limits, "OBJECT_MEMBERS", len(FRAME) + 3)
    assert {fault.code for fault in decode(raw).bad_frames[0].faults} == {"duplicate_member"}


def test_numbers_at_their_bounds_are_no_fault_beside_one_that_is() -> None:
    for low, high in ((0, U32), (U32, 0)):
        decoded = decode(
            json.dumps({"type": "query", "query": {**QUERY, "goal": 1, "max_frames": low, "max_tokens": high}}).encode()
        )
        assert [fault.path for fault in decoded.faults] == ["/query/goal"]
