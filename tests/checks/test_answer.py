"""Answers against their queries."""

from __future__ import annotations

import time

import pytest

from cgp_tui.checks.answer import ROWS, Answer, judge_answer
from cgp_tui.checks.breach import Charge
from cgp_tui.protocol.capability import Capabilities, DataFlow, ProviderInfo
from cgp_tui.protocol.envelope import ContextQueryResult, HandshakeAck
from cgp_tui.protocol.frame import ContextFrame
from cgp_tui.protocol.query import ContextQuery
from cgp_tui.session.past import Past
from cgp_tui.wire.line import Decoded
from tests.checks.cases import brief
from tests.checks.witnesses import Witness
from tests.checks.witnesses.frames import ANSWERS
from tests.dialogue import tell

OPEN = ">> handshake\n<< ack correlation\n"
HUGE = '{"content":null,"representation":"hologram","token_cost":4294967295}'


@pytest.mark.parametrize(
    ("text", "broken"),
    [
        ('>> query q1 {"kinds":["doc"]}\n<< frames q1 a b{"kind":"fact"} c', ["Q1 line 4 b"]),
        ('>> query q1 {"kinds":["doc","new"]}\n<< frames q1 a b{"kind":"new"}', []),
        ('>> query q1 {"kinds":["doc"]}\n<< frames q1 b{"kind":"Doc"}', ["Q1 line 4 b"]),
        ('>> query q1 {"kinds":["doc"]}\n<< frames q1', []),
        ('>> query q1\n<< frames q1 b{"kind":"fact"}', []),
        ('>> query q1 {"max_tokens":1}\n<< frames q1 a b', ["B1 line 4"]),
        ('>> query q1 {"max_tokens":2}\n<< frames q1 a b', []),
        ('>> query q1 {"max_tokens":0}\n<< frames q1', []),
        ('>> query q1 {"max_frames":1}\n<< frames q1 a b', ["B4 line 4"]),
        ('>> query q1 {"max_frames":0}\n<< frames q1', []),
        ('>> query q1 {"max_frames":1}\n<< frames q1 a b{"score":"x"}', ["F1 line 4 b", "B4 line 4"]),
        ('>> query q1 {"max_frames":1,"max_tokens":1}\n<< frames q1 a b', ["B1 line 4", "B4 line 4"]),
        ('>> query q1 {"max_frames":0}\n<< frames q1 a', ["B4 line 4"]),
        # an instant that is none holds nothing against a frame
        ('>> query q1 {"as_of":"x"}\n<< frames q1 a{"valid_to":"2020-01-01T00:00:00Z"}', ["F4 line 3"]),
        # what can be read of a frame that cannot be read whole
        (
            '>> query q1 {"kinds":["doc"]}\n<< frames q1 a{"kind":"fact","title":5} b{"kind":5}',
            ["F2 line 4 a", "SHAPE line 4 b", "Q1 line 4 a"],
        ),
        ('>> query q1 {"kinds":["fact"]}\n<< frames q1 b{"kind":5}', ["SHAPE line 4 b"]),
        ('>> query q1 {"max_tokens":1}\n<< frames q1 a{"title":5} b', ["F2 line 4 a", "B1 line 4"]),
        ('>> query q1 {"max_tokens":1}\n<< frames q1 a{"token_cost":-1} b', ["B3 line 4 a"]),
        ('>> query q1\n<< frames q1 a{"title":5} a', ["F2 line 4 a", "6.3 advice line 4 a"]),
        ('>> query q1\n<< frames q1 a{"id":5} b{"id":6}', ["SHAPE line 4", "SHAPE line 4"]),
        (
            '>> query q1 {"as_of":"2026-07-01T00:00:00Z"}\n<< frames q1 '
            'a{"title":5,"valid_from":"2026-08-01T00:00:00Z"} b{"valid_from":5,"valid_to":"2026-01-01T00:00:00Z"}',
            ["F2 line 4 a", "F4 line 4 b", "6.1 advice line 4 a", "6.1 advice line 4 b"],
        ),
        (f">> query q1\n<< frames q1 a{HUGE} b{HUGE}", ["6.4 advice line 4 a", "6.4 advice line 4 b", "B1 line 4"]),
    ],
)
def test_answers(text: str, broken: list[str]) -> None:
    assert tell(OPEN + text).broken == broken


