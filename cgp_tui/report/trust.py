"""The JSON documents of the `trust` commands."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from cgp_tui.consent.receipt import Receipt
from cgp_tui.report.problem import Problem, with_error
from cgp_tui.store.trust import Trusted, TrustEntry


def key_document(entry: TrustEntry) -> dict[str, Any]:
    """One trusted key; a bound of its window is null where that side is open."""
    return {
        "fingerprint": entry.fingerprint,
        "public_key": entry.public_key.hex(),
        "label": entry.label,
        "provider_names": list(entry.provider_names),
        "not_before": entry.not_before,
        "not_after": entry.not_after,
        "added_at": entry.added_at,
        "how": entry.how,
    }


def list_document(
    trusted: Trusted | None, records: Sequence[Receipt | None] = (), problem: Problem | None = None
) -> dict[str, Any]:
    """`{"store": {"path", "state", "detail"}, "keys": [{…, "record"}], "error"?}`; `state` is ok, absent, or what is wrong.

    `records` are those of the keys, in order; `record` is null where the ledger has no record of how a key came here.
    """
    store = None if trusted is None else {"path": str(trusted.path), "state": trusted.state, "detail": trusted.detail}
    keys = [
        {**key_document(entry), "record": _record(record)}
        for entry, record in zip(() if trusted is None else trusted.entries, records, strict=True)
    ]
    document: dict[str, Any] = {"store": store, "keys": keys}
    return with_error(document, problem)


def change_document(
    entry: TrustEntry | None, record: Receipt | None, problem: Problem | None = None, act: str = "added"
) -> dict[str, Any]:
    """`{"added" or "removed": key, "record": {"seq", "receipt_id"}, "error"?}`: what was changed, and its record in the
    ledger, each null where there is none."""
    document: dict[str, Any] = {
        act: None if entry is None else key_document(entry),
        "record": _record(record),
    }
    return with_error(document, problem)


def _record(record: Receipt | None) -> dict[str, Any] | None:
    return None if record is None else {"seq": record.seq, "receipt_id": record.receipt_id}
