"""What a decision writes: the records of a grant, a denial and a revocation, and how a person names the end of a grant."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from datetime import UTC, date, datetime, timedelta
from typing import Final, Literal

from cgp_tui.consent.receipt import NEVER, Draft, Grantor, Receipt
from cgp_tui.consent.types import Binding, Need
from cgp_tui.errors import InputError
from cgp_tui.protocol import timestamp
from cgp_tui.protocol.capability import DataFlow
from cgp_tui.target import Target

DAYS: Final = 30
FLOATING_DAYS: Final = 7
"""How long a grant holds unless the person says otherwise; shorter where a launcher chooses the code at each start."""

_LONGEST_DAYS: Final = 36_500
_SPAN: Final = re.compile(r"([0-9]{1,5})d")
_DATE: Final = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
_WEEKDAYS: Final = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")
_FORMS: Final = "Give days as 30d, a weekday as fri, a date as 2031-01-01, a UTC instant as 2031-01-01T12:00:00Z, or never."


def default_until(target: Target) -> str:
    """The end that is offered first: `30d`, or `7d` where no digest pins the code."""
    return f"{FLOATING_DAYS if target.floating else DAYS}d"


def expires_at(text: str, now: float) -> str:
    """The end of a grant as the ledger writes it. `text` is `30d`, `fri`, `2031-01-01`, an F4 instant or `never`; a day
    holds until its last second, UTC. `now` is seconds since 1970.

    Raises InputError usage where it is none of these, or has passed.
    """
    said = text.strip()
    if said.lower() == NEVER:
        return NEVER
    end = _end(said, now)
    if end is None:
        raise InputError("usage", f"{said[:40]!r} is no date to grant until.", _FORMS)
    if timestamp.epoch(end) <= now:
        raise InputError("usage", f"{end.second}Z has passed.", _FORMS)
    # The ledger keeps whole seconds below 60: a grant ends a moment early rather than late.
    return f"{end.second[:17]}{min(end.second[17:19], '59')}Z"


def _end(said: str, now: float) -> timestamp.Instant | None:
    span = _SPAN.fullmatch(said.lower())
    if span is not None and 0 < int(span[1]) <= _LONGEST_DAYS:
        return timestamp.parse(timestamp.utc_text(now + int(span[1]) * 86_400))
    if said.lower() in _WEEKDAYS:
        today = datetime.fromtimestamp(now, UTC).date()
        ahead = (_WEEKDAYS.index(said.lower()) - today.weekday()) % 7
        return _end_of(today + timedelta(days=ahead))
    if _DATE.fullmatch(said):
        return timestamp.parse(f"{said}T23:59:59Z")
    return timestamp.parse(said)


def _end_of(day: date) -> timestamp.Instant | None:
    return timestamp.parse(f"{day.isoformat()}T23:59:59Z")


def grantor(kind: Literal["human", "policy"]) -> Grantor:
    """Who decides here: a human at a prompt of ours, or a program that ran a command."""
    uid = os.getuid() if hasattr(os, "getuid") else 0
    return Grantor(kind, f"{'tty' if kind == 'human' else 'cli'}:{uid}")


def _whom(binding: Binding) -> dict[str, object]:
    target = binding.target
    return {
        "provider_id": binding.provider_id,
        "provider_name": binding.provider_name,
        "provider_version": binding.provider_version,
        "target_kind": target.kind,
        "target": target.digest,
        "code": target.code,
        "target_shown": target.shown,
    }


def grants(
    binding: Binding,
    data_flow: DataFlow,
    needs: Sequence[Need],
    *,
    until: str,
    by: Grantor,
    payload: Sequence[str] = (),
    note: str = "",
) -> tuple[Draft, ...]:
    """One record a need, bound to exactly this name, version, target and code; where a launcher chooses the code, to its
    path. `until` is an answer of `expires_at`; `payload` names the members that were shown."""
    return tuple(
        Draft(
            kind="grant",
            basis=need.basis,
            scope=need.scope,
            declared=data_flow.egress_scopes,
            payload=tuple(sorted(set(payload))),
            uses="unlimited",
            code_policy="path" if binding.target.floating else "exact",
            version_policy="exact",
            expires_at=until,
            grantor=by,
            note=note,
            **_whom(binding),  # type: ignore[arg-type]
        )
        for need in needs
    )


def denials(binding: Binding, needs: Sequence[Need], *, by: Grantor) -> tuple[Draft, ...]:
    """One record a need: no, for this target."""
    whom = _whom(binding)
    return tuple(
        Draft(kind="deny", basis=need.basis, scope=need.scope, grantor=by, **whom)  # type: ignore[arg-type]
        for need in needs
    )


def revocation(need: Need, *, by: Grantor, ends: Receipt | None = None, note: str = "") -> Draft:
    """Withdraw a need from a provider, whatever target it was granted for. `ends` is the grant that this ends."""
    return Draft(
        kind="revoke",
        provider_id=need.provider_id,
        basis=need.basis,
        scope=need.scope,
        acts_on="" if ends is None else ends.receipt_id,
        grantor=by,
        note=note,
    )
