"""Our schema of the wire against the published one, over a large corpus of sound and broken messages, and against the
checks: what it rejects they find."""

from __future__ import annotations

import copy
import json
import random
import re
from collections import Counter
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from cgp_tui.checks.schema import NEEDED, NULLABLE, RANGES, RULES, WHOLE, Profile, envelope_schema
from cgp_tui.protocol.requirements import REQUIREMENTS
from cgp_tui.wire.decode import decode

AUTHORING, INTEROP = envelope_schema("authoring"), envelope_schema("interop")
DIGEST = "sha256:" + "ab" * 32
AT = "2026-08-29T12:00:00Z"
FRAME: dict[str, Any] = {
    "id": "frm",
    "kind": "snippet",
    "title": "T",
    "content": "text",
    "content_digest": DIGEST,
    "uri": "file:///a",
    "representation": "full",
    "content_fidelity": "exact",
    "score": 0.5,
    "token_cost": 1,
    "valid_from": AT,
    "valid_to": None,
    "recorded_at": "2026-08-29T12:00:00.25Z",
    "provenance": [{"type": "file", "uri": "a", "range": "L1-2", "digest": DIGEST}, {"type": "episode", "by": "x"}],
    "citation_label": "a L1",
    "embedding": {"fingerprint": "m/3", "vector": [0.1, 0.2, 0.3]},
    "relations": [{"rel": "code.calls", "target_uri": "file:///b", "display_name": "b"}],
}
SOURCE = {"provider_id": "p", "uri": "urn:x", "expires_at": None}
COMPACT = {
    **FRAME,
    "representation": "compact",
    "canonical_content_hash": DIGEST,
    "content_ref": SOURCE,
    "transform": {"method": "m", "implementation": "i", "version": "1"},
    "minimum_content_fidelity": "summarized",
    "inline_content_requirement": "required",
    "canonical_token_cost": 9,
    "tokenizer_ref": "t",
}
REFERENCE = {
    **{name: value for name, value in FRAME.items() if name not in ("content", "content_digest")},
    "representation": "reference",
    "canonical_content_hash": DIGEST,
    "content_ref": SOURCE,
    "token_cost": 0,
}
SIGNATURE = {
    "signed_commitment": DIGEST,
    "key_id": "k",
    "algorithm": "ed25519",
    "attester_id": "a",
    "signature": "ab" * 64,
    "issued_at": AT,
}
NAME = {"provider_id": "p", "frame_id": "frm", "content_digest": DIGEST}
PROOF = {"leaf_index": 0, "leaf_count": 2, "path": [{"sibling": DIGEST, "sibling_is_left": False}]}
MESSAGES: tuple[dict[str, Any], ...] = (
    {"type": "handshake", "protocol_version": "contextgraph/1.0-draft"},
    {
        "type": "handshake_ack",
        "protocol_version": "contextgraph/1.0",
        "provider": {
            "name": "p",
            "version": "1",
            "data_flow": {"reads": True, "writes": False, "egress": True, "egress_scopes": ["org-tenant", "acme:x"]},
        },
        "capabilities": {
            "query": {"kinds": ["snippet", "doc"]},
            "correlation": True,
            "graph": True,
            "embeddings_fingerprint": "model/3/cosine",
            "verify": True,
            "representations": ["full", "compact"],
            "resolve": False,
        },
        "attester_keys": [{"key_id": "k", "algorithm": "ed25519", "public_key": "ab" * 32}],
    },
    {
        "type": "query",
        "id": "q1",
        "query": {
            "goal": "g",
            "query_text": None,
            "embedding": [0.1],
            "kinds": ["doc"],
            "anchors": ["file:///a"],
            "max_frames": 8,
            "max_tokens": 4294967295,
            "as_of": AT,
            "representation_preferences": ["full"],
        },
    },
    *({"type": "frames", "result": {"frames": [one], "truncated": True}} for one in (FRAME, COMPACT, REFERENCE)),
    {
        "type": "frames",
        "id": "q1",
        "result": {
            "frames": [],
            "truncated": False,
            "dropped_estimate": 3,
            "frame_attestations": [{"frame": NAME, "attestation": SIGNATURE, "inclusion_proof": PROOF}],
            "result_attestation": SIGNATURE,
        },
    },
    {"type": "verify", "request": {"frames": [NAME]}},
    {
        "type": "verified",
        "response": {"verdicts": [{"frame": NAME, "status": "stale", "replacement_digest": DIGEST}]},
    },
    {"type": "shutdown"},
    {"type": "error", "message": "m", "id": "q1", "code": "unavailable"},
)
ODD: tuple[Any, ...] = (
    "",
    " ",
    "x",
    "X:y",
    ":",
    "a:",
    -1,
    0,
    0.5,
    1,
    2,
    1 << 32,
    None,
    True,
    [],
    {},
    AT,
    "2026-13-45T99:99:99Z",
    DIGEST,
    "AB" * 32,
    "abc",
)

