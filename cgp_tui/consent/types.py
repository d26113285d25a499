"""What the gate is asked and what it answers."""

from __future__ import annotations

from typing import Literal, get_args

import msgspec

from cgp_tui.consent.receipt import Receipt
from cgp_tui.store.states import NotWhole
from cgp_tui.target import Target
from cgp_tui.wire.note import LedgerMark, NeedNote

Basis = Literal["scope", "boolean"]

_OfNeed = Literal[
    "no_receipt", "denied", "revoked", "expired", "spent", "identity_changed", "posture_narrowed", "scope_malformed"
]
"""Reasons that concern one need only, so that another may be permitted."""

ReasonCode = Literal[_OfNeed, NotWhole, "clock_behind", "lock_timeout", "unrecordable", "identity_unrepresentable"]
"""Why a need is refused. The name of a ledger state means that the ledger as a whole gives no answer."""


class Need(msgspec.Struct, frozen=True):
    """One thing to be consented to: sending to a provider under an exact off-machine scope (C6), or, with `scope` empty,
    sending to it at all (`boolean`: C1, C4)."""

    provider_id: str
    basis: Basis
    scope: str = ""


class Binding(msgspec.Struct, frozen=True):
    """The other end of a connection: our own id for it, the name and version declared in its ack, and what was started."""

    provider_id: str
    provider_name: str
    provider_version: str
    target: Target


class Reason(msgspec.Struct, frozen=True):
    """Why one need is refused. `receipt_id` is the record that decided, if any. For `identity_changed`, `field` is
    provider_name, provider_version, target or code, and `old` and `new` are its granted and present value; for
    `posture_narrowed`, `old` is the reason that would apply if the provider still declared the need. Foreign text, to be
    shown as such."""

    need: Need
    reason: ReasonCode
    receipt_id: str = ""
    field: str = ""
    old: str = ""
    new: str = ""


class Denial(msgspec.Struct, frozen=True):
    """No, with a reason for each refused need. `state` is the ledger's, `head` its head where there is one, `detail` says
    what is wrong with the ledger and where, `fix` names the one step that leads out."""

    reasons: tuple[Reason, ...]
    state: str
    head: LedgerMark | None
    detail: str
    fix: str

    @property
    def allowed(self) -> bool:
        return False

    @property
    def code(self) -> str:
        """The error code of the refusal: whatever shuts the whole gate, or else `consent_required`."""
        causes = {reason.reason for reason in self.reasons}
        return next(iter(causes)) if len(causes) == 1 and causes.isdisjoint(get_args(_OfNeed)) else "consent_required"

    def notes(self) -> tuple[NeedNote, ...]:
        """The refused needs as a gate note keeps them."""
        return tuple(NeedNote(r.need.basis, r.need.scope, r.reason, r.receipt_id) for r in self.reasons)


class Permit:
    """Yes, for as long as it is `alive`: while the shared send lock is held. `receipts[i]` permits `needs[i]`; both are
    empty for a provider that needs no consent. `head` is the ledger head that was read, None where none was. `unspent` are
    the one-time grants among them whose use is not on record yet, as it must be before the permit comes alive."""

    __slots__ = ("_alive", "head", "needs", "receipts", "unspent")

    def __init__(
        self,
        needs: tuple[Need, ...],
        receipts: tuple[Receipt, ...],
        head: LedgerMark | None,
        unspent: tuple[Receipt, ...] = (),
    ) -> None:
        self.needs = needs
        self.unspent = unspent
        self.receipts = receipts
        self.head = head
        self._alive = False

    @property
    def alive(self) -> bool:
        """Whether a payload may be written now."""
        return self._alive and not self.unspent

    @property
    def allowed(self) -> bool:
        return True

    def revive(self) -> None:
        """For the gate only: the send lock is held from now on."""
        self._alive = True

    def end(self) -> None:
        """For the gate only: the send lock is no longer held."""
        self._alive = False

    def notes(self) -> tuple[NeedNote, ...]:
        """The needs and their receipts as a gate note keeps them."""
        pairs = zip(self.needs, self.receipts, strict=True)
        return tuple(NeedNote(need.basis, need.scope, "", receipt.receipt_id) for need, receipt in pairs)


class Unready(msgspec.Struct, frozen=True):
    """Neither yes nor no can be said without waiting: a lock is busy, or the ledger changed. Refresh the gate, then ask
    again."""

    why: Literal["busy", "changed"]


Answer = Permit | Denial
