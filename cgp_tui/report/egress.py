"""The JSON document of `consent audit`."""

from __future__ import annotations

from typing import Any

import msgspec

from cgp_tui.consent.egress import Audit, Sent, Use
from cgp_tui.consent.ledger import Opened
from cgp_tui.report.consent import ledger_member
from cgp_tui.report.problem import Problem, with_error


def _agreed(use: Use) -> dict[str, Any]:
    receipt = use.receipt
    return {
        "basis": use.basis,
        "scope": use.scope,
        "receipt_id": use.receipt_id or None,
        "seq": receipt.seq if receipt else None,
        "grantor": msgspec.to_builtins(receipt.grantor) if receipt else None,
        "granted_at": receipt.granted_at if receipt else None,
        "expires_at": receipt.expires_at if receipt else None,
    }


def audit_document(opened: Opened | None, found: Audit | None, problem: Problem | None = None) -> dict[str, Any]:
    """`{"holds", "ledger": {"path", "id", "state", "seq", "hash"}, "transcripts", "sent": [{"transcript", "connection",
    "exchange", "at", "provider_id", "target", "asked", "bytes", "whole", "ledger", "receipts": [{"basis", "scope",
    "receipt_id", "seq", "grantor", "granted_at", "expires_at"}]}], "refused", "faults": [{"transcript", "what"}],
    "error"?}`. `ledger` of a payload is this, archived (one that was set aside before it), other, or none where none was
    needed.
    """
    document: dict[str, Any] = {
        "holds": found is not None and not found.faults,
        "ledger": ledger_member(opened),
        "transcripts": list(found.transcripts) if found else [],
        "sent": [
            {
                **{name: getattr(one, name) for name in Sent.__struct_fields__ if name != "uses"},
                "target": list(one.target),
                "receipts": [_agreed(use) for use in one.uses],
            }
            for one in found.sent
        ]
        if found
        else [],
        "refused": found.refused if found else 0,
        "faults": [{"transcript": one.transcript or None, "what": one.what} for one in found.faults] if found else [],
    }
    return with_error(document, problem)
