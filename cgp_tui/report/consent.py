"""The JSON documents of the `consent` commands."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec

from cgp_tui.consent.checkpoint import Checkpoint
from cgp_tui.consent.interchange import LeftOut, Offer
from cgp_tui.consent.kept import Kept
from cgp_tui.consent.ledger import Opened, Revoked
from cgp_tui.consent.listing import Found, Listed
from cgp_tui.consent.receipt import Receipt
from cgp_tui.consent.types import Answer, Denial
from cgp_tui.report.problem import Problem, with_error
from cgp_tui.store.seen import Sighting


def ledger_member(opened: Opened | None) -> dict[str, Any] | None:
    """`ledger`: the ledger and its state, null where none was opened; `seq` and `hash` are the acknowledged end, null where
    there is none."""
    if opened is None:
        return None
    return {
        "path": str(opened.path),
        "id": opened.ledger_id or None,
        "state": opened.state,
        "detail": opened.detail,
        "seq": opened.head.seq if opened.head else None,
        "hash": opened.head.hash if opened.head else None,
    }


def _receipt(receipt: Receipt) -> dict[str, Any]:
    """A record with its keys as the ledger spells them."""
    made: dict[str, Any] = msgspec.to_builtins(receipt)
    return made


def _sighting(seen: Sighting | None) -> dict[str, Any] | None:
    if seen is None:
        return None
    names = ("provider_name", "provider_version", "target", "code", "at")
    return {name: getattr(seen, name) for name in names}


def list_document(opened: Opened | None, listed: Sequence[Listed], problem: Problem | None = None) -> dict[str, Any]:
    """`{"ledger", "grants": [{receipt's keys…, "status", "reason", "field", "old", "new", "ended_by", "last_seen"}],
    "error"?}`.

    `status` is in_force, not_in_force, expired, revoked, denied or spent; `ended_by` the receipt_id of what ended it.
    `last_seen` is whom a standing grant was held against, `{"provider_name", "provider_version", "target", "code", "at"}`;
    null where nobody was seen under this id since the grant.
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
            "last_seen": _sighting(entry.seen),
        }
        for entry in listed
    ]
    return with_error({"ledger": ledger_member(opened), "grants": grants}, problem)


def history_document(opened: Opened | None, problem: Problem | None = None) -> dict[str, Any]:
    """`{"ledger", "receipts": […], "error"?}`: every whole record, oldest first."""
    receipts = [_receipt(receipt) for receipt in opened.receipts] if opened else []
    return with_error({"ledger": ledger_member(opened), "receipts": receipts}, problem)


def grant_document(
    receipts: Sequence[Receipt], missing: Sequence[dict[str, str]] = (), problem: Problem | None = None
) -> dict[str, Any]:
    """`{"granted": […], "missing": [{"basis", "scope", "reason"}], "error"?}`: the records written, and the needs for which
    a query to this provider would still be refused."""
    return with_error({"granted": [_receipt(receipt) for receipt in receipts], "missing": list(missing)}, problem)


def revoke_document(revoked: Revoked | None, problem: Problem | None = None, act: str = "revoked") -> dict[str, Any]:
    """`{"outcome", "revoked": […], "pids": […], "error"?}`; `outcome` is confirmed, not_confirmed, emergency_stop,
    not_recorded, or null where nothing was tried. `act` names the records: `denied` for `consent deny`."""
    document: dict[str, Any] = {
        "outcome": revoked.outcome if revoked else None,
        act: [_receipt(receipt) for receipt in revoked.receipts] if revoked else [],
        "pids": list(revoked.pids) if revoked else [],
    }
    return with_error(document, problem)


