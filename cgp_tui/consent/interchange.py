"""The consent store of the reference implementation: written from what is in force here, read as wishes only.

It has no revocations, no targets and no grants for one use. So only what is in force is exported, and what is imported is
never a grant: it names what a person may want to be asked about.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Final

import msgspec

from cgp_tui.consent.listing import Listed
from cgp_tui.consent.receipt import ANY, NEVER, Receipt
from cgp_tui.consent.until import end_at
from cgp_tui.errors import InputError
from cgp_tui.protocol import timestamp
from cgp_tui.protocol.capability import LOCAL_ONLY, is_malformed_scope
from cgp_tui.target import provider_id_fits

_BOOLEAN_SCOPE: Final = "sending queries to this provider"


class Offer(msgspec.Struct, frozen=True):
    """What one command would ask a person to grant: scopes, or sending at all, until an end in the ledger's spelling."""

    provider_id: str
    scopes: tuple[str, ...]
    boolean: bool
    until: str


class LeftOut(msgspec.Struct, frozen=True):
    """Something that is neither exported nor offered, and why."""

    provider_id: str
    scope: str
    why: str


def export(listed: Iterable[Listed]) -> tuple[dict[str, Any], tuple[LeftOut, ...]]:
    """The store `{"records", "receipts"}` with every grant in force, and the grants that it cannot express.

    A record holds the least that a boolean consent can mean: the provider reads, and sends away what it declared.
    """
    records: dict[str, Any] = {}
    receipts: list[dict[str, Any]] = []
    left: list[LeftOut] = []
    for entry in listed:
        receipt = entry.receipt
        if entry.status != "in_force":
            left.append(LeftOut(receipt.provider_id, receipt.scope, f"it is not in force: {entry.reason or entry.status}"))
        elif receipt.uses == "once":
            left.append(LeftOut(receipt.provider_id, receipt.scope, "it is for one use"))
        elif receipt.basis == "scope":
            receipts.append(_receipt(receipt))
        elif receipt.expires_at != NEVER:
            left.append(LeftOut(receipt.provider_id, receipt.scope, "a boolean consent has no end there, this one has"))
        else:
            records[receipt.provider_id] = _record(receipt)
    return {"records": records, "receipts": receipts}, tuple(left)


def _receipt(receipt: Receipt) -> dict[str, Any]:
    made: dict[str, Any] = {
        "provider_id": receipt.provider_id,
        "scope": receipt.scope,
        "provider_name": receipt.provider_name,
        "provider_version": receipt.provider_version,
        "grantor": {"kind": receipt.grantor.kind, "id": receipt.grantor.id},
        "granted_at": receipt.granted_at,
    }
    return made if receipt.expires_at == NEVER else {**made, "expires_at": receipt.expires_at}


def _record(receipt: Receipt) -> dict[str, Any]:
    flow: dict[str, Any] = {"reads": True, "writes": False, "egress": True}
    if receipt.declared:
        flow["egress_scopes"] = list(receipt.declared)
    return {
        "provider_id": receipt.provider_id,
        "data_flow": flow,
        "granted_scope": _BOOLEAN_SCOPE,
        "granted_at": receipt.granted_at,
    }


class _Receipt(msgspec.Struct):
    provider_id: str
    scope: str
    expires_at: str | None = None


class _Record(msgspec.Struct):
    provider_id: str


class _Store(msgspec.Struct):
    records: dict[str, _Record] = {}
    receipts: list[_Receipt] = []


def read(data: bytes, now: float) -> tuple[tuple[Offer, ...], tuple[LeftOut, ...]]:
    """What a store would ask for, one offer for each provider and end; `now` is seconds since 1970.

    Raises InputError unreadable for bytes that are no such store.
    """
    try:
        store = msgspec.json.decode(data, type=_Store)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise InputError("unreadable", f"This is not a consent store: {error}.", "Give a store in JSON.") from None
    scopes: dict[tuple[str, str], list[str]] = {}
    left: list[LeftOut] = []
    for one in store.receipts:
        until = _until(one.expires_at, now)
        why = (
            _unfit(one.provider_id)
            or _unfit_scope(one.scope)
            or ("" if until else "it has ended, or its end is not a valid time")
        )
        if why:
            left.append(LeftOut(one.provider_id, one.scope, why))
        else:
            named = scopes.setdefault((one.provider_id, until), [])
            if one.scope not in named:
                named.append(one.scope)
    offers = [Offer(provider_id, tuple(named), False, until) for (provider_id, until), named in scopes.items()]
    for key, record in store.records.items():
        why = _unfit(key) or ("" if key == record.provider_id else "its key names another provider")
        if why:
            left.append(LeftOut(key, "", why))
        else:
            offers.append(Offer(key, (), True, NEVER))
    return tuple(offers), tuple(left)


def _until(expires_at: str | None, now: float) -> str:
    """The end in the ledger's spelling, empty where there is none to come."""
    if expires_at is None:
        return NEVER
    instant = timestamp.parse(expires_at)
    if instant is None or timestamp.epoch(instant) <= now:
        return ""
    return end_at(instant)


def _unfit(provider_id: str) -> str:
    return "" if provider_id != ANY and provider_id_fits(provider_id) else "its provider_id is not valid here"


def _unfit_scope(scope: str) -> str:
    if is_malformed_scope(scope):
        return "its scope is malformed"
    return "it leaves nothing" if scope == LOCAL_ONLY else ""


def words(offer: Offer) -> Sequence[str]:
    """The words of `cgp-tui consent grant` that ask for an offer; the provider's own command has to follow."""
    named = [word for scope in offer.scopes for word in ("--scope", scope)]
    return ["grant", "--id", offer.provider_id, *named, *(["--boolean"] if offer.boolean else []), "--until", offer.until]
