"""Lines by themselves: which requirement an unreadable member breaks."""

from __future__ import annotations

import json
import time
from typing import Any

import pytest

from cgp_tui import limits
from cgp_tui.checks.line import ROWS, judge_faults
from cgp_tui.protocol.requirements import REQUIREMENTS, Finding
from cgp_tui.wire.decode import decode
from cgp_tui.wire.line import Line, Seen
from tests.checks.cases import brief
from tests.dialogue import frame, message


def judged(raw: bytes, exchange: int | None = 3) -> tuple[Finding, ...]:
    return judge_faults(Seen(Line(9, 1, "provider", 0.0, raw), decode(raw)), exchange)


def answer(*frames: Any, **result: Any) -> bytes:
    made = {"type": "frames", "result": {"frames": list(frames), "truncated": False, **result}}
    return json.dumps(made).encode()


def without(members: dict[str, Any], *names: str) -> dict[str, Any]:
    return {key: value for key, value in members.items() if key not in names}


GOOD = frame("f")
FILE = {"type": "file", "digest": 5}
SIGNED = {
    "signed_commitment": "x",
    "key_id": "k",
    "algorithm": "ed25519",
    "attester_id": "a",
    "signature": "00",
    "issued_at": "2026-01-01T00:00:00Z",
}
NAME = {"provider_id": "docs", "frame_id": "f"}
COMPACT = {"representation": "compact"}


class TestNoMessage:
    @pytest.mark.parametrize(
        ("raw", "path"),
        [
            (b"", ""),
            (b"hello", ""),
            (b'{"type":"frames","x":NaN}', ""),
            (b'\xff{"type":"shutdown"}', ""),
            (b'{"type":"error","message":"\xc0\xae"}', ""),
            (b"[]", ""),
            (b"null", ""),
            (b'{"type":"shutdown"}{"type":"shutdown"}', ""),
            (b"[" * 100_000, ""),
            (b"{}", ""),
            (b'{"type":7}', "/type"),
            (b'{"type":"error","type":"frames"}', "/type"),
            (b'\xef\xbb\xbf{"type":"shutdown"}', ""),
        ],
    )
    def test_is_env(self, raw: bytes, path: str) -> None:
        assert brief(judged(raw)) == [f"ENV {path}".strip()]

    def test_bytes_that_are_no_utf8_say_how_to_mend_the_output(self) -> None:
        (found,) = judged(b"\xff")
        assert "stdout is not UTF-8" in found.fix

    def test_it_is_charged_to_its_line_and_sender(self) -> None:
        (found,) = judged(b"junk")
        assert (found.line, found.exchange, found.party, found.frame_id) == (9, 3, "provider", None)

    def test_of_an_unknown_sender_nobody_is_accused(self) -> None:
        raw = b"junk"
        (found,) = judge_faults(Seen(Line(1, 1, None, 0.0, raw), decode(raw)))
        assert found.party is None

    def test_a_line_longer_than_the_wire_allows_is_advice(self) -> None:
        raw = json.dumps({"type": "shutdown", "pad": "x" * limits.LINE_BYTES}).encode()
        assert brief(judged(raw)) == ["ENV advice"]
        assert "within 16 MiB" in judged(raw)[0].fix


@pytest.mark.parametrize(
    "raw",
    [
        b'{"type":"shutdown"}',
        b'{"type":"later","id":5}',
        b'{"type":"Frames"}',
        b'{"type":"error","message":"","x":1,"x":2}',
        answer(GOOD),
        answer(),
    ],
)
def test_what_a_receiver_accepts_is_no_finding(raw: bytes) -> None:
    assert judged(raw) == ()


