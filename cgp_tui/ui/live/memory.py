"""What a session remembers between runs, and what earlier ones left. A demo has none of it."""

from __future__ import annotations

from pathlib import Path
from typing import Self

import msgspec

from cgp_tui.analysis.background import Background
from cgp_tui.consent.offers import Offers
from cgp_tui.store import paths
from cgp_tui.store.queries import Queries
from cgp_tui.store.seen import Sightings


class Memory(msgspec.Struct, frozen=True):
    """`seen` keeps who was met, `offers` what imports would ask for, `recordings` is the folder of earlier recordings,
    `background` what is known beyond the session's lines, `queries` the history and the saved queries; each is None where
    there is none."""

    seen: Sightings | None = None
    offers: Offers | None = None
    recordings: Path | None = None
    background: Background | None = None
    queries: Queries | None = None

    @property
    def marks(self) -> tuple[int, int]:
        """Numbers that change whenever something was kept."""
        return (0 if self.seen is None else self.seen.mark, 0 if self.offers is None else self.offers.mark)

    @classmethod
    def of_this_person(cls, background: Background | None = None) -> Self:
        """The memory in the usual folders."""
        seen, offers = Sightings(paths.seen_dir()), Offers(paths.offers_dir())
        return cls(seen, offers, paths.transcripts_dir(), background, Queries(paths.queries_path()))

    def changed_keys(self, connection: int) -> tuple[str, ...]:
        """The ids of a connection's keys that had other bytes when they were met before."""
        return () if self.background is None else tuple(sorted(self.background.changed_keys(connection)))
