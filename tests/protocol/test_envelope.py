"""The eight messages: what we write is what the published schema wants, and reading it back loses nothing."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import msgspec
import pytest
from jsonschema import Draft202012Validator

from cgp_tui.protocol.attestation import (
    FrameAttestation,
    InclusionProof,
    InclusionStep,
    ProvenanceAttestation,
)
from cgp_tui.protocol.capability import AttesterKey, Capabilities, DataFlow, ProviderInfo, QueryCapability
from cgp_tui.protocol.envelope import (
    ContextQueryResult,
    Envelope,
    ErrorReply,
    Frames,
    Handshake,
    HandshakeAck,
    Query,
    Shutdown,
    Verified,
    Verify,
)
from cgp_tui.protocol.frame import ContentRef, ContextFrame, FrameEmbedding, Provenance, Relation, Transform
from cgp_tui.protocol.messages import TYPES
from cgp_tui.protocol.query import ContextQuery
from cgp_tui.protocol.verify import STATUSES, FrameVerdict, VerifyRequest, VerifyResponse

DIGEST = "sha256:" + "ab" * 32
BARE = ContextFrame(id="f0", kind="doc", title="t", score=0.5, token_cost=1, content="c", citation_label="t")
IDENTITY = BARE.identity("acme")
SIGNATURE = ProvenanceAttestation(DIGEST, "k", "ed25519", "acme", "ab" * 64, "2026-08-29T12:00:00Z")
ENVELOPES: dict[str, Envelope] = {
    "handshake": Handshake("contextgraph/1.0"),
    "bare ack": HandshakeAck("contextgraph/1.0", ProviderInfo("acme", "1", DataFlow()), Capabilities()),
    "full ack": HandshakeAck(
        "contextgraph/1.0",
        ProviderInfo("acme", "1", DataFlow(True, True, True, ("third-party-index", "acme:cloud"))),
        Capabilities(QueryCapability(("doc",)), True, True, "m/2/l2", True, ("full", "compact"), True),
        (AttesterKey("k", "ed25519", "ab" * 32),),
    ),
    "bare query": Query(ContextQuery("g", 8, 2000)),
    "full query": Query(
        ContextQuery("g", 8, 2000, "t", (0.5, -1.0), ("doc",), ("file:///a",), "2026-01-01T00:00:00Z", ("compact", "full")),
        "q1",
    ),
    "bare frames": Frames(ContextQueryResult((BARE,), False)),
    "full frames": Frames(
        ContextQueryResult(
            (
                ContextFrame(
                    id="f1",
                    kind="snippet",
                    title="t",
                    score=1.0,
                    token_cost=1,
                    content="c",
                    content_digest=DIGEST,
                    uri="file:///a",
                    representation="compact",
                    content_fidelity="summarized",
                    canonical_content_hash=DIGEST,
                    content_ref=ContentRef("acme", "acme:a", "2026-01-01T00:00:00Z"),
                    transform=Transform("m", "i", "1"),
                    minimum_content_fidelity="exact",
                    inline_content_requirement="resolvable_reference_allowed",
                    canonical_token_cost=9,
                    tokenizer_ref="openai:o200k_base",
                    valid_from="2026-01-01T00:00:00Z",
                    valid_to="2026-01-02T00:00:00Z",
                    recorded_at="2026-01-01T00:00:00Z",
                    provenance=(Provenance("file", "file:///a", "L1-2", DIGEST, "read", "acme"), Provenance("derivation")),
                    citation_label="a",
                    embedding=FrameEmbedding("m/2/l2", (0.5, 0.25)),
                    relations=(Relation("code.calls", "file:///b", "b"),),
                ),
                BARE,
            ),
            True,
            3,
            (
                FrameAttestation(IDENTITY, SIGNATURE, InclusionProof(0, 2, (InclusionStep(DIGEST, False),))),
                FrameAttestation(IDENTITY, inclusion_proof=InclusionProof(0, 1, ())),
            ),
            SIGNATURE,
        ),
        "q1",
    ),
    "verify": Verify(VerifyRequest((IDENTITY, msgspec.structs.replace(IDENTITY, content_digest=DIGEST)))),
    "verified": Verified(VerifyResponse(tuple(FrameVerdict(IDENTITY, status) for status in STATUSES))),
    "stale": Verified(VerifyResponse((FrameVerdict(IDENTITY, "stale", DIGEST),))),
    "shutdown": Shutdown(),
    "bare error": ErrorReply("no"),
    "full error": ErrorReply("no", "q1", "bad_request"),
}


@pytest.fixture(scope="module")
def schema(shared: Path) -> Any:
    return Draft202012Validator(json.loads((shared / "spec" / "envelope.schema.json").read_text("utf-8")))


@pytest.mark.parametrize("name", ENVELOPES)
def test_the_schema_takes_what_we_write(schema: Any, name: str) -> None:
    written = json.loads(msgspec.json.encode(ENVELOPES[name]))
    assert [error.message for error in schema.iter_errors(written)] == []
    assert None not in written.values()


@pytest.mark.parametrize("name", ENVELOPES)
def test_reading_back_loses_nothing(name: str) -> None:
    assert msgspec.json.decode(msgspec.json.encode(ENVELOPES[name]), type=Envelope) == ENVELOPES[name]


@pytest.mark.parametrize("name", ENVELOPES)
def test_members_nobody_knows_are_skipped_everywhere(name: str) -> None:
    def sprinkle(value: Any) -> Any:
        if isinstance(value, dict):
            return {"later": [None], **{key: sprinkle(item) for key, item in value.items()}}
        return [sprinkle(item) for item in value] if isinstance(value, list) else value

    sprinkled = json.dumps(sprinkle(json.loads(msgspec.json.encode(ENVELOPES[name]))))
    assert msgspec.json.decode(sprinkled, type=Envelope) == ENVELOPES[name]


def test_every_message_is_among_them() -> None:
    assert {json.loads(msgspec.json.encode(envelope))["type"] for envelope in ENVELOPES.values()} == set(TYPES)


def test_open_vocabularies_are_kept_word_for_word() -> None:
    frame = msgspec.structs.replace(BARE, kind="acme:table", representation="later", relations=(Relation("odd", "u"),))
    read = msgspec.json.decode(msgspec.json.encode(Frames(ContextQueryResult((frame,), False))), type=Envelope)
    assert read == Frames(ContextQueryResult((frame,), False))