class TestMembers:
    @pytest.mark.parametrize(
        ("members", "expected"),
        [
            (without(GOOD, "score"), "F1 /score"),
            ({**GOOD, "score": "high"}, "F1 /score"),
            (without(GOOD, "title"), "F2 /title"),
            ({**GOOD, "title": 5}, "F2 /title"),
            ({**GOOD, "citation_label": []}, "F3 /citation_label"),
            ({**GOOD, "valid_from": 0}, "F4 /valid_from"),
            ({**GOOD, "valid_to": 0}, "F4 /valid_to"),
            ({**GOOD, "recorded_at": 0}, "F4 /recorded_at"),
            ({**GOOD, "provenance": [FILE]}, "F5 /provenance/0/digest"),
            ({**GOOD, "provenance": [{**FILE, "type": "derivation"}]}, "SHAPE /provenance/0/digest"),
            ({**GOOD, "content_digest": 5}, "D1 /content_digest"),
            ({**GOOD, "content": 5}, "P1 /content"),
            ({**GOOD, "transform": {"method": "m", "implementation": "i"}}, "P1 /transform/version"),
            ({**GOOD, **COMPACT, "content": 5}, "P2 /content"),
            ({**GOOD, **COMPACT, "canonical_content_hash": 5}, "P2 /canonical_content_hash"),
            ({**GOOD, "representation": "reference", "content_ref": {"uri": "x"}}, "P3 /content_ref/provider_id"),
            ({**GOOD, "representation": "hologram", "content": 5}, "SHAPE /content"),
            (without(GOOD, "token_cost"), "B3 /token_cost"),
            *(({**GOOD, "token_cost": cost}, "B3 /token_cost") for cost in (4_294_967_296, 2**53 + 1, 2**64, -1, 1.0, True)),
            ({**GOOD, "canonical_token_cost": -1}, "P4 /canonical_token_cost"),
            ({**GOOD, "relations": [{"rel": "r", "target_uri": "a:b", "display_name": 5}]}, "G1 /relations/0/display_name"),
            ({**GOOD, "relations": [{"rel": "r"}]}, "G2 /relations/0/target_uri"),
            ({**GOOD, "relations": None}, "SHAPE /relations"),
            (without(GOOD, "kind"), "SHAPE /kind"),
            ({**GOOD, "provenance": [{}]}, "SHAPE /provenance/0/type"),
            ({**GOOD, "title": "\ud800"}, "F2 /title"),
            ({**GOOD, "uri": "\ud800"}, "SHAPE /uri"),
            ("no object", "SHAPE"),
        ],
    )
    def test_the_row_that_speaks_of_a_frames_member_is_named(self, members: Any, expected: str) -> None:
        found = judged(answer(GOOD, members))
        anchor, _, path = expected.partition(" ")
        assert brief(found) == [f"{anchor} /result/frames/1{path}"]
        assert found[0].frame_id == ("f" if isinstance(members, dict) else None)

    def test_five_thousand_digits_are_out_of_range(self) -> None:
        raw = answer({**GOOD, "token_cost": "@"}).replace(b'"@"', b"9" * 5000)
        assert brief(judged(raw)) == ["B3 /result/frames/0/token_cost"]

    def test_a_number_beyond_all_range_is_no_score(self) -> None:
        raw = answer({**GOOD, "score": "@"}).replace(b'"@"', b"1e400")
        assert brief(judged(raw)) == ["F1 /result/frames/0/score"]

    def test_one_bad_frame_leaves_its_siblings(self) -> None:
        seen = decode(answer(GOOD, {"id": "bad"}, GOOD))
        assert len(seen.bad_frames) == 1
        found = judged(answer(GOOD, {"id": "bad"}, GOOD))
        assert [one.frame_id for one in found] == ["bad"] * len(found)
        assert {one.anchor for one in found} == {"SHAPE", "F1", "F2", "B3"}

    @pytest.mark.parametrize(
        ("spoken", "expected"),
        [
            ('ack {"protocol_version":1}', "H1 /protocol_version"),
            ('ack {"provider":{"version":"1","data_flow":{}}}', "H2 /provider/name"),
            ('ack {"provider":{"name":"n","version":1,"data_flow":{}}}', "H2 /provider/version"),
            ('ack {"provider":{"name":"n","version":"1","data_flow":{"egress":"no"}}}', "SHAPE /provider/data_flow/egress"),
            ('ack {"capabilities":{"verify":null}}', "SHAPE /capabilities/verify"),
            ('query q1 {"as_of":5}', "F4 /query/as_of"),
            ('query q1 {"max_frames":4294967296}', "SHAPE /query/max_frames"),
            ('query q1 {"max_tokens":-1}', "SHAPE /query/max_tokens"),
            ('query q1 {"goal":null}', "SHAPE /query/goal"),
            ('error q1 {"message":5}', "SHAPE /message"),
            ('frames - {"id":5}', "SHAPE /id"),
            ('frames q1 {"result":{"frames":[]}}', "SHAPE /result/truncated"),
            (
                'verified - {"response":{"verdicts":[{"frame":{"provider_id":"p","frame_id":"f"}}]}}',
                "V3 /response/verdicts/0/status",
            ),
        ],
    )
    def test_a_member_that_cannot_be_read_breaks_its_own_row_in_every_message(self, spoken: str, expected: str) -> None:
        assert brief(judged(message(spoken))) == [expected]

    def test_a_verdict_names_its_frame(self) -> None:
        verdict = {"frame": NAME, "status": "stale", "replacement_digest": 5}
        raw = json.dumps({"type": "verified", "response": {"verdicts": [verdict]}}).encode()
        (found,) = judged(raw)
        assert (found.anchor, found.frame_id) == ("V4", "f")

    def test_an_asked_identity_names_its_frame(self) -> None:
        raw = json.dumps({"type": "verify", "request": {"frames": [{"frame_id": "f"}]}}).encode()
        (found,) = judged(raw)
        assert (found.anchor, found.path, found.frame_id) == ("SHAPE", "/request/frames/0/provider_id", "f")


