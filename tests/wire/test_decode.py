"""Strict decoding: what is refused as a whole, what only in part, and what is no fault at all."""

from __future__ import annotations

import json
from importlib import import_module
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cgp_tui import limits
from cgp_tui.protocol.envelope import Frames, HandshakeAck, Query, Shutdown, Verified
from cgp_tui.wire import peek, portions, skeleton
from cgp_tui.wire.decode import decode, glance, text_fault
from cgp_tui.wire.line import Decoded
from cgp_tui.wire.memo import FrameMemo

GOOD: dict[str, Any] = {"id": "good", "kind": "doc", "title": "T", "score": 0.5, "token_cost": 1, "content": "x"}
MANY_BRACES = "{[" * 50


def frame(**members: Any) -> str:
    return json.dumps({**GOOD, "id": "bad", **members})


def answer(*frames: str, outer: str = "", inner: str = "") -> bytes:
    """A frames line with its frames as JSON text, and more members for the line and for the result."""
    return (
        f'{{"type":"frames","result":{{"frames":[{",".join(frames)}],"truncated":false{inner}}},"id":"q1"{outer}}}'.encode()
    )


def codes(decoded: Decoded) -> list[tuple[str, str]]:
    return [(fault.code, fault.path) for fault in decoded.faults]


def kept(decoded: Decoded) -> list[str]:
    assert isinstance(decoded.envelope, Frames)
    return [one.id for one in decoded.envelope.result.frames]


NEST = limits.JSON_DEPTH - 1

REFUSED: list[tuple[str, bytes, str]] = [
    ("bytes that are not UTF-8", b'{"type":"error","message":"\xff"}', "invalid_utf8"),
    ("an overlong form", b'{"type":"error","message":"\xc0\xae"}', "invalid_utf8"),
    ("a surrogate in UTF-8", b'{"type":"error","message":"\xed\xa0\x80"}', "invalid_utf8"),
    ("bad bytes in an unknown member", b'{"type":"shutdown","x":"\xff"}', "invalid_utf8"),
    ("UTF-16", '{"type":"shutdown"}'.encode("utf-16"), "invalid_utf8"),
    ("a byte order mark", b'\xef\xbb\xbf{"type":"shutdown"}', "not_json"),
    ("nothing", b"", "not_json"),
    ("blanks", b" \t\r", "not_json"),
    ("a raw NUL", b'{"type":"shut\x00down"}', "not_json"),
    ("a torn line", b'{"type":"shutdown"', "not_json"),
    ("two lines welded", b'{"type":"error","message":"fir{"type":"error"}', "not_json"),
    ("NaN", answer(frame(score=float("nan"))), "not_json"),
    ("-Infinity", answer(frame(score=float("-inf"))), "not_json"),
    ("NaN in an unknown member", b'{"type":"shutdown","x":NaN}', "not_json"),
    ("garbage behind an object", b'{"type":"shutdown"} x', "not_json"),
    ("two objects", b'{"type":"shutdown"} {"type":"shutdown"}', "not_one_object"),
    ("an array", b'["shutdown"]', "not_one_object"),
    ("null", b"null", "not_one_object"),
    ("a string", b'"shutdown"', "not_one_object"),
    ("no type", b'{"id":"x"}', "no_type"),
    ("a number for a type", b'{"type":1}', "no_type"),
    ("a type doubled", b'{"type":"error","type":"shutdown","message":"m"}', "duplicate_member"),
    ("a type doubled by an escape", b'{"type":"shutdown","\\u0074ype":"shutdown"}', "duplicate_member"),
    ("one level too deep", b'{"type":"shutdown","x":' + b"[" * (NEST + 1) + b"]" * (NEST + 1) + b"}", "too_deep"),
    ("far too deep", b'{"type":"shutdown","x":' + b"[" * 100_000 + b"]" * 100_000 + b"}", "too_deep"),
    ("far too deep and open", b"[" * 100_000, "too_deep"),
    ("too deep and open", b'{"type":"shutdown","x":' + b"[" * 70, "too_deep"),
    ("open, but not too deep", b'{"type":"shutdown","x":' + b"[]" * 70 + b"[" * 20, "not_json"),
    ("deep behind brackets in text", answer(frame(content=MANY_BRACES), outer=',"x":' + "[" * 64 + "]" * 64), "too_deep"),
    ("too many halves of pairs", b'{"type":"error","message":"' + rb"\ud800" * 1001 + b'"}', "shape"),
]


