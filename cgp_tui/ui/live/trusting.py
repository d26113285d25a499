"""Trusts keys from the screen: in the trust store, on record in the ledger, and in force at once."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import TYPE_CHECKING

from cgp_tui.errors import Error
from cgp_tui.text import compose, show

if TYPE_CHECKING:
    from cgp_tui.analysis.background import Background
    from cgp_tui.consent.ledger import Ledger
    from cgp_tui.consent.receipt import Receipt
    from cgp_tui.store.trust import TrustEntry
    from cgp_tui.ui.desk import Said


class Trusting:
    """Writes to the person's trust store and to the ledger that `ledger` opens. `apart` is for a session whose ledger is
    thrown away at its end: its store is next to that ledger and goes with it."""

    def __init__(self, background: Callable[[], Background], ledger: Callable[[], Ledger], *, apart: bool = False) -> None:
        self._background = background
        self._ledger = ledger
        self._apart = apart

    async def trust(self, public_key: bytes, label: str, provider_name: str, how: str) -> Said:
        from cgp_tui.ui.desk import Said

        try:
            entry, record = await asyncio.to_thread(self._trust, public_key, label, provider_name, how)
        except Error as error:
            return Said(compose("Not trusted. {why}", why=show(str(error))), False)
        self._background().trust(entry.key)
        said = "{label} is trusted for {name}, on record as #{seq}."
        return Said(compose(said, label=show(label), name=show(provider_name, 60), seq=record.seq), True)

    def _trust(self, public_key: bytes, label: str, provider_name: str, how: str) -> tuple[TrustEntry, Receipt]:
        from cgp_tui.consent import drafts, trusting

        ledger = self._ledger()
        store = trusting.store_at(ledger.path.with_name("trust.toml") if self._apart else None)
        entry = trusting.entry(public_key, label, (provider_name,), how)
        return entry, trusting.trust(store, ledger, entry, drafts.human())
