"""Measuring by turns, so that a busy moment of the machine falls on both sides alike."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from typing import NamedTuple


class Row(NamedTuple):
    """`ours` and `floor` are seconds; `target` is the greatest ratio aimed at, None where there is none."""

    what: str
    ours: float
    floor: float
    target: float | None
    note: str = ""

    @property
    def ratio(self) -> float:
        return self.ours / self.floor


def seconds(work: Callable[[], object]) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def cpu_seconds(work: Callable[[], object]) -> float:
    """What `work` cost this process alone, whatever else the machine does."""
    start = time.process_time()
    work()
    return time.process_time() - start


def least_by_turns(ours: Callable[[], float], floor: Callable[[], float], rounds: int) -> tuple[float, float]:
    """The least of several measurements of each, taken alternately: for work that only a busy machine can slow down."""
    pairs = [(ours(), floor()) for _ in range(rounds)]
    return min(pair[0] for pair in pairs), min(pair[1] for pair in pairs)


def by_turns(ours: Callable[[], float], floor: Callable[[], float], rounds: int) -> tuple[float, float]:
    """The medians of two measurements, taken alternately after one round that is thrown away."""
    pairs = [(ours(), floor()) for _ in range(rounds + 1)][1:]
    return statistics.median(pair[0] for pair in pairs), statistics.median(pair[1] for pair in pairs)
