"""Every grant and what has become of it: in force, no longer in force and why, expired, revoked, denied, spent."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, Literal

import msgspec

from cgp_tui.consent.decision import Book, is_live
from cgp_tui.consent.ledger import Ledger, Opened
from cgp_tui.consent.receipt import ANY, Receipt
from cgp_tui.consent.sighting import against, binding_of, counts
from cgp_tui.consent.types import Binding
from cgp_tui.store import locks
from cgp_tui.store.seen import Sighting
from cgp_tui.target import Target

Status = Literal["in_force", "not_in_force", "expired", "revoked", "denied", "spent"]

_PREFIX: Final = 8

_ENDED: Final[dict[str, Status]] = {
    "expired": "expired",
    "revoked": "revoked",
    "denied": "denied",
    "spent": "spent",
}


class Listed(msgspec.Struct, frozen=True):
    """One decision and its standing. `receipt` is the grant (or the deny, where nothing was granted before), `by` the
    record that ended it. `reason` says why it is not in force: a reason of the gate, or the state that shuts it; for
    `identity_changed`, `field`, `old` and `new` say what differs. `seen` is who was last met under this id, where the grant
    was compared with that."""

    receipt: Receipt
    status: Status
    by: Receipt | None = None
    reason: str = ""
    field: str = ""
    old: str = ""
    new: str = ""
    seen: Sighting | None = None


def listing(
    ledger: Ledger,
    opened: Opened,
    present: Target | None = None,
    provider_id: str = "",
    seen: Mapping[str, Sighting] = {},
) -> tuple[Listed, ...]:
    """The last decision for each provider, target and need, oldest first, as the gate would decide for whoever was last met
    under the same id (`seen`, by provider id).

    With `present` (what a command is now, its name and version being those last seen), grants to the same provider or
    target are compared with it; `provider_id` keeps those of one provider.
    """
    # Without a head nothing is in force; what each record said is still told.
    book = Book(opened.receipts, len(opened.receipts) if opened.head is None else opened.acknowledged)
    last: dict[tuple[str, str, str, str], Receipt] = {}
    for receipt in opened.receipts:
        if _decides(receipt):
            key = (receipt.provider_id, receipt.target, receipt.basis, receipt.scope)
            # A later record moves to the end, so that the list is in the order of the decisions that count.
            last.pop(key, None)
            last[key] = receipt
    shut = "clock_behind" if ledger.clock_behind(opened.newest) else opened.state
    if shut == "ok":
        shut = locks.barred(ledger.append_lock, ledger.send_lock) or shut
    by_id = {receipt.receipt_id: receipt for receipt in opened.receipts}
    listed = []
    for receipt in last.values():
        if provider_id and receipt.provider_id != provider_id and not (present and receipt.target == present.digest):
            continue
        ended = book.standing(receipt) if receipt.kind == "grant" else None
        if receipt.kind == "deny":
            listed.append(Listed(receipt, "denied"))
        elif ended is not None:
            by = book.end_of(receipt.receipt_id) if ended.receipt_id == receipt.receipt_id else by_id.get(ended.receipt_id)
            listed.append(Listed(receipt, _ENDED[ended.reason], by, ended.reason))
        elif not is_live(receipt, ledger.now(opened.newest)):
            listed.append(Listed(receipt, "expired", reason="expired"))
        elif shut != "ok":
            listed.append(Listed(receipt, "not_in_force", reason=shut))
        else:
            listed.append(_held_against(receipt, present, seen.get(receipt.provider_id)))
    return tuple(listed)


def _decides(receipt: Receipt) -> bool:
    """Whether a record is a decision about a provider in its own right: a grant, or a no, which may be to everything."""
    return receipt.kind == "grant" or (receipt.kind == "deny" and receipt.provider_id != ANY)


def _held_against(grant: Receipt, present: Target | None, seen: Sighting | None) -> Listed:
    """A grant in force, compared with what its command is now, or with who was last met."""
    seen = seen if counts(seen, grant) else None
    whom = None if seen is None else binding_of(seen)
    if present is not None:
        met = seen is not None and seen.target == present.digest
        declared = (seen.provider_name, seen.provider_version) if seen and met else _declared(grant)
        whom, seen = Binding(grant.provider_id, *declared, present), seen if met else None
    reason = None if whom is None else against(grant, whom)
    if reason is None:
        return Listed(grant, "in_force", seen=seen)
    return Listed(grant, "not_in_force", None, reason.reason, reason.field, reason.old, reason.new, seen)


def _declared(grant: Receipt) -> tuple[str, str]:
    return grant.provider_name, grant.provider_version


class Found(msgspec.Struct, frozen=True):
    """One record, whatever its kind. `standing` is a Status for a record that decides about a need, `replaced` where a later
    decision took its place, and empty for every other record; `by` are the records that act on it, oldest first; `listed`
    is its entry in the list, if it has one."""

    receipt: Receipt
    standing: Status | Literal["replaced", ""]
    by: tuple[Receipt, ...]
    listed: Listed | None = None


def find(ledger: Ledger, opened: Opened, name: str, seen: Mapping[str, Sighting] = {}) -> Found | None:
    """The record with this number (`3` or `#3`) or receipt_id, or whose id begins so (at least eight characters).

    None where there is none, or several begin so.
    """
    number = name.removeprefix("#")
    named = [r for r in opened.receipts if number.isascii() and number.isdecimal() and r.seq == int(number)]
    if not named and len(name) >= _PREFIX:
        named = [receipt for receipt in opened.receipts if receipt.receipt_id.startswith(name.lower())]
    if len(named) != 1:
        return None
    (receipt,) = named
    listed = next((one for one in listing(ledger, opened, seen=seen) if one.receipt == receipt), None)
    by = [one for one in opened.receipts if one.acts_on == receipt.receipt_id]
    if listed is not None and listed.by is not None and listed.by not in by:
        by.append(listed.by)
    return Found(receipt, listed.status if listed else "replaced" if _decides(receipt) else "", tuple(by), listed)
