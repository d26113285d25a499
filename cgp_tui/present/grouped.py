"""All findings of a session as one list: grouped by rule, by line or by level, each group open or folded.

The list grows as findings come to light and is never rebuilt for a new one, so it keeps up with a live session; a row is
made only when it is looked at.
"""

from __future__ import annotations

from bisect import bisect_right, insort
from collections.abc import Callable, Collection, Iterator, Sequence
from itertools import accumulate
from typing import Final, Literal, get_args

import msgspec

from cgp_tui.present.findings import FAULT, sign, where
from cgp_tui.present.layout import cut_middle, fit, labelled, spans_width, within
from cgp_tui.present.numbers import plural
from cgp_tui.present.requirement import BINDS
from cgp_tui.present.spans import GAP, Rows, Span, row, span
from cgp_tui.present.symbols import Look
from cgp_tui.protocol.requirements import LEVELS, REQUIREMENTS, Finding, Level
from cgp_tui.text import Shown, compose, own, show

Order = Literal["anchor", "line", "level"]
ORDERS: Final[tuple[Order, ...]] = get_args(Order)

_ANCHORS: Final = {anchor: place for place, anchor in enumerate(REQUIREMENTS)}

Key = str | int
"""What the findings of a group have in common: an anchor, a level, or the number of a line."""

_OPEN_AT_FIRST: Final[dict[Order, bool]] = {"anchor": False, "line": True, "level": True}
"""Whether an untouched group is open: one rule may have a thousand findings, a line seldom has."""


class At(msgspec.Struct, frozen=True):
    """One row of the list: the heading of a group, or a finding of it."""

    key: Key
    finding: Finding | None = None


class Group:
    """The findings that share a key, by line."""

    __slots__ = ("counts", "findings", "key")

    def __init__(self, key: Key) -> None:
        self.key = key
        self.findings: list[Finding] = []
        self.counts: dict[Level, int] = dict.fromkeys(LEVELS, 0)

    def add(self, finding: Finding) -> None:
        self.counts[finding.level] += 1
        if self.findings and self.findings[-1].line > finding.line:
            insort(self.findings, finding, key=_line)
        else:
            self.findings.append(finding)

    @property
    def worst(self) -> Level:
        return next(level for level in LEVELS if self.counts[level])


def _line(finding: Finding) -> int:
    return finding.line


class Grouped:
    """The list for one order. `take` adds findings; `turned` are the groups that were folded or unfolded by hand."""

    def __init__(self, order: Order, turned: Collection[Key] = ()) -> None:
        self.order: Order = order
        self.count = 0
        self.turned = set(turned)
        self._groups: dict[Key, Group] = {}
        self._sorted: list[Group] = []
        self._starts: list[int] = [0]

    def take(self, findings: Sequence[Finding]) -> None:
        """Add findings that were not there."""
        fresh: list[Group] = []
        for finding in findings:
            key: Key = getattr(finding, self.order)
            group = self._groups.get(key)
            if group is None:
                group = self._groups[key] = Group(key)
                fresh.append(group)
            group.add(finding)
        self.count += len(findings)
        self._sorted += fresh
        if fresh or self.order == "anchor":  # a rule may have become worse
            self._sorted.sort(key=self._rank)
        self._lay_out()

    def _rank(self, group: Group) -> tuple[int, int]:
        if isinstance(group.key, int):
            return 0, group.key
        return LEVELS.index(group.worst), _ANCHORS.get(group.key, len(_ANCHORS))

    def _lay_out(self) -> None:
        heights = (1 + len(group.findings) * self.is_open(group.key) for group in self._sorted)
        self._starts = [0, *accumulate(heights)]

    def is_open(self, key: Key) -> bool:
        return _OPEN_AT_FIRST[self.order] != (key in self.turned)

    def fold(self, key: Key, opened: bool) -> bool:
        """Open or fold a group. Returns whether that changed anything."""
        if key not in self._groups or self.is_open(key) == opened:
            return False
        self.turned ^= {key}
        self._lay_out()
        return True

    def __len__(self) -> int:
        """The number of rows."""
        return self._starts[-1]

    def at(self, place: int) -> At:
        """The row at `place`, from 0. Raises IndexError."""
        if not 0 <= place < len(self):
            raise IndexError(place)
        index = bisect_right(self._starts, place) - 1
        group, inside = self._sorted[index], place - self._starts[index]
        return At(group.key, None if inside == 0 else group.findings[inside - 1])

    def place(self, at: At) -> int | None:
        """The place of a row now, or of its group's heading where that is folded; None where it is gone."""
        group = self._groups.get(at.key)
        if group is None:
            return None
        start = self._starts[self._sorted.index(group)]
        if at.finding is None:
            return start
        first = bisect_right(group.findings, at.finding.line - 1, key=_line)
        alike = enumerate(_of_line(group, at.finding.line), first)
        inside = next((place for place, one in alike if one is at.finding), None)
        if inside is None:
            return None
        return start + 1 + inside if self.is_open(at.key) else start

    def of_line(self, line: int) -> At | None:
        """The worst finding of a wire line, the first in this order; None where it has none."""
        among = [self._groups[line]] if self.order == "line" and line in self._groups else self._sorted
        found = [(LEVELS.index(one.level), At(group.key, one)) for group in among for one in _of_line(group, line)]
        return min(found, key=lambda pair: pair[0])[1] if found else None

    def first(self) -> At | None:
        """The first violation, else the first finding of the worst level."""
        if not self._sorted:
            return None
        worst = min(self._sorted, key=lambda group: LEVELS.index(group.worst))
        return At(worst.key, next(one for one in worst.findings if one.level == worst.worst))

    def group(self, key: Key) -> Group:
        """The group of a key. Raises KeyError."""
        return self._groups[key]

    def parent(self, at: At) -> At:
        """The heading of a row's group."""
        return At(at.key)

    def rank(self, at: At) -> tuple[int, int]:
        """The order of a row among all, visible or not: the place of its group, and its own inside that, 0 for the heading.
        Raises KeyError for a group that is gone."""
        group = self._groups[at.key]
        inside = 0 if at.finding is None else 1 + bisect_right(group.findings, at.finding.line - 1, key=_line)
        same = () if at.finding is None else _of_line(group, at.finding.line)
        return self._sorted.index(group), inside + next((place for place, one in enumerate(same) if one is at.finding), 0)

    def all(self) -> Iterator[tuple[tuple[int, int], At]]:
        """Every row with its rank, folded ones included."""
        for place, group in enumerate(self._sorted):
            yield (place, 0), At(group.key)
            yield from (((place, inside), At(group.key, one)) for inside, one in enumerate(group.findings, 1))


