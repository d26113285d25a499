"""One frame at a time: each row with what breaks it, and what must never be accused."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cgp_tui import limits
from cgp_tui.checks.breach import Charge
from cgp_tui.checks.frame import ROWS, _chosen, _look, judge_frame, judge_frames
from cgp_tui.protocol.digest import sha256_digest
from cgp_tui.protocol.envelope import Frames
from cgp_tui.protocol.frame import ContextFrame
from cgp_tui.protocol.requirements import Finding
from cgp_tui.wire.decode import decode
from tests.checks.cases import brief
from tests.dialogue import frame

GOOD = sha256_digest(b"text")
HASH = f"sha256:{'ab' * 32}"
REF = {"provider_id": "docs", "uri": "context://1"}
TRANSFORM = {"method": "cut", "implementation": "x", "version": "1"}
COMPACT = {
    "representation": "compact",
    "content_digest": GOOD,
    "canonical_content_hash": HASH,
    "transform": TRANSFORM,
    "content_ref": REF,
}
REFERENCE = {
    "representation": "reference",
    "content": None,
    "token_cost": 0,
    "content_ref": REF,
    "canonical_content_hash": HASH,
}
BY_HANDLE = "6.4 advice /representation"
EDGE = {"rel": "code.calls", "target_uri": "file:///a", "display_name": "a"}


def read(members: dict[str, Any]) -> ContextFrame:
    """The frame as it comes off the wire."""
    line = {"type": "frames", "result": {"frames": [frame("f", members)], "truncated": False}}
    envelope = decode(json.dumps(line).encode()).envelope
    assert isinstance(envelope, Frames)
    (one,) = envelope.result.frames
    return one


def judged(members: dict[str, Any], without: int | None = None) -> list[str]:
    rows = [row for place, row in enumerate(ROWS) if place != without]
    findings = judge_frame(read(members), 3, Charge(7, 2, "provider"), rows)
    for found in findings:
        assert (found.line, found.exchange, found.party) == (7, 2, "provider")
        assert found.frame_id == members.get("id", "f")
        assert found.path.startswith("/result/frames/3/")
        assert found.message
        assert found.fix
        assert found.expected
        assert found.found
    return [text.replace("/result/frames/3", "") for text in brief(findings)]


def link(**members: str) -> dict[str, Any]:
    return {"provenance": [{"type": "file", "uri": "file:///a", **members}]}


BROKEN: list[tuple[dict[str, Any], list[str]]] = [
    ({"score": -0.01}, ["F1 /score"]),
    ({"score": 1.0000001}, ["F1 /score"]),
    ({"title": ""}, ["F2 /title"]),
    ({"title": " \t"}, ["F2 advice /title"]),
    ({"citation_label": ""}, ["F3 /citation_label"]),
    ({"citation_label": None}, ["F3 /citation_label"]),
    ({"citation_label": "\u3000"}, ["F3 advice /citation_label"]),
    ({"valid_from": "last tuesday"}, ["F4 /valid_from"]),
    ({"valid_to": "2026-02-30T00:00:00Z"}, ["F4 /valid_to"]),
    ({"recorded_at": "2026-01-01T00:00:00+00:00"}, ["F4 /recorded_at"]),
    ({"valid_from": "2026-01-01T00:00:00Z\n", "valid_to": ""}, ["F4 /valid_from", "F4 /valid_to"]),
    (link(), ["F5 /provenance/0/digest"]),
    (link(digest="sha256:abc"), ["F5 /provenance/0/digest"]),
    (link(digest=HASH.upper()), ["F5 /provenance/0/digest"]),
    ({"content_digest": "sha256:abc"}, ["D1 /content_digest"]),
    ({"content_digest": GOOD.replace("a", "A")}, ["D1 /content_digest"]),
    ({"content_digest": HASH}, ["6.3 advice /content_digest"]),
    ({"content": None}, ["P1 /content"]),
    ({"content_ref": REF}, ["P1 /content_ref"]),
    ({"transform": TRANSFORM, "canonical_content_hash": HASH}, ["P1 /transform", "P1 /canonical_content_hash"]),
    *(({**COMPACT, name: None}, [f"P2 /{name}"]) for name in COMPACT if name not in ("representation", "content_digest")),
    ({k: v for k, v in COMPACT.items() if k != "content_digest"}, ["P2 /content_digest"]),
    ({**COMPACT, "content": None}, ["P2 /content"]),
    ({**REFERENCE, "content": ""}, ["P3 /content", BY_HANDLE]),
    ({**REFERENCE, "content": "text", "token_cost": 1}, ["P3 /content", BY_HANDLE]),
    ({**REFERENCE, "content": "text", "token_cost": 0}, ["P3 /content", BY_HANDLE]),
    ({**REFERENCE, "content_digest": GOOD}, ["P3 /content_digest", BY_HANDLE]),
    ({**REFERENCE, "transform": TRANSFORM}, ["P3 /transform", BY_HANDLE]),
    ({**REFERENCE, "content_ref": None}, ["P3 /content_ref", BY_HANDLE]),
    ({**REFERENCE, "canonical_content_hash": None}, ["P3 /canonical_content_hash", BY_HANDLE]),
    ({"representation": "hologram"}, ["6.4 advice /representation"]),
    ({"token_cost": 0}, ["B3 /token_cost"]),
    ({"token_cost": 2}, ["B3 /token_cost"]),
    ({"content": "ééé", "token_cost": 1}, ["B3 /token_cost"]),
    ({**COMPACT, "token_cost": 9}, ["B3 /token_cost"]),
    ({"token_cost": 400, "canonical_token_cost": 400}, ["B3 /token_cost"]),
    ({**COMPACT, "token_cost": 400, "canonical_token_cost": 400}, ["P4 /token_cost"]),
    ({**REFERENCE, "token_cost": 5}, [BY_HANDLE, "P4 /token_cost"]),
    ({**REFERENCE, "content": "text", "token_cost": 400}, ["P3 /content", BY_HANDLE, "P4 /token_cost"]),
    ({"relations": [EDGE, {**EDGE, "display_name": ""}]}, ["G1 /relations/1/display_name"]),
    ({"relations": [{"rel": "code.calls", "target_uri": "a:b"}]}, ["G1 /relations/0/display_name"]),
    ({"relations": [{**EDGE, "display_name": " "}]}, ["G1 advice /relations/0/display_name"]),
    ({"relations": [{**EDGE, "target_uri": ""}]}, ["G2 /relations/0/target_uri"]),
    ({"relations": [{**EDGE, "target_uri": "src/a.rs"}]}, ["G2 advice /relations/0/target_uri"]),
    (REFERENCE, [BY_HANDLE]),
    ({"valid_from": "2026-02-01T00:00:00.5Z", "valid_to": "2026-02-01T00:00:00Z"}, ["6.1 advice /valid_to"]),
    ({**COMPACT, "content_ref": {**REF, "expires_at": "soon"}}, ["6.1 advice /content_ref/expires_at"]),
    ({"id": ""}, ["6.3 advice /id"]),
    ({**COMPACT, "canonical_content_hash": "sha256:abc"}, ["P2 advice /canonical_content_hash"]),
    ({**REFERENCE, "canonical_content_hash": "abc"}, ["P3 advice /canonical_content_hash", BY_HANDLE]),
    *(({"relations": [{**EDGE, "rel": rel}]}, ["U3 advice /relations/0/rel"]) for rel in ("calls", "code.uses", "", "Code")),
    *(({"relations": [{**EDGE, "rel": rel}]}, ["U3 /relations/0/rel"]) for rel in (":owns", "acme:")),
    ({"embedding": {"fingerprint": "m/3", "vector": [1, 2]}}, ["E1 advice /embedding/vector"]),
]


@pytest.mark.parametrize(("members", "expected"), BROKEN)
def test_each_break_is_named_once(members: dict[str, Any], expected: list[str]) -> None:
    assert judged(members) == expected


@pytest.mark.parametrize("place", range(len(ROWS)), ids=lambda place: ROWS[place].anchor)
def test_every_row_is_what_names_its_breaks(place: int) -> None:
    """Without the row, a break of it goes unseen; so each row has a case of its own."""
    missed = [members for members, expected in BROKEN if judged(members, without=place) != expected]
    assert missed, f"no case of {ROWS[place].anchor}"
    for members in missed:
        assert any(text.startswith(ROWS[place].anchor) for text in judged(members))


@pytest.mark.parametrize(
    "members",
    [
        {},
        {"score": 0},
        {"score": 1},
        {"score": -0.0},
        {"kind": "something-new"},
        {"kind": ""},
        {
            "valid_from": "0000-01-01T00:00:00Z",
            "valid_to": "2026-06-30T23:59:60Z",
            "recorded_at": "2026-01-01T00:00:00.123456789012Z",
        },
        {"valid_to": None},
        {"content_digest": GOOD},
        {"content_digest": None},
        {"content": "", "token_cost": 0},
        {"content": "a\u2028b", "token_cost": 2},
        {"content": "𝄞", "token_cost": 1},
        {
            "provenance": [
                {"type": "File"},
                {"type": "derivation"},
                {"type": "episode", "digest": "crc32:1"},
                {"type": "file", "digest": HASH},
            ]
        },
        {"representation": "full"},
        COMPACT,
        {**COMPACT, "canonical_token_cost": 900},
        {**COMPACT, "canonical_token_cost": 1},
        REFERENCE,
        {**REFERENCE, "canonical_token_cost": 900},
        {"representation": "hologram", "content": None, "token_cost": 7},
        {"relations": [EDGE, {**EDGE, "rel": "acme:owns"}, {**EDGE, "rel": "myindex.owns"}]},
        {"valid_from": "2026-02-01T00:00:00.50Z", "valid_to": "2026-02-01T00:00:00.5Z"},
        {**COMPACT, "content_ref": {**REF, "expires_at": "2026-02-01T00:00:00Z"}},
        {"embedding": {"fingerprint": "m/3", "vector": [1, 2, 3]}},
        {"embedding": {"fingerprint": "m", "vector": [1]}},
        {"embedding": {"fingerprint": "m/3"}},
        {"x_vendor": {"score": 7}},
        {"uri": "", "tokenizer_ref": "x"},
    ],
)
def test_what_is_legal_is_not_accused(members: dict[str, Any]) -> None:
    assert [text for text in judged(members) if text != "6.4 advice /representation"] == []


def all_asked(frame: ContextFrame, charge: Charge) -> list[Finding]:
    """What every row says, none left out by what the frame looks like."""
    return [
        charge.find(row.anchor, row.sentence, breach, "/result/frames/3", frame.id)
        for row in ROWS
        for breach in row.test(frame)
    ]


PARTS = {
    "representation": st.sampled_from(["full", "compact", "reference", "hologram", ""]),
    "content": st.sampled_from([None, "", "text", "é"]),
    "token_cost": st.integers(0, 2),
    "canonical_token_cost": st.sampled_from([None, 0, 2]),
    "content_digest": st.sampled_from([None, "", GOOD, HASH, "sha256:abc"]),
    "canonical_content_hash": st.sampled_from([None, "", HASH]),
    "content_ref": st.sampled_from([None, REF, {**REF, "expires_at": "soon"}, {**REF, "expires_at": ""}]),
    "transform": st.sampled_from([None, TRANSFORM]),
    **{name: st.sampled_from([None, "", "2026-01-01T00:00:00Z"]) for name in ("valid_to", "recorded_at")},
    "valid_from": st.sampled_from([None, "", "2026-02-01T00:00:00Z"]),
    "provenance": st.sampled_from(
        [[], link()["provenance"], link(digest="x")["provenance"], link(digest=HASH)["provenance"]]
    ),
    "relations": st.sampled_from([[], [EDGE], [{**EDGE, "target_uri": "", "rel": ""}, {"rel": "x", "target_uri": "a"}]]),
    "embedding": st.sampled_from([None, {"fingerprint": "m/3", "vector": [1, 2]}, {"fingerprint": "m/3", "vector": []}]),
    "title": st.sampled_from(["", " ", "t"]),
    "score": st.sampled_from([-1, 0.5]),
}


@given(st.fixed_dictionaries(PARTS))
def test_rows_that_are_not_asked_had_nothing_to_say(members: dict[str, Any]) -> None:
    """The choice of rows by a frame's look saves time and nothing else: findings and their order are those of all rows."""
    frame, charge = read(members), Charge(1, None, None)
    assert judge_frame(frame, 3, charge) == all_asked(frame, charge)


