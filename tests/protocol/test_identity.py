"""Identities and their canonical order."""

from __future__ import annotations

import itertools

from hypothesis import given
from hypothesis import strategies as st

from cgp_tui.protocol.identity import FrameId

texts = st.text(st.sampled_from("ab\x00\u00e9\uffff\U0001f600"), max_size=3)
identities = st.builds(FrameId, texts, texts, st.none() | texts)


@given(identities, identities)
def test_equal_keys_mean_equal_identities(one: FrameId, other: FrameId) -> None:
    assert (one.sort_key() == other.sort_key()) == (one == other)


def test_canonical_order() -> None:
    rising = [
        FrameId("a", "x"),
        FrameId("a", "x", ""),
        FrameId("a", "x", "sha256:00"),
        FrameId("a", "x", "sha256:01"),
        FrameId("a", "x\x00"),
        FrameId("a", "y"),
        FrameId("a\x00", "x"),
        FrameId("ab", "x"),
        FrameId("b", "a"),
        FrameId("\u00e9", "a"),
        FrameId("\uffff", "a"),
        FrameId("\U0001f600", "a"),
    ]
    for shuffled in itertools.islice(itertools.permutations(rising), 0, 200_000, 9_973):
        assert sorted(shuffled, key=FrameId.sort_key) == rising


def test_a_lone_surrogate_sorts_too() -> None:
    assert sorted([FrameId("p", "\ue000"), FrameId("p", "\ud800"), FrameId("p", "a")], key=FrameId.sort_key) == [
        FrameId("p", "a"),
        FrameId("p", "\ud800"),
        FrameId("p", "\ue000"),
    ]
