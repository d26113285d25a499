"""The requirements about frames, one row each: validity, identity, representation, evidence, relations (SPEC 6, 8)."""

from __future__ import annotations

from typing import Final

from cgp_tui.protocol.anchors import SUITE_ONLY, Requirement

FRAME_ROWS: Final = (
    Requirement(
        "F1", "provider", "violation",
        "A score is a number from 0 to 1.",
        "Scale the score into 0 to 1 before you answer.",
        "wire", SUITE_ONLY,
    ),
    Requirement(
        "F2", "provider", "violation",
        "A frame has a title.",
        "Give every frame a title that a person can read.",
        "wire", SUITE_ONLY,
    ),
    Requirement(
        "F3", "provider", "violation",
        "A frame can be cited by a label for people.",
        "Set citation_label to what a reader should see, such as a file name and lines; a bare id will not do.",
        "wire", SUITE_ONLY,
    ),
    Requirement(
        "F4", None, "violation",
        "A time is spelled YYYY-MM-DDTHH:MM:SSZ, in UTC, with an optional fraction, on a day that exists.",
        "Convert to UTC and write an upper-case T and Z, without an offset.",
        "wire", "accepted by its host, failed by its suite; nobody checks as_of of a query",
    ),
    Requirement(
        "F5", "provider", "violation",
        "Provenance of type file carries the digest of the bytes it cites.",
        "Add digest: sha256: and 64 lower-case hex digits over exactly the bytes at uri and range.",
        "wire", SUITE_ONLY,
    ),
    Requirement(
        "F6", "provider", "violation",
        "A signature stands outside the frame it signs and outside every hash.",
        "Move the attestation out of the frame into result.frame_attestations.",
        "wire", "accepted: the member is ignored",
    ),
    Requirement(
        "F7", "provider", "violation",
        "What an attestation signs is the frame's commitment, recomputed byte for byte and spelled as a digest.",
        "Hash the declared name, the frame id, content_digest and the chain as served, and sign after the last change.",
        "wire",
    ),
    Requirement(
        "F8", "host", "violation",
        "A signature by an algorithm that the verifier does not know is reported as uncheckable, never as good.",
        "Keep uncheckable apart from valid and from invalid.",
        "wire",
    ),
    Requirement(
        "F9", "host", "violation",
        "Evidence that cannot be verified never costs a frame its place; it counts as unattested.",
        "Keep the frame and say that it is unattested.",
        "host",
    ),
    Requirement(
        "F10", "host", "violation",
        "Scores of two providers share no scale: no common threshold, no claim that one is more relevant.",
        "Rank within a provider and interleave, or state that ranking by raw score is your own policy.",
        "host",
    ),
    Requirement(
        "F11", "provider", "violation",
        "Evidence travels beside the frames; each entry names in full one frame that the same answer carries.",
        "Name provider_id, frame_id and content_digest of a served frame, and put a signature or a proof into the entry.",
        "wire",
    ),
    Requirement(
        "F12", "provider", "violation",
        "The signed root of an answer covers exactly the frames it carries, in canonical order.",
        "Cut the answer first, sort by FrameId, then compute and sign the root.",
        "wire", "accepted: nobody rebuilds the root from the frames served",
    ),
    Requirement(
        "F13", None, "violation",
        "An inclusion proof leads to the signed root, and its path fits its index and count.",
        "Derive each path from the served frames in canonical order, and send proofs only with result_attestation.",
        "wire", "accepted where the path works: a false index or count passes",
    ),
    Requirement(
        "6.1", "provider", "advice",
        "What is pinned to an instant was true then, no validity ends before it begins, and every time has one spelling.",
        "Filter by valid_from <= as_of < valid_to, comparing instants rather than strings.",
        "wire", "its suite fails a valid_from after as_of and accepts a valid_to before it; its host checks neither",
    ),
    Requirement(
        "D1", "provider", "violation",
        "A content_digest is sha256: and 64 lower-case hex digits.",
        "Write the digest in full and in lower case, or leave it out.",
        "wire", SUITE_ONLY,
    ),
    Requirement(
        "D2", "host", "violation",
        "Equal identities mean equal content: provider, frame id and digest together.",
        "Merge frames by the whole triple.",
        "host", "the digest is taken as claimed, never compared with the content",
    ),
    Requirement(
        "D3", "host", "violation",
        "A frame without a digest is not used again unchecked.",
        "Query again for it.",
        "host",
    ),
    Requirement(
        "D4", "host", "advice",
        "A digest speaks of the inline bytes alone; a stored body is asked about before it is trusted again.",
        "Send verify before you use a stored body again.",
        "host",
    ),
    Requirement(
        "6.3", "provider", "advice",
        "A frame has an id, no other of its answer has it too, and a digest is that of the content beside it.",
        "Give each frame an id of its own and compute content_digest over the content you send.",
        "wire", "accepted: its own fixture declares the digest of a file",
    ),
    Requirement(
        "P1", "provider", "violation",
        "A full frame carries its content and none of the members that point elsewhere.",
        "Send content; leave out content_ref, transform and canonical_content_hash.",
        "wire", "accepted: only missing content counts",
    ),
    Requirement(
        "P2", "provider", "violation",
        "A compact frame carries its short content, both hashes, the transform and the way to the source.",
        "Add what is missing of content, content_digest, canonical_content_hash, transform and content_ref.",
        "wire", SUITE_ONLY,
    ),
    Requirement(
        "P3", "provider", "violation",
        "A reference frame carries a way to its source and the source's hash, and no content, not even an empty one.",
        "Send content_ref and canonical_content_hash; leave out content, content_digest and transform.",
        "wire", SUITE_ONLY,
    ),
    Requirement(
        "P4", "provider", "violation",
        "Only inline bytes cost: a reference frame costs 0, a compact one what its short content costs.",
        "Set token_cost by the inline content, and put the source's cost into canonical_token_cost.",
        "wire", SUITE_ONLY,
    ),
    Requirement(
        "P5", None, "violation",
        "A query prefers only representations that the provider advertised; full is always one.",
        "Ask for representations listed in capabilities.representations, or for none.",
        "wire", "its host sends the caller's preferences to every provider",
    ),
    Requirement(
        "6.4", "provider", "violation",
        "Who offers compact or reference frames promises resolve; over a transport, reference frames cannot be read.",
        "Set capabilities.resolve to true, and send compact or full frames over stdio and HTTP.",
        "wire", "accepted",
    ),
    Requirement(
        "6.5.4", "provider", "violation",
        "A signature holds under its key for a strict verifier: one spelling of key and signature, no small-order points.",
        "Sign the 32 raw bytes of the commitment with a generated Ed25519 key; write key and signature in lower-case hex.",
        "wire", "a key of small order is reported as a bad signature",
    ),
    Requirement(
        "G1", "provider", "violation",
        "Every relation has a name for people.",
        "Set display_name to what the edge leads to.",
        "wire", SUITE_ONLY,
    ),
    Requirement(
        "G2", "provider", "violation",
        "Every relation leads somewhere: target_uri is a URI and not empty.",
        "Set target_uri to the URI of the other end, or drop the relation.",
        "wire", SUITE_ONLY,
    ),
    Requirement(
        "G3", "provider", "advice",
        "Who declares graph ranks frames near an anchor higher.",
        "Raise the score of frames a few relations away from an anchor.",
        "conformance",
    ),
    Requirement(
        "G4", "provider", "violation",
        "Who declares graph answers a query with anchors by an anchored frame if it has one, and puts those first.",
        "Return a frame whose uri, or one of whose relation targets, equals an anchor as a string.",
        "wire", "accepted by its host, failed by its suite; rank does not matter",
    ),
)  # fmt: skip