JUSTIFIED = {
    ("ours", "citation_label", "required"): "F3",
    ("ours", "citation_label", "type"): "F3",
    ("ours", "display_name", "required"): "G1",
    ("ours", "display_name", "type"): "G1",
    ("ours", "display_name", "minLength"): "G1",
    ("ours", "digest", "required"): "F5",
    ("ours", "digest", "type"): "F5",
    ("ours", "content_digest", "pattern"): "D1",
    ("ours", "canonical_content_hash", "pattern"): "D1",
    ("ours", "replacement_digest", "pattern"): "V4",
    ("ours", "expires_at", "pattern"): "F4",
    ("ours", "public_key", "pattern"): "6.5.4",
    ("ours", "signature", "pattern"): "6.5.4",
    ("ours", "token_cost", "const"): "P4",
    ("ours", "frames", "not"): "P1",
    ("theirs", "id", "additionalProperties"): "H4",
}
"""Where the two disagree: who rejects, which member, by which keyword; and the anchor that settles it."""


@pytest.fixture(scope="module")
def published(shared: Path) -> dict[str, Any]:
    return json.loads((shared / "spec" / "envelope.schema.json").read_text("utf-8"))  # type: ignore[no-any-return]


def variants(schema: dict[str, Any]) -> dict[str, Any]:
    """A validator for each type of message: its complaints are about that type alone."""
    found = {}
    for one in schema["oneOf"]:
        kind = schema["$defs"][one["$ref"].rpartition("/")[2]]["properties"]["type"]
        for name in (kind.get("const"), *kind.get("enum", ())):
            found[name] = jsonschema.Draft202012Validator({"$ref": one["$ref"], "$defs": schema["$defs"]})
    return found


def places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    yield path
    if isinstance(value, dict | list):
        for key, inner in value.items() if isinstance(value, dict) else enumerate(value):
            yield from places(inner, (*path, key))


def at(value: Any, path: tuple[Any, ...]) -> Any:
    for key in path:
        value = value[key]
    return value


def mutated(message: dict[str, Any], path: tuple[Any, ...], odd: Any) -> dict[str, Any]:
    """One place replaced by an odd value, or removed (`...`)."""
    changed = copy.deepcopy(message)
    holder = at(changed, path[:-1])
    if odd is ...:
        del holder[path[-1]]
    else:
        holder[path[-1]] = odd
    return changed


def inside(message: dict[str, Any]) -> list[tuple[Any, ...]]:
    return [path for path in places(message) if path not in ((), ("type",))]


