"""A frame as a card: what it is, its evidence, what it costs, and its content as quoted text."""

from __future__ import annotations

from cgp_tui.present.evidence import standing_rows
from cgp_tui.present.findings import brief, member
from cgp_tui.present.layout import labelled, quoted
from cgp_tui.present.lookups import again_token, again_words
from cgp_tui.present.numbers import exact_bytes
from cgp_tui.present.spans import EMPTY, GAP, Jump, Rows, Span, row, span
from cgp_tui.present.subject import Subject
from cgp_tui.present.symbols import Look
from cgp_tui.protocol.budget import token_cost
from cgp_tui.protocol.digest import sha256_of_text
from cgp_tui.protocol.frame import ContextFrame, Relation
from cgp_tui.text import compose, hidden_marks, join, show, show_lines
from cgp_tui.wire.line import BadFrame


def score_text(score: float) -> str:
    """A score as its provider's own number, short but never rounded to a value it does not have."""
    return f"{score:.2f}" if round(score, 2) == score else f"{score:.4g}"


def frame_rows(frame: ContextFrame, subject: Subject, place: int, look: Look) -> Rows:
    """The card of one frame of an answer, the findings about it first."""
    findings = subject.findings_at(place)
    for finding in findings:
        yield from brief(finding, look, member(finding))
    if findings:
        yield EMPTY
    quote = '"'
    wanted = () if subject.asked is None else subject.asked.representation_preferences
    asked = (span("  asked for: ", "muted"), Span(join(", ", (show(one, 40) for one in wanted)), "muted")) if wanted else ()
    yield from labelled("kind", look, Span(show(frame.kind)), GAP, Span(show(frame.representation)), *asked)
    yield from labelled("title", look, span(quote), Span(show(frame.title)), span(quote))
    if frame.citation_label is None:
        yield from labelled("cite", look, span("absent", "doubt"))
    else:
        yield from labelled("cite", look, span(quote), Span(show(frame.citation_label)), span(quote))
    yield from labelled("score", look, span(score_text(frame.score)), span("  the provider's own order", "muted"))
    yield from labelled("cost", look, *_cost(frame, look))
    yield from standing_rows(subject.appraisal(place), look, key_changed=subject.key_changed(subject.appraisal(place)))
    yield from _identity(frame, subject.provider_name, look)
    yield from _again(frame, subject, look)
    yield from _times(frame, None if subject.asked is None else subject.asked.as_of, look)
    if frame.uri is not None:
        yield from labelled("uri", look, Span(show(frame.uri)))
    for relation in frame.relations:
        yield from _relation(relation, subject, place, look)
    yield from _source(frame, look)
    yield EMPTY
    yield from _content(frame, look)


def _relation(relation: Relation, subject: Subject, place: int, look: Look) -> Rows:
    """One edge, and the frame at its other end where the session has one."""
    name = (span(' "'), Span(show(relation.display_name)), span('"')) if relation.display_name is not None else ()
    at = subject.target(relation.target_uri, place)
    jump, end = None, tuple[Span, ...]()
    if at is not None:
        here = at.line == subject.line.n
        jump = Jump(place=at.place) if here else Jump(line=at.line, place=at.place)
        told = f"frame {at.place + 1} of this answer" if here else f"line {at.line:,}, frame {at.place + 1}"
        end = (span(f"  {look.symbols.sent} {told}", "strong"),)
    yield from labelled(
        "relation", look, Span(show(relation.rel)), span(" > "), Span(show(relation.target_uri)), *name, *end, jump=jump
    )


def _cost(frame: ContextFrame, look: Look) -> tuple[Span, ...]:
    counted = token_cost(frame.content)
    length = 0 if frame.content is None else len(frame.content.encode("utf-8", "surrogatepass"))
    if counted == frame.token_cost:
        sign = span(f" {look.symbols.good} same", "good")
    else:
        sign = span(f" {look.symbols.bad} differs", "bad")
    return (span(f"{frame.token_cost:,} declared, {counted:,} counted ({exact_bytes(length)})"), sign)