def show_document(opened: Opened | None, found: Found | None, problem: Problem | None = None) -> dict[str, Any]:
    """`{"ledger", "receipt", "standing", "reason", "last_seen", "acted_on_by": [receipt_id…], "error"?}`; `standing`,
    `reason` and `last_seen` are those of `consent list`, `standing` is `replaced` where a later decision took its place, or
    null for a record that allows and refuses nothing."""
    listed = found.listed if found else None
    document = {
        "ledger": ledger_member(opened),
        "receipt": _receipt(found.receipt) if found else None,
        "standing": found.standing or None if found else None,
        "reason": listed.reason or None if listed else None,
        "last_seen": _sighting(listed.seen) if listed else None,
        "acted_on_by": [receipt.receipt_id for receipt in found.by] if found else [],
    }
    return with_error(document, problem)


def check_document(opened: Opened | None, answer: Answer | None, problem: Problem | None = None) -> dict[str, Any]:
    """`{"live", "needs": [{"basis", "scope", "reason", "receipt_id"}], "fix", "ledger", "error"?}`: what the gate would
    say; `reason` is null for a need that is granted, `fix` where it is live."""
    notes = answer.notes() if answer is not None else ()
    document = {
        "live": answer is not None and answer.allowed,
        "needs": [
            {"basis": n.basis, "scope": n.scope, "reason": n.reason or None, "receipt_id": n.receipt_id or None}
            for n in notes
        ],
        "fix": answer.fix if isinstance(answer, Denial) else None,
        "ledger": ledger_member(opened),
    }
    return with_error(document, problem)


def head_document(
    opened: Opened | None,
    checkpoints: Sequence[Checkpoint] = (),
    signed: Receipt | None = None,
    problem: Problem | None = None,
    kept: Sequence[Kept] | None = None,
) -> dict[str, Any]:
    """`{"ledger", "head_file", "checkpoints": [{"seq", "receipt_id", "granted_at", "public_key", "good"}], "signed",
    "kept"?: [{"id", "seq", "hash", "why"}], "error"?}`; `signed` is the receipt_id of the checkpoint that this run wrote, or
    null, and `why` what stands against a head that was kept, or null."""
    document: dict[str, Any] = {
        "ledger": ledger_member(opened),
        "head_file": str(opened.head_path) if opened and opened.head_path else None,
        "checkpoints": [
            {
                "seq": one.receipt.seq,
                "receipt_id": one.receipt.receipt_id,
                "granted_at": one.receipt.granted_at,
                "public_key": one.public_key or None,
                "good": one.good,
            }
            for one in checkpoints
        ],
        "signed": signed.receipt_id if signed else None,
    }
    if kept is not None:
        document["kept"] = [{**msgspec.to_builtins(one.mark), "why": one.why or None} for one in kept]
    return with_error(document, problem)


def recover_document(
    done: str | None, kept: str | None, opened: Opened | None, problem: Problem | None = None
) -> dict[str, Any]:
    """`{"done", "archive", "ledger", "error"?}`; `done` is nothing, mended or replaced, `archive` where the old file is."""
    return with_error({"done": done, "archive": kept, "ledger": ledger_member(opened)}, problem)


def export_failure(problem: Problem) -> dict[str, Any]:
    """`{"records": {}, "receipts": [], "error"}`: a store of the reference implementation with nothing in it, and why."""
    return {"records": {}, "receipts": [], "error": problem}


def import_document(
    offers: Sequence[tuple[Offer, str]],
    left: Sequence[LeftOut],
    problem: Problem | None = None,
    kept: Sequence[str] = (),
) -> dict[str, Any]:
    """`{"offers": [{"provider_id", "scopes", "boolean", "until", "command"}], "left_out": [{"provider_id", "scope", "why"}],
    "prefilled": [provider_id…], "error"?}`: what a person may be asked; nothing of it is granted. `prefilled` are those
    whose prompt in the app is filled in with it."""
    document = {
        "offers": [{**msgspec.to_builtins(offer), "command": command} for offer, command in offers],
        "left_out": [msgspec.to_builtins(one) for one in left],
        "prefilled": list(kept),
    }
    return with_error(document, problem)