@pytest.mark.parametrize(("raw", "code"), [row[1:] for row in REFUSED], ids=[row[0] for row in REFUSED])
def test_a_line_refused_as_a_whole(raw: bytes, code: str) -> None:
    decoded = decode(raw)
    assert decoded.envelope is None
    assert [fault.code for fault in decoded.faults] == [code]
    assert decoded.faults[0].detail


ACCEPTED: list[tuple[str, bytes]] = [
    ("blanks around and CR", b' \t{"type":"shutdown"}\r'),
    ("blanks within", b'{ "type" : "shutdown" }'),
    ("an escaped name", b'{"\\u0074ype":"shutdown"}'),
    ("unknown members, doubled", b'{"type":"shutdown","x":1,"x":2}'),
    ("an unknown member named by an escape", b'{"type":"shutdown","\\u0078":1,"x":2}'),
    ("an unknown number beyond a double", b'{"type":"shutdown","x":1e400}'),
    ("an unknown half of a pair", b'{"type":"shutdown","x":"\\ud800"}'),
    ("as deep as may be", b'{"type":"shutdown","x":' + b"[" * NEST + b"]" * NEST + b"}"),
    ("deep text", json.dumps({"type": "shutdown", "x": "[" * 99}).encode()),
    ("many brackets side by side", json.dumps({"type": "shutdown", "x": [[]] * 99}).encode()),
    ("200,000 unknown members", b'{"type":"shutdown"' + b"".join(b',"k%d":1' % k for k in range(200_000)) + b"}"),
    ("a megabyte of one unknown name", b'{"type":"shutdown"' + b',"k":1' * 200_000 + b"}"),
]


@pytest.mark.parametrize("raw", [row[1] for row in ACCEPTED], ids=[row[0] for row in ACCEPTED])
def test_a_line_that_is_no_fault(raw: bytes) -> None:
    decoded = decode(raw)
    assert decoded == Decoded("shutdown", None, Shutdown(), extras=decoded.extras)


@pytest.mark.parametrize("spelled", ["Shutdown", "frames\x00", "later", ""])
def test_an_unknown_type_is_no_fault_and_no_message(spelled: str) -> None:
    raw = json.dumps({"type": spelled, "id": "x"}).encode()
    assert decode(raw) == Decoded(spelled, "x", None)


BAD_FRAMES: list[tuple[str, str, str, str]] = [
    *[
        (
            f"token_cost {cost}",
            frame(token_cost=0).replace('"token_cost": 0', f'"token_cost": {cost}'),
            "shape",
            "token_cost",
        )
        for cost in (
            "4294967296",
            "9007199254740993",
            "18446744073709551616",
            "-1",
            "1.0",
            "true",
            "null",
            '"1"',
            "9" * 5000,
        )
    ],
    ("a full cost out of range", frame(canonical_token_cost=4294967296), "shape", "canonical_token_cost"),
    *[
        (f"score {score}", frame(score=0).replace('"score": 0', f'"score": {score}'), "shape", "score")
        for score in ("1e400", "-1e400", "true", "null", '"1"')
    ],
    ("half a pair in a title", frame(title="\ud800"), "shape", "title"),
    ("half a pair in a list", frame(relations=[{"rel": "\udc00", "target_uri": "u"}]), "shape", "relations/0/rel"),
    ("a title doubled", frame().replace('"title"', '"title": "A", "title"'), "duplicate_member", "title"),
    ("a title doubled by an escape", frame().replace('"title"', '"t\\u0069tle": "A", "title"'), "duplicate_member", "title"),
    ("no title", frame().replace('"title"', '"titel"'), "shape", "title"),
    ("a list for null", frame(provenance=None), "shape", "provenance"),
    ("a link without a type", frame(provenance=[{}, {"type": "file"}]), "shape", "provenance/0/type"),
    (
        "a link doubling its uri",
        frame(provenance=[{"type": "file", "u": 1}]).replace('"u"', '"uri": "a", "uri"'),
        "duplicate_member",
        "provenance/0/uri",
    ),
]


