"""Every grant with what has become of it: in force, not in force any more and why, expired, revoked, denied, spent."""

from __future__ import annotations

from typing import Final, Literal

import msgspec

from cgp_tui.consent.decision import Book, is_live
from cgp_tui.consent.ledger import Ledger, Opened
from cgp_tui.consent.receipt import ANY, Receipt
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
    record that ended it. `reason` says why it is not in force: a reason of the gate, or the state that shuts it; `field`,
    `old` and `new` what differs for `identity_changed`."""

    receipt: Receipt
    status: Status
    by: Receipt | None = None
    reason: str = ""
    field: str = ""
    old: str = ""
    new: str = ""


def listing(ledger: Ledger, opened: Opened, present: Target | None = None, provider_id: str = "") -> tuple[Listed, ...]:
    """The last decision for each provider, target and need, oldest first.

    With `present` (what a command is now; its name and version are known only once it runs), grants to the same provider
    or target are held against it; `provider_id` keeps those of one provider.
    """
    book = Book(opened.receipts, opened.acknowledged)
    last: dict[tuple[str, str, str, str], Receipt] = {}
    for receipt in opened.receipts:
        if receipt.kind in ("grant", "deny") and receipt.basis != "all" and receipt.provider_id != ANY:
            key = (receipt.provider_id, receipt.target, receipt.basis, receipt.scope)
            # A later record moves to the end, so that the list follows the order of what counts.
            last.pop(key, None)
            last[key] = receipt
    shut = "clock_behind" if ledger.clock_behind(opened.newest) else opened.state
    by_id = {receipt.receipt_id: receipt for receipt in opened.receipts}
    listed = []
    for receipt in last.values():
        if provider_id and receipt.provider_id != provider_id and not (present and receipt.target == present.digest):
            continue
        ended = book.standing(receipt) if receipt.kind == "grant" else None
        if receipt.kind == "deny":
            listed.append(Listed(receipt, "denied"))
        elif ended is not None:
            listed.append(Listed(receipt, _ENDED[ended.reason], by_id.get(ended.receipt_id), ended.reason))
        elif not is_live(receipt, ledger.now(opened.newest)):
            listed.append(Listed(receipt, "expired", reason="expired"))
        elif shut != "ok":
            listed.append(Listed(receipt, "not_in_force", reason=shut))
        else:
            listed.append(_held_against(receipt, present))
    return tuple(listed)


def _held_against(grant: Receipt, present: Target | None) -> Listed:
    """A grant that stands, compared with what its command is now."""
    if present is not None:
        differences = (
            ("target", " ".join(grant.target_shown), " ".join(present.shown), grant.target != present.digest),
            ("code", grant.code, present.code, grant.code_policy != "path" and grant.code != present.code),
        )
        for field, old, new, differs in differences:
            if differs:
                return Listed(grant, "not_in_force", None, "identity_changed", field, old, new)
    return Listed(grant, "in_force")


class Found(msgspec.Struct, frozen=True):
    """One record, whatever its kind. `standing` is a Status for what decides about a need, `replaced` where a later
    decision took its place, empty for every other record; `by` are the records that act on it, oldest first."""

    receipt: Receipt
    standing: Status | Literal["replaced", ""]
    by: tuple[Receipt, ...]


def find(ledger: Ledger, opened: Opened, name: str) -> Found | None:
    """The record called by its number (`3` or `#3`), its receipt_id, or the first eight characters of that or more.

    None where there is none or the beginning fits several.
    """
    number = name.removeprefix("#")
    named = [r for r in opened.receipts if number.isascii() and number.isdecimal() and r.seq == int(number)]
    if not named and len(name) >= _PREFIX:
        named = [receipt for receipt in opened.receipts if receipt.receipt_id.startswith(name.lower())]
    if len(named) != 1:
        return None
    (receipt,) = named
    listed = next((one for one in listing(ledger, opened) if one.receipt == receipt), None)
    decides = receipt.kind in ("grant", "deny") and receipt.basis != "all" and receipt.provider_id != ANY
    by = [one for one in opened.receipts if one.acts_on == receipt.receipt_id]
    if listed is not None and listed.by is not None and listed.by not in by:
        by.append(listed.by)
    return Found(receipt, listed.status if listed else "replaced" if decides else "", tuple(by))
