"""What the records say about a need: pure, from receipts, a binding and a time. The last word on a need decides."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Final

import msgspec

from cgp_tui.consent.receipt import ANY, NEVER, SCOPES, Draft, Receipt, unrepresentable
from cgp_tui.consent.types import Binding, Need, Reason, ReasonCode
from cgp_tui.errors import RefusedError
from cgp_tui.protocol.capability import is_malformed_scope
from cgp_tui.store import canon
from cgp_tui.target import Target

_WORDS: Final = frozenset({"grant", "deny", "revoke"})
_REFUSED_BY: Final[dict[str, ReasonCode]] = {"deny": "denied", "revoke": "revoked"}
_MINOR: Final = re.compile(r"(\d+)\.(\d+)", re.ASCII)


class Book:
    """The receipts of a ledger, arranged by whom they are about. Up to number `acknowledged` they count in full; beyond it
    only what takes away counts: a no, and the fact that a need was ever decided on."""

    def __init__(self, receipts: Sequence[Receipt], acknowledged: int) -> None:
        self._acknowledged = acknowledged
        self._by_provider: dict[str, list[Receipt]] = {}
        self._by_target: dict[str, list[Receipt]] = {}
        self._spent: dict[str, Receipt] = {}
        self._expired: dict[str, Receipt] = {}
        for receipt in receipts:
            if receipt.kind == "spend":
                # Where two spend the same grant, the first one has it.
                self._spent.setdefault(receipt.acts_on, receipt)
            elif receipt.kind == "expire":
                self._expired[receipt.acts_on] = receipt
            elif receipt.kind in _WORDS or (receipt.kind == "narrow" and receipt.seq <= acknowledged):
                self._by_provider.setdefault(receipt.provider_id, []).append(receipt)
                if receipt.kind in _WORDS and receipt.target:
                    self._by_target.setdefault(receipt.target, []).append(receipt)

    def _counts(self, receipt: Receipt) -> bool:
        """Whether a record takes part in decisions, beyond putting its need on record."""
        return receipt.kind != "grant" or receipt.seq <= self._acknowledged

    def is_expired_on_record(self, receipt_id: str) -> bool:
        """Whether the end of this grant is on record."""
        return receipt_id in self._expired

    def is_spent(self, receipt_id: str) -> bool:
        """Whether a use of this grant is on record, whoever used it."""
        return receipt_id in self._spent

    def end_of(self, receipt_id: str) -> Receipt | None:
        """The record that this grant was used, or that it ended; None where there is none."""
        return self._spent.get(receipt_id) or self._expired.get(receipt_id)

    def _about(self, provider_id: str) -> Iterable[Receipt]:
        """The records that count and are about this provider, newest first: by its id, or about every provider."""
        named = (*self._by_provider.get(provider_id, ()), *self._by_provider.get(ANY, ()))
        return sorted(filter(self._counts, named), key=lambda receipt: -receipt.seq)

    def on_record(self, binding: Binding) -> tuple[Need, ...]:
        """The needs ever decided on for this provider or this target, unless a later `narrow` set them aside; oldest
        first."""
        mine = self._by_provider.get(binding.provider_id, [])
        narrowed = {
            (receipt.basis, receipt.scope): receipt.seq
            for receipt in mine
            if receipt.kind == "narrow" and receipt.target in ("", binding.target.digest)
        }
        touching = sorted([*mine, *self._by_target.get(binding.target.digest, [])], key=lambda receipt: receipt.seq)
        return tuple(
            dict.fromkeys(
                Need(binding.provider_id, "scope" if receipt.basis == "scope" else "boolean", receipt.scope)
                for receipt in touching
                if receipt.kind in _WORDS
                and receipt.basis != "all"
                and receipt.seq > narrowed.get((receipt.basis, receipt.scope), 0)
            )
        )

    def _ended_whole(self, binding: Binding) -> bool:
        """Whether the last word about this provider, or about its command under any id, was that it gets nothing at all. A
        need set aside for another command says nothing about this one."""
        here = ("", binding.target.digest)
        touching = {
            receipt.seq: receipt
            for receipt in (
                *self._by_provider.get(binding.provider_id, ()),
                *self._by_target.get(binding.target.digest, ()),
            )
            if self._counts(receipt) and (receipt.kind != "narrow" or receipt.target in here)
        }
        last = touching[max(touching)] if touching else None
        return last is not None and last.basis == "all" and last.kind in ("deny", "revoke")

    def _last_word(self, provider_id: str, target: str, basis: str, scope: str) -> Receipt | None:
        """The newest grant, deny or revoke about this need for this target."""
        for receipt in self._about(provider_id):
            if receipt.kind == "narrow" or not _speaks(receipt, basis, scope):
                continue
            if receipt.target == target or (not receipt.target and receipt.kind != "grant"):
                return receipt
        return None

    def _elsewhere(self, binding: Binding, need: Need) -> Receipt | None:
        """The newest decision on this need for this provider under another target, where that decision is a grant."""
        for receipt in self._about(binding.provider_id):
            if receipt.kind != "narrow" and _speaks(receipt, need.basis, need.scope):
                return receipt if receipt.kind == "grant" else None
        return None

    def _ended(self, grant: Receipt, spends: frozenset[str] = frozenset()) -> tuple[ReasonCode, str] | None:
        """What has ended a grant that is the last word on its need, as reason and record; its expiry is not looked at."""
        spend = self._spent.get(grant.receipt_id)
        if spend is not None and spend.receipt_id not in spends:
            return "spent", grant.receipt_id
        return ("expired", grant.receipt_id) if grant.receipt_id in self._expired else None

    def word(self, binding: Binding, need: Need, spends: frozenset[str] = frozenset()) -> Receipt | Reason:
        """The grant for `need`, whatever its expiry, or why there is none. `spends` are the receipt_ids of the spend records
        of the message in question: a grant that it has spent itself still counts for it."""
        if need.basis == "scope" and is_malformed_scope(need.scope):
            return Reason(need, "scope_malformed")
        if unrepresentable(binding.provider_name, binding.provider_version, (need.scope,)):
            return Reason(need, "identity_unrepresentable")
        grant = self._last_word(binding.provider_id, binding.target.digest, need.basis, need.scope)
        if grant is None:
            other = self._elsewhere(binding, need)
            if other is None:
                return Reason(need, "no_receipt")
            return started_otherwise(other, binding.target, need)
        if grant.kind != "grant":
            return Reason(need, _REFUSED_BY[grant.kind], grant.receipt_id)
        ended = self._ended(grant, spends)
        return Reason(need, *ended) if ended else changed(grant, binding, need) or grant

    def standing(self, grant: Receipt) -> Reason | None:
        """What has ended a grant, for the provider it was given to: a later word, or its use; None where nothing has."""
        need = Need(grant.provider_id, "scope" if grant.basis == "scope" else "boolean", grant.scope)
        word = self._last_word(grant.provider_id, grant.target, grant.basis, grant.scope)
        if word is not None and word.kind != "grant":
            return Reason(need, _REFUSED_BY[word.kind], word.receipt_id)
        ended = self._ended(grant)
        return Reason(need, *ended) if ended else None

    def plan(self, binding: Binding, declared: Sequence[Need], spends: frozenset[str] = frozenset()) -> tuple[Word, ...]:
        """The word on each need: the declared ones in order, then those that are only on record.

        A provider that was revoked or denied as a whole, with nothing else ever decided, does not get past that by declaring
        nothing or by another id: the boolean need is asked for.
        """
        needs = list(dict.fromkeys([*declared, *self.on_record(binding)]))
        if not needs and self._ended_whole(binding):
            needs = [Need(binding.provider_id, "boolean")]
        if len(declared) > SCOPES:
            # No receipt could list all of them, so none can be granted.
            return tuple(Word(need, True, Reason(need, "identity_unrepresentable")) for need in needs)
        return tuple(Word(need, need in declared, self.word(binding, need, spends)) for need in needs)


class Word(msgspec.Struct, frozen=True):
    """What the records say about one need, whatever the time: a grant, or why there is none."""

    need: Need
    declared: bool
    word: Receipt | Reason

    def at(self, t: float) -> Receipt | Reason:
        """The answer at time `t`, in seconds since 1970. A need that is only on record is refused as `posture_narrowed`."""
        answer = self.word
        if isinstance(answer, Receipt) and not is_live(answer, t):
            answer = Reason(self.need, "expired", answer.receipt_id)
        if isinstance(answer, Reason) and not self.declared:
            return Reason(self.need, "posture_narrowed", answer.receipt_id, "", answer.reason)
        return answer


def _speaks(receipt: Receipt, basis: str, scope: str) -> bool:
    """Whether a record is about this need. Only a record that takes away may be about everything at once (C6)."""
    if receipt.basis == "all":
        return receipt.kind != "grant"
    return receipt.basis == basis and receipt.scope == scope


def must_not_be_overtaken(records: Sequence[Receipt], seen: Sequence[Receipt], drafts: Sequence[Draft]) -> None:
    """Raises RefusedError `denied` or `revoked` for a no to any of `drafts` that was recorded after the records `seen` by
    whoever agreed to them. Of another ledger than that of `seen`, every record came later."""
    last = seen[-1].receipt_id if seen else ""
    for record in reversed(records):
        if record.receipt_id == last:
            return
        if record.kind in _REFUSED_BY and any(
            record.provider_id in (ANY, draft.provider_id)
            and record.target in ("", draft.target)
            and _speaks(record, draft.basis, draft.scope)
            for draft in drafts
        ):
            why = f"While this was asked, somebody said no to it: #{record.seq}, {record.kind}, {record.granted_at}."
            raise RefusedError(_REFUSED_BY[record.kind], why, "Ask again, to see what stands now.")


def is_live(grant: Receipt, t: float) -> bool:
    """Whether a grant is still good at time `t`; at its very end it is not, nor is one with an unreadable end."""
    if grant.expires_at == NEVER:
        return True
    end = canon.seconds(grant.expires_at)
    return end is not None and t < end


def minor_of(version: str) -> tuple[int, int] | None:
    """Major and minor of a version that begins with both; None for any other, which `minor` never fits."""
    found = _MINOR.match(version)
    return None if found is None else (int(found[1]), int(found[2]))


def version_fits(policy: str, granted: str, present: str) -> bool:
    """Whether a version is covered: with `exact` by the same text, with `minor` by the same major and no earlier minor, with
    `any` always."""
    if policy == "minor":
        old, new = minor_of(granted), minor_of(present)
        return old is not None and new is not None and old[0] == new[0] and new[1] >= old[1]
    return policy == "any" or granted == present


def started_otherwise(grant: Receipt, target: Target, need: Need) -> Reason:
    """A grant was given to another command than `target`: both lines, or their digests where the lines read alike, for what
    is masked may differ."""
    old, new = " ".join(grant.target_shown), " ".join(target.shown)
    if old == new:
        old, new = grant.target, target.digest
    return Reason(need, "identity_changed", grant.receipt_id, "target", old, new)


def changed(grant: Receipt, binding: Binding, need: Need) -> Reason | None:
    """How the provider that is connected now differs from the one the grant was given to, None where it does not."""
    target = binding.target
    fields = (
        ("provider_name", grant.provider_name, binding.provider_name, grant.provider_name == binding.provider_name),
        (
            "provider_version",
            grant.provider_version,
            binding.provider_version,
            version_fits(grant.version_policy, grant.provider_version, binding.provider_version),
        ),
        ("code", grant.code, target.code, grant.code_policy == "path" or grant.code == target.code),
    )
    for field, old, new, same in fields:
        if not same:
            return Reason(need, "identity_changed", grant.receipt_id, field, old, new)
    return None
