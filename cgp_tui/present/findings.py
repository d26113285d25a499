"""Findings for people: what is wrong, what was expected, what was found, what to do."""

from __future__ import annotations

from functools import lru_cache
from typing import Final

from cgp_tui.present.layout import cell_width, labelled, spans_width
from cgp_tui.present.spans import EMPTY, GAP, Jump, Row, Rows, Span, Token, row, span
from cgp_tui.present.subject import Subject
from cgp_tui.present.symbols import Look, Symbols
from cgp_tui.protocol.requirements import Finding, Level
from cgp_tui.text import Page, Shown, own, page, show

_TOKENS: Final[dict[Level, Token]] = {"violation": "bad", "advice": "doubt", "note": "muted"}

_SIGNS: Final[dict[Level, str]] = {"violation": "bad", "advice": "doubt", "note": "quiet"}

FAULT: Final = {"host": "the host", "provider": "the provider", None: "sender unknown"}


_EVIDENCE: Final = len("    expected   found ")


def sign(level: Level, symbols: Symbols) -> Span:
    """The symbol of a level, in its token."""
    return span(getattr(symbols, _SIGNS[level]), _TOKENS[level])


def where(finding: Finding) -> tuple[Span, ...]:
    """The frame and the member that a finding names, as far as it names them."""
    frame = () if finding.frame_id is None else (span("frame "), Span(show(finding.frame_id)))
    between = (span("  at ", "muted"),) if frame and finding.path else ()
    path = (Span(show(finding.path), "muted"),) if finding.path else ()
    return (*frame, *between, *path)


def member(finding: Finding) -> Jump | None:
    """The jump to the member that a finding names, None where it is about the whole line."""
    return Jump(path=finding.path) if finding.path else None


def brief(finding: Finding, look: Look, jump: Jump | None = None) -> Rows:
    """A finding in two or three rows: anchor and meaning, evidence, fix."""
    symbols = look.symbols
    indent = span("    ")
    anchor = Span(show(f"{finding.anchor} "), "strong")
    named = () if finding.frame_id is None else (Span(show(finding.frame_id)), span(": "))
    yield Row(
        (anchor, *named, Span(show(finding.message))),
        lead=Span(Shown(sign(finding.level, symbols).text + " "), _TOKENS[finding.level]),
        rest=indent,
        jump=jump,
    )
    pieces = [
        (span(f"{word} ", "muted"), Span(show(value)))
        for word, value in (("expected", finding.expected), ("found", finding.found))
        if value
    ]
    beside = (*pieces[0], GAP, *pieces[1]) if len(pieces) == 2 else ()
    lines = [beside] if beside and spans_width(beside) + 4 <= look.width else pieces
    for line in lines:
        yield Row(line, lead=indent, rest=indent, jump=jump)
    if finding.fix:
        yield Row((span("Fix: ", "muted"), Span(show(finding.fix))), lead=indent, rest=indent, jump=jump)


def told(finding: Finding, look: Look, indent: str = "") -> Page:
    """The lines of `brief` as plain text, each after our own `indent`, with the path after the first one. Made fast, for
    transcripts with a million findings."""
    shared = finding.anchor, finding.message, finding.expected, finding.found, finding.fix
    before, after, rest = _told(shared, getattr(look.symbols, _SIGNS[finding.level]), look.width, indent)
    frame_id, path = finding.frame_id, finding.path
    named = "" if frame_id is None else f"{show(frame_id)}: "
    at = f"{indent}    at {show(path)}\n" if path else ""
    return Page(f"{before}{named}{after}{at}{rest}")


@lru_cache(maxsize=1024)
def _told(shared: tuple[str, str, str, str, str], mark: str, width: int, indent: str) -> tuple[Shown, Page, Page]:
    """What many findings of a transcript have in common: the first line before and after the frame's name, and the lines
    after the path."""
    anchor, message, expected, found, fix = shared
    before, after = Shown(f"{indent}{mark} {show(anchor)} "), page([show(message)])
    wanted, seen = show(expected), show(found)
    if wanted and seen and _EVIDENCE + cell_width(wanted) + cell_width(seen) <= width:
        rest = [f"    expected {wanted}  found {seen}"]
    else:
        rest = [f"    {word} {value}" for word, value in (("expected", wanted), ("found", seen)) if value]
    if fix:
        rest.append(f"    Fix: {show(fix)}")
    return before, after, page(Shown(indent + line) for line in rest)


def finding_rows(subject: Subject, look: Look) -> Rows:
    """Every finding on this line in full; a finding about a frame leads to the frame, its place to the
    member of the JSON."""
    any_yet = False
    for finding in subject.findings:
        if any_yet:
            yield EMPTY
        any_yet = True
        place = subject.place_of(finding)
        jump = member(finding) if place is None else Jump(place=place)
        mark = sign(finding.level, look.symbols)
        yield Row(
            (Span(show(f"{finding.anchor}  "), "strong"), Span(show(finding.message))),
            lead=Span(Shown(mark.text + " "), mark.token),
            rest=span("  "),
            jump=jump,
        )
        fault = f"{finding.level}, at fault: {FAULT[finding.party]}, line {finding.line}"
        exchange = "" if finding.exchange is None else f", exchange {finding.exchange}"
        yield from labelled("  level", look, span(fault + exchange))
        named = where(finding)
        if named:
            yield from labelled("  where", look, *named, jump=member(finding))
        for label, text in (("  expected", finding.expected), ("  found", finding.found), ("  fix", finding.fix)):
            if text:
                yield from labelled(label, look, Span(show(text)))
        if finding.reference:
            yield from labelled("  reference", look, Span(show(finding.reference), "muted"))
    if not any_yet:
        yield row(
            span(f"{look.symbols.good} ", "good"),
            own("Nothing found on this line. This is not a certificate: not every rule shows on the wire."),
        )
