"""How long a host waits for a provider, in seconds."""

from __future__ import annotations

import msgspec

from cgp_tui import limits


class Deadlines(msgspec.Struct, frozen=True):
    """`handshake` from the first byte written to the ack; `exchange` the same for a query or verify; `write` until one
    message is out; `shutdown` from the shutdown line to the kill. A reply is waited for a little longer where
    this program was itself stopped when its time was over."""

    handshake: float = limits.HANDSHAKE_SECONDS
    exchange: float = limits.EXCHANGE_SECONDS
    write: float = limits.WRITE_SECONDS
    shutdown: float = limits.SHUTDOWN_SECONDS
