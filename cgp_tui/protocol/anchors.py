"""The requirements about messages, one row each: handshake, consent, questions, budgets, verifying, robustness, growth.

`frame_anchors` holds those about frames; `requirements` puts both together and is what others import.
"""

from __future__ import annotations

from typing import Final, Literal, get_args

import msgspec

Level = Literal["violation", "advice", "note"]
"""violation: breaks a bold MUST on the transcript's own evidence. advice: SHOULD, suspicion. note: uncheckable, missing."""

LEVELS: Final[tuple[Level, ...]] = get_args(Level)
"""All of them, the worst first."""

Party = Literal["host", "provider"]

Where = Literal["wire", "host", "conformance", "inapplicable", "unobservable"]
"""wire: seen in a transcript. host: kept by our own host. conformance: seen by a probe only. inapplicable: our own host
never does what it is about, and no transcript shows whether another does it right. unobservable: seen by nobody."""


class Requirement(msgspec.Struct, frozen=True):
    """One anchor.

    `binds` is None where both sides are bound. `level` is that of a finding unless its check says otherwise. `fix` is an
    order to whoever broke it. `reference` says what the reference implementation does where it differs, else empty.
    `why` says why an unobservable requirement cannot be checked, or an inapplicable one does not apply, else empty.
    """

    anchor: str
    binds: Party | None
    level: Level
    meaning: str
    fix: str
    where: Where
    reference: str = ""
    why: str = ""


SUITE_ONLY: Final = "accepted by its host, failed by its suite"
_NO_ATTRIBUTION: Final = "this program reports what a query cost (UR1), not what became of its frames"