def halves(raw: bytes) -> list[tuple[str, str, str]]:
    return [(one.anchor, one.expected, one.found) for one in judged(raw)]


ACK = json.loads(message("ack"))


class TestHalves:
    """What belongs there and what is there, apart, for every fault."""

    def test_another_type(self) -> None:
        raw = json.dumps({**ACK, "provider": {"name": "n", "version": "1", "data_flow": "none"}}).encode()
        flow = "an object with reads, writes, egress (true or false)"
        assert halves(raw) == [("SHAPE", flow, "a string")]

    def test_every_missing_member_of_an_object_with_what_belongs_there(self) -> None:
        assert halves(b'{"type":"handshake_ack"}') == [
            ("H1", "a string", "nothing"),
            ("SHAPE", "an object with name, version (strings), data_flow (an object)", "nothing"),
            ("SHAPE", "an object with query (an object)", "nothing"),
        ]
        first, *others = judged(b'{"type":"handshake_ack"}')
        assert {one.message for one in (first, *others)} == {"A required member is missing."}
        assert "contextgraph/1.0" in first.fix and all("Send this member" in one.fix for one in others)

    def test_one_under_another_name_is_mended_by_its_name(self) -> None:
        members = {**without(GOOD, "score"), "Score": 0.5}
        (found,) = judged(answer(members))
        assert (found.anchor, found.expected, found.found) == ("F1", "a number", "nothing, but `Score` is there")
        assert found.fix == "Write `score` instead of `Score`."

    @pytest.mark.parametrize(
        ("members", "fix"),
        [
            ({**GOOD, "score": "0.9"}, "Write the value of `score` without quotation marks."),
            ({**GOOD, "token_cost": "1"}, "Write the value of `token_cost` without quotation marks."),
            ({**GOOD, "kind": None}, "Give `kind` a value instead of null, or leave it out where it is optional."),
            ({**GOOD, "kind": 5}, REQUIREMENTS["SHAPE"].fix),
            ({**GOOD, "title": 5}, REQUIREMENTS["F2"].fix),
            ({**GOOD, "token_cost": -1}, REQUIREMENTS["B3"].fix),
        ],
    )
    def test_the_fix_is_about_the_type_where_that_is_all_that_is_wrong(self, members: Any, fix: str) -> None:
        (found,) = judged(answer(members))
        assert found.fix == fix

    @pytest.mark.parametrize(
        ("raw", "expected"),
        [
            (b"\xff", "text in UTF-8"),
            (b"hello", "one JSON object"),
            (b"[]", "one JSON object"),
            (b"[" * 100, "at most 64 levels"),
            (b"{}", "a `type`, such as frames"),
            (b'{"type":"error","type":"frames"}', "each member once"),
        ],
    )
    def test_a_line_that_is_no_message(self, raw: bytes, expected: str) -> None:
        (found,) = judged(raw)
        assert found.expected == expected and found.found and "expected" not in found.found


class TestDoubled:
    def test_a_doubled_member_is_shape_even_where_a_row_speaks_of_it(self) -> None:
        raw = answer(GOOD).replace(b'"score": 0.5', b'"score":0.5,"sc\\u006fre":0.9')
        found = judged(raw)
        assert brief(found) == ["SHAPE /result/frames/0/score"]
        assert found[0].frame_id == "f"
        assert "twice" in found[0].fix or "once" in found[0].fix

    def test_a_doubled_unknown_member_is_nothing(self) -> None:
        assert judged(answer(GOOD).replace(b'"score"', b'"x":1,"x":2,"score"')) == ()


