"""`cgp-tui schema`: our documents as JSON Schema (Draft 2020-12), made from the types they are written from."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, Literal, get_args

import msgspec

from cgp_tui.analysis.cited_files import Outcome
from cgp_tui.analysis.history import Again
from cgp_tui.checks.schema import DRAFT, Fragment, Profile, envelope_schema
from cgp_tui.checks.types import OutcomeKind
from cgp_tui.consent.types import Basis
from cgp_tui.errors import CODES
from cgp_tui.protocol.attestation import InclusionProof, ProvenanceAttestation
from cgp_tui.protocol.capability import AttesterKey
from cgp_tui.protocol.frame import Provenance
from cgp_tui.protocol.identity import FrameId
from cgp_tui.protocol.requirements import Finding
from cgp_tui.protocol.usage import UsageReport
from cgp_tui.report.bundle import FORMAT as BUNDLE
from cgp_tui.report.bundle import Hash
from cgp_tui.report.documents import Attested
from cgp_tui.store.trust import State
from cgp_tui.transcript.record import FORMAT as TRANSCRIPT
from cgp_tui.transcript.record import Header
from cgp_tui.wire.note import KnownNote

Document = Literal["envelope", "transcript", "check", "query", "bundle"]

_TEXT: Final = {"type": "string"}
_COUNT: Final = {"type": "integer", "minimum": 0}
_CODE: Final = {"anyOf": [*({"const": code, "description": said} for code, said in CODES.items()), _TEXT]}
"""A later version may have more of them."""
_PROBLEM: Final = {
    "type": "object",
    "properties": {"code": _CODE, "message": _TEXT, "fix": _TEXT},
    "required": ["code", "message", "fix"],
}
_NEED: Final = {
    "type": "object",
    "properties": {"basis": {"enum": list(get_args(Basis))}}
    | dict.fromkeys(("scope", "reason", "field", "old", "new"), _TEXT),
    "required": ["basis", "scope", "reason"],
    "additionalProperties": False,
}
_ASKED: Final = _PROBLEM | {
    "properties": {
        "code": _CODE,
        **dict.fromkeys(("message", "fix", "provider_code"), _TEXT),
        "needs": {"type": "array", "items": _NEED},
    }
}
_UNTRUSTED: Final = {
    "type": "object",
    "properties": {"state": {"enum": [state for state in get_args(State) if state not in ("ok", "absent")]}}
    | dict.fromkeys(("message", "fix"), _TEXT),
    "required": ["state", "message", "fix"],
}
_CITED: Final = {
    "type": "object",
    "properties": {
        "line": {"type": "integer", "minimum": 1},
        "frame_id": _TEXT,
        "link": {"type": "integer", "minimum": 1},
        "outcome": {"enum": list(get_args(Outcome))},
        "why": {"type": ["string", "null"]},
        "uri": {"type": ["string", "null"]},
        "range": {"type": ["string", "null"]},
        "bytes": {"type": ["integer", "null"], "minimum": 0},
        "first_byte": {"type": ["integer", "null"], "minimum": 0},
        "computed": {"type": ["string", "null"]},
    },
    "required": ["line", "frame_id", "link", "outcome", "why", "uri", "range", "bytes", "first_byte"],
    "additionalProperties": False,
}


def schema(document: Document, profile: Profile = "authoring") -> Fragment:
    """The schema of a document; `profile` matters for `envelope` only."""
    if document == "envelope":
        return envelope_schema(profile)
    return {"$schema": DRAFT, **_MADE[document]()}


def _transcript() -> Fragment:
    notes = get_args(KnownNote)
    defs = _parts((Header, *notes))
    wire = {
        "type": "object",
        "properties": {
            "n": {"type": "integer", "minimum": 1},
            "t": {"type": "number", "minimum": 0},
            "connection": _COUNT,
            "from": {"enum": ["host", "provider", None]},
            "line": {"type": "object"},
            "text": _TEXT,
            "base64": {"type": "string", "contentEncoding": "base64"},
        },
        "required": ["n", "t", "connection"],
        "oneOf": [{"required": [kind]} for kind in ("line", "text", "base64")],
    }
    defs["Header"]["properties"]["format"] = {"const": TRANSCRIPT}
    defs["Header"]["required"] = ["format", "started_at", "recorder"]
    known = [note.__struct_config__.tag for note in notes]
    defs["OtherNote"] = {
        "type": "object",
        "properties": {"note": {"type": "string", "not": {"enum": known}}},
        "required": ["note"],
    }
    names = [note.__name__ for note in notes]
    return {
        "title": f"One line of a {TRANSCRIPT} file: the header, a wire line or a note",
        "oneOf": [_ref("Header"), _ref("WireLine"), *map(_ref, names), _ref("OtherNote")],
        "$defs": {**defs, "WireLine": wire},
    }


def _check() -> Fragment:
    members: Fragment = {
        "transcript": {"type": ["string", "null"]},
        "format": {"enum": [TRANSCRIPT, "bare", None]},
        "lines": _COUNT,
        "findings": _array(_ref("Finding")),
        "attestations": _array(_ref("Attested")),
        "provenance": _array(_CITED),
        "history": _array(_ref("Again")),
        "trust_store": _UNTRUSTED,
        "error": _PROBLEM,
    }
    needed = [name for name in members if name not in ("history", "trust_store", "error")]
    title = "cgp-tui check --format json"
    defs = _parts((Finding, Attested, Again))
    for part in defs.values():  # our documents write null for an absent value, and leave no member out
        part["required"] = list(part["properties"])
    return {"title": title, "type": "object", "properties": members, "required": needed, "$defs": defs}


def _query() -> Fragment:
    members: Fragment = {
        "provider": _or_null(_object(dict.fromkeys(("id", "name", "version"), _TEXT))),
        "outcome": {"enum": list(get_args(OutcomeKind))},
        "frames": _array({"type": "object"}),
        "truncated": {"type": "boolean"},
        "findings": _array(_ref("Finding")),
        "usage": _or_null(_ref("UsageReport")),
        "transcript": {"type": ["string", "null"]},
        "error": _ASKED,
    }
    defs = _parts((Finding, UsageReport))
    return {"title": "cgp-tui query --json", "$defs": defs, **_object(members, ("error",))}


def _bundle() -> Fragment:
    defs = _parts((Provenance, FrameId, ProvenanceAttestation, InclusionProof, Hash, AttesterKey))
    frame: Fragment = {
        "frame": {"type": "object"},
        "identity": _ref("FrameId"),
        "provenance": _array(_ref("Provenance")),
        "attestation": _or_null(_ref("ProvenanceAttestation")),
        "inclusion_proof": _or_null(_ref("InclusionProof")),
        "hashes": _array(_ref("Hash")),
    }
    around: Fragment = {
        "format": {"const": BUNDLE},
        "result_attestation": _or_null(_ref("ProvenanceAttestation")),
        "keys": _array(_ref("AttesterKey")),
        "how_to_verify": _array(_TEXT),
    }
    whole: Fragment = {"frames": {"type": "array", "minItems": 1, "items": _ref("Frame")}, "hashes": frame["hashes"]}
    defs["Frame"] = _object(frame)
    return {"title": BUNDLE, "oneOf": [_object(around | frame), _object(around | whole, ("hashes",))], "$defs": defs}


_MADE: Final = {"transcript": _transcript, "check": _check, "query": _query, "bundle": _bundle}


def _parts(kinds: Sequence[type[msgspec.Struct]]) -> dict[str, Fragment]:
    """The definitions of our types and of those within them; members that we omit when empty stay optional."""
    _, parts = msgspec.json.schema_components(kinds, ref_template="#/$defs/{name}")
    return {name: _without_defaults(part) for name, part in parts.items()}


def _without_defaults(part: Fragment) -> Fragment:
    if "properties" not in part:
        return part
    members = {name: {k: v for k, v in value.items() if k != "default"} for name, value in part["properties"].items()}
    return {**part, "properties": members}


def _ref(name: str) -> Fragment:
    return {"$ref": f"#/$defs/{name}"}


def _array(items: Fragment) -> Fragment:
    return {"type": "array", "items": items}


def _or_null(one: Fragment) -> Fragment:
    return {"anyOf": [one, {"type": "null"}]}


def _object(members: Fragment, optional: Sequence[str] = ()) -> Fragment:
    needed = [name for name in members if name not in optional]
    return {"type": "object", "properties": members, "required": needed, "additionalProperties": False}