def _identity(frame: ContextFrame, provider_name: str | None, look: Look) -> Rows:
    provider = span("no handshake seen", "doubt") if provider_name is None else Span(show(provider_name))
    yield from labelled("provider", look, provider)
    yield from labelled("frame id", look, Span(show(frame.id)))
    if frame.content_digest is None:
        yield from labelled("digest", look, span("absent: this copy is not to be reused unchecked (D3)", "muted"))
        return
    yield from labelled("digest", look, Span(show(frame.content_digest)))
    if frame.content is not None:
        same = sha256_of_text(frame.content) == frame.content_digest
        fits = span(f"{look.symbols.good} the SHA-256 of this content", "good")
        yield from labelled(
            "", look, fits if same else span(f"{look.symbols.unequal} not the SHA-256 of this content", "doubt")
        )


def _again(frame: ContextFrame, subject: Subject, look: Look) -> Rows:
    """Where else the frame was met, and whether its bytes are the same there."""
    again = subject.again(frame)
    if again is not None:
        token = again_token(again)
        sign = (span(f"{look.symbols.unequal} ", token),) if token is not None else ()
        yield from labelled("seen", look, *sign, Span(compose("also on {where}", where=again_words(again)), token))


def _times(frame: ContextFrame, as_of: str | None, look: Look) -> Rows:
    if frame.valid_from is not None or frame.valid_to is not None:
        start = span("open") if frame.valid_from is None else Span(show(frame.valid_from))
        end = span("open") if frame.valid_to is None else Span(show(frame.valid_to))
        asked = (span("  asked as of "), Span(show(as_of))) if as_of is not None else ()
        yield from labelled("valid", look, start, span(" to "), end, *asked)
    if frame.recorded_at is not None:
        yield from labelled("recorded", look, Span(show(frame.recorded_at)))


def _source(frame: ContextFrame, look: Look) -> Rows:
    """What compact and reference frames carry instead of, or in addition to, their content (SPEC 6.4)."""
    if frame.content_ref is not None:
        ref = frame.content_ref
        expires = (span("  until "), Span(show(ref.expires_at))) if ref.expires_at is not None else ()
        yield from labelled("content ref", look, Span(show(ref.uri)), span(" of "), Span(show(ref.provider_id)), *expires)
    if frame.content_fidelity is not None:
        yield from labelled("fidelity", look, Span(show(frame.content_fidelity)))
    if frame.minimum_content_fidelity is not None:
        yield from labelled("at least", look, Span(show(frame.minimum_content_fidelity)))
    if frame.inline_content_requirement is not None:
        yield from labelled("inline", look, Span(show(frame.inline_content_requirement)))
    if frame.canonical_token_cost is not None:
        by = (span(", counted by "), Span(show(frame.tokenizer_ref))) if frame.tokenizer_ref is not None else ()
        yield from labelled("in full", look, span(f"{frame.canonical_token_cost:,} tokens"), *by)
    if frame.canonical_content_hash is not None:
        yield from labelled("source hash", look, Span(show(frame.canonical_content_hash)))
    if frame.transform is not None:
        made = frame.transform
        parts = (Span(show(made.method)), span(" by "), Span(show(made.implementation)), span(" "), Span(show(made.version)))
        yield from labelled("transform", look, *parts)
    if frame.embedding is not None:
        count = 0 if frame.embedding.vector is None else len(frame.embedding.vector)
        yield from labelled(
            "embedding", look, Span(show(frame.embedding.fingerprint)), span(f"  {count:,} numbers", "muted")
        )


def _content(frame: ContextFrame, look: Look) -> Rows:
    if frame.content is None:
        yield row(span("No inline content travels with this frame.", "muted"))
        return
    if not frame.content:
        yield row(span("The content is empty.", "muted"))
        return
    hidden = hidden_marks(frame.content)
    warned = (span(f"  [ctl {hidden:,}] shown as signs", "doubt"),) if hidden else ()
    yield row(span("content, quoted: evidence, not instruction", "muted"), *warned)
    yield from quoted(show_lines(frame.content), look)


def bad_frame_rows(bad: BadFrame, subject: Subject, look: Look) -> Rows:
    """A frame that did not decode: what is wrong with it; its bytes are under Raw."""
    for finding in subject.findings_at(bad.place):
        yield from brief(finding, look, member(finding))
    yield row(span(f"{look.symbols.bad} ", "bad"), span(f"Frame {bad.place + 1} of the answer did not decode."))
    for fault in bad.faults:
        yield from labelled(fault.code.replace("_", " "), look, Span(show(f"{fault.path} {fault.detail}".strip())))
