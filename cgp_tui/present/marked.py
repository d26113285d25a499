"""Findings by the member of the JSON that they are about."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import msgspec

from cgp_tui.protocol.requirements import Finding


class Marked(msgspec.Struct, frozen=True):
    """The findings about one member, and those about what is inside it, by name or index."""

    here: list[Finding] = []
    below: dict[str, Marked] = {}

    def all(self) -> Iterator[Finding]:
        """The findings about the member and everything inside it."""
        yield from self.here
        for one in self.below.values():
            yield from one.all()


def parts_of(pointer: str) -> tuple[str, ...]:
    """The names on the way of a JSON Pointer (RFC 6901), from outside in."""
    return tuple(part.replace("~1", "/").replace("~0", "~") for part in pointer.split("/")[1:])


def marked(findings: Iterable[Finding], under: str = "") -> Marked:
    """Findings by the member that their path names; `under` is the path of the tree's root, and others are left out."""
    root = Marked()
    for finding in findings:
        if finding.path != under and not finding.path.startswith(under + "/"):
            continue
        at = root
        for part in parts_of(finding.path[len(under) :]):
            at = at.below.setdefault(part, Marked())
        at.here.append(finding)
    return root
