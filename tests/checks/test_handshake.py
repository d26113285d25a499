"""The handshake: versions, names, posture, refusals."""

from __future__ import annotations

import json
from typing import Any

import msgspec
import pytest

from cgp_tui.checks.breach import Charge
from cgp_tui.checks.handshake import ROWS, judge_ack, judge_error, judge_offer
from cgp_tui.protocol.admission import refusal
from cgp_tui.protocol.capability import Capabilities
from cgp_tui.protocol.envelope import ErrorReply, Handshake, HandshakeAck
from cgp_tui.wire.decode import decode
from tests.checks.cases import brief

OURS = "contextgraph/1.0"
FLOW = {"reads": True, "writes": False, "egress": False}


def ack(version: str = OURS, name: str = "docs", release: str = "1", **flow: Any) -> HandshakeAck:
    provider = {"name": name, "version": release, "data_flow": {**FLOW, **flow}}
    made = {"type": "handshake_ack", "protocol_version": version, "provider": provider, "capabilities": {}}
    envelope = decode(json.dumps(made).encode()).envelope
    assert isinstance(envelope, HandshakeAck)
    return envelope


def offering(**capabilities: Any) -> HandshakeAck:
    return msgspec.structs.replace(ack(), capabilities=msgspec.convert(capabilities, Capabilities))


CASES: list[tuple[HandshakeAck, list[str]]] = [
    (ack("contextgraph/2.0"), ["H1 /protocol_version"]),
    (ack("contextgraph/10.0"), ["H1 /protocol_version"]),
    (ack("contextgraph/1"), ["H1 /protocol_version"]),
    (ack("contextgraph/1.x"), ["H1 /protocol_version"]),
    (ack(""), ["H1 /protocol_version"]),
    (ack(name=""), ["H2 /provider/name"]),
    (ack(release=""), ["H2 /provider/version"]),
    (ack(name=" "), ["H2 advice /provider/name"]),
    (ack(egress_scopes=["third-party-model"]), ["C5 /provider/data_flow/egress_scopes"]),
    (ack(egress_scopes=["local-only", "acme:x"]), ["C5 /provider/data_flow/egress_scopes"]),
    (
        ack(egress_scopes=["Local-Only"]),
        ["C5 /provider/data_flow/egress_scopes", "U3 advice /provider/data_flow/egress_scopes/0"],
    ),
    (ack(egress=True, egress_scopes=["acme:x", "cloud"]), ["U3 advice /provider/data_flow/egress_scopes/1"]),
    (ack(egress=True, egress_scopes=["acme:"]), ["U3 /provider/data_flow/egress_scopes/0"]),
    (offering(representations=["full", "compact"]), ["6.4 /capabilities/resolve"]),
    (offering(representations=["reference"], resolve=False), ["6.4 /capabilities/resolve"]),
    (offering(representations=["hologram", "full"]), ["6.4 advice /capabilities/representations/0"]),
    (offering(embeddings_fingerprint="bge-small"), ["E1 advice /capabilities/embeddings_fingerprint"]),
    (offering(embeddings_fingerprint="m/-3/l2"), ["E1 advice /capabilities/embeddings_fingerprint"]),
]


@pytest.mark.parametrize(("made", "expected"), CASES)
def test_each_break_is_named(made: HandshakeAck, expected: list[str]) -> None:
    assert brief(judge_ack(OURS, made, Charge(2, 1, "provider"))) == expected


@pytest.mark.parametrize("place", range(len(ROWS)), ids=lambda place: ROWS[place].anchor)
def test_every_row_is_what_names_its_breaks(place: int) -> None:
    rows = [row for number, row in enumerate(ROWS) if number != place]
    assert any(brief(judge_ack(OURS, made, Charge(2, 1, None), rows)) != expected for made, expected in CASES)


@pytest.mark.parametrize(
    "made",
    [
        ack("contextgraph/1.0-draft"),
        ack("contextgraph/1.7"),
        ack(egress=True),
        ack(egress=True, egress_scopes=["third-party-index", "acme:x"]),
        ack(egress_scopes=["local-only"]),
        offering(representations=["full"]),
        offering(representations=["compact", "reference"], resolve=True),
        offering(resolve=True),
        offering(embeddings_fingerprint="bge-small-en-v1.5/384/l2"),
        offering(embeddings_fingerprint="m/3"),
    ],
)
def test_what_is_legal_is_not_accused(made: HandshakeAck) -> None:
    assert judge_ack(OURS, made, Charge(2, 1, "provider")) == []
    assert refusal(OURS, made) is None


def test_the_reference_accepts_a_version_that_is_none_of_the_same_family() -> None:
    (found,) = judge_ack(OURS, ack("contextgraph/1"), Charge(2, 1, "provider"))
    assert found.reference == "accepted"
    (found,) = judge_ack(OURS, ack("contextgraph/2.0"), Charge(2, 1, "provider"))
    assert found.reference != "accepted"


@pytest.mark.parametrize(
    ("made", "code"),
    [
        (ack("contextgraph/2.0"), "version_mismatch"),
        (ack("contextgraph/1"), "version_mismatch"),
        (ack(egress_scopes=["third-party-model"]), "scope_contradiction"),
        (ack(egress=True, egress_scopes=["vendor:"]), "scope_malformed"),
        (ack(egress=True, egress_scopes=[":x"]), "scope_malformed"),
        (ack(egress=True, egress_scopes=[""]), "scope_malformed"),
        (ack(egress=True, egress_scopes=["a:b\n"]), "scope_malformed"),
        (ack(name=""), None),
    ],
)
def test_a_host_refuses_by_name(made: HandshakeAck, code: str | None) -> None:
    assert refusal(OURS, made) == code


@pytest.mark.parametrize(
    ("ours", "code", "expected"),
    [
        ("contextgraph/2.0", "bad_request", ["H3 advice /code"]),
        ("contextgraph/2.0", None, ["H3 advice /code"]),
        ("contextgraph/2.0", "incompatible_version", []),
        (OURS, "unavailable", ["H1 advice /type"]),
        (OURS, "incompatible_version", ["H1 advice /type"]),
        ("nonsense", "bad_request", ["H3 advice /code"]),
    ],
)
def test_a_foreign_version_is_refused_by_its_name(ours: str, code: str | None, expected: list[str]) -> None:
    assert brief(judge_error(ours, ErrorReply("no", code=code), Charge(2, 1, "provider"))) == expected


@pytest.mark.parametrize(
    ("ours", "expected"),
    [
        ("contextgraph/1", ["H1 advice /protocol_version"]),
        ("", ["H1 advice /protocol_version"]),
        (OURS, []),
        ("contextgraph/2.0", []),
    ],
)
def test_what_a_host_offers_is_a_version(ours: str, expected: list[str]) -> None:
    assert brief(judge_offer(Handshake(ours), Charge(1, 1, "host"))) == expected


def test_of_an_ack_without_a_handshake_all_but_its_version_is_judged() -> None:
    made = ack("contextgraph/2.0", egress_scopes=["third-party-model"])
    assert brief(judge_ack(None, made, Charge(1, None, "provider"))) == ["C5 /provider/data_flow/egress_scopes"]
