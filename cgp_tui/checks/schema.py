"""The wire's JSON Schema (Draft 2020-12), made from the types of `protocol`.

`interop` is what every receiver must accept: the types as they decode, unknown members and words welcome (U1, U2).
`authoring` is what every author should keep to: closed objects, the vocabulary of contextgraph/1.0, and the rules below.
It is a lint and never a reason to refuse a peer's line.

A rule is a row: a member of a type, the anchor it belongs to, and the fragment that states it. Whatever breaks an anchor is
a finding in a transcript too; what a receiver must accept all the same (an unknown kind, an empty goal) is only a lint; what
a schema cannot express (sums, hashes, the calendar) is left to the checks.
"""

from __future__ import annotations

from typing import Any, Final, Literal, NamedTuple

import msgspec

from cgp_tui.protocol import attestation, capability, envelope, frame, identity, query, verify
from cgp_tui.wire.ranges import U32, U32_MEMBERS

Profile = Literal["authoring", "interop"]

DRAFT: Final = "https://json-schema.org/draft/2020-12/schema"

Fragment = dict[str, Any]

_TIME: Final = {"pattern": r"^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}(\.[0-9]+)?Z$"}
_DIGEST: Final = {"pattern": "^sha256:[0-9a-f]{64}$"}
_TEXT: Final = {"minLength": 1}
_VERSION: Final = {"pattern": r"^contextgraph/[0-9]+\.[0-9]+(-draft)?$"}
_U32: Final = {"minimum": 0, "maximum": U32}
_SCOPE: Final = {
    "anyOf": [
        {"enum": [capability.LOCAL_ONLY, *capability.OFF_MACHINE_SCOPES]},
        {"pattern": "^[^:]+:[^:]+"},
    ]
}
_FIDELITY: Final = {"enum": ["exact", "normalized", "summarized", "omitted"]}


class Rule(NamedTuple):
    """What `anchor` asks of a member, or, with `each`, of every item of an array."""

    of: type[msgspec.Struct]
    member: str
    anchor: str
    says: Fragment
    each: bool = False


def _rules(of: type[msgspec.Struct], anchor: str, says: Fragment, *members: str) -> tuple[Rule, ...]:
    return tuple(Rule(of, member, anchor, says) for member in members)


RANGES: Final = tuple(Rule(of, member, "SHAPE", _U32) for of, members in U32_MEMBERS.items() for member in members)
"""Ranges that the decoder enforces, so they hold in either profile."""

RULES: Final = (
    *_rules(envelope.Handshake, "H1", _VERSION, "protocol_version"),
    *_rules(envelope.HandshakeAck, "H1", _VERSION, "protocol_version"),
    *_rules(capability.ProviderInfo, "H2", _TEXT, "name", "version"),
    Rule(capability.DataFlow, "egress_scopes", "C6", _SCOPE, each=True),
    *_rules(capability.Capabilities, "E1", {"pattern": "^[^/]+/[0-9]+(/[^/]+)?$"}, "embeddings_fingerprint"),
    Rule(capability.Capabilities, "representations", "6.4", {"enum": list(frame.REPRESENTATIONS)}, each=True),
    *_rules(capability.AttesterKey, "6.5.4", _TEXT, "key_id", "algorithm"),
    *_rules(capability.AttesterKey, "6.5.4", {"pattern": "^[0-9a-f]{64}$"}, "public_key"),
    *(Rule(of, "id", "H4", _TEXT) for of in (envelope.Query, envelope.Frames, envelope.Verify, envelope.Verified)),
    *_rules(envelope.ErrorReply, "X1", _TEXT, "message", "id"),
    *_rules(query.ContextQuery, "SHAPE", _TEXT, "goal"),
    Rule(query.ContextQuery, "kinds", "U2", {"enum": list(frame.KINDS)}, each=True),
    *_rules(query.ContextQuery, "F4", _TIME, "as_of"),
    Rule(query.ContextQuery, "representation_preferences", "P5", {"enum": list(frame.REPRESENTATIONS)}, each=True),
    *_rules(identity.FrameId, "6.3", _TEXT, "provider_id", "frame_id"),
    *_rules(verify.FrameVerdict, "V3", {"enum": list(verify.STATUSES)}, "status"),
    *_rules(verify.FrameVerdict, "V4", _DIGEST, "replacement_digest"),
    *_rules(frame.ContextFrame, "6.1", _TEXT, "id"),
    *_rules(frame.ContextFrame, "F2", _TEXT, "title"),
    *_rules(frame.ContextFrame, "F3", _TEXT, "citation_label"),
    *_rules(frame.ContextFrame, "U2", {"enum": list(frame.KINDS)}, "kind"),
    *_rules(frame.ContextFrame, "F1", {"minimum": 0, "maximum": 1}, "score"),
    *_rules(frame.ContextFrame, "F4", _TIME, "valid_from", "valid_to", "recorded_at"),
    *_rules(frame.ContextFrame, "D1", _DIGEST, "content_digest", "canonical_content_hash"),
    *_rules(frame.ContextFrame, "6.4", {"enum": list(frame.REPRESENTATIONS)}, "representation"),
    *_rules(frame.ContextFrame, "6.4", _FIDELITY, "content_fidelity", "minimum_content_fidelity"),
    *_rules(frame.ContextFrame, "6.4", {"enum": ["required", "resolvable_reference_allowed"]}, "inline_content_requirement"),
    *_rules(frame.ContextFrame, "6.4", _TEXT, "tokenizer_ref"),
    *_rules(frame.ContentRef, "P3", _TEXT, "provider_id", "uri"),
    *_rules(frame.ContentRef, "F4", _TIME, "expires_at"),
    *_rules(frame.Transform, "P1", _TEXT, "method", "implementation", "version"),
    *_rules(frame.Provenance, "F5", _TEXT, "type"),
    *_rules(frame.Provenance, "F5", _DIGEST, "digest"),
    *_rules(frame.Relation, "U3", _TEXT, "rel"),
    *_rules(frame.Relation, "G1", _TEXT, "display_name"),
    *_rules(frame.Relation, "G2", _TEXT, "target_uri"),
    *_rules(frame.FrameEmbedding, "E1", _TEXT, "fingerprint"),
    *_rules(attestation.ProvenanceAttestation, "F7", _DIGEST, "signed_commitment"),
    *_rules(attestation.ProvenanceAttestation, "6.5.4", _TEXT, "key_id", "algorithm", "attester_id"),
    *_rules(attestation.ProvenanceAttestation, "6.5.4", {"pattern": "^[0-9a-f]{128}$"}, "signature"),
    *_rules(attestation.ProvenanceAttestation, "F4", _TIME, "issued_at"),
    *_rules(attestation.InclusionProof, "F13", {"minimum": 0}, "leaf_index"),
    *_rules(attestation.InclusionProof, "F13", {"minimum": 1}, "leaf_count"),
    *_rules(attestation.InclusionStep, "F13", _DIGEST, "sibling"),
)
"""What an author must keep, member by member."""

