"""A second, slow reading of the rules of the gate: one pass over all records for each question, nothing arranged or kept."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import datetime

from cgp_tui.consent.receipt import Receipt
from cgp_tui.consent.types import Binding, Need


def epoch(text: str) -> float:
    return datetime.fromisoformat(text).timestamp()


def answer(records: Sequence[Receipt], binding: Binding, declared: Sequence[Need], t: float) -> dict[Need, str]:
    """What stands against each need, `""` where a grant is in force; empty where nothing needs consent."""
    ours, target = binding.provider_id, binding.target.digest
    found: dict[Need, str] = dict.fromkeys(declared, "")
    for record in records:
        touches = record.provider_id == ours or (record.target and record.target == target)
        if touches and record.kind in ("grant", "deny", "revoke") and record.basis != "all":
            need = Need(ours, record.basis, record.scope)
            narrowed = any(
                later.kind == "narrow"
                and later.seq > record.seq
                and later.provider_id == ours
                and later.target in ("", target)
                and (later.basis, later.scope) == (record.basis, record.scope)
                for later in records
            )
            if not narrowed:
                found.setdefault(need, "")
    mine = [
        record
        for record in records
        if (record.kind in ("grant", "deny", "revoke") and (record.provider_id == ours or record.target == target))
        or (record.kind == "narrow" and record.provider_id == ours and record.target in ("", target))
    ]
    if not found and mine and mine[-1].basis == "all" and mine[-1].kind in ("deny", "revoke"):
        found[Need(ours, "boolean")] = ""
    for need in found:
        reason = refusal(records, binding, need, t)
        found[need] = reason if not reason or need in declared else "posture_narrowed"
    return found


def refusal(records: Sequence[Receipt], binding: Binding, need: Need, t: float) -> str:
    if need.basis == "scope" and re.search(r"^$|[\x00-\x1f\x7f-\x9f]|^:|^[^:]*:$", need.scope):
        return "scope_malformed"
    last, elsewhere = None, None
    for record in records:
        if record.kind in ("grant", "deny", "revoke") and record.provider_id in (binding.provider_id, "*"):
            exact = (record.basis, record.scope) == (need.basis, need.scope)
            if exact or (record.basis == "all" and record.kind != "grant"):
                elsewhere = record
                if record.target == binding.target.digest or (record.target == "" and record.kind != "grant"):
                    last = record
    if last is None:
        return "identity_changed" if elsewhere is not None and elsewhere.kind == "grant" else "no_receipt"
    if last.kind != "grant":
        return {"deny": "denied", "revoke": "revoked"}[last.kind]
    if any(record.kind == "spend" and record.acts_on == last.receipt_id for record in records):
        return "spent"
    if any(record.kind == "expire" and record.acts_on == last.receipt_id for record in records):
        return "expired"
    granted, present = (
        re.match(r"(\d+)\.(\d+)", version, re.ASCII) for version in (last.provider_version, binding.provider_version)
    )
    same_minor = granted and present and granted[1] == present[1] and int(present[2]) >= int(granted[2])
    version = {"exact": last.provider_version == binding.provider_version, "minor": bool(same_minor), "any": True}
    if last.provider_name != binding.provider_name or not version[last.version_policy]:
        return "identity_changed"
    if last.code_policy == "exact" and last.code != binding.target.code:
        return "identity_changed"
    return "" if last.expires_at == "never" or t < epoch(last.expires_at) else "expired"
