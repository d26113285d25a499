"""An answer as a table: each frame with its cost declared and recomputed, the running sum, where it crosses the budget."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from cgp_tui.checks.types import Appraisal
from cgp_tui.present.evidence import standing_mark, standing_word
from cgp_tui.present.findings import brief, member
from cgp_tui.present.frame import score_text
from cgp_tui.present.layout import cell_width, cut, cut_middle, fit, labelled
from cgp_tui.present.numbers import plural
from cgp_tui.present.spans import EMPTY, Jump, Row, Rows, Span, Token, row, span
from cgp_tui.present.subject import Subject
from cgp_tui.present.sums import Crossing, Sums, sums
from cgp_tui.present.symbols import Look
from cgp_tui.protocol.budget import token_cost
from cgp_tui.protocol.envelope import Frames
from cgp_tui.protocol.frame import ContextFrame
from cgp_tui.protocol.requirements import Finding
from cgp_tui.text import Shown, compose, join, own, show
from cgp_tui.wire.line import BadFrame

_CITE_FROM: Final = 78
"""The least width, in cells, at which the citation and the recomputed cost have columns of their own."""

_KIND: Final = 12
"""The most cells that a kind gets."""

_MARKS: Final = 7
"""Cells at the end of a row for its standing and its findings."""


def answer_rows(subject: Subject, envelope: Frames, look: Look) -> Rows:
    """Findings first, then the sums, then a row for every frame in the order of the wire, the undecoded ones included."""
    for finding in subject.findings:
        place = subject.place_of(finding)
        yield from brief(finding, look, member(finding) if place is None else Jump(place=place))
    if subject.findings:
        yield EMPTY
    added = yield from sums(subject)
    yield from _sums(subject, envelope, added, look)
    appraisals = () if subject.judged is None else subject.judged.appraisals
    if appraisals:
        yield from labelled("standing", look, *_standings(appraisals, look))
    root = None if subject.judged is None else subject.judged.root
    if root is not None:
        mark = standing_mark(root.standing, look.symbols)
        word = Span(standing_word(root.standing), mark.token, mark.tip)
        under = span(f"  one signature over {plural(root.leaf_count, 'frame')}, key ", "muted")
        yield from labelled("root", look, mark, span(" "), word, under, Span(show(root.key_id), "muted"))
    yield EMPTY
    if not subject.places:
        yield row(span("The answer holds no frame.", "muted"))
        return
    columns = _columns(added, look)
    yield _heading(columns)
    yield from _table(subject, columns, added.crossing, look)


def _sums(subject: Subject, envelope: Frames, added: Sums, look: Look) -> Rows:
    frames, asked = envelope.result.frames, subject.asked
    declared, counted, crossing, forms = added[:4]
    if asked is None:
        budget = [span(f"{declared:,} declared, {counted:,} counted; the query was not seen")]
    else:
        budget = [span(f"{declared:,} of {asked.max_tokens:,} declared, {counted:,} counted")]
        if declared > asked.max_tokens:
            budget.append(span(f"  {look.symbols.bad} OVER by {declared - asked.max_tokens:,}", "bad"))
    yield from labelled("budget", look, *budget)
    if crossing is not None:
        named = Span(cut_middle(show(crossing.frame_id, 200), 40, look.symbols), "bad")
        said = span(f"frame {crossing.place + 1} ", "bad"), named, span(f" crosses it: sum {crossing.total:,}", "bad")
        yield from labelled("", look, *said, jump=Jump(place=crossing.place))
    limit = "" if asked is None else f" of {asked.max_frames:,} allowed"
    over = asked is not None and len(frames) > asked.max_frames
    many = (span(f"  {look.symbols.bad} too many", "bad"),) if over else ()
    result = envelope.result
    rest = "  truncated" if result.truncated else ""
    if result.dropped_estimate is not None:
        rest += f", about {result.dropped_estimate:,} left out"
    yield from labelled("frames", look, span(f"{len(frames):,}{limit}"), *many, span(rest, "muted"))
    if set(forms) - {"full"}:
        told = join(", ", (compose("{n} {form}", n=count, form=show(form, 40)) for form, count in forms.most_common(6)))
        yield from labelled("as", look, Span(told))


def _standings(appraisals: Sequence[Appraisal], look: Look) -> list[Span]:
    counts = Counter(appraisal.standing for appraisal in appraisals)
    out: list[Span] = []
    for standing, count in counts.most_common():
        mark = standing_mark(standing, look.symbols)
        gap = "  " if out else ""
        out.append(Span(Shown(f"{gap}{mark.text} {count:,} {standing_word(standing)}"), mark.token, mark.tip))
    return out


class _Columns(NamedTuple):
    """The cells of each column of one answer: only as many as its content takes, so that the rest is left for titles.
    `counted` and `cite` are 0 where both costs share a column and there is no room for the citation."""

    kind: int
    cost: int
    counted: int
    total: int
    title: int
    cite: int


def _columns(added: Sums, look: Look) -> _Columns:
    kind = max(min(added.kind, _KIND), len("kind"))
    total = max(len(f"{added.declared:,}"), len("sum"))
    if look.width < _CITE_FROM:
        wrong = added.wrong and added.wrong + len(f" {look.symbols.bad} ")
        cost = max(added.declared_cells + len(f" {look.symbols.good}"), wrong, len("cost"))
        rest = look.width - (8 + kind + 2 + cost + 2 + total + 2 + _MARKS)
        return _Columns(kind, cost, 0, total, max(rest, 8), 0)
    declared = max(len("declared"), added.declared_cells)
    counted = max(len("counted"), added.counted_cells)
    rest = look.width - (8 + kind + 2 + declared + 2 + counted + 2 + total + 2 + _MARKS)
    title = max(rest * 3 // 5, 8)
    return _Columns(kind, declared, counted, total, title, max(rest - title - 1, 8))


HEADS: Final = {
    "score": "The provider's own order: scores of two providers say nothing about each other (F10).",
    "kind": "What sort of context this is.",
    "cost": "The tokens that were declared, and where they differ those that were counted (B3).",
    "declared": "The tokens that the provider says it takes.",
    "counted": "The tokens that its content takes: its bytes divided by 4, rounded up (B3).",
    "sum": "The declared tokens up to here: a sign marks where they pass what was asked for (B1).",
    "title": "The provider's own words.",
    "cite": "How the provider wants it to be named.",
}
"""The meaning of each column of the frames."""


def _heading(columns: _Columns) -> Row:
    heads = [("score", "  score "), ("kind", "kind".ljust(columns.kind) + "  ")]
    if columns.counted:
        heads += [("declared", "declared".rjust(columns.cost) + "  "), ("counted", "counted".rjust(columns.counted) + "  ")]
    else:
        heads += [("cost", "cost".rjust(columns.cost) + "  ")]
    heads += [("sum", "sum".rjust(columns.total) + "  "), ("title", "title".ljust(columns.title))]
    if columns.cite:
        heads += [("cite", " cite".ljust(columns.cite + 1))]
    return row(*(Span(own(cells), "muted", own(HEADS[name])) for name, cells in heads))


def _table(subject: Subject, columns: _Columns, crossing: Crossing | None, look: Look) -> Rows:
    about: dict[int, list[Finding]] = {}
    for finding in subject.findings:
        place = subject.place_of(finding)
        if place is not None:
            about.setdefault(place, []).append(finding)
    appraisals = {} if subject.judged is None else {appraisal.place: appraisal for appraisal in subject.judged.appraisals}
    total = 0
    for place in subject.places:
        frame = subject.by_place[place]
        if isinstance(frame, BadFrame):
            yield _bad_row(frame, look)
            continue
        total += frame.token_cost
        crosses = crossing is not None and crossing.place == place
        spans = _cells(frame, total, crosses, columns, look)
        if place in appraisals:
            spans.append(standing_mark(appraisals[place].standing, look.symbols))
        spans.extend(_marks(about.get(place, ()), look))
        yield Row(tuple(spans), jump=Jump(place=place))


def _marks(findings: Sequence[Finding], look: Look) -> Iterator[Span]:
    bad = sum(1 for finding in findings if finding.level == "violation")
    doubt = sum(1 for finding in findings if finding.level == "advice")
    if bad:
        yield span(f" {look.symbols.bad}{bad}", "bad")
    if doubt:
        yield span(f" {look.symbols.doubt}{doubt}", "doubt")


def _cells(frame: ContextFrame, total: int, crosses: bool, columns: _Columns, look: Look) -> list[Span]:
    symbols = look.symbols
    score = fit(own(score_text(frame.score)), 6, symbols, align="right")
    spans = [
        Span(Shown(f" {score} ")),
        Span(Shown(fit(show(frame.kind, 40), columns.kind, symbols) + "  ")),
        *_costs(frame.token_cost, token_cost(frame.content), columns, look),
        Span(fit(own(f"{total:,}"), columns.total + 2, symbols, align="right"), "bad" if crosses else None),
        span(f"{symbols.bad if crosses else ' '} ", "bad"),
        Span(fit(show(frame.title, 200), columns.title, symbols)),
    ]
    if columns.cite:
        spans += [span(" "), Span(fit(show(frame.citation_label or "", 200), columns.cite, symbols), "muted")]
    spans.append(span(" "))
    return spans


def _costs(declared: int, counted: int, columns: _Columns, look: Look) -> list[Span]:
    """Both costs, in a column each or in one; where they differ (B3) a cross stands between them."""
    symbols = look.symbols
    honest = declared == counted
    token: Token | None = None if honest else "bad"
    if not columns.counted:
        return [Span(fit(own(_both(declared, counted, look)), columns.cost, symbols, align="right"), token)]
    return [
        Span(fit(own(f"{declared:,}"), columns.cost, symbols, align="right"), token),
        span(" " if honest else symbols.bad, "bad"),
        Span(fit(own(f"{counted:,}"), columns.counted + 1, symbols, align="right"), token),
    ]


def _both(declared: int, counted: int, look: Look) -> str:
    """Both costs in one cell: the declared one with a tick, or with a cross and what was counted."""
    symbols = look.symbols
    return f"{declared:,} {symbols.good}" if declared == counted else f"{declared:,} {symbols.bad} {counted:,}"


def _bad_row(bad: BadFrame, look: Look) -> Row:
    name = own("without an id") if bad.frame_id is None else cut_middle(show(bad.frame_id, 200), 24, look.symbols)
    reason = bad.faults[0] if bad.faults else None
    said = own("not decoded") if reason is None else show(f"not decoded: {reason.path} {reason.detail}", 200)
    room = max(look.width - cell_width(name) - 6, 10)
    spans = (span(f" {look.symbols.bad} ", "bad"), Span(name), span("  "), Span(cut(said, room, look.symbols), "bad"))
    return Row(spans, jump=Jump(place=bad.place))
