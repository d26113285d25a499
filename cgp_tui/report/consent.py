"""The JSON documents of `consent list`, `history`, `grant`, `revoke` and `recover`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec

from cgp_tui.consent.ledger import Opened, Revoked
from cgp_tui.consent.listing import Listed
from cgp_tui.consent.receipt import Receipt

Problem = dict[str, str]
"""The `error` member: code, message, fix."""


def _ledger(opened: Opened) -> dict[str, Any]:
    """Which ledger, in which state; `seq` and `hash` are the acknowledged end, null where there is none."""
    return {
        "path": str(opened.path),
        "id": opened.ledger_id or None,
        "state": opened.state,
        "detail": opened.detail,
        "seq": opened.head.seq if opened.head else None,
        "hash": opened.head.hash if opened.head else None,
    }


def _with_error(document: dict[str, Any], problem: Problem | None) -> dict[str, Any]:
    return document if problem is None else {**document, "error": problem}


def _receipt(receipt: Receipt) -> dict[str, Any]:
    """A record with its keys as the ledger spells them."""
    made: dict[str, Any] = msgspec.to_builtins(receipt)
    return made


def list_document(opened: Opened | None, listed: Sequence[Listed], problem: Problem | None = None) -> dict[str, Any]:
    """`{"ledger", "grants": [{receipt's keys…, "status", "reason", "field", "old", "new", "ended_by"}], "error"?}`.

    `status` is in_force, not_in_force, expired, revoked, denied or spent; `ended_by` the receipt_id of what ended it.
    """
    grants = [
        {
            **_receipt(entry.receipt),
            "status": entry.status,
            "reason": entry.reason or None,
            "field": entry.field or None,
            "old": entry.old or None,
            "new": entry.new or None,
            "ended_by": entry.by.receipt_id if entry.by else None,
        }
        for entry in listed
    ]
    return _with_error({"ledger": _ledger(opened) if opened else None, "grants": grants}, problem)


def history_document(opened: Opened | None, problem: Problem | None = None) -> dict[str, Any]:
    """`{"ledger", "receipts": […], "error"?}`: every whole record, oldest first."""
    receipts = [_receipt(receipt) for receipt in opened.receipts] if opened else []
    return _with_error({"ledger": _ledger(opened) if opened else None, "receipts": receipts}, problem)


def grant_document(
    receipts: Sequence[Receipt], missing: Sequence[dict[str, str]] = (), problem: Problem | None = None
) -> dict[str, Any]:
    """`{"granted": […], "missing": [{"basis", "scope", "reason"}], "error"?}`: what was written, and what a query to this
    provider would still be refused for."""
    return _with_error({"granted": [_receipt(receipt) for receipt in receipts], "missing": list(missing)}, problem)


def revoke_document(revoked: Revoked | None, problem: Problem | None = None) -> dict[str, Any]:
    """`{"outcome", "revoked": […], "pids": […], "error"?}`; `outcome` is confirmed, not_confirmed, emergency_stop,
    not_recorded, or null where nothing was tried."""
    document: dict[str, Any] = {
        "outcome": revoked.outcome if revoked else None,
        "revoked": [_receipt(receipt) for receipt in revoked.receipts] if revoked else [],
        "pids": list(revoked.pids) if revoked else [],
    }
    return _with_error(document, problem)


def recover_document(
    done: str | None, kept: str | None, opened: Opened | None, problem: Problem | None = None
) -> dict[str, Any]:
    """`{"done", "archive", "ledger", "error"?}`; `done` is nothing, mended or replaced, `archive` where the old file is."""
    return _with_error({"done": done, "archive": kept, "ledger": _ledger(opened) if opened else None}, problem)
