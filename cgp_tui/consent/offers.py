"""Offers from another program's store, or from a ledger set aside, kept until the person is asked about them.

An offer is a wish, not a receipt. It fills in a prompt, and the person still has to say yes there.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import msgspec

from cgp_tui.consent.interchange import Offer
from cgp_tui.consent.ledger import Ledger, Opened
from cgp_tui.consent.listing import listing
from cgp_tui.consent.receipt import NEVER, Receipt
from cgp_tui.consent.types import Need
from cgp_tui.protocol.timestamp import utc_text
from cgp_tui.store import canon
from cgp_tui.store.shelf import Shelf, Stock


class Offered(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What is offered for one provider, where it came from, and when, as the ledger spells a time."""

    provider_id: str
    offers: tuple[Offer, ...]
    source: str
    at: str

    def fits(self, need: Need) -> Offer | None:
        """The offer that covers a need."""
        for offer in self.offers:
            if need.scope in offer.scopes if need.basis == "scope" else offer.boolean:
                return offer
        return None


class Offers:
    """What is kept in `folder`."""

    def __init__(self, folder: Path) -> None:
        self._shelf = Shelf(folder, Offered, _fault)

    def keep(self, offers: Iterable[Offer], source: str, now: float) -> tuple[str, ...]:
        """Keep offers, grouped by provider, in place of earlier ones for the same provider. Returns the ids of the providers
        for which that worked. `now` is in seconds since 1970. Never raises."""
        by_id: dict[str, list[Offer]] = {}
        for offer in offers:
            by_id.setdefault(offer.provider_id, []).append(offer)
        made = (Offered(provider_id, tuple(several), source, utc_text(now)) for provider_id, several in by_id.items())
        return tuple(one.provider_id for one in made if self._shelf.put(one))

    @property
    def mark(self) -> int:
        """A number that changes whenever something is offered."""
        return self._shelf.mark

    def read(self) -> Stock[Offered]:
        """All that is kept. Never raises."""
        return self._shelf.read()


def _fault(one: Offered) -> str:
    ends = [offer.until for offer in one.offers if offer.until != NEVER]
    if any(offer.provider_id != one.provider_id for offer in one.offers):
        return "it offers for another provider"
    return "" if all(canon.seconds(time) is not None for time in (one.at, *ends)) else "it says no time"


def open_offer(offered: Offered | None, need: Need, receipts: Iterable[Receipt], now: float) -> Offer | None:
    """The offer for a need, unless it has ended or a person has decided since it came. `now` is seconds since 1970."""
    offer = None if offered is None else offered.fits(need)
    if offered is None or offer is None:
        return None
    if offer.until != NEVER and (canon.seconds(offer.until) or 0) <= now:
        return None
    decided = any(
        one.provider_id == need.provider_id
        and one.kind in ("grant", "deny", "revoke")
        and (one.basis == "all" or (one.basis, one.scope) == (need.basis, need.scope))
        and one.granted_at >= offered.at
        for one in receipts
    )
    return None if decided else offer


def carried_over(ledger: Ledger, opened: Opened) -> tuple[Offer, ...]:
    """The grants of a ledger that is about to be set aside, to be offered again: those for more than one use that nothing
    has ended. None of them is granted anew."""
    shut = {"clock_behind", opened.state}
    return tuple(
        Offer(one.provider_id, (one.scope,) if one.scope else (), one.basis == "boolean", one.expires_at)
        for one in (entry.receipt for entry in listing(ledger, opened) if entry.status == "in_force" or entry.reason in shut)
        if one.kind == "grant" and one.uses == "unlimited"
    )