@pytest.mark.parametrize(("text", "code", "member"), [row[1:] for row in BAD_FRAMES], ids=[row[0] for row in BAD_FRAMES])
@pytest.mark.parametrize("place", [0, 1, 2])
def test_a_bad_frame_never_costs_its_siblings(text: str, code: str, member: str, place: int) -> None:
    frames = [json.dumps({**GOOD, "id": f"g{at}"}) for at in range(2)]
    frames.insert(place, text)
    decoded = decode(answer(*frames))
    assert kept(decoded) == ["g0", "g1"]
    assert [decoded.place(index) for index in range(2)] == [at for at in range(3) if at != place]
    assert decoded.faults == ()
    (bad,) = decoded.bad_frames
    assert (bad.place, bad.frame_id, bad.raw.decode()) == (place, "bad", text)
    assert (code, f"/result/frames/{place}/{member}") in [(fault.code, fault.path) for fault in bad.faults]


@pytest.mark.parametrize("ident", ["1", "null", '"\\ud800"', '"a", "id": "b"'])
def test_a_frame_whose_id_cannot_be_told_has_none(ident: str) -> None:
    decoded = decode(answer(frame().replace('"bad"', ident), json.dumps(GOOD)))
    assert [bad.frame_id for bad in decoded.bad_frames] == [None]
    assert kept(decoded) == ["good"]


@pytest.mark.parametrize("value", ["3", "null", "[]", '"frame"'])
def test_what_is_no_frame_at_all_is_one_bad_frame(value: str) -> None:
    decoded = decode(answer(value, json.dumps(GOOD)))
    assert kept(decoded) == ["good"]
    assert [(bad.place, bad.frame_id) for bad in decoded.bad_frames] == [(0, None)]


ENTRY = '{"frame":{"provider_id":"p","frame_id":"good"}}'
SIGNATURE = '{"signed_commitment":"c","key_id":"k","algorithm":"a","attester_id":"t","signature":"s","issued_at":"i"}'


def test_bad_evidence_costs_no_frame() -> None:
    evidence = f',"frame_attestations":[{{}},{ENTRY},{{"frame":3}}],"result_attestation":{{}}'
    decoded = decode(answer(json.dumps(GOOD), inner=evidence))
    assert kept(decoded) == ["good"]
    assert isinstance(decoded.envelope, Frames)
    assert [entry.frame.frame_id for entry in decoded.envelope.result.frame_attestations] == ["good"]
    assert decoded.envelope.result.result_attestation is None
    paths = {path for _, path in codes(decoded)}
    assert {"/result/frame_attestations/0/frame", "/result/frame_attestations/2/frame"} <= paths
    assert "/result/result_attestation/signature" in paths


def test_evidence_given_twice_is_left_out() -> None:
    twice = f',"result_attestation":{SIGNATURE},"result_attestation":{SIGNATURE}'
    decoded = decode(answer(json.dumps(GOOD), inner=twice))
    assert kept(decoded) == ["good"]
    assert isinstance(decoded.envelope, Frames)
    assert decoded.envelope.result.result_attestation is None
    assert codes(decoded) == [("duplicate_member", "/result/result_attestation")]


def test_one_bad_verdict_and_one_bad_key_are_left_out() -> None:
    verdict = '{"frame":{"provider_id":"p","frame_id":"f"},"status":"valid"}'
    verified = decode(f'{{"type":"verified","response":{{"verdicts":[{verdict},{{}}]}}}}'.encode())
    assert isinstance(verified.envelope, Verified)
    assert [one.status for one in verified.envelope.response.verdicts] == ["valid"]
    key = '{"key_id":"k","algorithm":"a","public_key":"p"}'
    provider = '"provider":{"name":"n","version":"v","data_flow":{}},"capabilities":{}'
    ack = decode(f'{{"type":"handshake_ack","protocol_version":"v",{provider},"attester_keys":[{key},{{}}]}}'.encode())
    assert isinstance(ack.envelope, HandshakeAck)
    assert [one.key_id for one in ack.envelope.attester_keys] == ["k"]
    assert {code for code, _ in codes(verified) + codes(ack)} == {"shape"}


