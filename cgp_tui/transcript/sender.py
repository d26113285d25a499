"""Who sent a line of a bare file, which only its type tells; nearly always its first bytes do."""

from __future__ import annotations

from typing import Final

from cgp_tui.protocol.anchors import Party
from cgp_tui.protocol.messages import FROM_HOST, FROM_PROVIDER, TYPES
from cgp_tui.wire.peek import peek, prefix

_HEAD: Final = 640
"""So much of the beginning of a line is looked at before all of it is."""


def sender_of(kind: str | None) -> Party | None:
    """Who sends messages of this type; None for a type that contextgraph/1.0 does not define."""
    if kind in FROM_HOST:
        return "host"
    return "provider" if kind in FROM_PROVIDER else None


_BEGIN: Final = b'{"type":"'
_SENDERS: Final = {kind.encode(): sender_of(kind) for kind in TYPES}
_GLANCE: Final = len(b'{"type":"query",')
_AT_A_GLANCE: Final[dict[bytes, Party | None]] = {b'{"type":"query",': "host", b'{"type":"frames"': "provider"}
"""The senders of nearly all lines, by as many bytes."""


def sender(raw: bytes) -> Party | None:
    """Who sends a line of this type; None where nobody does."""
    glance = _AT_A_GLANCE.get(raw[:_GLANCE])
    if glance is not None:
        return glance
    if raw.startswith(_BEGIN):
        end = raw.find(b'"', len(_BEGIN), _HEAD)
        kind = raw[len(_BEGIN) : max(end, 0)]
        if kind in _SENDERS:
            return _SENDERS[kind]
    return sender_of(prefix(raw[:_HEAD]).type or peek(raw).type)


def greets(raw: bytes, begin: int, end: int) -> bool:
    """Whether the line that stands from `begin` to `end` is a `handshake`."""
    if raw[begin : begin + _GLANCE] in _AT_A_GLANCE or raw.find(b'"handshake"', begin, end) < 0:
        return False
    return peek(raw[begin:end]).type == "handshake"
