"""Whom a person trusts, on record: each change of the trust store leaves a checkpoint in the ledger.

Giving trust is recorded first and done second, so that no key is ever trusted without a record. Withdrawing trust is done
first and recorded second, so that a ledger which takes no record cannot keep anybody trusted.
"""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING

from cgp_tui.errors import Error, OurError, os_reason
from cgp_tui.protocol.timestamp import utc_text
from cgp_tui.store.trust import TrustEntry, TrustStore

if TYPE_CHECKING:
    from collections.abc import Sequence

    from cgp_tui.consent.ledger import Ledger
    from cgp_tui.consent.receipt import Grantor, Receipt


def entry(
    public_key: bytes,
    label: str,
    provider_names: Sequence[str],
    how: str,
    *,
    not_before: str | None = None,
    not_after: str | None = None,
) -> TrustEntry:
    """A new entry, dated now; `how` says how the key came here."""
    names = tuple(dict.fromkeys(provider_names))
    return TrustEntry(public_key, label, names, not_before, not_after, utc_text(time.time()), how)


def trust(store: TrustStore, ledger: Ledger, added: TrustEntry, grantor: Grantor) -> Receipt:
    """Record the change and trust the key; returns the record. Raises what `TrustStore.add` and `Ledger.grant` raise."""
    written: list[Receipt] = []
    note = f"trust add {added.fingerprint}"
    store.add(added, lambda: written.append(ledger.checkpoint(lambda _: note, grantor)))
    return written[0]


def distrust(store: TrustStore, ledger: Ledger, name: str, grantor: Grantor) -> tuple[TrustEntry, Receipt | Error]:
    """Stop trusting a key, then record that. An error that kept the ledger from taking the record is returned, not raised,
    because the key is already out. Raises what `TrustStore.remove` raises."""
    removed = store.remove(name)
    note = f"trust remove {removed.fingerprint}"
    try:
        return removed, ledger.checkpoint(lambda _: note, grantor)
    except Error as error:
        return removed, error
    except OSError as error:
        said = f"The ledger takes no record: {os_reason(error)}."
        return removed, OurError("unrecordable", said, "Free disk space, or fix its folder, before the next change.")


def on_record(receipts: Sequence[Receipt], trusted: TrustEntry) -> Receipt | None:
    """The record by which a key came to be trusted. None where the ledger has none, or a later one that took the key out
    again: then another program has written the store, or an older one was put back."""
    notes = {f"trust add {trusted.fingerprint}": True, f"trust remove {trusted.fingerprint}": False}
    last = next((one for one in reversed(receipts) if one.kind == "checkpoint" and one.note in notes), None)
    return last if last is not None and notes[last.note] else None


def store_at(path: Path | None = None) -> TrustStore:
    """The trust store of this user, or the one at `path`."""
    from cgp_tui.store import paths

    return TrustStore(path or paths.trust_path())