NO_MESSAGE: list[tuple[str, bytes, str, str]] = [
    ("an id that is a number", answer().replace(b'"q1"', b"1"), "shape", "/id"),
    ("an id doubled", answer(outer=',"id":"q2"'), "duplicate_member", "/id"),
    ("frames doubled", answer(inner=',"frames":[]'), "duplicate_member", "/result/frames"),
    ("no truncated", answer().replace(b'"truncated"', b'"cut"'), "shape", "/result/truncated"),
    ("frames that are no list", answer().replace(b"[]", b"{}"), "shape", "/result/frames"),
    ("an estimate out of range", answer(inner=',"dropped_estimate":4294967296'), "shape", "/result/dropped_estimate"),
    ("an error without a message", b'{"type":"error","id":"q1"}', "shape", "/message"),
    (
        "max_frames out of range",
        b'{"type":"query","query":{"goal":"g","max_frames":-1,"max_tokens":1}}',
        "shape",
        "/query/max_frames",
    ),
    (
        "max_tokens out of range",
        b'{"type":"query","query":{"goal":"g","max_frames":1,"max_tokens":4294967296}}',
        "shape",
        "/query/max_tokens",
    ),
    (
        "a kind that is no string",
        b'{"type":"query","query":{"goal":"g","max_frames":1,"max_tokens":1,"kinds":["a",3]}}',
        "shape",
        "/query/kinds/1",
    ),
]


@pytest.mark.parametrize(("raw", "code", "path"), [row[1:] for row in NO_MESSAGE], ids=[row[0] for row in NO_MESSAGE])
def test_a_message_without_a_part_it_needs_is_none(raw: bytes, code: str, path: str) -> None:
    decoded = decode(raw)
    assert decoded.envelope is None
    assert codes(decoded) == [(code, path)]
    assert decoded.type == json.loads(raw)["type"]


def test_type_and_id_are_read_wherever_they_can_be() -> None:
    bad_text = decode(b'{"id":"q1","type":"error","message":"\xff"}')
    assert (bad_text.type, bad_text.id) == ("error", "q1")
    deep = decode(b'{"id":"q1","type":"error","message":"m","x":' + b"[" * 70 + b"]" * 70 + b"}")
    assert (deep.type, deep.id) == ("error", "q1")
    lacking = decode(b'{"type":"error","id":"q1"}')
    assert (lacking.type, lacking.id) == ("error", "q1")


def test_numbers_at_their_edges() -> None:
    decoded = decode(answer(frame(id="a", score=-0.0), frame(id="b", score=1, token_cost=4294967295)))
    assert kept(decoded) == ["a", "b"]
    query = decode(b'{"type":"query","query":{"goal":"","max_frames":0,"max_tokens":4294967295}}').envelope
    assert isinstance(query, Query)
    assert (query.query.max_frames, query.query.max_tokens) == (0, 4294967295)


def test_faults_without_end_are_cut_off() -> None:
    decoded = decode(answer(*["{}"] * (limits.BAD_PARTS + 500)))
    assert decoded.envelope is None
    assert len(decoded.bad_frames) == limits.BAD_PARTS
    assert codes(decoded) == [("shape", "/result/frames")]


def test_an_object_without_end_is_not_searched_for_doubled_members() -> None:
    raw = b'{"type":"shutdown"' + b',"\\u006b":1' * (limits.OBJECT_MEMBERS + 1) + b"}"
    assert codes(decode(raw)) == [("duplicate_member", "/type")]


@pytest.mark.parametrize("where", ['"type":"frames"', '"score"'])
def test_members_that_nobody_knows_are_no_fault_however_many_they_are(where: str) -> None:
    """U1: a line may hold more of them than are looked at one by one."""
    many = ",".join(f'"k{number}":1' for number in range(limits.OBJECT_MEMBERS + 1))
    line = answer(frame(id="a"), frame(id="b")).decode()
    sound = decode(line.replace(where, f"{many},{where}", 1).encode())
    assert (kept(sound), sound.faults, sound.bad_frames) == (["a", "b"], (), ())
    assert sound.extras


