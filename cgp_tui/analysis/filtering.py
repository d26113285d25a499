"""Runs a filter over a transcript, as far as that has grown: in slices, so that a screen stays responsive, and able to stop
at any time."""

from __future__ import annotations

import time
from array import array
from bisect import bisect_left, insort
from typing import Final

from cgp_tui.analysis.analysis import Analysis
from cgp_tui.analysis.filter import Filter
from cgp_tui.analysis.language import JUDGED, Candidate

_STRIDE: Final = 64
"""Records between two looks at the clock."""


class FilterRun:
    """The records of `analysis.transcript` that `filter` accepts, in order, by their number from 0 (`matches`).

    A filter on something that only the analysis knows waits for it. A record that is not settled when it is looked at, such
    as a request in flight, is looked at again once it is.
    """

    def __init__(self, filter: Filter, analysis: Analysis) -> None:
        self.filter = filter
        self._analysis = analysis
        self._waits = bool(filter.fields & JUDGED)
        self._restart()

    def _restart(self) -> None:
        self._generation = self._analysis.transcript.generation
        self.matches = array("I")
        self.seen = 0
        """The number of records that have been looked at."""
        self._open: list[int] = []

    @property
    def known(self) -> int:
        """The number of records that can be looked at now."""
        return self._analysis.done if self._waits else len(self._analysis.transcript)

    def advance(self, seconds: float | None = None) -> bool:
        """Go on for about `seconds`, or to the end of what there is. Returns whether there is more."""
        if self._generation != self._analysis.transcript.generation:
            self._restart()
        until = None if seconds is None else time.monotonic() + seconds
        self._settle()
        test, matches, analysis = self.filter.test, self.matches, self._analysis
        while self.seen < self.known:
            last = min(self.seen + _STRIDE, self.known)
            for at in range(self.seen, last):
                if test(Candidate(analysis, at)):
                    matches.append(at)
                if self._waits and analysis.facts(at).state == "pending":
                    self._open.append(at)
            self.seen = last
            if until is not None and time.monotonic() >= until:
                break
        return self.seen < self.known

    def place(self, at: int) -> int:
        """The place that record `at` has, or would have, among the matches."""
        return bisect_left(self.matches, at)

    def __contains__(self, at: int) -> bool:
        place = self.place(at)
        return place < len(self.matches) and self.matches[place] == at

    def takes(self, at: int) -> bool | None:
        """Whether the filter accepts record `at`, also where it has not looked at it yet; None where the analysis has to
        come to it first."""
        if at < self.seen:
            return at in self
        return self.filter.test(Candidate(self._analysis, at)) if at < self.known else None

    def _settle(self) -> None:
        """Look again at records that have been settled since."""
        still = []
        for at in self._open:
            if self._analysis.facts(at).state == "pending":
                still.append(at)
                continue
            took, takes = at in self, self.filter.test(Candidate(self._analysis, at))
            if takes and not took:
                insort(self.matches, at)
            elif took and not takes:
                del self.matches[self.place(at)]
        self._open = still


class Lines:
    """Whether a filter accepts a wire line, by what is known at that moment."""

    def __init__(self, filter: Filter, analysis: Analysis) -> None:
        self._filter = filter
        self._analysis = analysis
        self._last: tuple[int, bool] | None = None

    def takes(self, line: int) -> bool:
        """The answer for one line; findings come by line, so the last one is kept."""
        if self._last is None or self._last[0] != line:
            at = self._analysis.transcript.place(line)
            self._last = (line, at is not None and self._filter.test(Candidate(self._analysis, at)))
        return self._last[1]
