"""Findings at their members."""

from __future__ import annotations

from cgp_tui.present.member_findings import marked, parts_of
from tests.present.samples import HANDSHAKE, ack, frame, frames, query, subjects

ANSWER = subjects([HANDSHAKE, ack(), query(1, max_tokens=5), frames(1, frame("a", title=None), frame("b", token_cost=9))])[3]


def test_pointers_are_unescaped() -> None:
    assert parts_of("/a~1b/~01/") == ("a/b", "~1", "")
    assert parts_of("") == ()


def test_each_finding_stands_where_its_path_leads() -> None:
    root = marked(ANSWER.findings)
    assert {one.anchor for one in root.all()} == {one.anchor for one in ANSWER.findings}
    served = root.below["result"].below["frames"]
    assert [one.anchor for one in served.here] == ["B1"]
    assert [one.anchor for one in served.below["1"].below["token_cost"].here] == ["B3"]


def test_only_what_is_under_the_root_is_kept() -> None:
    assert [one.anchor for one in marked(ANSWER.findings, "/result/frames/1").all()] == ["B3"]
    assert not list(marked(ANSWER.findings, "/nowhere").all())
    assert not list(marked(ANSWER.findings, "/result/fram").all())
