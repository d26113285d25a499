"""What must be consented to before a payload may go to a provider (C1, C4, C6)."""

from __future__ import annotations

from cgp_tui.consent.types import Need
from cgp_tui.protocol.capability import DataFlow, off_machine_scopes
from cgp_tui.target import Target


def needs(provider_id: str, data_flow: DataFlow, target: Target) -> tuple[Need, ...]:
    """The needs that follow from a declaration and a target, in declared order; empty for a local child process.

    Each declared off-machine scope is a need (C6), whatever the `egress` flag says. Without one, `egress: true` needs the
    boolean consent (C1), and so does a target that is off this machine by itself (C4). The gate adds what the ledger has on
    record.
    """
    scopes = off_machine_scopes(data_flow)
    if scopes:
        return tuple(Need(provider_id, "scope", scope) for scope in scopes)
    if data_flow.egress or target.off_machine:
        return (Need(provider_id, "boolean"),)
    return ()
