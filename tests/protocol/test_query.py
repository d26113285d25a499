"""A question: the schema's members, spelled as short as it can be."""

from __future__ import annotations

import json
from pathlib import Path

import msgspec
import pytest

from cgp_tui.protocol.query import ContextQuery
from tests.protocol.shape import members, published

WHOLE = ContextQuery("g", 8, 2000, "t", (0.5, -1.0), ("doc",), ("file:///a",), "2026-01-01T00:00:00Z", ("compact",))


def read(**changes: object) -> ContextQuery:
    """A query as it comes, with members changed; those that are `...` are left out."""
    given = {"goal": "g", "max_frames": 8, "max_tokens": 2000, **changes}
    kept = {name: value for name, value in given.items() if value is not ...}
    return msgspec.json.decode(json.dumps(kept), type=ContextQuery)


def test_its_members_are_the_schemas(shared: Path) -> None:
    assert members(ContextQuery) == published(shared, "ContextQuery")


def test_every_member_travels() -> None:
    raw = msgspec.json.encode(WHOLE)
    assert json.loads(raw) == {
        "goal": "g",
        "max_frames": 8,
        "max_tokens": 2000,
        "query_text": "t",
        "embedding": [0.5, -1.0],
        "kinds": ["doc"],
        "anchors": ["file:///a"],
        "as_of": "2026-01-01T00:00:00Z",
        "representation_preferences": ["compact"],
    }
    assert msgspec.json.decode(raw, type=ContextQuery) == WHOLE


def test_what_is_not_asked_for_is_not_sent() -> None:
    assert msgspec.json.encode(ContextQuery("g", 8, 2000)) == b'{"goal":"g","max_frames":8,"max_tokens":2000}'
    emptied = read(query_text=None, embedding=None, kinds=[], anchors=[], as_of=None, representation_preferences=[])
    assert emptied == ContextQuery("g", 8, 2000)


@pytest.mark.parametrize("missing", ["goal", "max_frames", "max_tokens"])
def test_what_a_question_cannot_do_without(missing: str) -> None:
    with pytest.raises(msgspec.ValidationError, match=missing):
        read(**{missing: ...})


@pytest.mark.parametrize("name", ["kinds", "anchors", "representation_preferences"])
def test_an_absent_list_is_left_out_and_never_null(name: str) -> None:
    with pytest.raises(msgspec.ValidationError, match=name):
        read(**{name: None})


def test_bounds_and_vocabularies_are_no_matter_of_the_shape() -> None:
    """What a member may say is checked one floor up, so that a bad value is named by its rule."""
    odd = read(max_frames=-1, max_tokens=1 << 40, kinds=["acme:odd"], as_of="soon", representation_preferences=["none"])
    assert (odd.max_frames, odd.max_tokens, odd.kinds, odd.as_of) == (-1, 1 << 40, ("acme:odd",), "soon")
    assert read(later=[1]) == ContextQuery("g", 8, 2000)