class TestEvidence:
    @pytest.mark.parametrize(
        ("entry", "expected"),
        [
            (5, "F11"),
            ({"attestation": SIGNED}, "F11 /frame"),
            ({"frame": {"frame_id": "f"}}, "F11 /frame/provider_id"),
            ({"frame": NAME, "attestation": without(SIGNED, "signed_commitment")}, "F7 /attestation/signed_commitment"),
            ({"frame": NAME, "attestation": {**SIGNED, "signature": 5}}, "6.5.4 /attestation/signature"),
            ({"frame": NAME, "attestation": {**SIGNED, "issued_at": 5}}, "SHAPE /attestation/issued_at"),
            ({"frame": NAME, "inclusion_proof": {"leaf_index": 0, "path": []}}, "F13 /inclusion_proof/leaf_count"),
        ],
    )
    def test_a_bad_entry_is_named_and_costs_no_frame(self, entry: Any, expected: str) -> None:
        raw = answer(GOOD, frame_attestations=[entry])
        anchor, _, path = expected.partition(" ")
        found = judged(raw)
        assert brief(found) == [f"{anchor} /result/frame_attestations/0{path}"]
        named = isinstance(entry, dict) and "frame" in entry
        assert found[0].frame_id == ("f" if named else None)
        envelope = decode(raw).envelope
        assert envelope is not None
        assert len(envelope.result.frames) == 1  # type: ignore[union-attr]

    @pytest.mark.parametrize(
        ("member", "anchor"), [("signed_commitment", "F12"), ("signature", "6.5.4"), ("key_id", "SHAPE")]
    )
    def test_a_bad_root_is_named(self, member: str, anchor: str) -> None:
        found = judged(answer(GOOD, result_attestation=without(SIGNED, member)))
        assert brief(found) == [f"{anchor} /result/result_attestation/{member}"]


def test_every_row_names_a_requirement() -> None:
    assert {row.anchor for row in ROWS} <= set(REQUIREMENTS)


def test_a_link_whose_type_cannot_be_read_is_held_like_a_file() -> None:
    found = judged(answer({**GOOD, "provenance": [{"type": 5, "digest": 5}]}))
    assert brief(found) == ["SHAPE /result/frames/0/provenance/0/type", "F5 /result/frames/0/provenance/0/digest"]


def test_beyond_a_thousand_bad_frames_the_answer_is_given_up() -> None:
    raw = answer(*[{"id": "bad"}] * 20_000)
    found = judged(raw)
    assert brief(found[:1]) == ["SHAPE /result/frames"]
    assert len(found) == 4 * limits.BAD_PARTS + 1


HALF_AND_HUGE = pytest.mark.parametrize("strange", ['"\\ud800"', "1e400", "9" * 5000], ids=["half", "huge", "long"])


@HALF_AND_HUGE
def test_what_no_value_holds_hides_nothing_of_the_rest_of_a_frame(strange: str) -> None:
    links = [{"type": "derivation", "digest": 5}, {"type": "file", "digest": 5}]
    raw = answer({**GOOD, **COMPACT, "content": 5, "provenance": links, "x": "@"}).replace(b'"@"', strange.encode())
    assert sorted(brief(judged(raw))) == [
        "F5 /result/frames/0/provenance/1/digest",
        "P2 /result/frames/0/content",
        "SHAPE /result/frames/0/provenance/0/digest",
    ]


@HALF_AND_HUGE
def test_nor_the_name_of_a_faulty_entry(strange: str) -> None:
    raw = answer(GOOD, frame_attestations=[{"frame": {"frame_id": "f"}, "x": "@"}]).replace(b'"@"', strange.encode())
    assert [found.frame_id for found in judged(raw)] == ["f"]
    raw = answer(GOOD, frame_attestations=[{"frame": {"frame_id": "@"}}]).replace(b'"@"', strange.encode())
    assert {found.frame_id for found in judged(raw)} == {None}


def test_a_frame_is_read_once_however_many_of_its_members_cannot_be() -> None:
    links = [FILE] * (limits.BAD_PARTS - 1)
    raw = answer({**GOOD, "provenance": links, "x": [{"a": 1}] * 100_000})
    began = time.process_time()
    assert len(judged(raw)) == limits.BAD_PARTS - 1
    assert time.process_time() - began < 3
