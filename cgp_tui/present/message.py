"""The other envelopes for people: who the provider says it is, what was asked, what was refused."""

from __future__ import annotations

from collections import Counter
from typing import Final

from cgp_tui.present.findings import brief, member
from cgp_tui.present.layout import labelled
from cgp_tui.present.scopes import scope_meaning
from cgp_tui.present.spans import EMPTY, GAP, Row, Rows, Span, Token, row, span
from cgp_tui.present.subject import Subject
from cgp_tui.present.symbols import Look
from cgp_tui.protocol import envelope as wire
from cgp_tui.protocol.capability import is_malformed_scope, is_off_machine
from cgp_tui.protocol.error import REACTIONS, effective_code
from cgp_tui.protocol.identity import FrameId
from cgp_tui.text import join, own, show

_VERDICTS: Final[dict[str, Token]] = {"valid": "good", "stale": "doubt", "gone": "bad", "unknown": "doubt"}


def message_rows(subject: Subject, look: Look) -> Rows:
    """A line that is no answer to a query: its findings, then what it says."""
    for finding in subject.findings:
        yield from brief(finding, look, member(finding))
    if subject.findings:
        yield EMPTY
    envelope = subject.decoded.envelope
    match envelope:
        case wire.Handshake():
            yield from labelled("speaks", look, Span(show(envelope.protocol_version)))
        case wire.HandshakeAck():
            yield from ack_rows(envelope, look)
        case wire.Query():
            yield from _query_rows(envelope, look)
        case wire.Verify():
            yield from _verify_rows(envelope, look)
        case wire.Verified():
            yield from _verified_rows(envelope, look)
        case wire.ErrorReply():
            yield from _error_rows(envelope, look)
        case wire.Shutdown():
            yield row(span("The host asks the provider to end."))
        case _:
            yield from _unread_rows(subject, look)


def ack_rows(ack: wire.HandshakeAck, look: Look) -> Rows:
    """Who a provider says it is, what it says it does with data, what it offers, the keys it publishes."""
    provider, flow, able = ack.provider, ack.provider.data_flow, ack.capabilities
    yield from labelled("provider", look, Span(show(provider.name), "strong"), span(" "), Span(show(provider.version)))
    yield from labelled("", look, span("its own claim: nothing here proves who it is", "muted"))
    yield from labelled("speaks", look, Span(show(ack.protocol_version)))
    yield EMPTY
    words = [word for word, on in (("reads", flow.reads), ("writes", flow.writes)) if on]
    yield from labelled("data flow", look, span(", ".join(words) or "neither reads nor writes, it says"))
    if flow.egress:
        away = span(f"{look.symbols.doubt} yes: it says that data leaves this machine", "doubt")
    else:
        away = span("no, it says")
    yield from labelled("sends away", look, away)
    for scope in flow.egress_scopes:
        yield from labelled("scope", look, *_scope(scope, look))
    yield EMPTY
    yield from labelled("kinds", look, Span(join(", ", map(show, able.query.kinds))) if able.query.kinds else span("any"))
    flags = (
        ("correlation", able.correlation),
        ("graph", able.graph),
        ("verify", able.verify),
        ("resolve", able.resolve),
    )
    yield from labelled("offers", look, span(", ".join(name for name, on in flags if on) or "queries only"))
    if able.representations:
        yield from labelled("carries", look, Span(join(", ", map(show, able.representations))))
    if able.embeddings_fingerprint is not None:
        yield from labelled("embeddings", look, Span(show(able.embeddings_fingerprint)))
    yield EMPTY
    if not ack.attester_keys:
        yield from labelled("keys", look, span("none published: it offers no attestation", "muted"))
    for key in ack.attester_keys:
        yield from labelled("key", look, Span(show(key.key_id)), GAP, Span(show(key.algorithm), "muted"))
        yield from labelled("", look, Span(show(key.public_key)))
    if ack.attester_keys:
        yield from labelled(
            "", look, span("published by the party under audit: it settles nothing about who signs", "muted")
        )


