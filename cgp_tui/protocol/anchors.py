"""The requirements about messages, one row each: handshake, consent, questions, budgets, verifying, robustness, growth.

`frame_anchors` holds those about frames; `requirements` puts both together and is what others import.
"""

from __future__ import annotations

from typing import Final, Literal

import msgspec

Level = Literal["violation", "advice", "note"]
"""violation: breaks a bold MUST on the transcript's own evidence. advice: SHOULD, suspicion. note: uncheckable, missing."""

Party = Literal["host", "provider"]

Where = Literal["wire", "host", "conformance", "unobservable"]
"""wire: seen in a transcript. host: kept by our own host. conformance: seen by a probe only. unobservable: by nobody."""


class Requirement(msgspec.Struct, frozen=True):
    """One anchor.

    `binds` is None where both sides are bound. `level` is that of a finding unless its check says otherwise. `fix` is an
    order to whoever broke it. `reference` says what the reference implementation does where it differs, else empty.
    `why` says why an unobservable requirement cannot be checked, else empty.
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

MESSAGE_ROWS: Final = (
    Requirement(
        "ENV", None, "violation",
        "A line is one JSON object in UTF-8 that names its type.",
        "Write every message as one JSON object on a line of its own, and nothing else to that stream; log to stderr.",
        "wire", "its host ends the connection at such a line and at an unknown type",
    ),
    Requirement(
        "SHAPE", None, "violation",
        "A member that the SPEC defines is there where it must be, once, and has its type.",
        "Send the member once, with the type the SPEC gives it; leave an absent list out instead of sending null.",
        "wire", "the whole line is lost, not the one frame",
    ),
    Requirement(
        "H1", "provider", "violation",
        "A handshake is answered by an ack whose version is of the host's major family.",
        "Answer handshake with handshake_ack and a protocol_version of the same family, such as contextgraph/1.0.",
        "wire",
    ),
    Requirement(
        "H2", "provider", "violation",
        "A provider says who it is: its name and its version are not empty.",
        "Put a name and a version into provider in the handshake_ack.",
        "wire",
    ),
    Requirement(
        "H3", None, "violation",
        "Two sides whose versions do not fit say so by name instead of going silent.",
        "Answer a foreign version family with error and code incompatible_version, or refuse the ack with a named error.",
        "wire",
    ),
    Requirement(
        "H4", "provider", "violation",
        "Who declares correlation repeats the id of a request on its reply, character for character.",
        "Copy the request's id unchanged onto the reply, errors included; or do not declare correlation.",
        "wire", "ids are expected on frames and error only; a verified without one is accepted",
    ),
    Requirement(
        "3.2", "host", "violation",
        "One ack, then one reply to each request; ids only under correlation, and none twice while in flight.",
        "Wait for the ack, leave the id out unless it declares correlation, and choose a fresh one for each request.",
        "wire",
    ),
    Requirement(
        "C1", "host", "violation",
        "A provider that sends data away is not used before a person agreed to it by name; they may take it back.",
        "Ask before the first query, name the provider and the destination, and offer to revoke.",
        "host", "a receipt cannot be revoked, and an expired one still permits",
    ),
    Requirement(
        "C2", "host", "violation",
        "No query leaves for such a provider before the consent is on record.",
        "Write the receipt first, then send.",
        "host", "verify is not gated",
    ),
    Requirement(
        "C3", "provider", "advice",
        "A provider owns up to data that leaves the machine, by its own hand or another's.",
        "Declare egress: true and the scopes if anything derived from a query goes off the machine.",
        "unobservable", why="only the provider sees where its data goes; over HTTP the transport decides instead (C4)",
    ),
    Requirement(
        "C4", "host", "violation",
        "Over HTTP every provider that is not on loopback counts as egress, whatever it claims.",
        "Gate by the address you connect to, not by the declaration.",
        "host", "stricter: loopback counts as egress too",
    ),
    Requirement(
        "C5", "provider", "violation",
        "Nobody declares a destination off the machine and egress: false at once.",
        "Set egress to true, or declare no scope other than local-only.",
        "wire", SUITE_ONLY,
    ),
    Requirement(
        "C6", "host", "violation",
        "Every declared destination off the machine needs a receipt of its own; else the query is refused, naming them.",
        "Record a receipt for each missing scope, or do not ask this provider.",
        "host", "the pinned name and version are not compared with the provider's",
    ),
    Requirement(
        "C7", "host", "violation",
        "Off loopback, a query travels over TLS or not at all.",
        "Use an https URL.",
        "host",
    ),
    Requirement(
        "C8", "host", "violation",
        "Credentials that reach a provider appear in no log and in no error that leaves the machine.",
        "Mask the credential wherever text is made from a request.",
        "host", "the query part of a URL is shown in errors",
    ),
    Requirement(
        "Q1", "provider", "violation",
        "A query that names kinds gets frames of those kinds only.",
        "Drop frames of other kinds before you answer; with none left answer no frames, or error unsupported_kind.",
        "wire", SUITE_ONLY,
    ),
    Requirement(
        "E1", None, "violation",
        "A vector is sent only to a provider whose embedding fingerprint is exactly ours, and has its dimension.",
        "Leave embedding out unless the two fingerprints are equal as strings.",
        "wire", "its host sends the caller's vector to every provider",
    ),
    Requirement(
        "B1", "provider", "violation",
        "The declared costs of an answer together stay within the query's max_tokens.",
        "Stop adding frames when the sum would pass max_tokens, and set truncated.",
        "wire", "audited for several providers at once only, not for a direct query",
    ),
    Requirement(
        "B2", "host", "violation",
        "An answer over budget is dropped whole and reported; it is never cut to fit.",
        "Drop every frame of that answer and say which provider broke B1.",
        "host", "done for several providers at once only, not for a direct query",
    ),
    Requirement(
        "B3", "provider", "violation",
        "A frame costs exactly a quarter of the UTF-8 bytes of its content, rounded up.",
        "Set token_cost to (bytes of content in UTF-8 + 3) // 4, over content alone; 0 without inline content.",
        "wire", SUITE_ONLY,
    ),
    Requirement(
        "B4", "provider", "violation",
        "An answer holds no more frames than the query's max_frames.",
        "Keep your best max_frames frames and set truncated.",
        "wire", "audited for several providers at once only, not for a direct query",
    ),
    Requirement(
        "UR1", "host", "violation",
        "What a query cost can be reported, and the sum walked back to the frames that made it.",
        "Sum the token_cost of the frames you served and list them by FrameId.",
        "host",
    ),
    Requirement(
        "V1", "host", "violation",
        "A verify names frames by identity, with their digests, and carries no content.",
        "Send provider_id, frame_id and content_digest alone; ask anew for frames without a digest.",
        "wire", "its 2.0 host sends its own id for the provider in place of the declared name",
    ),
    Requirement(
        "V2", None, "violation",
        "Who declares verify answers it, with a verdict for every identity asked.",
        "Answer verify with verified; say unknown for an identity you cannot judge.",
        "wire",
    ),
    Requirement(
        "V3", None, "violation",
        "A verdict is valid, stale, gone or unknown, and only valid lets a held frame be used again.",
        "Send one of the four words; use a held frame again only after valid.",
        "wire", "another word loses the whole reply",
    ),
    Requirement(
        "V4", None, "violation",
        "A verdict may name the new digest of a stale frame, never its content; stale and gone frames are not served on.",
        "Send the new digest as replacement_digest and nothing of the content; let the host query again.",
        "wire", "accepted: undefined members beside the status are ignored",
    ),
    Requirement(
        "9", None, "advice",
        "Verdicts answer what was asked, identity by identity, and verify goes to providers that declare it.",
        "Repeat each asked identity whole and judge no other; query again where verify is not declared.",
        "wire", "accepted",
    ),
    Requirement(
        "X1", "host", "violation",
        "An error code nobody knows is read as internal.",
        "Do not retry on a code you do not know.",
        "host",
    ),
    Requirement(
        "X2", "host", "violation",
        "An error without a code is read as internal.",
        "Do not retry where no code says that it helps.",
        "host",
    ),
    Requirement(
        "R1", "provider", "violation",
        "A bad line or a bad request never ends a provider.",
        "Answer error with code bad_request and read on.",
        "wire",
    ),
    Requirement(
        "R2", "provider", "violation",
        "After shutdown a provider ends by itself and in order.",
        "Stop reading, write nothing more and exit 0 when shutdown arrives.",
        "wire", "its suite also passes a child that had to be killed",
    ),
    Requirement(
        "R3", "host", "violation",
        "Content is quoted evidence in a prompt, never an instruction to follow.",
        "Fence each frame and escape whatever in it could close the fence.",
        "host", "a frame's kind can break the fence",
    ),
    Requirement(
        "U1", None, "violation",
        "Members that the SPEC does not define are skipped; they are no reason to refuse a message.",
        "Read what you know and ignore the rest.",
        "host",
    ),
    Requirement(
        "U2", None, "violation",
        "The open vocabularies grow: an unknown kind, rel, code or scope is carried on as it came.",
        "Prefer the base words, and keep what you do not know word for word.",
        "host", "an unknown representation, fidelity or verdict status still loses the line",
    ),
    Requirement(
        "U3", None, "advice",
        "Words of one's own carry a vendor in front, as vendor:name; words without a colon belong to the protocol.",
        "Write the word as vendor:name, with both sides filled.",
        "wire", "accepted",
    ),
    Requirement(
        "U4", None, "advice",
        "A defined member keeps its name, type and meaning for the life of the major family.",
        "Take a new name for a new meaning.",
        "unobservable", why="only two revisions side by side show a changed meaning; another type is reported as SHAPE",
    ),
    Requirement(
        "A1", "host", "violation",
        "What a frame did is reported under its FrameId, not under an id made for the purpose.",
        "Use the FrameId that the usage report bills.",
        "host",
    ),
    Requirement(
        "A2", "host", "violation",
        "Selected, rendered and cited are three observations; cited means that the output named the frame.",
        "Report the three apart, and never infer cited from influence.",
        "unobservable", why="a host reports on itself and nothing of the report travels",
    ),
    Requirement(
        "A3", "host", "violation",
        "Cited implies rendered, rendered implies selected, and every reported frame was billed.",
        "Check the report against itself and against the usage report before you hand it out.",
        "host",
    ),
)  # fmt: skip
