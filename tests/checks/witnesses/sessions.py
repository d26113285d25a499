"""Witnesses of the tables about the course of a session: handshakes, requests, pairings, order."""

from __future__ import annotations

import json
from typing import Any

from tests.checks.witnesses import Witness

HELLO = ">> handshake\n"
OPEN = HELLO + "<< ack correlation verify\n"
PLAIN = HELLO + "<< ack\n"
SHAKEN = OPEN + ">> query q1\n<< frames q1 f\n"
BAD = '>> raw {"type":"query","id":"q1"}\n'


def compact(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def offering(**capabilities: Any) -> str:
    return HELLO + f"<< ack {compact({'capabilities': capabilities})}\n"


def posing(name: str = "docs", version: str = "1", **flow: Any) -> str:
    return HELLO + f"<< ack {compact({'provider': {'name': name, 'version': version, 'data_flow': flow}})}\n"


def keyed(key: str) -> str:
    """An ack with one key. Keys change from one handshake to the next, here on one connection."""
    return f"<< ack {compact({'attester_keys': [{'key_id': 'k1', 'algorithm': 'ed25519', 'public_key': key}]})}\n"


OFFERED = '>> raw {"type":"handshake","protocol_version":"%s"}\n'
FOREIGN = HELLO + '<< ack {"protocol_version":"contextgraph/2.0"}\n'
VECTORS = offering(embeddings_fingerprint="m/3/l2")
REFUSED = "note refused 2 version_mismatch\n"

COURSE = (
    Witness("3.2 advice line 3", OPEN + ">> frames - f", OPEN + ">> query q1"),
    Witness("3.2 advice line 2", HELLO + ">> query -\n<< ack", PLAIN + ">> query -"),
    Witness("3.2 line 4", OPEN + ">> query q1\n>> query q1", OPEN + ">> query q1\n<< frames q1 f\n>> query q1"),
    Witness("3.2 advice line 4", PLAIN + ">> shutdown\n>> query -", PLAIN + ">> query -\n>> shutdown"),
    Witness("R2 advice line 6", SHAKEN + '>> shutdown\n<< raw {"type":"later"}', SHAKEN + ">> shutdown"),
    Witness("H3 advice line 3", FOREIGN + ">> query -", PLAIN + ">> query -"),
    Witness(
        "C5 advice line 3",
        posing(egress_scopes=["a:b"]) + ">> query -",
        posing(egress=True, egress_scopes=["a:b"]) + ">> query -",
    ),
    Witness(
        "R1 advice line 4",
        PLAIN + ">> raw {{{\n<< error - internal",
        PLAIN + '>> raw {"type":"later"}\n<< error - bad_request',
    ),
    Witness("R1 line 3", PLAIN + ">> raw {{{\nnote exit 1", PLAIN + ">> query -\n<< frames - f\nnote exit 1"),
    Witness("R2 line 3", PLAIN + ">> shutdown\nnote exit 3", PLAIN + ">> shutdown\nnote exit 0"),
    Witness(
        "6.5.4 advice line 4",
        HELLO + keyed("00" * 32) + HELLO + keyed("11" * 32),
        HELLO + keyed("00" * 32) + HELLO + keyed("00" * 32),
    ),
)

OFFERS = (Witness("H1 advice line 1", OFFERED % "contextgraph/1" + "<< ack", OFFERED % "contextgraph/1.9" + "<< ack"),)

ACKS = (
    Witness("H1 line 2", FOREIGN, HELLO + '<< ack {"protocol_version":"contextgraph/1.7-draft"}'),
    Witness("H2 line 2", posing(name=""), posing(name="d")),
    Witness("C5 line 2", posing(egress_scopes=["third-party-model"]), posing(egress_scopes=["local-only"])),
    Witness("6.4 line 2", offering(representations=["compact"]), offering(representations=["compact"], resolve=True)),
    Witness("6.4 advice line 2", offering(representations=["hologram"]), offering(representations=["full"])),
    Witness("E1 advice line 2", offering(embeddings_fingerprint="m"), VECTORS),
    Witness(
        "U3 advice line 2", posing(egress=True, egress_scopes=["cloud"]), posing(egress=True, egress_scopes=["acme:cloud"])
    ),
)

REFUSALS = (
    Witness(
        "H3 advice line 2",
        OFFERED % "contextgraph/2.0" + "<< error - internal",
        OFFERED % "contextgraph/2.0" + "<< error - incompatible_version",
    ),
    Witness("H1 advice line 2", HELLO + "<< error - unavailable", HELLO + "<< ack"),
)

REQUESTS = (
    Witness("3.2 line 3", PLAIN + ">> query q1", PLAIN + ">> query -"),
    Witness(
        "F4 line 3",
        PLAIN + '>> query - {"as_of":"2026-02-30T00:00:00Z"}',
        PLAIN + '>> query - {"as_of":"2024-02-29T23:59:60.123456789Z"}',
    ),
    Witness("E1 line 3", PLAIN + '>> query - {"embedding":[]}', VECTORS + '>> query - {"embedding":[1,2,3]}'),
    Witness(
        "P5 line 3",
        PLAIN + '>> query - {"representation_preferences":["compact"]}',
        PLAIN + '>> query - {"representation_preferences":["full"]}',
    ),
)

PAIRINGS = (
    Witness("H4 line 4", OPEN + ">> query q1\n<< frames Q1 f", OPEN + ">> query q1\n<< frames q1 f"),
    Witness("H4 line 3", OPEN + "<< frames q9 f", OPEN + "note dropped 1\n<< frames q9 f"),
    Witness("3.2 advice line 3", PLAIN + "<< ack", PLAIN),
    Witness("3.2 advice line 4", PLAIN + ">> query -\n<< frames q7 f", PLAIN + ">> query -\n<< frames - f"),
    Witness("3.2 advice line 4", PLAIN + ">> query -\n<< verified - f=valid", PLAIN + ">> query -\n<< error - unavailable"),
    Witness("H1 note line 1", HELLO + "note gave_up 1", HELLO),
    Witness("3.2 note line 3", PLAIN + ">> query -\nnote exit", PLAIN + ">> query -\nnote poisoned line_too_long"),
    Witness("V2 note line 3", OPEN + ">> verify - f\nnote gave_up verify", OPEN + ">> verify - f"),
    Witness("U3 advice line 4", PLAIN + ">> query -\n<< error - busy", PLAIN + ">> query -\n<< error - acme:busy"),
    Witness("R1 advice line 4", OPEN + BAD + "<< error q1 internal", OPEN + '>> query q1 {"x":1}\n<< error q1 internal'),
    Witness(
        "E1 advice line 4",
        VECTORS + '>> query - {"embedding":[1]}\n<< error - internal',
        VECTORS + '>> query - {"embedding":[1,2,3]}\n<< error - internal',
    ),
)