def _scope(scope: str, look: Look) -> tuple[Span, ...]:
    if is_malformed_scope(scope):
        return (Span(show(scope)), span(f"  {look.symbols.bad} no scope: it can never be consented to", "bad"))
    token: Token | None = "doubt" if is_off_machine(scope) else None
    return (Span(show(scope), token), GAP, Span(scope_meaning(scope), "muted"))


def _query_rows(envelope: wire.Query, look: Look) -> Rows:
    query = envelope.query
    if envelope.id is not None:
        yield from labelled("id", look, Span(show(envelope.id)))
    yield from labelled("goal", look, Span(show(query.goal), "strong"))
    if query.query_text is not None:
        yield from labelled("query text", look, Span(show(query.query_text)))
    kinds = Span(join(", ", map(show, query.kinds))) if query.kinds else span("any")
    yield from labelled("kinds", look, kinds)
    for anchor in query.anchors:
        yield from labelled("anchor", look, Span(show(anchor)))
    yield from labelled("at most", look, span(f"{query.max_frames:,} frames, {query.max_tokens:,} budget tokens"))
    if query.as_of is not None:
        yield from labelled("as of", look, Span(show(query.as_of)))
    if query.representation_preferences:
        yield from labelled("prefers", look, Span(join(", ", map(show, query.representation_preferences))))
    if query.embedding is not None:
        yield from labelled("embedding", look, span(f"{len(query.embedding):,} numbers"))


def _identity(label: str, frame: FrameId, look: Look, *before: Span) -> Rows:
    yield from labelled(label, look, *before, Span(show(frame.frame_id)), span("  of "), Span(show(frame.provider_id)))
    digest = Span(show(frame.content_digest), "muted") if frame.content_digest is not None else span("no digest", "muted")
    yield from labelled("", look, digest)


def _verify_rows(envelope: wire.Verify, look: Look) -> Rows:
    if envelope.id is not None:
        yield from labelled("id", look, Span(show(envelope.id)))
    yield from labelled("asks", look, span("whether these identities still hold; no content travels (V1)"))
    for frame in envelope.request.frames:
        yield from _identity("identity", frame, look)


def _verified_rows(envelope: wire.Verified, look: Look) -> Rows:
    if envelope.id is not None:
        yield from labelled("id", look, Span(show(envelope.id)))
    counts = Counter(verdict.status for verdict in envelope.response.verdicts)
    yield from labelled("verdicts", look, span(f"{counts.total():,}, only valid allows reuse (V3)"))
    for verdict in envelope.response.verdicts:
        status = Span(show(verdict.status), _VERDICTS.get(verdict.status, "doubt"))
        yield from _identity("verdict", verdict.frame, look, status, GAP)
        if verdict.replacement_digest is not None:
            yield from labelled("  now", look, Span(show(verdict.replacement_digest)))


def _error_rows(envelope: wire.ErrorReply, look: Look) -> Rows:
    if envelope.id is not None:
        yield from labelled("id", look, Span(show(envelope.id)))
    code = effective_code(envelope.code)
    named = span("absent", "muted") if envelope.code is None else Span(show(envelope.code), "bad")
    read = () if envelope.code == code else (span(f"  read as {code} (X1, X2)", "muted"),)
    yield from labelled("code", look, named, *read)
    yield from labelled("so", look, span(REACTIONS[code]))
    yield from labelled("message", look, Span(show(envelope.message)))


def _unread_rows(subject: Subject, look: Look) -> Rows:
    decoded = subject.decoded
    if decoded.type is not None and not decoded.faults:
        yield from labelled("type", look, Span(show(decoded.type)))
        yield row(span("contextgraph/1.0 does not define this type. It is ignored and shown (SPEC 2.1)."))
        return
    yield row(span(f"{look.symbols.bad} ", "bad"), span("This line has no effect. Its bytes are under Raw."))
    for fault in decoded.faults:
        lead = span(f"{fault.code.replace('_', ' ')}  ", "bad")
        place = (Span(show(fault.path), "muted"), GAP) if fault.path else ()
        yield Row((*place, Span(show(fault.detail) or own("no detail"))), lead=lead, rest=GAP)