MESSAGE_ROWS: Final = (
    Requirement(
        "ENV", None, "violation",
        "Each line is exactly one JSON object, encoded in UTF-8, with a type member.",
        "Write every message as one JSON object on its own line, and nothing else to that stream; log to stderr.",
        "wire", "its host closes the connection on such a line, and on an unknown type",
    ),
    Requirement(
        "SHAPE", None, "violation",
        "Required members are present; each defined member occurs at most once, with the type that the SPEC defines.",
        "Send the member once, with the type that the SPEC defines; to send no list, omit it instead of sending null.",
        "wire", "its host discards the whole line, not just the frame at fault",
    ),
    Requirement(
        "H1", "provider", "violation",
        "The reply to handshake is a handshake_ack whose protocol_version shares the host's major family.",
        "Reply with handshake_ack and a protocol_version of the same family, such as contextgraph/1.0.",
        "wire",
    ),
    Requirement(
        "H2", "provider", "violation",
        "The handshake_ack has a non-empty provider.name and provider.version.",
        "Set provider.name and provider.version in the handshake_ack.",
        "wire",
    ),
    Requirement(
        "H3", None, "violation",
        "The side that detects a version family mismatch reports it as a named error instead of hanging.",
        "Reply to another family with error and code incompatible_version, or refuse its handshake_ack with a named error.",
        "wire",
    ),
    Requirement(
        "H4", "provider", "violation",
        "A provider that declares correlation returns each request's id unchanged on the reply.",
        "Copy the request's id to the reply unchanged, errors included, or do not declare correlation.",
        "wire", "it expects an id on frames and error only, and accepts a verified without one",
    ),
    Requirement(
        "3.2", "host", "violation",
        "Each request follows the handshake_ack and gets one reply; an id needs correlation and is unique while in flight.",
        "Wait for the handshake_ack; send ids only if it declares correlation, and a new id with each request.",
        "wire",
    ),
    Requirement(
        "C1", "host", "violation",
        "A host uses a provider that declares egress: true only with explicit consent that names it and can be revoked.",
        "Ask before the first query, naming the provider and its destinations, and offer a way to revoke.",
        "host", "a receipt cannot be revoked, and an expired one still permits",
    ),
    Requirement(
        "C2", "host", "violation",
        "A host records consent to an egress provider before it sends that provider any query.",
        "Record the receipt first, then send.",
        "host", "verify is not gated",
    ),
    Requirement(
        "C3", "provider", "advice",
        "A provider should declare egress: true if data leaves the machine through it or through a third party.",
        "Declare egress: true and the scopes if anything derived from a query leaves the machine.",
        "unobservable", why="only the provider knows where its data goes; over HTTP, C4 applies whatever it declares",
    ),
    Requirement(
        "C4", "host", "violation",
        "Over HTTP, a host treats every provider that is not on loopback as egress, whatever it declares.",
        "Decide by the address you connect to, not by the declaration.",
        "host", "stricter: loopback counts as egress too",
    ),
    Requirement(
        "C5", "provider", "violation",
        "A provider that declares an off-machine egress scope also declares egress: true.",
        "Set egress to true, or declare no scope other than local-only.",
        "wire", SUITE_ONLY,
    ),
    Requirement(
        "C6", "host", "violation",
        "Without a receipt for every declared off-machine scope, a host refuses the query and names the missing scopes.",
        "Record a receipt for each missing scope, or do not query this provider.",
        "host", "the pinned name and version are not compared with the provider's",
    ),
    Requirement(
        "C7", "host", "violation",
        "Over HTTP, a provider that is not on loopback is reached over TLS only; no query is sent without it.",
        "Use an https URL.",
        "inapplicable", why="this program opens no HTTP connection",
    ),
    Requirement(
        "C8", "host", "violation",
        "Credentials for a provider never appear in a log, nor in an error that is shown off the machine.",
        "Mask credentials wherever text is built from a request.",
        "host", "errors show the query string of a URL",
    ),
    Requirement(
        "Q1", "provider", "violation",
        "If a query lists kinds, every returned frame is of one of them.",
        "Filter by kind before answering; if nothing is left, return no frames or error unsupported_kind.",
        "wire", SUITE_ONLY,
    ),
    Requirement(
        "E1", None, "violation",
        "A host sends an embedding only if its fingerprint equals the provider's exactly and its length is as declared.",
        "Omit embedding unless the two fingerprints are identical strings.",
        "wire", "its host sends the caller's embedding to every provider",
    ),
    Requirement(
        "B1", "provider", "violation",
        "The token_cost values of an answer's frames sum to at most the query's max_tokens.",
        "Stop adding frames before the sum exceeds max_tokens, and set truncated.",
        "wire", "checked only when several providers are queried at once, not for a direct query",
    ),
    Requirement(
        "B2", "host", "violation",
        "A host drops an over-budget answer whole and reports it; it never truncates the answer to fit.",
        "Drop every frame of that answer and report which provider broke B1.",
        "host", "done only when several providers are queried at once, not for a direct query",
    ),
    Requirement(
        "B3", "provider", "violation",
        "The token_cost of a frame is the UTF-8 byte length of its content divided by 4, rounded up.",
        "Set token_cost to (UTF-8 bytes of content + 3) // 4, counting content alone; 0 without inline content.",
        "wire", SUITE_ONLY,
    ),
    Requirement(
        "B4", "provider", "violation",
        "An answer contains at most max_frames frames.",
        "Return the best max_frames frames and set truncated.",
        "wire", "checked only when several providers are queried at once, not for a direct query",
    ),
    Requirement(
        "UR1", "host", "violation",
        "A host can report the cost of each query: the summed token_cost of the served frames, listed by FrameId.",
        "Sum the token_cost of the frames you served and list them by FrameId.",
        "host",
    ),
    Requirement(
        "V1", "host", "violation",
        "A verify request carries only frame identities, no frame content; each identity should have a content_digest.",
        "Send only provider_id, frame_id and content_digest; query again for frames that have no digest.",
        "wire", "its 2.0 host sends its local provider id instead of the declared name",
    ),
    Requirement(
        "V2", None, "violation",
        "A provider that declares verify answers it with verified; an identity without a verdict counts as unknown.",
        "Answer verify with verified; return unknown for an identity you cannot judge.",
        "wire",
    ),
    Requirement(
        "V3", None, "violation",
        "A verdict's status is valid, stale, gone or unknown; a host reuses a held frame only on valid.",
        "Send one of the four statuses; reuse a held frame only on valid.",
        "wire", "another status makes its host discard the whole reply",
    ),
    Requirement(
        "V4", None, "violation",
        "A stale verdict may name the frame's new digest, never its content; a host stops serving stale and gone copies.",
        "Send only replacement_digest for the new version; let the host query again.",
        "wire", "accepted: undefined members beside the status are ignored",
    ),
    Requirement(
        "9", None, "advice",
        "Each verdict repeats a requested identity in full; verify is sent only to providers that declare it.",
        "Repeat each requested identity in full, and no others; query again where verify is not declared.",
        "wire", "accepted",
    ),
    Requirement(
        "X1", "host", "violation",
        "An unknown error code counts as internal.",
        "Do not retry on an unknown code.",
        "host",
    ),
    Requirement(
        "X2", "host", "violation",
        "A missing error code counts as internal.",
        "Do not retry without a code that says a retry can help.",
        "host",
    ),
    Requirement(
        "R1", "provider", "violation",
        "A provider survives malformed lines and bad requests, and should answer them with bad_request.",
        "Answer error with code bad_request and keep reading.",
        "wire",
    ),
    Requirement(
        "R2", "provider", "violation",
        "After shutdown, a provider exits cleanly on its own.",
        "On shutdown, stop reading, write nothing more and exit 0.",
        "wire", "its suite also passes a child that had to be killed",
    ),
    Requirement(
        "R3", "host", "violation",
        "Frame content is untrusted: a host quotes it as delimited data and never follows it as instructions.",
        "Fence each frame and escape anything in it that could close the fence.",
        "inapplicable", "a frame's kind can break the fence", "this program builds no prompt",
    ),
    Requirement(
        "U1", None, "violation",
        "Unknown members are ignored; they are no reason to reject a message.",
        "Read the members you know and ignore the rest.",
        "host",
    ),
    Requirement(
        "U2", None, "violation",
        "Unknown values in open vocabularies (kind, rel, error code, egress scope) are accepted and passed on unchanged.",
        "Prefer the base values, and keep unknown values exactly as received.",
        "host", "an unknown representation, fidelity or verdict status still makes it discard the line",
    ),
    Requirement(
        "U3", None, "advice",
        "Vendor-specific names are namespaced as vendor:name; names without a colon are reserved for the protocol.",
        "Write the name as vendor:name, with both parts non-empty.",
        "wire", "accepted",
    ),
    Requirement(
        "U4", None, "advice",
        "A defined member keeps its name, type and meaning throughout the major family.",
        "Use a new name for a new meaning.",
        "unobservable", why="only comparing two revisions shows a changed meaning; a changed type is reported as SHAPE",
    ),
    Requirement(
        "A1", "host", "violation",
        "A frame's attribution is reported under its FrameId; there is no separate attribution id.",
        "Use the FrameId that the usage report bills.",
        "inapplicable", why=_NO_ATTRIBUTION,
    ),
    Requirement(
        "A2", "host", "violation",
        "Attribution reports selected, rendered and cited separately; cited means that the output refers to the frame.",
        "Report all three separately, and never infer cited from influence.",
        "inapplicable", why=_NO_ATTRIBUTION,
    ),
    Requirement(
        "A3", "host", "violation",
        "Cited implies rendered, rendered implies selected, and every reported frame was billed in the usage report.",
        "Check the report against itself and against the usage report before you publish it.",
        "inapplicable", why=_NO_ATTRIBUTION,
    ),
)  # fmt: skip
