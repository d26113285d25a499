"""What a line by itself tells a session: who sent it, and by which code it cannot be acted on."""

from __future__ import annotations

from cgp_tui.protocol.messages import FROM_HOST, FROM_PROVIDER
from cgp_tui.protocol.requirements import Party
from cgp_tui.session.states import FAULTS
from cgp_tui.wire.line import Decoded, Seen


def sender(seen: Seen) -> Party | None:
    """Who sent a line: as recorded, else as its type tells, else None."""
    if seen.line.sender is not None:
        return seen.line.sender
    if seen.decoded.type in FROM_HOST:
        return "host"
    return "provider" if seen.decoded.type in FROM_PROVIDER else None


def fault_code(decoded: Decoded) -> str:
    """The error code that names why a line cannot be acted on."""
    named = next((fault.code for fault in decoded.faults if fault.code not in FAULTS), None)
    if named is not None:
        return named
    unreadable_id = any(fault.path == "/id" for fault in decoded.faults)
    return "correlation_mismatch" if unreadable_id else FAULTS[decoded.faults[0].code if decoded.faults else "shape"]
