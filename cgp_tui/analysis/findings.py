"""The findings made so far that still hold: counted by level, the first of them kept, some withdrawn again."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

from cgp_tui.analysis.columns import Columns
from cgp_tui.protocol.requirements import Finding, Level

_Key = tuple[str, int, str | None, str]
"""What two findings have in common when they are one report."""

NOTHING_WITHDRAWN: Final[Sequence[Finding]] = ()


class FindingsChange(NamedTuple):
    """What one step of the pass found: `fresh` findings are new, `withdrawn` ones no longer hold. `revocable` says that a
    reply is missing and would withdraw the fresh ones if it still came."""

    fresh: Sequence[Finding]
    withdrawn: Sequence[Finding] = ()
    revocable: bool = False


class Findings:
    """The findings of one pass, charged to their records in `columns`. At most `keep` of them are held, None for all."""

    def __init__(self, columns: Columns, keep: int | None) -> None:
        self._columns = columns
        self._keep = keep
        self._said: dict[int, tuple[Finding, ...]] = {}
        """By exchange, as long as it may be judged again."""
        self._charged: dict[int, list[Finding]] = {}
        self._kept_in_part: set[int] = set()
        """Lines with some findings kept and others only counted."""
        self._counts: dict[Level, int] = {"violation": 0, "advice": 0, "note": 0}
        self.findings: list[Finding] = []
        """In the order in which they came to light; the first `keep` of them."""
        self.taken_back = 0
        """How many findings were taken out of `findings` again."""

    @property
    def counts(self) -> tuple[int, int, int]:
        """How many violations, advice and notes there are."""
        counts = self._counts
        return counts["violation"], counts["advice"], counts["note"]

    def of_line(self, n: int) -> tuple[Finding, ...] | None:
        """The findings that charge wire line `n`; None where it is not known that all of them were kept."""
        kept = self._charged.get(n)
        if sum(self.counts) == len(self.findings) or (kept is not None and n not in self._kept_in_part):
            return tuple(kept or ())
        return None

    def knows(self, number: int | None) -> bool:
        """Whether there are findings about the exchange `number`, which may be judged again."""
        return number in self._said

    def forget(self, number: int) -> None:
        """Note that the exchange `number` will not be judged again."""
        self._said.pop(number, None)

    def news(
        self, number: int, line: int | None, findings: tuple[Finding, ...]
    ) -> tuple[tuple[Finding, ...], Sequence[Finding]]:
        """The findings that are new, and those about the request on `line` that no longer hold: an exchange is judged when
        it opens, when it is given up, and when its reply comes."""
        said = {_key(finding): finding for finding in self._said.get(number, ())}
        now = {_key(finding): finding for finding in findings}
        fresh = tuple(finding for key, finding in now.items() if key not in said)
        gone = [key for key, finding in said.items() if finding.line == line and key not in now]
        withdrawn = [said.pop(key) for key in gone]
        self._said[number] = (*said.values(), *fresh)
        return fresh, withdrawn

    def withdraw(self, findings: Sequence[Finding], asked: int | None) -> None:
        """Withdraw findings; `asked` is the record that they charged."""
        for finding in findings:
            self._counts[finding.level] -= 1
            if asked is not None:
                self._columns.charge(asked, finding.level, -1)
            kept = self._charged.get(finding.line, [])
            if any(one is finding for one in kept):
                self._charged[finding.line] = [one for one in kept if one is not finding]
                places = range(len(self.findings) - 1, -1, -1)  # from the end: a late reply is seldom very late
                del self.findings[next(place for place in places if self.findings[place] is finding)]
                self.taken_back += 1

    def report(self, findings: Sequence[Finding], here: int | None, at: int, asked: int | None) -> None:
        """Add findings: those that charge wire line `here` count for record `at`, all others for record `asked`."""
        counts, charge = self._counts, self._columns.charge
        for finding in findings:
            level, line = finding.level, finding.line
            counts[level] += 1
            if self._keep != 0:
                self._hold(finding)
            charged = at if line == here else asked
            if charged is not None:
                charge(charged, level)

    def _hold(self, finding: Finding) -> None:
        """Keep a finding in memory, where there is room."""
        if self._keep is None or len(self.findings) < self._keep:
            self._charged.setdefault(finding.line, []).append(finding)
            self.findings.append(finding)
        elif finding.line in self._charged:
            self._kept_in_part.add(finding.line)


def _key(finding: Finding) -> _Key:
    return finding.anchor, finding.line, finding.frame_id, finding.path
