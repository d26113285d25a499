"""What was served and which keys were seen: found again, bounded, and never held against anybody once forgotten."""

from __future__ import annotations

import json
from typing import Any

import pytest

from cgp_tui import limits
from cgp_tui.protocol.capability import AttesterKey, Capabilities, DataFlow, ProviderInfo
from cgp_tui.protocol.envelope import ContextQueryResult, HandshakeAck
from cgp_tui.protocol.frame import ContextFrame, Relation
from cgp_tui.protocol.identity import FrameId
from cgp_tui.protocol.query import ContextQuery
from cgp_tui.session import memory as module
from cgp_tui.session.memory import Keys, Served
from cgp_tui.session.past import Past
from tests.dialogue import tell

ONE, TWO = f"sha256:{1:064x}", f"sha256:{2:064x}"


def frame(name: str = "f", uri: str | None = "file:///a", cost: int = 5, **members: Any) -> ContextFrame:
    return ContextFrame(name, "doc", "t", 0.5, cost, **{"uri": uri, **members})


def served(*frames: ContextFrame) -> Served:
    made = Served()
    made.add(ContextQueryResult(frames, False), 100)
    return made


def asking(**members: Any) -> ContextQuery:
    return ContextQuery("g", **{"max_frames": 8, "max_tokens": 100, "anchors": ("file:///x", "file:///a"), **members})


@pytest.mark.parametrize(
    ("query", "found"),
    [
        (asking(), True),
        (asking(kinds=("doc",)), True),
        (asking(max_tokens=5), True),
        (asking(as_of="2026-07-01T00:00:00Z"), True),
        (asking(anchors=("file:///A",)), False),
        (asking(anchors=()), False),
        (asking(kinds=("fact",)), False),
        (asking(max_tokens=4), False),
        (asking(max_frames=0), False),
        (asking(as_of="2025-12-31T23:59:59Z"), False),
        (asking(as_of="2027-01-01T00:00:00Z"), False),
        (asking(as_of="2026-01-01T00:00:00Z"), True),
        (asking(as_of="2026-12-31T23:59:59Z"), True),
    ],
)
def test_a_frame_at_an_anchor_that_the_query_admits(query: ContextQuery, found: bool) -> None:
    window: dict[str, Any] = {"valid_from": "2026-01-01T00:00:00Z", "valid_to": "2027-01-01T00:00:00Z"}
    assert served(frame(**window)).anchored(query) == ("f" if found else None)
    edge = frame(uri=None, relations=(Relation("code.calls", "file:///a", "a"),), **window)
    assert served(edge).anchored(query) == ("f" if found else None)


def test_the_cheapest_of_a_kind_is_the_one_remembered() -> None:
    made = served(frame("dear", cost=90), frame("cheap", cost=2), frame("other", cost=50))
    assert made.anchored(asking(max_tokens=2)) == "cheap"


def test_what_is_gone_is_there_no_longer() -> None:
    made = served(frame())
    made.gone([FrameId("docs", "f", ONE)])
    assert made.anchored(asking()) is None


def test_digests_that_were_never_served() -> None:
    made = served(frame("f", content_digest=ONE), frame("bare"))
    names = [FrameId("docs", "f", ONE), FrameId("docs", "f", TWO), FrameId("docs", "new", TWO), FrameId("docs", "bare", TWO)]
    assert made.never_served(names) == {FrameId("docs", "f", TWO)}
    assert made.served(names[:1])
    assert not made.served(names[:2])
    assert not made.served(names[2:3])


def test_a_frame_of_many_digests_is_no_witness() -> None:
    made = served(*(frame(content_digest=f"sha256:{number:064x}") for number in range(20)))
    assert made.never_served([FrameId("docs", "f", f"sha256:{99:064x}")]) == frozenset()


def test_it_forgets_the_oldest_and_what_is_too_long() -> None:
    made = Served()
    for number in range(limits.REMEMBERED + 10):
        made.add(ContextQueryResult((frame(f"f{number}", f"x:{number}", content_digest=ONE),), False), 1)
    assert made.anchored(asking(anchors=("x:0",))) is None
    assert made.anchored(asking(anchors=(f"x:{limits.REMEMBERED + 9}",))) is not None
    long = "x:" + "y" * limits.REMEMBERED_CHARS
    assert served(frame(uri=long)).anchored(asking(anchors=(long,))) is None
    assert served(frame(long, content_digest=ONE)).never_served([FrameId("docs", long, TWO)]) == frozenset()


