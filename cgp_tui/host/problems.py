"""Why a request is not made: the connection is of no use, the gate said no, or the request may not be sent as it is."""

from __future__ import annotations

from typing import Final

from cgp_tui.checks.outcome import CAUSES
from cgp_tui.checks.query import question_faults
from cgp_tui.checks.types import Outcome, Problem, RefusedNeed
from cgp_tui.consent.types import Denial, Reason
from cgp_tui.errors import InputError, OurError
from cgp_tui.host.errors import ConsentRequired, ConsentScopeRequired, HostError, failure
from cgp_tui.protocol.envelope import HandshakeAck
from cgp_tui.protocol.query import ContextQuery
from cgp_tui.wire.ranges import U32

CRASHED: Final = "provider_crashed"
CLOSED: Final = "closed"
WITHDRAWN: Final = "consent_required"
"""The code of what ended a connection whose consent was taken back."""

_CHANGED: Final = {
    "provider_name": "granted to the name {old}, this one says {new}",
    "provider_version": "granted to version {old}, this is {new}",
    "target": "granted to the command {old}, this is {new}",
    "code": "its program or a file named on its command line has changed",
}
"""What changed since a grant. Digests stay out of a sentence; a machine finds them beside it."""


def unusable(code: str, provider_id: str) -> HostError:
    """The error for a request on a connection that `code` ended."""
    if code in (CRASHED, CLOSED):
        message = "The provider has ended." if code == CRASHED else "The provider has been shut down."
        return failure(Problem(CRASHED, message, "Start it again."), provider_id)
    if code == WITHDRAWN:
        message = "This connection was ended when consent was revoked."
        return failure(Problem("poisoned", message, "Start the provider again."), provider_id)
    cause = CAUSES[code].message if code in CAUSES else "The connection has failed."
    message = f"This connection cannot be used any more: {cause[0].lower()}{cause[1:]}"
    return failure(Problem("poisoned", message, "Start the provider again."), provider_id)


def refused(denial: Denial, ack: HandshakeAck | None, provider_id: str, exchange: int | None = None) -> ConsentRequired:
    """The error for a denial. `exchange` is the request's number where a part of it was already recorded."""
    needs = tuple(_need(reason) for reason in denial.reasons)
    words = ", ".join(f"{need.scope or 'sending to it at all'} ({_reason(need)})" for need in needs)
    start = "Nothing was sent" if exchange is None else "The exchange was stopped"
    detail = f" {denial.detail}" if denial.detail else ""
    problem = Problem(denial.code, f"{start}: no consent for {words}.{detail}", denial.fix)
    kind = ConsentScopeRequired if any(need.basis == "scope" for need in needs) else ConsentRequired
    error = kind(problem, provider_id, Outcome("consent_required", exchange, problem=problem, needs=needs))
    error.data_flow = None if ack is None else ack.provider.data_flow
    return error


def unrecordable(error: OurError, provider_id: str) -> ConsentRequired:
    """The error where the recording failed: what cannot be written down does not leave."""
    problem = Problem("unrecordable", f"Nothing was sent: {error.message}", error.fix)
    return ConsentRequired(problem, provider_id, Outcome("consent_required", None, problem=problem))


def check_query(query: ContextQuery, ack: HandshakeAck | None = None) -> None:
    """Raise InputError usage for a query that a host may not send, to this provider where its ack is known: what the
    requests of every host are judged by (F4, P5), sizes that are no u32, an embedding (E1: this host has no fingerprint of
    its own to compare)."""
    if query.embedding is not None:
        raise InputError("usage", "A query with an embedding cannot be sent (E1).", "Leave `embedding` out.")
    for breach in question_faults(query, ack):
        member = breach.path.split("/")[2]
        raise InputError("usage", f"{member} holds {breach.found}.", f"The provider takes: {breach.expected}.")
    for name, size in (("max_frames", query.max_frames), ("max_tokens", query.max_tokens)):
        if not 0 <= size <= U32:
            raise InputError("usage", f"{name} is {size}.", f"Give a whole number from 0 to {U32}.")


def check_verify(ack: HandshakeAck) -> None:
    """Raise InputError usage where the provider never said that it answers verify (V2)."""
    if not ack.capabilities.verify:
        raise InputError("usage", "The provider does not declare verify.", "Query it again instead (SPEC 9).")


def _reason(need: RefusedNeed) -> str:
    """The reason's code and, where an identity changed, from what to what."""
    said = _CHANGED.get(need.field, "")
    return f"{need.reason}: {said.format(old=need.old, new=need.new)}" if said else need.reason


def _need(reason: Reason) -> RefusedNeed:
    return RefusedNeed(reason.need.basis, reason.need.scope, reason.reason, reason.field, reason.old, reason.new)
