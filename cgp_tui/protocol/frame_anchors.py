"""The requirements about frames, one row each: validity, identity, representation, evidence, relations (SPEC 6, 8)."""

from __future__ import annotations

from typing import Final

from cgp_tui.protocol.anchors import SUITE_ONLY, Requirement

FRAME_ROWS: Final = (
    Requirement(
        "F1", "provider", "violation",
        "A score is between 0 and 1, both included.",
        "Scale the score to the range 0 to 1 before answering.",
        "wire", SUITE_ONLY,
    ),
    Requirement(
        "F2", "provider", "violation",
        "A frame has a non-empty title.",
        "Give every frame a title that a person can read.",
        "wire", SUITE_ONLY,
    ),
    Requirement(
        "F3", "provider", "violation",
        "A frame has a non-empty citation_label that a person can read, not a bare id.",
        "Set citation_label to what a reader should see, such as a file name and lines, instead of a bare id.",
        "wire", SUITE_ONLY,
    ),
    Requirement(
        "F4", None, "violation",
        "A timestamp is a valid date and time in UTC, written YYYY-MM-DDTHH:MM:SSZ with an optional fraction.",
        "Convert to UTC and write an upper-case T and Z, without an offset.",
        "wire", "accepted by its host, failed by its suite; neither checks as_of of a query",
    ),
    Requirement(
        "F5", "provider", "violation",
        "A provenance link of type file has a digest of the cited bytes: sha256: and 64 lower-case hex digits.",
        "Set digest to sha256: and 64 lower-case hex digits over exactly the bytes at uri and range.",
        "wire", SUITE_ONLY,
    ),
    Requirement(
        "F6", "provider", "violation",
        "An attestation is detached: it is neither inside the frame that it signs nor part of any hash preimage.",
        "Move the attestation out of the frame into result.frame_attestations.",
        "wire", "accepted: the member is ignored",
    ),
    Requirement(
        "F7", "provider", "violation",
        "A signed_commitment equals the commitment recomputed from what was served: sha256: and 64 lower-case hex digits.",
        "Hash the declared name, frame id, content_digest and provenance chain as served, and sign after the last change.",
        "wire",
    ),
    Requirement(
        "F8", "host", "violation",
        "An attestation with an unknown algorithm is reported as uncheckable, and its frame is not attested.",
        "Report uncheckable separately from valid and from invalid.",
        "wire",
    ),
    Requirement(
        "F9", "host", "violation",
        "A host never drops a frame because its attestation cannot be verified; the frame counts as unattested.",
        "Keep the frame and report it as unattested.",
        "host",
    ),
    Requirement(
        "F10", "host", "violation",
        "Scores of different providers share no scale: a host sets no common threshold and never calls them comparable.",
        "Rank within each provider and interleave, or document ranking by raw score as your own policy.",
        "host",
    ),
    Requirement(
        "F11", "provider", "violation",
        "Attestations travel beside the frames; each entry names in full the identity of one frame in the same result.",
        "Give each entry the provider_id, frame_id and content_digest of a served frame, and a signature or a proof.",
        "wire",
    ),
    Requirement(
        "F12", "provider", "violation",
        "A result_attestation signs the Merkle root over exactly the frames in the result, in canonical order.",
        "Truncate the answer first, sort by FrameId, then compute and sign the root.",
        "wire", "accepted: it never recomputes the root from the served frames",
    ),
    Requirement(
        "F13", None, "violation",
        "An inclusion proof yields the signed root and fits its index and count; a host keeps proofs of frames it keeps.",
        "Derive each path from the served frames in canonical order, and send proofs only with result_attestation.",
        "wire", "accepted if the path yields the root, even with a wrong index or count",
    ),
    Requirement(
        "6.1", "provider", "advice",
        "Frames are valid at the query's as_of, no validity ends before it begins, and all timestamps use the F4 format.",
        "Filter by valid_from <= as_of < valid_to, comparing instants rather than strings.",
        "wire", "its suite fails a valid_from after as_of and accepts a valid_to before it; its host checks neither",
    ),
    Requirement(
        "D1", "provider", "violation",
        "A content_digest, if present, is sha256: followed by 64 lower-case hex digits.",
        "Write the full digest in lower case, or omit it.",
        "wire", SUITE_ONLY,
    ),
    Requirement(
        "D2", "host", "violation",
        "Frames that agree in provider, frame id and content_digest have the same content.",
        "Deduplicate by all three together.",
        "host", "the digest is taken as claimed, never compared with the content",
    ),
    Requirement(
        "D3", "host", "violation",
        "A host does not reuse a frame without a content_digest in a later query without checking it.",
        "Query for it again.",
        "host",
    ),
    Requirement(
        "D4", "host", "advice",
        "A content_digest covers the inline bytes only; a host should confirm a stored body with verify before reuse.",
        "Send verify before you reuse a stored body.",
        "host",
    ),
    Requirement(
        "6.3", "provider", "advice",
        "Every frame has an id, unique within its answer, and content_digest is the SHA-256 of its inline content.",
        "Give each frame a unique id, and compute content_digest over the content you send.",
        "wire", "accepted: its own fixture declares the digest of a file",
    ),
    Requirement(
        "P1", "provider", "violation",
        "A full frame carries content, and none of content_ref, transform and canonical_content_hash.",
        "Send content; omit content_ref, transform and canonical_content_hash.",
        "wire", "accepted: it only requires content",
    ),
    Requirement(
        "P2", "provider", "violation",
        "A compact frame has content, content_digest, canonical_content_hash, transform and content_ref.",
        "Add the missing members, or send the content in full.",
        "wire", SUITE_ONLY,
    ),
    Requirement(
        "P3", "provider", "violation",
        "A reference frame has content_ref and canonical_content_hash, but no content, content_digest or transform.",
        "Send content_ref and canonical_content_hash; omit content (even an empty one), content_digest and transform.",
        "wire", SUITE_ONLY,
    ),
    Requirement(
        "P4", "provider", "violation",
        "A frame's token_cost counts inline content only: 0 for reference, the cost of the inline rendering for compact.",
        "Compute token_cost from the inline content; put the source's cost in canonical_token_cost.",
        "wire", SUITE_ONLY,
    ),
    Requirement(
        "P5", None, "violation",
        "A query prefers only representations that the provider advertises; full is always allowed.",
        "Request only representations listed in capabilities.representations, or none.",
        "wire", "its host sends the caller's preferences to every provider",
    ),
    Requirement(
        "6.4", "provider", "violation",
        "Offering compact or reference frames requires resolve: true; reference frames should not be sent over a transport.",
        "Set capabilities.resolve to true, and send compact or full frames over stdio and HTTP.",
        "wire", "accepted",
    ),
    Requirement(
        "6.5.4", "provider", "violation",
        "A signature verifies under its key in a strict Ed25519 verifier: canonical encodings, no small-order points.",
        "Sign the 32 raw bytes of the commitment with a generated Ed25519 key; write key and signature in lower-case hex.",
        "wire", "a key of small order is reported as a bad signature",
    ),
    Requirement(
        "G1", "provider", "violation",
        "Every relation has a non-empty display_name.",
        "Set display_name to a label for the target that a person can read.",
        "wire", SUITE_ONLY,
    ),
    Requirement(
        "G2", "provider", "violation",
        "Every relation has a target_uri that is a non-empty URI.",
        "Set target_uri to the URI of the target, or drop the relation.",
        "wire", SUITE_ONLY,
    ),
    Requirement(
        "G3", "provider", "advice",
        "A provider that declares graph should rank frames near an anchor higher.",
        "Raise the score of frames within a few relations of an anchor.",
        "conformance",
    ),
    Requirement(
        "G4", "provider", "violation",
        "Given anchors, a provider that declares graph returns an anchored frame if it has one; these should rank first.",
        "Return a frame whose uri, or the target_uri of one of its relations, equals an anchor as a string.",
        "wire", "accepted by its host, failed by its suite, which ignores rank",
    ),
)  # fmt: skip
