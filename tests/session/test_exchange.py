"""A request and its reply: what is known of both only where both were seen."""

from __future__ import annotations

from cgp_tui.session.exchange import Exchange
from cgp_tui.wire.decode import decode
from cgp_tui.wire.line import Line, Seen
from tests.dialogue import message, tell


def test_latency_is_reply_minus_request() -> None:
    changes = tell(">> handshake\n<< ack correlation\n>> query q1\n<< frames q1 a").changes
    assert changes[-2].latency is None
    assert changes[-1].latency == 0.25


def test_without_both_there_is_none() -> None:
    raw = message("query q1")
    seen = Seen(Line(3, 1, "host", 2.0, raw), decode(raw))
    assert Exchange(2, 1, "query", "pending", request=seen).latency is None
    assert Exchange(None, 1, "query", "orphan", reply=seen).latency is None
    assert Exchange(2, 1, "query", "answered", request=seen, reply=seen).latency == 0