def mutations(message: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Every member removed, replaced by every odd value, and given a stranger beside it."""
    for path in inside(message):
        for odd in (*ODD, ...):
            yield mutated(message, path, odd)
        if isinstance(at(message, path), dict):
            yield mutated(message, (*path, "stranger"), 1)


@cache
def corpus() -> tuple[dict[str, Any], ...]:
    """Sound messages, each one change from sound, and some two changes from it."""
    chance = random.Random(20261129)
    once = [changed for message in MESSAGES for changed in mutations(message)]
    first = [one for one in chance.sample(once, 300) if len(inside(one)) > 1]
    twice = [mutated(one, chance.choice(inside(one)), chance.choice(ODD)) for one in first]
    return (*MESSAGES, *({**message, "id": "q1"} for message in MESSAGES), *once, *twice)


def keywords(errors: Any) -> Iterator[tuple[str, str]]:
    """The member and the keyword of each complaint."""
    for error in errors:
        if error.context:
            yield from keywords(error.context)
        named = re.match(r"'(\w+)' is a required property", error.message)
        stranger = re.search(r"\('(\w+)' was unexpected", error.message)
        names = [part for part in error.absolute_path if isinstance(part, str)]
        member = named or stranger
        yield (member[1] if member else names[-1] if names else "", str(error.validator))


def test_every_disagreement_with_the_published_schema_is_settled_by_an_anchor(published: dict[str, Any]) -> None:
    met: Counter[tuple[str, str, str]] = Counter()
    messages = corpus()
    assert len(messages) > 3000
    of_ours, of_theirs = variants(AUTHORING), variants(published)
    for message in messages:
        ours, theirs = of_ours[message["type"]], of_theirs[message["type"]]
        one, other = ours.is_valid(message), theirs.is_valid(message)
        if one == other:
            continue
        side, judge = ("theirs", theirs) if one else ("ours", ours)
        reasons = {(side, *why) for why in keywords(judge.iter_errors(message))} & JUSTIFIED.keys()
        assert reasons, (side, list(keywords(judge.iter_errors(message))), message)
        met.update(reasons)
    assert set(JUSTIFIED) == set(met), "a disagreement that is no more"
    assert set(JUSTIFIED.values()) <= set(REQUIREMENTS)


def test_sound_messages_keep_both_profiles() -> None:
    for message in MESSAGES:
        for schema in (AUTHORING, INTEROP):
            jsonschema.Draft202012Validator(schema).validate(message)


def test_what_interop_takes_decodes_and_the_other_way_round() -> None:
    of = variants(INTEROP)
    for message in corpus():
        decoded = decode(json.dumps(message).encode())
        sound = decoded.envelope is not None and not decoded.faults and not decoded.bad_frames
        assert of[message["type"]].is_valid(message) == sound, (message, decoded.faults, decoded.bad_frames)


def test_unknown_members_and_words_are_an_authors_fault_only() -> None:
    ack = copy.deepcopy(MESSAGES[1])
    ack["capabilities"]["later"] = {"a": 1}
    frames = copy.deepcopy(MESSAGES[3])
    frames["result"]["frames"][0]["kind"] = "acme:thing"
    for message in (ack, frames):
        assert jsonschema.Draft202012Validator(INTEROP).is_valid(message)
        assert not jsonschema.Draft202012Validator(AUTHORING).is_valid(message)


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: f"{rule.of.__name__}-{rule.member}")
def test_every_rule_names_an_anchor_and_rejects_something(rule: Any) -> None:
    assert rule.anchor in REQUIREMENTS
    without = _without(rule)
    weaker, strict = variants(without), variants(AUTHORING)
    assert any(weaker[one["type"]].is_valid(one) and not strict[one["type"]].is_valid(one) for one in _about(rule))


def _without(rule: Any) -> dict[str, Any]:
    schema = copy.deepcopy(AUTHORING)
    member = schema["$defs"][rule.of.__name__]["properties"][rule.member]
    (target,) = [one for one in member.get("anyOf", [member]) if one.get("type") != "null"]
    for keyword in rule.says:
        (target["items"] if rule.each else target).pop(keyword)
    return schema


def _about(rule: Any) -> Iterator[dict[str, Any]]:
    """Messages in which that member alone is odd; a member that no sound message holds is put there."""
    for message in MESSAGES:
        for path in places(message):
            inner = at(message, path)
            if not isinstance(inner, dict) or not _is(rule, message, path):
                continue
            for odd in (*ODD, "sha256:" + "0" * 63, "f" * 63):
                changed = copy.deepcopy(message)
                at(changed, path)[rule.member] = [odd] if rule.each else odd
                yield changed


def _is(rule: Any, message: dict[str, Any], path: tuple[Any, ...]) -> bool:
    """Whether the object at `path` is of the rule's type: all its members are known to it."""
    known = set(AUTHORING["$defs"][rule.of.__name__]["properties"])
    return set(at(message, path)) <= known and bool(at(message, path))


@pytest.mark.parametrize("profile", ["authoring", "interop"])
def test_it_is_a_schema(profile: Profile) -> None:
    jsonschema.Draft202012Validator.check_schema(envelope_schema(profile))


def test_the_tables_name_members_that_there_are() -> None:
    defs = AUTHORING["$defs"]
    tables: list[dict[type, Any]] = [NULLABLE, NEEDED]  # type: ignore[list-item]
    for table in tables:
        for of, members in table.items():
            assert set(members) <= set(defs[of.__name__]["properties"]), of
    assert {of.__name__ for of in WHOLE} <= set(defs)
    assert all(rule.member in defs[rule.of.__name__]["properties"] for rule in (*RANGES, *RULES))
