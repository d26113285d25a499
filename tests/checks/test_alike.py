"""Slips in the names of optional members are advice; extensions, and whatever else is legal, are left alone."""

from __future__ import annotations

import json
import time
from typing import Any

import pytest

from cgp_tui import limits
from cgp_tui.checks.alike import judge_names
from cgp_tui.protocol.requirements import Finding
from cgp_tui.wire.decode import decode
from cgp_tui.wire.line import Line, Seen
from tests.dialogue import frame, message, tell

FLOW = {"reads": True, "writes": False}


def found(members: dict[str, Any] | bytes) -> list[Finding]:
    raw = members if isinstance(members, bytes) else json.dumps(members).encode()
    return judge_names(Seen(Line(9, 1, "provider", 0.0, raw), decode(raw)), 3)


def answer(*frames: Any, **result: Any) -> dict[str, Any]:
    return {"type": "frames", "result": {"frames": list(frames), "truncated": False, **result}}


def framed(**members: Any) -> dict[str, Any]:
    """An answer with a frame that has few optional members and these."""
    return answer(frame("a"), {**frame("f", {"citation_label": None, "content": None}), **members})


def greeting(flow: dict[str, Any] | None = None, **capabilities: Any) -> dict[str, Any]:
    made: dict[str, Any] = json.loads(message("ack"))
    made["provider"]["data_flow"] = {**FLOW, **(flow or {})}
    made["capabilities"] |= capabilities
    return made


SLIPS: list[tuple[dict[str, Any], str, str]] = [
    (framed(citationLabel="c"), "/result/frames/1/citationLabel", "citation_label"),
    (framed(**{"Citation-Label": "c"}), "/result/frames/1/Citation-Label", "citation_label"),
    (framed(citation_lable="c"), "/result/frames/1/citation_lable", "citation_label"),
    (framed(citation_labe="c"), "/result/frames/1/citation_labe", "citation_label"),
    (framed(citation_labels="c"), "/result/frames/1/citation_labels", "citation_label"),
    (framed(citation_lobel="c"), "/result/frames/1/citation_lobel", "citation_label"),
    (framed(Content="c"), "/result/frames/1/Content", "content"),
    (framed(relation=[]), "/result/frames/1/relation", "relations"),
    (framed(provenance=[{"type": "file", "Digest": "x"}]), "/result/frames/1/provenance/0/Digest", "digest"),
    (greeting({"Egress": True}), "/provider/data_flow/Egress", "egress"),
    (greeting({"egres": True}), "/provider/data_flow/egres", "egress"),
    (greeting({"egressScopes": []}), "/provider/data_flow/egressScopes", "egress_scopes"),
    (greeting(corelation=True), "/capabilities/corelation", "correlation"),
    (answer(frame_attestation=[]), "/result/frame_attestation", "frame_attestations"),
    (
        {"type": "query", "query": {"goal": "g", "max_frames": 1, "max_tokens": 1, "kind": ["doc"]}},
        "/query/kind",
        "kinds",
    ),
]


@pytest.mark.parametrize(("members", "path", "meant"), SLIPS, ids=[row[1] for row in SLIPS])
def test_a_slip_of_the_pen_is_advice_at_its_place(members: dict[str, Any], path: str, meant: str) -> None:
    (told,) = found(members)
    assert (told.anchor, told.level, told.party, told.line, told.exchange) == ("SHAPE", "advice", "provider", 9, 3)
    assert (told.path, told.expected) == (path, f"`{meant}`")
    assert told.found == f"`{path.rpartition('/')[2]}`, and no `{meant}`"
    assert told.fix.startswith(f"Write `{meant}` ")
    assert told.frame_id == ("f" if path.startswith("/result/frames") else None)


@pytest.mark.parametrize(
    "members",
    [
        framed(**{"x-citation_label": "c"}),
        framed(x_citation_label="c"),
        framed(**{"acme.citation_label": "c"}),
        framed(**{"acme:content": "c"}),
        framed(**{"acme/content": "c"}),
        framed(_content="c"),
        framed(context="another word"),
        framed(contents={"of": "another type"}),
        framed(citationLabel=5),
        framed(url="short"),
        framed(cite="c", summary="s", author="a", tags=[], language="en"),
        framed(citationLabel="c", citation_label="c"),
        framed(citation_labe_="x" * limits.LOOKALIKE_BYTES),
        framed(citationLabel="c", **{f"n{n}": n for n in range(20)}),
        framed(**{"citation_label" + "_" * 200: "c"}),
        greeting(resolver="a.example"),
        {"type": "telemetry", "citationLabel": "c"},
        {"type": "shutdown", "Type": "x"},
        b'{"type":"error","message":"m","Coded":',
        b'{"type":"frames","Result":"\\ud800"}',
    ],
)
def test_an_extension_is_left_alone(members: dict[str, Any] | bytes) -> None:
    assert found(members) == []


def test_a_required_member_is_missed_by_its_own_rule_alone() -> None:
    one = frame("f")
    one["Score"] = one.pop("score")
    assert found(answer(one)) == []


def test_it_is_told_beside_what_else_is_wrong_live_and_replayed() -> None:
    played = tell('>> handshake\n<< ack\n>> query -\n<< frames - f{"citation_label":null,"citationLabel":"c"}')
    assert played.broken == ["SHAPE advice line 4 f", "F3 line 4 f"]


def test_of_very_many_slips_the_first_are_told_and_the_others_counted() -> None:
    links = [{"type": "d", "Uri_": "", "Digest": ""}] * (limits.FINDINGS_ALIKE + 500)
    told = found(framed(provenance=links))
    assert len(told) == limits.FINDINGS_ALIKE + 1 and told[-1].found == "500 more"


@pytest.mark.parametrize("count", [2_500, 200_000])
def test_very_many_unknown_members_cost_little(count: int) -> None:
    raw = json.dumps({**framed(), **{f"contenu{n}": n for n in range(count)}}).encode()
    seen = Seen(Line(9, 1, "provider", 0.0, raw), decode(raw))
    began = time.process_time()
    assert judge_names(seen, 3) == []
    assert time.process_time() - began < 0.2
