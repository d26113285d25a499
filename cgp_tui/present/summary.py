"""An envelope in one line, short enough for a list."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Any, Final

from cgp_tui.present.numbers import plural
from cgp_tui.present.spans import Span, span
from cgp_tui.present.symbols import Look
from cgp_tui.protocol import envelope as wire
from cgp_tui.protocol.capability import off_machine_scopes
from cgp_tui.protocol.query import ContextQuery
from cgp_tui.text import Shown, compose, hidden_codes, join, show
from cgp_tui.wire.line import Decoded

Spans = tuple[Span, ...]

_KEPT: Final = 200
"""How many characters of a foreign string are kept; no list row is wider."""
_LOOKED_THROUGH: Final = 4000
"""How many characters of it are searched for hidden codes."""


def _short(text: str) -> Shown:
    return show(text, _KEPT)


def _hidden(*texts: str) -> Spans:
    """A sign before texts that hold hidden or control codes, for where the list has no room for the codes themselves."""
    hidden = sum(hidden_codes(text[:_LOOKED_THROUGH]) for text in texts)
    return (span(f"[ctl {hidden:,}] ", "doubt"),) if hidden else ()


def _handshake(envelope: wire.Handshake, _asked: ContextQuery | None) -> Spans:
    return (*_hidden(envelope.protocol_version), Span(_short(envelope.protocol_version)))


def _ack(envelope: wire.HandshakeAck, _asked: ContextQuery | None) -> Spans:
    provider = envelope.provider
    scopes = off_machine_scopes(provider.data_flow)
    away = provider.data_flow.egress or bool(scopes)
    flow = (span("  sends data away", "doubt"),) if away else ()
    named = (span(": "), Span(_short(", ".join(scopes)))) if scopes else ()
    said = (Span(_short(provider.name)), span(" "), Span(_short(provider.version)), *flow, *named)
    return (*_hidden(provider.name, provider.version, *scopes), *said)


def _query(envelope: wire.Query, _asked: ContextQuery | None) -> Spans:
    query = envelope.query
    kinds = (span(" ["), Span(_short(" ".join(query.kinds))), span("]")) if query.kinds else ()
    return (
        *_hidden(query.goal, *query.kinds),
        Span(_short(query.goal)),
        *kinds,
        span(f"  {query.max_frames:,} fr {query.max_tokens:,} tok", "muted"),
    )


def _frames(envelope: wire.Frames, asked: ContextQuery | None) -> Spans:
    result = envelope.result
    cost = sum(frame.token_cost for frame in result.frames)
    limit = f"/{asked.max_tokens:,}" if asked else ""
    over = (span(" OVER", "bad"),) if asked and cost > asked.max_tokens else ()
    rest = (span(" truncated", "muted"),) if result.truncated else ()
    return (span(f"{len(result.frames):,} fr {cost:,}{limit} tok"), *over, *rest)


def _verify(envelope: wire.Verify, _asked: ContextQuery | None) -> Spans:
    return (span(plural(len(envelope.request.frames), "identity", "identities")),)


def _verified(envelope: wire.Verified, _asked: ContextQuery | None) -> Spans:
    counts = Counter(verdict.status for verdict in envelope.response.verdicts)
    if not counts:
        return (span("no verdicts"),)
    parts = (compose("{count} {status}", count=count, status=_short(status)) for status, count in counts.most_common(6))
    return (Span(join(", ", parts)),)


def _error(envelope: wire.ErrorReply, _asked: ContextQuery | None) -> Spans:
    code = Span(_short(envelope.code), "bad") if envelope.code else span("no code", "bad")
    return (*_hidden(envelope.code or "", envelope.message), code, span(": "), Span(_short(envelope.message)))


def _shutdown(_envelope: wire.Shutdown, _asked: ContextQuery | None) -> Spans:
    return ()


_SUMMARIES: Final[dict[type, Callable[[Any, ContextQuery | None], Spans]]] = {
    wire.Handshake: _handshake,
    wire.HandshakeAck: _ack,
    wire.Query: _query,
    wire.Frames: _frames,
    wire.Verify: _verify,
    wire.Verified: _verified,
    wire.ErrorReply: _error,
    wire.Shutdown: _shutdown,
}


def summary(decoded: Decoded, look: Look, asked: ContextQuery | None = None) -> Spans:
    """What `decoded` says in one line. `asked` is the query it answers, where known, to show its limits beside the cost."""
    said: Spans = ()
    if decoded.envelope is not None:
        said = _SUMMARIES[type(decoded.envelope)](decoded.envelope, asked)
    lost = len(decoded.bad_frames)
    if lost:
        said = (*said, span(f" {look.symbols.bad} {lost:,} not decoded", "bad"))
    if said or decoded.envelope is not None:
        return said
    if decoded.faults:
        fault = decoded.faults[0]
        return (span(f"{look.symbols.bad} {fault.code.replace('_', ' ')}: ", "bad"), Span(_short(fault.detail)))
    return (span("a type that contextgraph/1.0 does not define: ignored", "muted"),)
