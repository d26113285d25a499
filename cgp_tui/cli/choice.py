"""Which findings a person asked for: `--only` and `--level`."""

from __future__ import annotations

import difflib
from collections.abc import Sequence
from typing import Final

import msgspec

from cgp_tui.errors import InputError
from cgp_tui.protocol.requirements import LEVELS, REQUIREMENTS, Finding, Level, Requirement

_RANK: Final[dict[Level, int]] = {level: place for place, level in enumerate(LEVELS)}


class Choice(msgspec.Struct, frozen=True):
    """The requirements to look at, in the order of the SPEC, and the least level."""

    anchors: tuple[str, ...]
    level: Level
    all: bool = True
    """Whether no requirement is left out: then findings of every anchor are taken."""

    def takes(self, finding: Finding) -> bool:
        """Whether a finding is one of them."""
        return (self.all or finding.anchor in self.anchors) and _RANK[finding.level] <= _RANK[self.level]


def requirement(anchor: str) -> Requirement:
    """The row of an anchor as a person spells it, in upper or lower case. Raises InputError usage, with the anchor that was
    meant if one is near."""
    row = REQUIREMENTS.get(anchor.upper())
    if row is not None:
        return row
    near = difflib.get_close_matches(anchor.upper(), REQUIREMENTS, n=1, cutoff=0.5)
    fix = f"Did you mean {near[0]}?" if near else f"They are: {', '.join(REQUIREMENTS)}."
    raise InputError("usage", f"There is no requirement '{anchor}'.", fix)


def choice(only: Sequence[str], level: Level) -> Choice:
    """What `--only` (comma-separated, repeatable; none is all) and `--level` ask for.

    Raises InputError usage for an anchor that there is not, and for one that no transcript shows: nothing found would read
    as kept.
    """
    seen = tuple(anchor for anchor, row in REQUIREMENTS.items() if row.where == "wire")
    if not only:
        return Choice(seen, level)
    named = {requirement(anchor).anchor for words in only for anchor in map(str.strip, words.split(",")) if anchor}
    if not named:
        raise InputError("usage", "--only names no requirement.", "Name some, such as --only B3,F5")
    unseen = next((anchor for anchor in REQUIREMENTS if anchor in named and anchor not in seen), None)
    if unseen is not None:
        raise InputError(
            "usage", f"No transcript shows whether {unseen} is met.", f"`cgp-tui check --explain {unseen}` says why."
        )
    return Choice(tuple(anchor for anchor in seen if anchor in named), level, all=False)
