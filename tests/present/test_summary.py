"""One line about one line."""

from __future__ import annotations

from typing import Any

import pytest

from cgp_tui.present.summary import summary
from cgp_tui.protocol.query import ContextQuery
from cgp_tui.wire.decode import decode
from tests.present.samples import HANDSHAKE, LOOK, ack, frame, frames, query, raw_lines


def said(message: dict[str, Any] | bytes, asked: ContextQuery | None = None) -> str:
    return "".join(span.text for span in summary(decode(raw_lines([message])[0]), LOOK, asked))


FLOW = {"reads": True, "writes": False, "egress": True, "egress_scopes": ["third-party-index", "local-only"]}
AWAY = ack("acme-search", provider={"name": "acme-search", "version": "2.4.1", "data_flow": FLOW})
IDENTITY = {"provider_id": "repo-graph", "frame_id": "a"}


@pytest.mark.parametrize(
    ("message", "seen"),
    [
        (HANDSHAKE, "contextgraph/1.0"),
        (ack(), "repo-graph 0.2.0"),
        (AWAY, "acme-search 2.4.1  sends data away: third-party-index"),
        (query(1, kinds=["snippet", "doc"]), "why does the retry loop give up [snippet doc]  8 fr 2,000 tok"),
        (query(1, "a\x1b]52;\u202eb\n"), "[ctl 3] a␛]52;<U+202E>b␊  8 fr 2,000 tok"),
        (query(1, 300 * "a" + "\x1b"), f"[ctl 1] {200 * 'a'}… [101 more]  8 fr 2,000 tok"),
        (query(1, "größe"), "größe  8 fr 2,000 tok"),
        ({"type": "error", "code": "x\x07", "message": "\x9b"}, "[ctl 2] x␇: <U+009B>"),
        (ack("a\u200bb"), "[ctl 1] a<U+200B>b 0.2.0"),
        ({"type": "handshake", "protocol_version": "1\x00"}, "[ctl 1] 1␀"),
        (frames(1, frame("a"), frame("b")), "2 fr 8 tok"),
        (frames(1, frame("a"), truncated=True), "1 fr 4 tok truncated"),
        ({"type": "verify", "id": "v1", "request": {"frames": [IDENTITY]}}, "1 identity"),
        ({"type": "verified", "id": "v1", "response": {"verdicts": []}}, "no verdicts"),
        (
            {"type": "verified", "response": {"verdicts": [{"frame": IDENTITY, "status": "stale"}] * 2}},
            "2 stale",
        ),
        ({"type": "error", "code": "unavailable", "message": "try later"}, "unavailable: try later"),
        ({"type": "error", "message": "no idea"}, "no code: no idea"),
        ({"type": "shutdown"}, ""),
        ({"type": "cursor"}, "a type that contextgraph/1.0 does not define: ignored"),
    ],
)
def test_every_type_says_its_own(message: dict[str, Any], seen: str) -> None:
    assert said(message) == seen


def test_an_answer_is_held_against_its_query() -> None:
    asked = ContextQuery("why", 8, 6)
    assert said(frames(1, frame("a")), asked) == "1 fr 4/6 tok"
    assert said(frames(1, frame("a"), frame("b")), asked) == "2 fr 8/6 tok OVER"


def test_a_line_that_is_no_message_names_its_fault() -> None:
    assert said(b"{").startswith("✗ not json: ")


def test_undecoded_frames_are_counted() -> None:
    assert said(frames(1, frame("a"), frame("b", score="high"))) == "1 fr 4 tok ✗ 1 not decoded"


def test_a_hostile_goal_is_one_short_visible_line() -> None:
    text = said(query(1, "\x1b]52;c;x\x07" + "y" * 5000))
    assert text.startswith("[ctl 2] ␛]52;c;x␇yyy")
    assert len(text) < 300
