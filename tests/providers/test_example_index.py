"""The stand-in for an index elsewhere: it declares where queries would go, and they go nowhere."""

from __future__ import annotations

import pytest

from cgp_tui.protocol.capability import off_machine_scopes, scopes_consistent
from cgp_tui.protocol.query import ContextQuery
from cgp_tui.providers.example_index import ExampleIndex
from cgp_tui.providers.kit import Refusal

INDEX = ExampleIndex()


def test_it_declares_a_third_party_index() -> None:
    assert INDEX.info.name == "example-index"
    assert INDEX.info.data_flow.egress
    assert off_machine_scopes(INDEX.info.data_flow) == ("third-party-index",)
    assert scopes_consistent(INDEX.info.data_flow)


def test_its_frames_say_that_nothing_was_sent() -> None:
    result = INDEX.query(ContextQuery("anything", 8, 2000))
    assert not result.truncated
    assert any("sends nothing anywhere" in (frame.content or "") for frame in result.frames)
    assert [frame.score for frame in result.frames] == sorted((frame.score for frame in result.frames), reverse=True)


def test_it_stays_within_the_limits() -> None:
    assert [len(INDEX.query(ContextQuery("g", count, 2000)).frames) for count in (0, 1, 2)] == [0, 1, 2]
    poor = INDEX.query(ContextQuery("g", 8, 60))
    assert sum(frame.token_cost for frame in poor.frames) <= 60
    assert poor.truncated


def test_other_kinds_are_refused() -> None:
    with pytest.raises(Refusal, match="doc") as refusal:
        INDEX.query(ContextQuery("g", 8, 2000, kinds=("snippet",)))
    assert refusal.value.code == "unsupported_kind"
    assert len(INDEX.query(ContextQuery("g", 8, 2000, kinds=("snippet", "doc"))).frames) == 2
