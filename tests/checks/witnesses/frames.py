"""Witnesses of the tables about frames, answers, and members that cannot be read."""

from __future__ import annotations

from typing import Any

from cgp_tui.protocol.digest import sha256_digest
from tests.checks.witnesses import Witness
from tests.checks.witnesses.sessions import HELLO, OPEN, VECTORS, compact, offering

GOOD = sha256_digest(b"text")
HASH = f"sha256:{'ab' * 32}"
COMPACT: dict[str, Any] = {
    "representation": "compact",
    "content_digest": GOOD,
    "canonical_content_hash": HASH,
    "transform": {"method": "cut", "implementation": "x", "version": "1"},
    "content_ref": {"provider_id": "docs", "uri": "context://1"},
}
REFERENCE: dict[str, Any] = {
    "representation": "reference",
    "content": None,
    "token_cost": 0,
    "content_ref": {"provider_id": "docs", "uri": "context://1"},
    "canonical_content_hash": HASH,
}
EDGE = {"rel": "code.calls", "target_uri": "file:///a", "display_name": "a"}
LINK = {"type": "file", "uri": "file:///a", "digest": HASH}
ASKED = OPEN + ">> query q1\n"
ANSWER: dict[str, Any] = {"type": "frames", "result": {"frames": [], "truncated": False}}


def served(*frames: dict[str, Any], **query: Any) -> str:
    """One query answered by these frames, named a, b and so on where they do not say."""
    asked = f" {compact(query)}" if query else ""
    told = " ".join(f"{name}{compact(members)}" for name, members in zip("abcdef", frames, strict=False))
    return OPEN + f">> query q1{asked}\n<< frames q1 {told}"


def edge(**members: Any) -> dict[str, Any]:
    return {"relations": [{**EDGE, **members}]}


def one(named: str, broken: dict[str, Any], legal: dict[str, Any]) -> Witness:
    return Witness(f"{named} line 4 {broken.get('id', 'a')}".rstrip(), served(broken), served(legal))


FRAMES = (
    one("F1", {"score": 1.0000001}, {"score": 1}),
    one("F2", {"title": ""}, {"title": "t"}),
    one("F3", {"citation_label": None}, {"citation_label": "c"}),
    one("F4", {"valid_from": "2026-01-01T00:00:00+00:00"}, {"valid_from": "0000-01-01T00:00:00.10Z"}),
    one(
        "6.1 advice",
        {"valid_from": "2026-02-01T00:00:00.5Z", "valid_to": "2026-02-01T00:00:00.49Z"},
        {"valid_from": "2026-02-01T00:00:00.5Z", "valid_to": "2026-02-01T00:00:00.50Z"},
    ),
    one(
        "6.1 advice",
        {**COMPACT, "content_ref": {"provider_id": "docs", "uri": "x:1", "expires_at": "soon"}},
        {**COMPACT, "content_ref": {"provider_id": "docs", "uri": "x:1", "expires_at": "2026-02-01T00:00:00Z"}},
    ),
    one("F5", {"provenance": [{**LINK, "digest": HASH.upper()}]}, {"provenance": [{"type": "derivation"}, LINK]}),
    one("D1", {"content_digest": "sha256:abc"}, {"content_digest": GOOD}),
    one("6.3 advice", {"content_digest": HASH}, {"content_digest": GOOD}),
    one("6.3 advice", {"id": ""}, {"id": "0"}),
    one("P1", {"transform": COMPACT["transform"]}, {"representation": "full"}),
    one("P2", {**COMPACT, "transform": None}, COMPACT),
    one(
        "P3", {**REFERENCE, "content": ""}, {**COMPACT, "content": "", "token_cost": 0, "content_digest": sha256_digest(b"")}
    ),
    one("P2 advice", {**COMPACT, "canonical_content_hash": "md5:1"}, COMPACT),
    one("P3 advice", {**REFERENCE, "canonical_content_hash": "md5:1"}, COMPACT),
    one("6.4 advice", REFERENCE, COMPACT),
    one("6.4 advice", {"representation": "hologram"}, {"representation": "full"}),
    one("B3", {"content": "\u00e9\u00e9\u00e9", "token_cost": 1}, {"content": "\u00e9\u00e9\u00e9", "token_cost": 2}),
    one("P4", {**COMPACT, "token_cost": 400, "canonical_token_cost": 400}, {**COMPACT, "canonical_token_cost": 400}),
    one("G1", edge(display_name=""), edge()),
    one("G2", edge(target_uri=""), edge(target_uri="urn:x")),
    one("U3 advice", edge(rel="calls"), edge(rel="myindex.owns")),
    one(
        "E1 advice",
        {"embedding": {"fingerprint": "m/3", "vector": [1]}},
        {"embedding": {"fingerprint": "m/3", "vector": [1, 2, 3]}},
    ),
)

GRAPH = HELLO + "<< ack correlation graph\n"
BEFORE = GRAPH + '>> query q1\n<< frames q1 a{"uri":"file:///a"}\n'
AT_A = '{"anchors":["file:///a"]}'
NARROW = '{"anchors":["file:///a"],"kinds":["fact"]}'
PINNED = {"as_of": "2026-07-01T00:00:00Z"}