def test_nor_do_they_make_a_frame_a_bad_one_beside_one_that_is() -> None:
    many = ",".join(f'"k{number}":1' for number in range(limits.OBJECT_MEMBERS + 1))
    line = answer(frame(id="a"), frame(id="b", score="x")).decode()
    decoded = decode(line.replace('"score"', f'{many},"score"', 1).encode())
    assert kept(decoded) == ["a"]
    assert [bad.place for bad in decoded.bad_frames] == [1]


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(sorted(GOOD)) | st.text(), inner, max_size=3)
    ),
    max_leaves=6,
)
envelopes = st.builds(
    lambda kind, rest: json.dumps({"type": kind, **rest}).encode(),
    st.sampled_from(["handshake", "handshake_ack", "query", "frames", "verify", "verified", "shutdown", "error", "x"]),
    st.dictionaries(
        st.sampled_from(["id", "result", "query", "request", "response", "message", "code", "provider"]), json_values
    ),
)


@given(
    st.binary(max_size=80)
    | envelopes
    | st.builds(lambda raw, at: raw[: at % (len(raw) + 1)], envelopes, st.integers(0, 999))
)
def test_nothing_makes_it_raise(raw: bytes) -> None:
    decoded = decode(raw)
    assert decoded.envelope is not None or decoded.faults or decoded.type is not None


clean = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
frames = st.fixed_dictionaries(
    {"id": clean, "kind": clean, "title": clean, "score": st.floats(0, 1), "token_cost": st.integers(0, 0xFFFF_FFFF)},
    optional={
        "content": clean | st.just(MANY_BRACES),
        "uri": st.none() | clean,
        "provenance": st.lists(st.fixed_dictionaries({"type": clean}, optional={"uri": st.none() | clean}), max_size=3),
        "embedding": st.fixed_dictionaries({"fingerprint": clean, "vector": st.lists(st.floats(-9, 9), max_size=3)}),
        "x-unknown": st.lists(clean, max_size=3),
    },
)


@given(st.lists(frames, max_size=4), st.booleans(), st.booleans(), st.booleans())
def test_every_spelling_of_a_good_answer_is_the_same_answer(
    made: list[Any], ascii_only: bool, spaced: bool, unknown: bool
) -> None:
    value = {"type": "frames", "id": "q", "result": {"frames": made, "truncated": False}, **({"x": made} if unknown else {})}
    raw = json.dumps(value, ensure_ascii=ascii_only, separators=None if spaced else (",", ":")).encode()
    decoded = decode(raw)
    assert decoded == Decoded("frames", "q", msgspec.json.decode(raw, type=Frames), extras=decoded.extras)
    if unknown or any("x-unknown" in one for one in made):
        assert decoded.extras
    elif not spaced and not ascii_only:
        assert not decoded.extras


def told(raw: bytes) -> Decoded:
    """What a line says, whether or not unknown members were looked for."""
    return msgspec.structs.replace(decode(raw), extras=True)


LINES = [row[:2] for row in REFUSED] + ACCEPTED


@pytest.mark.parametrize("raw", [row[1] for row in LINES], ids=[row[0] for row in LINES])
def test_at_a_glance_a_line_says_the_same(raw: bytes) -> None:
    assert msgspec.structs.replace(glance(raw), extras=True) == told(raw)


@given(st.lists(frames, max_size=4), st.booleans(), st.none() | st.integers(0, 0xFFFF_FFFF + 9), st.booleans(), st.data())
def test_so_does_an_answer_with_a_doubled_member_or_a_number_out_of_range(
    made: list[Any], spaced: bool, cost: int | None, doubled: bool, data: st.DataObject
) -> None:
    texts = [json.dumps(one, separators=None if spaced else (",", ":")) for one in made]
    if made and doubled:
        name = data.draw(st.sampled_from(sorted(made[0])))
        texts[0] = f"{texts[0][:-1]},{json.dumps(name)}:{json.dumps(made[0][name])}}}"
    raw = answer(*texts, inner="" if cost is None else f',"dropped_estimate":{cost}')
    assert msgspec.structs.replace(glance(raw), extras=True) == told(raw)


