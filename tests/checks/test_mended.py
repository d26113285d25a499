"""One unreadable member hides nothing that is wrong with the rest of its frame."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.dialogue import frame, message, tell

OPEN = ">> handshake\n<< ack correlation\n>> query q1\n"
LINK = {"type": "file", "uri": "file:///a"}
GOOD_LINK = {**LINK, "digest": f"sha256:{0:064x}"}


def broken(members: dict[str, Any], spoil: tuple[str, str] = ("", "")) -> list[str]:
    """What is said of a frame with these members beside a good one; `spoil` replaces a piece of the text."""
    made = frame("f")
    made.update(members)
    result = {"frames": [frame("g"), {name: value for name, value in made.items() if value != "ABSENT"}], "truncated": False}
    text = json.dumps({"type": "frames", "id": "q1", "result": result}).replace(*spoil)
    return [
        f"{found.anchor} {found.frame_id} {found.path.removeprefix('/result/frames/1')}"
        for found in tell(f"{OPEN}<< raw {text}").findings
    ]


CASES: list[tuple[dict[str, Any], list[str]]] = [
    ({"provenance": [{}, LINK]}, ["SHAPE f /provenance/0/type", "F5 f /provenance/1/digest"]),
    ({"provenance": [{"type": 5}, GOOD_LINK], "title": ""}, ["SHAPE f /provenance/0/type", "F2 f /title"]),
    ({"relations": [{"rel": "code.calls", "target_uri": 5}, {"rel": "code.calls", "target_uri": "x:y"}]},
     ["G2 f /relations/0/target_uri", "G1 f /relations/1/display_name"]),
    ({"relations": 3, "citation_label": ""}, ["SHAPE f /relations", "F3 f /citation_label"]),
    ({"score": "high", "title": " "}, ["F1 f /score", "F2 f /title"]),
    ({"title": 5, "score": 2}, ["F2 f /title", "F1 f /score"]),
    ({"title": "ABSENT", "token_cost": 9}, ["F2 f /title", "B3 f /token_cost"]),
    ({"token_cost": -1, "valid_from": "soon"}, ["B3 f /token_cost", "F4 f /valid_from"]),
    ({"kind": 5, "content_digest": "no"}, ["SHAPE f /kind", "D1 f /content_digest"]),
    ({"id": 5, "title": ""}, ["SHAPE None /id", "F2 None /title"]),
    ({"citation_label": 5, "recorded_at": "soon"}, ["F3 f /citation_label", "F4 f /recorded_at"]),
    ({"content": 5, "token_cost": 9, "content_digest": "no"}, ["P1 f /content"]),
    ({"representation": 5, "content": None, "token_cost": 9, "title": ""}, ["SHAPE f /representation", "F2 f /title"]),
    ({"transform": {}, "representation": "compact", "title": ""},
     [*(f"P2 f /transform/{name}" for name in ("method", "implementation", "version")), "F2 f /title",
      "P2 f /canonical_content_hash", "P2 f /content_digest", "P2 f /content_ref"]),
]  # fmt: skip


@pytest.mark.parametrize(("members", "wanted"), CASES, ids=[", ".join(members) for members, _ in CASES])
def test_the_rest_of_the_frame_is_judged_too(members: dict[str, Any], wanted: list[str]) -> None:
    assert sorted(broken(members)) == sorted(wanted)


def test_a_doubled_member_is_nobodys_claim() -> None:
    found = broken(
        {"title": ""}, ('"score": 0.5, "token_cost": 1, "citation_label": "c f"', '"score": 3, "score": 4, "token_cost": 1')
    )
    assert sorted(found) == ["F2 f /title", "F3 f /citation_label", "SHAPE f /score"]


@pytest.mark.parametrize("value", ["3", "[]", "null", '"frame"'])
def test_what_is_no_frame_at_all_has_no_rest(value: str) -> None:
    text = json.dumps({"type": "frames", "id": "q1", "result": {"frames": ["HERE"], "truncated": False}})
    found = tell(f"{OPEN}<< raw {text.replace(json.dumps('HERE'), value)}").findings
    assert [(one.anchor, one.path) for one in found] == [("SHAPE", "/result/frames/0")]


def test_half_a_pair_spoils_its_own_member_only() -> None:
    assert broken({"title": "T", "score": 2}, ('"T"', '"\\ud800"')) == ["F2 f /title", "F1 f /score"]


def test_a_good_sibling_stays_and_the_bad_one_is_not_served() -> None:
    (text,) = (message('frames q1 g f{"score":"high","title":""}').decode(),)
    played = tell(f"{OPEN}<< raw {text}")
    reply = played.changes[-1].reply
    assert reply is not None
    assert [one.id for one in reply.decoded.envelope.result.frames] == ["g"]  # type: ignore[union-attr]
    assert {found.frame_id for found in played.findings} == {"f"}


def test_judging_a_bad_frame_names_it_by_its_own_id() -> None:
    assert broken({"relations": [5], "title": "", "id": "other"}) == ["SHAPE other /relations/0", "F2 other /title"]


@pytest.mark.parametrize(
    ("members", "wanted"),
    [
        ({"score": "HUGE", "title": ""}, ["F1 f /score", "F2 f /title"]),
        ({"score": "high", "title": "", "x_weight": "HUGE"}, ["F1 f /score", "F2 f /title"]),
        # of a link that cannot be told apart from its neighbours nothing is said, of the rest everything
        ({"score": "high", "title": "", "provenance": [{**LINK, "x": "HUGE"}]}, ["F1 f /score", "F2 f /title"]),
    ],
)
def test_a_number_beyond_all_range_hides_its_own_member_only(members: dict[str, Any], wanted: list[str]) -> None:
    assert sorted(broken(members, ('"HUGE"', "1e400"))) == wanted