def test_a_look_keeps_rows_out_and_a_peers_words_are_one_look() -> None:
    chosen = _chosen(ROWS)
    plain, odd, odder = read({}), read({"representation": "a"}), read({"representation": "b"})
    assert len(chosen[_look(plain)]) < len(ROWS) / 2
    assert _look(odd) == _look(odder) != _look(plain)


def test_a_score_that_is_no_number_is_out_of_range() -> None:
    good = read({})
    for score in (float("nan"), float("inf")):
        bad = ContextFrame(good.id, good.kind, good.title, score, 1, good.content, citation_label="c")
        assert brief(judge_frame(bad, 0, Charge(1, None, None))) == ["F1 /result/frames/0/score"]


@given(st.text(max_size=40), st.integers(0, 12))
def test_the_cost_is_a_quarter_of_the_bytes_rounded_up(content: str, cost: int) -> None:
    good = read({})
    made = ContextFrame(good.id, good.kind, good.title, 0.5, cost, content, citation_label="c")
    honest = -(-len(content.encode()) // 4) == cost
    assert brief(judge_frame(made, 0, Charge(1, None, None))) == ([] if honest else ["B3 /result/frames/0/token_cost"])


def test_extras_on_a_full_frame_say_that_the_reference_accepts_them() -> None:
    (found,) = judge_frame(read({"content_ref": REF}), 0, Charge(1, None, None))
    assert found.reference.startswith("accepted")


@pytest.mark.parametrize("many", [3, limits.FINDINGS_ALIKE + 1])
def test_among_many_a_broken_frame_is_found_where_it_stands(many: int) -> None:
    good, bad = read({}), read({"id": "bad", "title": ""})
    frames = [good] * many
    frames[-2] = bad
    (found,) = judge_frames(frames, lambda index: index + 5, Charge(1, None, None))
    assert (found.path, found.frame_id) == (f"/result/frames/{many + 3}/title", "bad")