def _of_line(group: Group, line: int) -> Iterator[Finding]:
    start = bisect_right(group.findings, line - 1, key=_line)
    for finding in group.findings[start:]:
        if finding.line != line:
            return
        yield finding


Named = Callable[[int], Shown]
"""Names a wire line in a few words."""


def entry_spans(grouped: Grouped, at: At, named: Named, look: Look) -> tuple[Span, ...]:
    """One row of the list, no wider than the look."""
    if at.finding is None:
        return _heading(grouped, at.key, named, look)
    finding, symbols = at.finding, look.symbols
    lead: list[Span] = [span("    ")]
    if grouped.order != "line":
        lead += [span(f"{finding.line:>6,} "), Span(fit(named(finding.line), 16, symbols), "muted"), GAP]
    if grouped.order != "anchor":
        lead += [sign(finding.level, symbols), span(" "), Span(show(finding.anchor), "strong"), GAP]
    said = evidence(finding) if grouped.order == "anchor" else compose("{message}", message=show(finding.message))
    frame = () if finding.frame_id is None else (Span(cut_middle(show(finding.frame_id, 80), 24, symbols)), span(": "))
    return tuple(within((*lead, *frame, Span(said)), look.width, symbols))


def evidence(finding: Finding) -> Shown:
    """What was found and what was expected, in one line; the finding's sentence where neither is known."""
    found, expected = show(finding.found, 200), show(finding.expected, 200)
    if found and expected:
        return compose("{found}, expected {expected}", found=found, expected=expected)
    return found or (compose("expected {expected}", expected=expected) if expected else show(finding.message))


def entry_text(grouped: Grouped, at: At, named: Named) -> str:
    """The text of a row, uncut and without signs, for the search."""
    if at.finding is None:
        return "".join(part.text for part in _title(grouped, at.key, named))
    finding, order = at.finding, grouped.order
    line = "" if order == "line" else f"{finding.line:,} {named(finding.line)}"
    rule = "" if order == "anchor" else show(finding.anchor)
    said = evidence(finding) if order == "anchor" else show(finding.message)
    return " ".join(part for part in (line, rule, show(finding.frame_id or "", 80), said) if part)


def whole_text(grouped: Grouped, named: Named) -> Iterator[str]:
    """The whole list line by line, uncut, folded rows included: each finding with its level, indented under its heading."""
    for _, at in grouped.all():
        said = entry_text(grouped, at, named)
        yield said if at.finding is None else f"  {at.finding.level}: {said}"


def _title(grouped: Grouped, key: Key, named: Named) -> tuple[Span, ...]:
    """What the findings of a group have in common."""
    if isinstance(key, int):
        return (span(f"line {key:,}  ", "strong"), Span(named(key)))
    if grouped.order == "level":
        return (span(key, "strong"),)
    meaning = REQUIREMENTS[key].meaning if key in REQUIREMENTS else ""
    return (Span(show(f"{key}  "), "strong"), span(meaning))