def test_an_answer_too_large_to_be_put_aside_is_not_remembered() -> None:
    made = Served()
    made.add(ContextQueryResult((frame(),), False), limits.REMEMBERED_BYTES + 1)
    assert made.anchored(asking()) is None


def ack(*keys: tuple[str, str], name: str = "docs") -> HandshakeAck:
    info = ProviderInfo(name, "1", DataFlow())
    return HandshakeAck(
        "contextgraph/1.0", info, Capabilities(), tuple(AttesterKey(key, "ed25519", hex) for key, hex in keys)
    )


def test_a_key_id_with_other_bytes_has_changed() -> None:
    keys = Keys()
    assert keys.changed(ack(("k1", "aa"), ("k2", "bb"))) == ()
    assert keys.changed(ack(("k1", "aa"))) == ()
    assert keys.changed(ack(("k3", "cc"))) == ()
    assert keys.changed(ack(("k1", "dd"), name="other")) == ()
    assert keys.changed(ack(("k2", "ee"), ("k1", "aa"))) == ("k2",)
    assert keys.changed(ack(("k2", "ee"))) == ()
    assert keys.changed(ack(("k2", "EE"))) == ()


def test_keys_are_forgotten_too() -> None:
    keys = Keys()
    assert keys.changed(ack(("k", "aa"))) == ()
    for number in range(limits.REMEMBERED):
        keys.changed(ack((f"k{number}", "aa")))
    assert keys.changed(ack(("k", "bb"))) == ()


def test_of_the_frames_of_one_answer_the_newest_stay_and_what_came_again_is_new() -> None:
    many = [frame(f"f{number}", f"x:{number}", content_digest=ONE) for number in range(limits.REMEMBERED)]
    made = served(*many, many[0], frame("last", "x:last", content_digest=ONE))
    assert made.anchored(asking(anchors=("x:0",))) == "f0"
    assert made.anchored(asking(anchors=("x:1",))) is None
    assert made.served([FrameId("docs", "f0", ONE), FrameId("docs", "last", ONE)])
    assert not made.served([FrameId("docs", "f1", ONE)])


def test_as_much_is_remembered_as_is_said_and_no_more() -> None:
    for size, known in ((limits.REMEMBERED_CHARS, True), (limits.REMEMBERED_CHARS + 1, False)):
        name = "y" * size
        assert (served(frame(uri=name)).anchored(asking(anchors=(name,))) is not None) == known
        assert served(frame(name, content_digest=ONE)).served([FrameId("docs", name, ONE)]) == known
    for count, known in ((module._DIGESTS, True), (module._DIGESTS + 1, False)):
        made = served(*(frame(content_digest=f"sha256:{number:064x}") for number in range(count)))
        assert bool(made.never_served([FrameId("docs", "f", f"sha256:{99:064x}")])) == known
    for count, known in ((module._KINDS, True), (module._KINDS + 1, False)):
        kinds = [ContextFrame("f", f"k{number}", "t", 0.5, 5, uri="x:y") for number in range(count)]
        assert (served(*kinds).anchored(asking(anchors=("x:y",), kinds=(f"k{count - 1}",))) is not None) == known


def test_an_answer_of_the_largest_size_is_put_aside() -> None:
    made = Served()
    made.add(ContextQueryResult((frame(),), False), limits.REMEMBERED_BYTES)
    assert made.anchored(asking()) == "f"


def test_where_nothing_is_gone_everything_stays() -> None:
    made = served(frame())
    made.gone([])
    made.gone([FrameId("docs", "other", ONE)])
    assert made.anchored(asking()) == "f"


def test_a_key_too_long_to_be_remembered_has_not_changed() -> None:
    keys = Keys()
    most = "k" * (limits.REMEMBERED_CHARS - len("docs") - 2)
    for name, changed in ((most, (most,)), (most + "k", ())):
        assert keys.changed(ack((name, "aa"))) == ()
        assert keys.changed(ack((name, "bb"))) == changed


def test_of_one_ack_as_many_keys_are_looked_at_as_are_remembered() -> None:
    keys = Keys()
    keys.changed(ack(("last", "aa")))
    crowd = [(f"k{number}", "aa") for number in range(limits.REMEMBERED - 1)]
    assert keys.changed(ack(*crowd, ("last", "bb"))) == ("last",)
    assert keys.changed(ack(*crowd, ("more", "aa"), ("last", "cc"))) == ()


