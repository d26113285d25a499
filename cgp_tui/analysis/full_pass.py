"""Judges a whole transcript once and hands its findings on as they come, in the order of its lines, in little memory."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Sequence
from heapq import heappop, heappush
from typing import Final

from cgp_tui import limits
from cgp_tui.analysis.analysis import Analysis
from cgp_tui.analysis.findings import FindingsChange
from cgp_tui.checks.types import Judged
from cgp_tui.protocol.attestation import TrustedKey
from cgp_tui.protocol.requirements import Finding
from cgp_tui.protocol.timestamp import Instant
from cgp_tui.session import Exchange
from cgp_tui.transcript.reader import Transcript
from cgp_tui.wire.memo import FrameMemo

_STRIDE: Final = 256
"""The number of records after which findings are handed on."""

_Held = tuple[int, int, Finding, bool]
"""The line charged, a number in order of discovery, the finding, and whether a late reply may withdraw it."""


def everything(finding: Finding) -> bool:
    """The choice of all findings."""
    return True


class FullPass:
    """One pass over all of `transcript`; `takes` chooses the findings, the others are only counted (`left_out`). `on_step`
    is called from time to time with the number of records looked at and of findings handed on.

    Some findings come to light long after their line: that a request was not answered shows when the transcript is over. So
    up to `hold` findings are held back and handed on by line; where there are more, later ones come out of order. A finding
    withdrawn during the pass is never handed on. `counts` and `left_out` are final after the last finding.
    """

    def __init__(
        self,
        transcript: Transcript,
        takes: Callable[[Finding], bool] = everything,
        keys: Sequence[TrustedKey] = (),
        now: Instant | None = None,
        *,
        on_judged: Callable[[Judged], None] | None = None,
        hold: int = limits.FINDINGS_HELD,
        when: Callable[[Exchange], Instant | None] | None = None,
        beside: Callable[[Judged], Sequence[Finding]] | None = None,
        on_step: Callable[[int, int], None] | None = None,
        memo: FrameMemo | None = None,
    ) -> None:
        self.analysis = Analysis(
            transcript, keys, now, on_judged=on_judged, keep=0, on_news=self._hear, when=when, beside=beside, memo=memo
        )
        self.counts = {"violation": 0, "advice": 0, "note": 0}
        """The number of findings of each level handed on."""
        self.left_out = 0
        self.where: Callable[[int], bool] | None = None
        """Which wire lines findings may charge; consulted when one is handed on, when its exchange is usually over."""
        self._takes = takes
        self._on_step = on_step
        self._hold = hold
        self._held: deque[_Held] = deque()
        """By line, as nearly all come."""
        self._behind: list[_Held] = []
        """A heap of the findings that came to light after one of a later line."""
        self._aside: list[_Held] = []
        self._ripe: list[Finding] = []
        self._withdrawn: dict[int, Finding] = {}
        self._told = 0

    def findings(self) -> Iterator[Finding]:
        """Each finding once. To be iterated to the end, and only once."""
        while self.analysis.advance(0.0, stride=_STRIDE):
            yield from self._pass_on()
            if self._on_step is not None:
                self._on_step(self.analysis.done, sum(self.counts.values()))
        yield from self._pass_on()
        for held in sorted((*self._aside, *self._held, *self._behind)):
            self._ripen(held)
            yield from self._pass_on()

    def forget(self) -> None:
        """Drop what was found so far, which another pass reports."""
        self.left_out = 0
        for found in (self._held, self._behind, self._aside, self._ripe, self._withdrawn):
            found.clear()

    def _hear(self, news: FindingsChange) -> None:
        for finding in news.withdrawn:
            if self._takes(finding):
                self._withdrawn[id(finding)] = finding
            else:
                self.left_out -= 1
        takes, held, revocable = self._takes, self._held, news.revocable
        for finding in news.fresh:
            if not takes(finding):
                self.left_out += 1
                continue
            self._told += 1
            line = finding.line
            one = line, self._told, finding, revocable
            if held and line < held[-1][0]:
                heappush(self._behind, one)
            else:
                held.append(one)
            if len(held) + len(self._behind) > self._hold:
                self._let_go()

    def _let_go(self) -> None:
        """Hand on the finding of the earliest line, unless a reply may still withdraw it."""
        behind = self._behind and (not self._held or self._behind[0] < self._held[0])
        held = heappop(self._behind) if behind else self._held.popleft()
        if held[3]:
            self._aside.append(held)
        elif self._withdrawn:
            self._ripen(held)
        else:
            self._ripe.append(held[2])

    def _ripen(self, held: _Held) -> None:
        finding = held[2]
        if not self._withdrawn or self._withdrawn.pop(id(finding), None) is None:
            self._ripe.append(finding)

    def _pass_on(self) -> Iterator[Finding]:
        for finding in self._ripe:
            if self.where is not None and not self.where(finding.line):
                self.left_out += 1
                continue
            self.counts[finding.level] += 1
            yield finding
        self._ripe.clear()