def test_at_a_glance_nothing_is_made_ready_for_a_type() -> None:
    skeleton._decoder.cache_clear()
    assert glance(answer(frame())).envelope is not None
    assert skeleton._decoder.cache_info().currsize == 0


def test_a_glance_does_not_say_that_there_are_no_unknown_members() -> None:
    assert glance(answer(frame())).extras and not decode(answer(frame())).extras


@given(st.lists(frames, min_size=1, max_size=4), st.data())
def test_one_doubled_member_refuses_one_frame(made: list[Any], data: st.DataObject) -> None:
    place = data.draw(st.integers(0, len(made) - 1))
    name = data.draw(st.sampled_from(sorted(set(made[place]) - {"x-unknown"})))
    texts = [json.dumps(one) for one in made]
    texts[place] = f"{texts[place][:-1]}, {json.dumps(name)}: {json.dumps(made[place][name])}}}"
    decoded = decode(answer(*texts))
    assert isinstance(decoded.envelope, Frames)
    assert [(bad.place, bad.faults[0].code) for bad in decoded.bad_frames] == [(place, "duplicate_member")]
    assert [one.id for one in decoded.envelope.result.frames] == [one["id"] for at, one in enumerate(made) if at != place]


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ('{"a":[1,"x"]}', None),
        ("7", None),
        ('{"a":"\\ud83d\\ude00"}', None),
        ('{"a":"\\ud800"}', "shape"),
        ('{"\\ud800":1}', "shape"),
        ("[" * limits.JSON_DEPTH + "]" * limits.JSON_DEPTH, None),
        ("[" * (limits.JSON_DEPTH + 1) + "]" * (limits.JSON_DEPTH + 1), "too_deep"),
        ('{"a":}', "not_json"),
        ('{"a":1}{"a":1}', "not_one_object"),
    ],
)
def test_what_keeps_a_text_from_being_json(text: str, code: str | None) -> None:
    fault = text_fault(text.encode())
    assert (None if fault is None else fault.code) == code
    assert fault is None or (fault.path == "" and fault.detail)


def test_bytes_that_are_no_text_are_no_json() -> None:
    fault = text_fault(b'{"a":"\xff"}')
    assert fault is not None
    assert (fault.code, fault.detail) == ("invalid_utf8", "byte 7 of the line is not UTF-8")


def test_with_a_memo_a_line_says_the_same_and_its_frames_are_read_once() -> None:
    memo = FrameMemo()
    lines = [answer(frame(id="a"), frame(id="b")), answer(frame(id="a"), frame(title=5)), b'{"type":"shutdown"}', b"{{{"]
    compact = [msgspec.json.format(raw, indent=-1) if raw != b"{{{" else raw for raw in lines]
    assert [decode(raw, memo) for raw in compact] == [decode(raw) for raw in compact]
    first, again = (decode(compact[0], memo).envelope for _ in range(2))
    assert isinstance(first, Frames)
    assert isinstance(again, Frames)
    assert first.result.frames[0] is again.result.frames[0]


@pytest.mark.parametrize("begin", [b"", b"{", b'{"type":', b'{"type":"shutdown"}', b'{"type":"later","x":[' + b"1," * 300])
def test_a_long_line_that_is_no_json_is_given_to_no_parser_whole(begin: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    raw = begin + b" " * 900 + b"x"
    whole, seen = decode(raw), peek(raw)

    def bounded(parse: Any) -> Any:
        def parsed(text: Any) -> Any:
            assert len(text) <= 300
            return parse(text)

        return parsed

    for place, name in (("decode", "_ANY"), ("decode", "_TYPED"), ("peek", "_DECODE")):
        module = import_module(f"cgp_tui.wire.{place}")  # the room has functions of these names
        monkeypatch.setattr(module, name, bounded(getattr(module, name)))
    monkeypatch.setattr(limits, "SHELL_AT_ONCE_BYTES", 400)
    monkeypatch.setattr(portions, "PORTION", 100)
    assert decode(raw) == whole
    assert peek(raw) == seen