NULLABLE: Final = {
    query.ContextQuery: ("query_text", "embedding", "as_of"),
    capability.Capabilities: ("embeddings_fingerprint",),
    envelope.ContextQueryResult: ("dropped_estimate",),
    identity.FrameId: ("content_digest",),
    verify.FrameVerdict: ("replacement_digest",),
    frame.ContextFrame: ("content_digest", "uri", "valid_from", "valid_to", "recorded_at", "embedding"),
    frame.Provenance: ("uri", "range", "digest", "method", "by"),
    frame.FrameEmbedding: ("vector",),
    frame.ContentRef: ("expires_at",),
}
"""Members that an author may write as null; any other is left out where it has no value."""

NEEDED: Final = {
    capability.DataFlow: ("reads", "writes", "egress"),
    capability.Capabilities: ("query",),
    capability.QueryCapability: ("kinds",),
    frame.ContextFrame: ("citation_label",),
    frame.Relation: ("display_name",),
}
"""Members that a receiver can do without and an author writes (F3, G1)."""


def _given(*members: str) -> Fragment:
    return {"anyOf": [{"required": [member]} for member in members]}


def _where(representation: Fragment, then: Fragment, *, absent: bool = False) -> Fragment:
    named: Fragment = {"properties": {"representation": representation}}
    return {"if": named if absent else named | {"required": ["representation"]}, "then": then}


WHOLE: Final[dict[type[msgspec.Struct], Fragment]] = {
    frame.ContextFrame: {
        "allOf": [
            _where(
                {"const": "reference"},
                {
                    "required": ["content_ref", "canonical_content_hash"],
                    "not": _given("content", "content_digest", "transform"),
                    "properties": {"token_cost": {"const": 0}},
                },
            ),
            _where(
                {"const": "compact"},
                {"required": ["content", "content_digest", "canonical_content_hash", "transform", "content_ref"]},
            ),
            _where(
                {"const": "full"},
                {"required": ["content"], "not": _given("content_ref", "transform", "canonical_content_hash")},
                absent=True,
            ),
        ]
    },
    frame.Provenance: {
        "if": {"properties": {"type": {"const": "file"}}},
        "then": {"required": ["digest"], "properties": {"digest": {"type": "string"}}},
    },
    attestation.FrameAttestation: _given("attestation", "inclusion_proof"),
}
"""Rules between members of one object: what a representation carries (P1–P4), the digest of a file (F5), that an entry
holds evidence (F11)."""


def envelope_schema(profile: Profile) -> Fragment:
    """The schema of one message."""
    (root,), parts = msgspec.json.schema_components((envelope.Envelope,), ref_template="#/$defs/{name}")
    defs = {name: _part(part) for name, part in parts.items()}
    for rule in RANGES if profile == "interop" else (*RANGES, *RULES):
        _say(defs[rule.of.__name__], rule)
    if profile == "authoring":
        for part in defs.values():
            part["additionalProperties"] = False
        _close(defs)
    title = f"Context Graph Protocol message, {profile} profile"
    return {"$schema": DRAFT, "title": title, "oneOf": root["anyOf"], "$defs": defs}


def _part(part: Fragment) -> Fragment:
    """A definition without its defaults, which tell nothing about a message."""
    members = {name: {k: v for k, v in value.items() if k != "default"} for name, value in part["properties"].items()}
    return {"type": "object", "properties": members, "required": list(part["required"])}


def _say(part: Fragment, rule: Rule) -> None:
    member = part["properties"][rule.member]
    options = [one for one in member.get("anyOf", [member]) if one.get("type") != "null"]
    (target,) = options
    (target["items"] if rule.each else target).update(rule.says)


def _close(defs: dict[str, Fragment]) -> None:
    """Allow null only where it is meant, and require what an author should write."""
    nullable = {of.__name__: names for of, names in NULLABLE.items()}
    for name, part in defs.items():
        for member, value in part["properties"].items():
            if "anyOf" in value and member not in nullable.get(name, ()):
                part["properties"][member] = next(one for one in value["anyOf"] if one.get("type") != "null")
    for of, names in NEEDED.items():
        part = defs[of.__name__]
        part["required"] = sorted({*part["required"], *names}, key=list(part["properties"]).index)
    for of, says in WHOLE.items():
        defs[of.__name__].update(says)
