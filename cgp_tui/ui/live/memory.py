"""What a session remembers between runs, and what earlier ones left: a demo has nothing of it."""

from __future__ import annotations

from pathlib import Path
from typing import Self

import msgspec

from cgp_tui.consent.offers import Offers
from cgp_tui.store import paths
from cgp_tui.store.seen import Sightings


class Memory(msgspec.Struct, frozen=True):
    """`seen` is where whoever is met is remembered, `offers` what imports would ask for, `recordings` the folder of what
    was recorded before. None where there is none."""

    seen: Sightings | None = None
    offers: Offers | None = None
    recordings: Path | None = None

    @classmethod
    def of_this_person(cls) -> Self:
        """What stands in the usual folders."""
        return cls(Sightings(paths.seen_dir()), Offers(paths.offers_dir()), paths.transcripts_dir())
