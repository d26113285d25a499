"""`cgp-tui consent revoke` and `deny`: whom and what a no is about, and what a person must know afterwards."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import msgspec

from cgp_tui.cli.ledgers import named_needs
from cgp_tui.consent.drafts import no_draft, policy, revoke_drafts
from cgp_tui.consent.ledger import Ledger, Opened, Revoked
from cgp_tui.consent.receipt import ANY, Draft
from cgp_tui.consent.types import Need
from cgp_tui.errors import InputError, RefusedError
from cgp_tui.protocol.capability import is_malformed_scope
from cgp_tui.target import ID_FORM, Target, default_id, provider_id_fits

_LOOK_PATIENCE: Final = 1.0
"""Seconds that a no may wait to see what is on record: a blocked ledger must not hold up a no for long."""


class Whom(msgspec.Struct, frozen=True):
    """What the command line names: CMD or an id, and which needs; everything if it names none."""

    target: Target | None
    provider_id: str | None
    scopes: tuple[str, ...]
    boolean: bool
    note: str = ""


def revoke(ledger: Ledger, whom: Whom) -> Revoked:
    """Withdraw what was granted. Raises InputError usage for what was never decided: a misspelt name withdraws nothing."""
    opened = ledger.open(_LOOK_PATIENCE)
    ids, on_record = _ids(opened, whom)
    decided = {(receipt.basis, receipt.scope) for receipt in opened.receipts if receipt.provider_id in on_record}
    made: list[Draft] = []
    for one in on_record or ids:
        needs = named_needs(one, whom.scopes, whom.boolean)
        for need in needs:
            if on_record and (need.basis, need.scope) not in decided:
                said = ", ".join(sorted(scope or "(sending at all)" for _, scope in decided))
                what = need.scope or "--boolean"
                raise InputError("usage", f"{what} was never decided for {one}.", f"On record: {said}.")
        made += revoke_drafts(opened.receipts, one, needs, policy())
    return ledger.revoke(_noted(made, whom.note), known=opened)


def revoke_all(ledger: Ledger, note: str = "") -> Revoked:
    """Withdraw everything from everyone."""
    everything = Draft(kind="revoke", provider_id=ANY, grantor=policy(), note=note)
    return ledger.revoke([everything], known=ledger.open(_LOOK_PATIENCE))


def deny(ledger: Ledger, whom: Whom) -> Revoked:
    """Record a no: to CMD as it is started or, without CMD, to an id on record, however it is started.

    Raises InputError usage.
    """
    for scope in whom.scopes:
        if is_malformed_scope(scope):
            raise InputError("scope_malformed", f"{scope!r} is not a scope.", "A scope is a word, or vendor:word.")
    opened = ledger.open(_LOOK_PATIENCE)
    if whom.target is None:
        _, ids = _ids(opened, whom)
        one = ids[0] if ids else whom.provider_id
    else:
        one = whom.provider_id or default_id(whom.target)
    assert one is not None  # noqa: S101 -- `_ids` raised where nothing was named
    if not provider_id_fits(one):
        raise InputError("usage", f"{one!r} cannot be an id.", ID_FORM)
    needs: Sequence[Need | None] = named_needs(one, whom.scopes, whom.boolean) or (None,)
    made = [no_draft(one, whom.target, need, policy()) for need in needs]
    return ledger.deny(_noted(made, whom.note), known=opened)


def _noted(made: Sequence[Draft], note: str) -> list[Draft]:
    return [msgspec.structs.replace(draft, note=note) for draft in made]


def _ids(opened: Opened, whom: Whom) -> tuple[list[str], list[str]]:
    """The ids that are meant, and those of them on record. Raises InputError usage where none is."""
    known = dict.fromkeys(receipt.provider_id for receipt in opened.receipts if receipt.kind in ("grant", "deny", "revoke"))
    if whom.provider_id is not None:
        ids = [whom.provider_id]
    elif whom.target is not None:
        digest = whom.target.digest
        same = [receipt.provider_id for receipt in opened.receipts if receipt.target == digest]
        ids = list(dict.fromkeys([default_id(whom.target), *same]))
    else:
        raise InputError("usage", "No provider is named.", "Give --id ID, or end the line with -- and its command.")
    on_record = [one for one in ids if one in known]
    # What is on record is known here, so a name that is not on record is a mistake.
    if not on_record and (opened.answers or opened.mendable):
        names = ", ".join(one for one in known if one != ANY) or "none"
        raise InputError("usage", f"Nothing was ever decided for {' or '.join(ids)}.", f"On record: {names}.")
    return ids, on_record


def unsure(done: Revoked, ledger: Ledger) -> RefusedError | None:
    """What a person must know about a no that is not confirmed."""
    if done.outcome == "confirmed":
        return None
    if done.outcome == "not_confirmed":
        whom = "that process" if done.pids else "every program that uses this ledger"
        return RefusedError("lock_timeout", done.detail, f"End {whom}: what was begun may still leave.")
    if done.outcome == "emergency_stop":
        return RefusedError("head_missing", f"It could not be recorded. {done.detail}", ledger.command("recover"))
    return RefusedError("unrecordable", done.detail, "End every program that uses this ledger.")
