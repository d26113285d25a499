"""Whether a host may go on with an ack (SPEC 3, 4)."""

from __future__ import annotations

from cgp_tui.protocol.capability import is_malformed_scope, scopes_consistent
from cgp_tui.protocol.envelope import HandshakeAck
from cgp_tui.protocol.version import family, interoperate


def refusal(ours: str, ack: HandshakeAck) -> str | None:
    """The error code with which a host that offered the version `ours` refuses this ack; None where it may go on.

    `version_mismatch` (H3), `scope_contradiction` (C5), or `scope_malformed` for a scope that nobody can consent to.
    """
    flow = ack.provider.data_flow
    if not interoperate(ours, ack.protocol_version):
        return "version_mismatch"
    if any(is_malformed_scope(scope) for scope in flow.egress_scopes):
        return "scope_malformed"
    return None if scopes_consistent(flow) else "scope_contradiction"


def mandatory_refusal(ours: str, ack: HandshakeAck) -> str | None:
    """The error code with which every host must refuse this ack (H3, C5); None where hosts are free to go on.

    A malformed version is not another family as long as the part before its first dot is the same.
    """
    if family(ours) != family(ack.protocol_version):
        return "version_mismatch"
    return None if scopes_consistent(ack.provider.data_flow) else "scope_contradiction"
