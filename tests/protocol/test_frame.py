"""Frames as values: their identity, and what the wire's names become."""

from __future__ import annotations

import msgspec

from cgp_tui.protocol.frame import ContextFrame, Provenance, Relation
from cgp_tui.protocol.identity import FrameId


def test_identity_is_under_the_declared_name() -> None:
    frame = ContextFrame(id="f", kind="doc", title="t", score=0.5, token_cost=0)
    assert frame.identity("acme") == FrameId("acme", "f", None)
    assert msgspec.structs.replace(frame, content_digest="sha256:x").identity("acme").content_digest == "sha256:x"


def test_a_link_is_written_with_the_wires_names() -> None:
    link = Provenance("file", uri="u")
    assert msgspec.json.encode(link) == b'{"type":"file","uri":"u"}'
    assert msgspec.json.decode(b'{"uri":null,"type":"file","new":1}', type=Provenance) == Provenance("file")
    assert msgspec.json.decode(b'{"uri":"","type":"file"}', type=Provenance) == Provenance("file", "")


def test_absent_representation_means_full() -> None:
    raw = b'{"id":"f","kind":"odd","title":"t","score":1,"token_cost":0,"representation":"later"}'
    assert msgspec.json.decode(raw, type=ContextFrame).representation == "later"
    bare = msgspec.json.decode(raw.replace(b',"representation":"later"', b""), type=ContextFrame)
    assert bare.representation == "full"
    assert b"representation" not in msgspec.json.encode(bare)


def test_an_anchor_is_touched_by_the_frames_own_uri_or_by_an_edge() -> None:
    edge = Relation("code.calls", "file:///b", "b")
    anchors = frozenset({"file:///a", "file:///b"})
    for members, touched in (
        ({"uri": "file:///a"}, True),
        ({"uri": "file:///A"}, False),
        ({"relations": (Relation("x:y", "file:///c", "c"), edge)}, True),
        ({"uri": "file:///c", "relations": (edge,)}, True),
        ({}, False),
    ):
        frame = ContextFrame("f", "doc", "t", 0.5, 1, **members)
        assert frame.anchored_by(anchors) == touched
        assert not frame.anchored_by(frozenset())
