"""Records before they are written: what a yes, a no and a withdrawal say.

A person is shown the draft itself, and the same draft is written.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Sequence
from typing import Final, Literal

import msgspec

from cgp_tui.consent.receipt import Draft, Grantor, Receipt, RecordBasis, unrepresentable
from cgp_tui.consent.types import Binding, Need
from cgp_tui.errors import InputError
from cgp_tui.target import Target

PAYLOAD: Final = ("anchors", "as_of", "embedding", "goal", "kinds", "max_frames", "max_tokens", "query_text")
"""The members that a query may carry, sorted: a grant given ahead of any query is for these."""


def human() -> Grantor:
    """A person who answered a prompt on a terminal."""
    return Grantor("human", f"tty:{_uid()}")


def policy() -> Grantor:
    """A program of this user that ran a command without a terminal."""
    return Grantor("policy", f"cli:{_uid()}")


def _uid() -> int:
    return os.getuid() if hasattr(os, "getuid") else 0


class Terms(msgspec.Struct, frozen=True):
    """What a person may say about a grant besides whom, what and until when. `code` None leaves it to the target."""

    uses: Literal["unlimited", "once"] = "unlimited"
    code: Literal["exact", "path"] | None = None
    version: Literal["exact", "minor", "any"] = "exact"


def agreed(terms: Terms, target: Target) -> Terms:
    """`terms`, if this target can be held to them. Raises InputError usage where it cannot.

    A launcher chooses what it starts each time, so no digest can pin it; and a version that may change brings other bytes,
    so it cannot be combined with pinned code.
    """
    if target.floating and terms.code == "exact":
        raise InputError(
            "usage",
            f"{target.floating} decides at each start which code runs: no digest can pin it.",
            "Leave --code out, or name the program itself.",
        )
    if terms.version != "exact" and not (target.floating or terms.code == "path"):
        raise InputError(
            "usage",
            "Another version has other code, so that code cannot be pinned.",
            "Add --code path.",
        )
    return terms


def turned(terms: Terms, target: Target, **change: str) -> Terms:
    """`terms` with one of them changed, and the others adjusted so that they can be `agreed`: the latest choice wins."""
    made = msgspec.structs.replace(terms, **change)
    if "code" in change and made.code == "exact":
        return msgspec.structs.replace(made, version="exact")
    if made.version != "exact" and not target.floating:
        return msgspec.structs.replace(made, code="path")
    return made


def grant_draft(
    binding: Binding,
    need: Need,
    *,
    declared: Sequence[str],
    payload: Sequence[str],
    expires_at: str,
    grantor: Grantor,
    terms: Terms = Terms(),  # noqa: B008 -- frozen
    note: str = "",
) -> Draft:
    """A yes to one need, for exactly this name, version and, unless a launcher chooses the code, these files.

    `declared` are the scopes of the declaration, `payload` the names of the query members that were shown. `terms` may
    loosen or narrow that; they must have been `agreed` before.
    """
    target = binding.target
    return Draft(
        kind="grant",
        provider_id=binding.provider_id,
        provider_name=binding.provider_name,
        provider_version=binding.provider_version,
        target_kind=target.kind,
        target=target.digest,
        code=target.code,
        target_shown=target.shown,
        basis=need.basis,
        scope=need.scope,
        declared=tuple(declared),
        payload=tuple(sorted(set(payload))),
        uses=terms.uses,
        code_policy=terms.code or ("path" if target.floating else "exact"),
        version_policy=terms.version,
        grantor=grantor,
        expires_at=expires_at,
        note=note,
    )


def deny_draft(binding: Binding, need: Need, grantor: Grantor) -> Draft:
    """A no to one need of this provider, as it was started. What the provider calls itself does not matter, so a name that
    no record can hold is left out."""
    named = not unrepresentable(binding.provider_name, binding.provider_version, ())
    return Draft(
        kind="deny",
        provider_id=binding.provider_id,
        provider_name=binding.provider_name if named else "",
        provider_version=binding.provider_version if named else "",
        target_kind=binding.target.kind,
        target=binding.target.digest,
        code=binding.target.code,
        target_shown=binding.target.shown,
        basis=need.basis,
        scope=need.scope,
        grantor=grantor,
    )


def narrow_draft(binding: Binding, need: Need, grantor: Grantor) -> Draft:
    """Sets aside a need on record that this provider no longer declares, by a person who saw both: a yes or no to it no
    longer binds this target."""
    return Draft(
        kind="narrow",
        provider_id=binding.provider_id,
        target_kind=binding.target.kind,
        target=binding.target.digest,
        code=binding.target.code,
        basis=need.basis,
        scope=need.scope,
        grantor=grantor,
    )


def no_draft(provider_id: str, target: Target | None, need: Need | None, grantor: Grantor) -> Draft:
    """A no to whoever goes by this id: to one need or, with None, to everything; as started by `target`, or however it is
    started. What the provider calls itself does not matter."""
    basis: RecordBasis = "all" if need is None else need.basis
    scope = "" if need is None else need.scope
    if target is None:
        return Draft(kind="deny", provider_id=provider_id, basis=basis, scope=scope, grantor=grantor)
    return Draft(
        kind="deny",
        provider_id=provider_id,
        target_kind=target.kind,
        target=target.digest,
        code=target.code,
        target_shown=target.shown,
        basis=basis,
        scope=scope,
        grantor=grantor,
    )


def revoke_drafts(
    receipts: Sequence[Receipt], provider_id: str, needs: Collection[Need], grantor: Grantor
) -> tuple[Draft, ...]:
    """Withdraw what was granted to a provider's id, however it is started: each of `needs`, or everything where it is empty.

    `receipts` are the ledger's, to name the grant that is ended where there is exactly one.
    """
    if not needs:
        return (Draft(kind="revoke", provider_id=provider_id, grantor=grantor, acts_on=_ended(receipts, provider_id, None)),)
    return tuple(
        Draft(
            kind="revoke",
            provider_id=provider_id,
            basis=need.basis,
            scope=need.scope,
            grantor=grantor,
            acts_on=_ended(receipts, provider_id, need),
        )
        for need in needs
    )


def _ended(receipts: Sequence[Receipt], provider_id: str, need: Need | None) -> str:
    """The receipt_id of the one grant that a revocation ends, `""` where it ends none or several."""
    standing: dict[tuple[str, str, str], str] = {}
    for receipt in receipts:
        if receipt.provider_id == provider_id and (
            need is None or (receipt.basis, receipt.scope) == (need.basis, need.scope)
        ):
            if receipt.kind == "grant":
                standing[receipt.target, receipt.basis, receipt.scope] = receipt.receipt_id
            elif receipt.kind in ("revoke", "deny"):
                standing = {key: value for key, value in standing.items() if receipt.target not in ("", key[0])}
    return next(iter(standing.values())) if len(standing) == 1 else ""
