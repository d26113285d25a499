"""Findings by the JSON member that they are about, and how they are shown after it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Final

import msgspec

from cgp_tui.present.findings import sign
from cgp_tui.present.spans import Span, span
from cgp_tui.present.symbols import Look
from cgp_tui.protocol.requirements import LEVELS, Finding
from cgp_tui.text import compose, show

TOLD: Final = 3
"""How many findings are shown after one member."""


class MemberFindings(msgspec.Struct, frozen=True):
    """The findings about one member, and those about what is inside it, by name or index."""

    here: list[Finding] = []
    below: dict[str, MemberFindings] = {}

    def all(self) -> Iterator[Finding]:
        """The findings about the member and everything inside it."""
        yield from self.here
        for one in self.below.values():
            yield from one.all()


def parts_of(pointer: str) -> tuple[str, ...]:
    """The names along a JSON Pointer (RFC 6901), from outside in."""
    return tuple(part.replace("~1", "/").replace("~0", "~") for part in pointer.split("/")[1:])


def pointer_to(under: str, part: str) -> str:
    """The JSON Pointer of the member of that name, or item of that number, in what `under` points to."""
    return f"{under}/{part.replace('~', '~0').replace('/', '~1')}"


def marked(findings: Iterable[Finding], under: str = "") -> MemberFindings:
    """Findings by the member that their path names; `under` is the path of the tree's root, and others are left out."""
    root = MemberFindings()
    for finding in findings:
        if finding.path != under and not finding.path.startswith(under + "/"):
            continue
        at = root
        for part in parts_of(finding.path[len(under) :]):
            at = at.below.setdefault(part, MemberFindings())
        at.here.append(finding)
    return root


def told(findings: tuple[Finding, ...], look: Look) -> tuple[Span, ...]:
    """Findings, shown after the member that they are about."""
    out: list[Span] = []
    for finding in findings[:TOLD]:
        mark = sign(finding.level, look.symbols)
        said = show(f"{finding.anchor} {finding.message}", 200)
        out.append(Span(compose("  {mark} {said}", mark=mark.text, said=said), mark.token))
    if len(findings) > TOLD:
        out.append(span(f"  and {len(findings) - TOLD:,} more", "muted"))
    return tuple(out)


def inside(marks: MemberFindings, look: Look) -> tuple[Span, ...]:
    """How many findings a folded member hides."""
    hidden = Counter(finding.level for one in marks.below.values() for finding in one.all())
    out = [(sign(level, look.symbols), hidden[level]) for level in LEVELS if hidden[level]]
    return tuple(Span(compose("  {mark}{n} inside", mark=mark.text, n=n), mark.token) for mark, n in out)