def _heading(grouped: Grouped, key: Key, named: Named, look: Look) -> tuple[Span, ...]:
    group, symbols = grouped.group(key), look.symbols
    fold = span(f"{symbols.unfolded if grouped.is_open(key) else symbols.folded} ", "muted")
    mark = sign(group.worst, symbols)
    title = _title(grouped, key, named)
    counts = counted(group, look)
    room = max(look.width - 4 - spans_width(counts) - 1, 8)
    cells = within(title, room, symbols)
    return (fold, mark, span(" "), *cells, span(" " * (room - spans_width(cells) + 1)), *counts)


def counted(group: Group, look: Look) -> tuple[Span, ...]:
    """How many of each level a group holds: `✗2 !1`."""
    kept = [(level, many) for level, many in group.counts.items() if many]
    out: list[Span] = []
    for level, many in kept:
        mark = sign(level, look.symbols)
        out += [*([span(" ")] if out else []), span(f"{mark.text}{many:,}", mark.token)]
    return tuple(out)


class Tally(msgspec.Struct, frozen=True):
    """How much is known: findings by level, those kept in memory, lines, and whether every line was checked."""

    counts: tuple[int, int, int]
    held: int
    lines: int
    judged: bool
    share: int = 100

    @property
    def beyond(self) -> int:
        """The number of findings that are counted but not kept."""
        return max(sum(self.counts) - self.held, 0)


def tally_words(tally: Tally, order: Order, look: Look) -> Shown:
    """The right end of the title: `✗3 !1 of 13 lines, all checked, by rule (o)`."""
    symbols = look.symbols
    violations, advice, notes = tally.counts
    noted = f" {symbols.quiet}{notes:,}" if notes else ""
    checked = "all checked" if tally.judged else f"{tally.share} % checked"
    by = {"anchor": "rule", "line": "line", "level": "level"}[order]
    found = f"{symbols.bad}{violations:,} {symbols.doubt}{advice:,}{noted}"
    words = own(f"{found} of {plural(tally.lines, 'line')}, {checked}, by {by}")
    return look.say("{words} ({list.order})", words=words)


def beyond_words(tally: Tally) -> Shown | None:
    """What the list leaves out, and where that can be seen; None where it leaves out nothing."""
    if not tally.beyond:
        return None
    more = "more are counted and shown on their own lines"
    return own(f"{tally.held:,} findings are listed, {tally.beyond:,} {more}.")


def nothing_words(tally: Tally) -> Shown:
    """What is shown here while there is no finding."""
    if not tally.judged:
        return own(f"No finding so far: {tally.share} % of the lines are checked.")
    return own("Nothing found. This is not a certificate: not every rule shows on the wire.")


def about_title(grouped: Grouped, at: At | None) -> Shown:
    """`B1, line 8, the provider`."""
    if at is None:
        return own("Finding")
    if at.finding is None:
        if isinstance(at.key, int):
            return own(f"line {at.key:,}")
        return show(at.key)
    finding = at.finding
    fault = own(FAULT[finding.party])
    return compose("{anchor}, line {line}, {fault}", anchor=show(finding.anchor), line=finding.line, fault=fault)


def about_rows(grouped: Grouped, at: At | None, look: Look) -> Rows:
    """The row under the cursor in full: a finding with its evidence and its fix, or the rule that a group is about."""
    if at is None:
        return
    if at.finding is not None:
        yield from _finding_rows(at.finding, look)
    elif isinstance(at.key, str) and at.key in REQUIREMENTS:
        rule = REQUIREMENTS[at.key]
        yield row(Span(own(rule.meaning)))
        yield from labelled("binds", look, span(BINDS[rule.binds]), column=10)
        yield from labelled("fix", look, Span(own(rule.fix)), column=10)
        if rule.reference:
            yield from labelled("reference", look, span(rule.reference, "muted"), column=10)
    else:
        group = grouped.group(at.key)
        yield row(span(plural(len(group.findings), "finding")), GAP, *counted(group, look))


def _finding_rows(finding: Finding, look: Look) -> Rows:
    yield row(sign(finding.level, look.symbols), span(" "), Span(show(finding.message)))
    for label, text in (("expected", finding.expected), ("found", finding.found), ("fix", finding.fix)):
        if text:
            yield from labelled(label, look, Span(show(text)), column=10)
    named = Shown("".join(part.text for part in where(finding)))
    if named:
        yield from labelled("where", look, Span(named, "muted"), column=10)
    if finding.reference:
        yield from labelled("reference", look, Span(show(finding.reference), "muted"), column=10)