ANSWERS = (
    Witness("Q1 line 4 a", served({"kind": "fact"}, kinds=["doc"]), served({"kind": "recipe"}, kinds=["recipe"])),
    Witness("B1 line 4", served({}, {}, max_tokens=1), served({}, {}, max_tokens=2)),
    Witness("B4 line 4", served({}, {}, max_frames=1), served({}, {}, max_frames=2)),
    Witness(
        "G4 line 6",
        BEFORE + f">> query q2 {AT_A}\n<< frames q2 b",
        BEFORE + f'>> query q2 {NARROW}\n<< frames q2 b{{"kind":"fact"}}',
    ),
    Witness(
        "G4 advice line 4 b",
        GRAPH + f'>> query q1 {AT_A}\n<< frames q1 a{{"uri":"file:///a","score":0.1}} b{{"score":0.2}}',
        GRAPH + f'>> query q1 {AT_A}\n<< frames q1 b{{"score":0.1}} a{{"uri":"file:///a","score":0.1}}',
    ),
    Witness(
        "6.1 advice line 4 a",
        served({"valid_to": "2026-07-01T00:00:00Z"}, **PINNED),
        served({"valid_from": "2026-07-01T00:00:00.0Z", "valid_to": "2026-07-01T00:00:00.1Z"}, **PINNED),
    ),
    Witness("6.3 advice line 4 a", OPEN + ">> query q1\n<< frames q1 a b a", OPEN + ">> query q1\n<< frames q1 a b A"),
    Witness(
        "E1 advice line 4",
        VECTORS + '>> query - {"embedding":[1]}\n<< frames - a',
        VECTORS + '>> query - {"embedding":[1,2,3]}\n<< frames - a',
    ),
    Witness(
        "P5 advice line 4 a",
        OPEN + '>> query q1 {"representation_preferences":["compact"]}\n<< frames q1 a' + compact(COMPACT),
        offering(representations=["compact"], resolve=True)
        + '>> query - {"representation_preferences":["compact"]}\n<< frames - a'
        + compact(COMPACT),
    ),
)

_ENTRY = {"frame": {"provider_id": "docs", "frame_id": "a"}}
_SIGNED = {
    "signed_commitment": HASH,
    "key_id": "k",
    "algorithm": "ed25519",
    "attester_id": "a",
    "signature": "00" * 64,
    "issued_at": "2026-01-01T00:00:00Z",
}


def unread(named: str, **members: Any) -> Witness:
    return Witness(f"{named} line 4 a", served(members), served({}))


def evidence(named: str, frame_id: str = "a", **result: Any) -> Witness:
    made = {"type": "frames", "id": "q1", "result": {"frames": [], "truncated": False, **result}}
    return Witness(f"{named} line 4 {frame_id}".rstrip(), ASKED + f"<< raw {compact(made)}", ASKED + "<< frames q1")


def verdict(named: str, **members: Any) -> Witness:
    made = {"type": "verified", "response": {"verdicts": [{"frame": _ENTRY["frame"], "status": "valid", **members}]}}
    asked = (
        OPEN
        + '>> raw {"type":"verify","request":{"frames":[{"provider_id":"docs","frame_id":"a","content_digest":"'
        + HASH
        + '"}]}}\n'
    )
    good = {**made["response"]["verdicts"][0], "status": "valid", "replacement_digest": HASH}  # type: ignore[index]
    good["frame"] = {**_ENTRY["frame"], "content_digest": HASH}
    legal = {"type": "verified", "response": {"verdicts": [good]}}
    return Witness(f"{named} line 4 a", asked + f"<< raw {compact(made)}", asked + f"<< raw {compact(legal)}")


LINE = (
    Witness(
        "H4 line 4", ASKED + f"<< raw {compact({**ANSWER, 'id': 0})}", ASKED + f"<< raw {compact({**ANSWER, 'id': 'q1'})}"
    ),
    Witness(
        "H4 line 4",
        OPEN + f">> verify v1 f\n<< verified - f=valid {compact({'id': 0})}",
        OPEN + ">> verify v1 f\n<< verified v1 f=valid",
    ),
    Witness("H4 line 4", ASKED + f"<< error - {compact({'id': []})}", ASKED + "<< error q1"),
    Witness("H1 line 2", HELLO + '<< ack {"protocol_version":1}', HELLO + "<< ack"),
    Witness("H2 line 2", HELLO + '<< ack {"provider":{"name":"n","version":1,"data_flow":{}}}', HELLO + "<< ack"),
    Witness("F4 line 3", OPEN + '>> query q1 {"as_of":5}', OPEN + '>> query q1 {"as_of":null}'),
    unread("F1", score="high"),
    unread("F2", title=5),
    unread("F3", citation_label=5),
    unread("F4", valid_to=5),
    unread("F5", provenance=[{"type": "file", "digest": 5}]),
    unread("D1", content_digest=5),
    unread("P1", content=5),
    unread("P2", **{**COMPACT, "content": 5}),
    unread("P3", **{**REFERENCE, "content_ref": {"uri": "x:1"}}),
    unread("B3", token_cost=4294967296),
    unread("P4", canonical_token_cost=-1),
    unread("G1", relations=[{**EDGE, "display_name": 5}]),
    unread("G2", relations=[{"rel": "code.calls", "display_name": "a"}]),
    evidence("F11", frame_attestations=[{**_ENTRY, "frame": {"frame_id": "a"}}]),
    evidence("F7", frame_attestations=[{**_ENTRY, "attestation": {**_SIGNED, "signed_commitment": 5}}]),
    evidence("6.5.4", frame_attestations=[{**_ENTRY, "attestation": {**_SIGNED, "signature": 5}}]),
    evidence("F13", frame_attestations=[{**_ENTRY, "inclusion_proof": {"leaf_index": 0, "path": []}}]),
    evidence("F12", "", result_attestation={**_SIGNED, "signed_commitment": 5}),
    evidence("6.5.4", "", result_attestation={**_SIGNED, "signature": 5}),
    verdict("V3", status=5),
    verdict("V4", status="stale", replacement_digest=5),
)