@pytest.mark.parametrize(
    ("frames", "where"),
    [
        ("a b", "2 in sum, over at frame b"),
        ('a{"title":5} b', "2 in sum, over at frame b"),
        ('a b{"title":5} c', "3 in sum, over at frame b"),
        ('a b{"id":5}', "2 in sum, over at the frame at 1, which has no id"),
    ],
)
def test_a_sum_over_the_budget_names_the_frame_at_which_it_goes_over(frames: str, where: str) -> None:
    played = tell(OPEN + f'>> query q1 {{"max_tokens":1}}\n<< frames q1 {frames}')
    assert [found.found for found in played.findings if found.anchor == "B1"] == [where]


@pytest.mark.parametrize(
    ("graph", "anchors", "broken"), [(True, ("a",), ["G4 /result/frames"]), (True, (), []), (False, ("a",), [])]
)
def test_only_whoever_declares_a_graph_owes_an_anchored_frame(
    graph: bool, anchors: tuple[str, ...], broken: list[str]
) -> None:
    ack = HandshakeAck("contextgraph/1.0", ProviderInfo("p", "1", DataFlow()), Capabilities(graph=graph))
    query, result = ContextQuery("g", 8, 100, anchors=anchors), ContextQueryResult((), False)
    answer = Answer(query, result, Decoded("frames", None, None), ack, Past(anchored="a"))
    assert brief(judge_answer(answer, Charge(1, 1, "provider"))) == broken


def test_a_late_answer_is_judged_against_its_query() -> None:
    text = OPEN + '>> query q1 {"max_frames":1}\nnote gave_up q1\n<< frames q1 a b'
    assert tell(text).broken == ["3.2 note line 3", "B4 line 4"]


def test_a_misfit_is_not_held_against_a_query_it_may_not_belong_to() -> None:
    text = OPEN + '>> query q1 {"max_frames":1}\n<< frames q9 a b'
    assert tell(text).broken == ["H4 line 4"]


def test_a_frames_place_is_that_on_the_wire() -> None:
    played = tell(OPEN + '>> query q1 {"kinds":["doc"]}\n<< frames q1 a{"title":5} b{"kind":"fact"}')
    assert [found.path for found in played.findings] == ["/result/frames/0/title", "/result/frames/1/kind"]


@pytest.mark.parametrize("place", range(len(ROWS)), ids=lambda place: ROWS[place].anchor)
def test_every_row_is_what_names_its_breaks(place: int) -> None:
    frames = tuple(ContextFrame(name, "fact", "t", 0.5, 5, "x") for name in "ab")
    answer = Answer(
        ContextQuery("g", 1, 1, kinds=("doc",)), ContextQueryResult(frames, False), Decoded("frames", None, None)
    )
    anchors = [found.anchor for found in judge_answer(answer, Charge(1, 1, None), (*ROWS[:place], *ROWS[place + 1 :]))]
    assert anchors
    assert ROWS[place].anchor not in anchors


def test_a_million_frames_are_counted_in_passing() -> None:
    frame = ContextFrame("f", "doc", "t", 0.5, 4_294_967_295, "x")
    result = ContextQueryResult((frame,) * 1_000_000, False)
    began = time.process_time()
    answer = Answer(ContextQuery("g", 8, 4_294_967_295), result, Decoded("frames", None, None))
    found = judge_answer(answer, Charge(1, 1, "provider"))
    assert brief(found) == ["B1 /result/frames", "B4 /result/frames", "6.3 advice /result/frames/1/id"]
    assert found[0].found == f"{4_294_967_295 * 1_000_000} in sum, over at frame f"
    assert time.process_time() - began < 2


@pytest.mark.parametrize("witness", ANSWERS, ids=lambda witness: witness.named)
def test_every_row_names_its_witness_and_spares_its_neighbour(witness: Witness) -> None:
    assert witness.named in tell(witness.broken).broken
    assert tell(witness.legal).broken == []


def test_a_preference_binds_only_whoever_was_heard_to_offer_something() -> None:
    asked = '>> query q1 {"representation_preferences":["reference"]}'
    text = asked + '\n<< frames q1 a{"representation":"reference","content":null}'
    (stray,) = [change for change in tell(text).changes if change.reply is not None]
    assert stray.ack is None
    assert "P5" not in [found.anchor for found in tell(text).findings]