# What came before a reply, as the machine asks for it

GRAPH = ">> handshake\n<< ack correlation graph verify\n"
AT_A = '{"anchors":["file:///a"]}'
SERVED = '>> query q1\n<< frames q1 f{"uri":"file:///a","content_digest":"' + ONE + '"}\n'


def asked(*digests: str | None, name: str = "docs") -> str:
    frames = [{"provider_id": name, "frame_id": "f", "content_digest": digest} for digest in digests]
    return f">> raw {json.dumps({'type': 'verify', 'request': {'frames': frames}}, separators=(',', ':'))}\n"


def told(*verdicts: tuple[str, str]) -> str:
    made = [
        {"frame": {"provider_id": "docs", "frame_id": "f", "content_digest": digest}, "status": status}
        for digest, status in verdicts
    ]
    return f"<< raw {json.dumps({'type': 'verified', 'response': {'verdicts': made}}, separators=(',', ':'))}\n"


def past(text: str) -> Past:
    return tell(text).changes[-1].past


@pytest.mark.parametrize(
    ("text", "anchored"),
    [
        (GRAPH + SERVED + f">> query q2 {AT_A}\n<< frames q2 g", "f"),
        (GRAPH + SERVED + f'>> query q2 {AT_A}\n<< frames q2 g{{"uri":"file:///a"}}', None),
        (GRAPH + SERVED + ">> query q2\n<< frames q2 g", None),
        (GRAPH + SERVED + f'>> query q2 {AT_A}\n<< frames q2 g h{{"score":"x"}}', None),
        (GRAPH + f">> query q2 {AT_A}\n<< frames q2 g", None),
        (GRAPH.replace("graph ", "") + SERVED + f">> query q2 {AT_A}\n<< frames q2 g", None),
        (GRAPH + SERVED + asked(ONE) + told((ONE, "gone")) + f">> query q2 {AT_A}\n<< frames q2 g", None),
        (GRAPH + SERVED + asked(ONE) + told((ONE, "stale")) + f">> query q2 {AT_A}\n<< frames q2 g", "f"),
    ],
)
def test_an_anchored_frame_of_before_is_told_where_an_answer_has_none(text: str, anchored: str | None) -> None:
    assert past(text).anchored == anchored


def test_a_digest_that_was_never_served_is_told_where_it_is_called_valid() -> None:
    two = frozenset([FrameId("docs", "f", TWO)])
    assert past(GRAPH + SERVED + asked(TWO) + told((TWO, "valid"))).never_served == two
    assert past(GRAPH + SERVED + asked(TWO) + told((TWO, "stale"))).never_served == frozenset()
    assert past(GRAPH + SERVED + asked(ONE) + told((ONE, "valid"))).never_served == frozenset()
    unheard = GRAPH.replace("graph verify", "") + SERVED + asked(TWO) + told((TWO, "valid"))
    assert past(unheard).never_served == frozenset(), "what nobody may ask for again is not remembered"


@pytest.mark.parametrize(
    ("asking", "telling", "disowned"),
    [
        (asked(ONE), told((ONE, "unknown")), True),
        (asked(ONE), told((ONE, "gone")), False),
        (asked(ONE, TWO), told((ONE, "unknown"), (TWO, "unknown")), False),
        (asked(ONE, None), told((ONE, "unknown")), False),
        (asked(ONE), told(), False),
        (asked(ONE, name="local"), told((ONE, "unknown")), False),
    ],
)
def test_whoever_knows_nothing_of_what_it_served_disowns_it(asking: str, telling: str, disowned: bool) -> None:
    assert past(GRAPH + SERVED + asking + telling).disowned == disowned


def test_a_key_of_an_ack_that_changed_is_told() -> None:
    def greeting(*keys: str) -> str:
        made = [{"key_id": "k1", "algorithm": "ed25519", "public_key": key} for key in keys]
        return f">> handshake\n<< ack {json.dumps({'attester_keys': made}, separators=(',', ':'))}\n"

    assert past(greeting("aa") + greeting("bb")).changed_keys == ("k1",)
    assert past(greeting("aa") + greeting() + greeting("aa")).changed_keys == ()
