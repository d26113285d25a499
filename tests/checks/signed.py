"""Signed answers to try the appraisal on, made by our own signer and sent over the wire's own encoding."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import msgspec

from cgp_tui.checks import judge
from cgp_tui.checks.types import Appraisal, Judged
from cgp_tui.protocol import ed25519
from cgp_tui.protocol.attestation import TrustedKey
from cgp_tui.protocol.capability import AttesterKey, Capabilities, DataFlow, ProviderInfo
from cgp_tui.protocol.digest import sha256_digest
from cgp_tui.protocol.envelope import ContextQueryResult, Frames, HandshakeAck, Query
from cgp_tui.protocol.frame import ContextFrame, Provenance
from cgp_tui.protocol.query import ContextQuery
from cgp_tui.protocol.timestamp import Instant
from cgp_tui.providers.signer import Signer
from cgp_tui.session.exchange import Exchange
from cgp_tui.wire.decode import decode
from cgp_tui.wire.encode import encode
from cgp_tui.wire.line import Line, Seen

NAME = "docs"
AT = "2026-08-29T12:00:00Z"
SEED, FORGED = b"\x2a" * 32, b"\x2b" * 32
SIGNER, FORGER = Signer(SEED, "k1"), Signer(FORGED, "k1")

replace: Callable[..., Any] = msgspec.structs.replace


def frame(name: str, content: str | None = "text", digest: str | None = "", **members: Any) -> ContextFrame:
    """A legal full frame; `digest` empty means that of the content."""
    if digest == "":
        digest = None if content is None else sha256_digest(content.encode())
    cost = 0 if content is None else (len(content.encode()) + 3) // 4
    link = Provenance("derivation", method="made", by=name)
    base = {"provenance": (link,), "citation_label": f"c {name}", "content_digest": digest, "content": content}
    return ContextFrame(name, "doc", f"T {name}", 0.5, cost, **{**base, **members})


def ack(*keys: AttesterKey, name: str = NAME) -> HandshakeAck:
    info = ProviderInfo(name, "1", DataFlow())
    return HandshakeAck("contextgraph/1.0", info, Capabilities(correlation=True), tuple(keys or (SIGNER.key,)))


def answer(*frames: ContextFrame, name: str = NAME, signer: Signer = SIGNER, singly: bool = True) -> ContextQueryResult:
    """An answer with root, proofs and, where asked, a signature for each frame."""
    return signer.attest(ContextQueryResult(frames, False), name, AT, lambda _: singly)


def by_root(*frames: ContextFrame, **members: Any) -> ContextQueryResult:
    """Signed in the cheapest way: one root, a proof for each frame."""
    return answer(*frames, singly=False, **members)


def one_by_one(*frames: ContextFrame, **members: Any) -> ContextQueryResult:
    """Each frame signed by itself, no root."""
    made = answer(*frames, **members)
    entries = tuple(replace(entry, inclusion_proof=None) for entry in made.frame_attestations)
    return replace(made, frame_attestations=entries, result_attestation=None)  # type: ignore[no-any-return]


def entry(result: ContextQueryResult, place: int, **members: Any) -> ContextQueryResult:
    """`result` with members of one attestation entry replaced; those of its signature as `attestation__key_id`."""
    entries = list(result.frame_attestations)
    inner = {key.removeprefix("attestation__"): value for key, value in members.items() if "__" in key}
    outer = {key: value for key, value in members.items() if "__" not in key}
    if inner:
        outer["attestation"] = replace(entries[place].attestation, **inner)
    entries[place] = replace(entries[place], **outer)
    return replace(result, frame_attestations=tuple(entries))  # type: ignore[no-any-return]


def root(result: ContextQueryResult, **members: Any) -> ContextQueryResult:
    """`result` with members of its root signature replaced."""
    return replace(result, result_attestation=replace(result.result_attestation, **members))  # type: ignore[no-any-return]


def trusted(
    seed: bytes = SEED, names: Sequence[str] = (NAME,), before: str | None = None, after: str | None = None
) -> TrustedKey:
    return TrustedKey(ed25519.public_key(seed), "Ada", tuple(names), before, after)


def sent(
    result: ContextQueryResult,
    keys: Sequence[TrustedKey] = (),
    now: Instant | None = None,
    greeting: HandshakeAck | None = None,
    raw: Callable[[bytes], bytes] = lambda line: line,
) -> Judged:
    """The answer judged as the reply to a query; `raw` may change its bytes on the way."""
    lines = [encode(Query(ContextQuery("why", 10_000, 1_000_000), "q1")), raw(encode(Frames(result, "q1")))]
    request, reply = (Seen(Line(n, 1, None, float(n), line), decode(line)) for n, line in enumerate(lines, 3))
    return judge(Exchange(2, 1, "query", "answered", request, reply, greeting or ack()), keys, now)


def only(judged: Judged) -> Appraisal:
    (appraisal,) = judged.appraisals
    return appraisal
