"""What the campaigns share: how large they are, from which seed, and what one of them found."""

from __future__ import annotations

import random
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import msgspec

FULL, TENTH = 1.0, 0.1


class Run(msgspec.Struct):
    """One run of a campaign: its share of the full size, and the seed of every choice in it."""

    share: float
    seed: int

    def count(self, full: int) -> int:
        """How many of `full` this run does."""
        return max(1, round(full * self.share))

    def random(self) -> random.Random:
        return random.Random(self.seed)


class Figures(msgspec.Struct):
    """What a campaign found: `tried` cases, `bad` ones in words, and what else is worth a number."""

    tried: int = 0
    bad: list[str] = []
    more: dict[str, str] = {}

    def expect(self, holds: bool, case: str) -> None:
        self.tried += 1
        if not holds:
            self.bad.append(case)


@contextmanager
def folder(where: str | None = None) -> Iterator[Path]:
    """A folder for a while; in the folder `where`, if there is one of that name."""
    at = where if where is not None and Path(where).is_dir() else None
    with tempfile.TemporaryDirectory(prefix="cgp-tui-", dir=at) as made:
        yield Path(made)
