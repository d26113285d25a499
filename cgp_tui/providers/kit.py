"""Be a provider: one request line in, one reply line out, whatever the line holds. Without I/O or a clock.

The answerer keeps the promises that every provider makes, so that an author only writes `query`: the handshake (H1, H3), the
echoed id (H4), `bad_request` for what cannot be read (R1), silence after `shutdown` (R2), and `internal` for a fault of the
provider's own, whose details go to its owner and not to the host.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, Protocol

import msgspec

from cgp_tui.protocol.capability import AttesterKey, Capabilities, ProviderInfo
from cgp_tui.protocol.envelope import (
    ContextQueryResult,
    Envelope,
    ErrorReply,
    Frames,
    Handshake,
    HandshakeAck,
    Query,
    Shutdown,
    Verified,
    Verify,
)
from cgp_tui.protocol.messages import FROM_PROVIDER
from cgp_tui.protocol.query import ContextQuery
from cgp_tui.protocol.verify import FrameVerdict, VerifyRequest, VerifyResponse
from cgp_tui.protocol.version import PROTOCOL_VERSION, interoperate
from cgp_tui.wire.decode import decode
from cgp_tui.wire.encode import encode
from cgp_tui.wire.line import Decoded


class Refusal(Exception):
    """A provider declines: `code` is one of SPEC 10 or a namespaced one (U3), `message` is for whoever reads the log."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code
        self.message = message


class Provider(Protocol):
    """What an author writes. Subclass it for the defaults: no published keys, and no verdict on any held frame.

    `query` and `verify` may raise `Refusal`; anything else they raise reaches the host as `internal`.
    """

    info: ProviderInfo
    capabilities: Capabilities
    attester_keys: tuple[AttesterKey, ...] = ()

    def query(self, query: ContextQuery) -> ContextQueryResult:
        """The frames for `query`, within its kinds (Q1), its instant, `max_frames` (B4) and `max_tokens` (B1)."""
        ...

    def verify(self, request: VerifyRequest) -> VerifyResponse:
        """One verdict for each identity asked about, the identity echoed in full (V2)."""
        return VerifyResponse(tuple(FrameVerdict(frame, "unknown") for frame in request.frames))


class Answerer:
    """The provider's end of one connection. `shut` turns true with `shutdown`; from then on every line is ignored.

    `on_fault` is called with an exception of the provider's own before the host is told `internal`.
    """

    def __init__(self, provider: Provider, on_fault: Callable[[Exception], None] | None = None) -> None:
        self._provider = provider
        self._on_fault = on_fault
        self._greeted = False
        self.shut = False

    def answer(self, raw: bytes) -> bytes | None:
        """The reply to one line, both without their newline; None for a line that gets no reply: a blank one, a reply, a
        notification, `shutdown`. An unknown type is a request if it carries an id or a payload, else a notification
        (SPEC 2.1). Never raises, whatever the line or the provider does."""
        if self.shut or not raw.strip():
            return None
        decoded = decode(raw)
        try:
            reply = self._reply(raw, decoded)
            return None if reply is None else encode(reply)
        except Refusal as refusal:
            return encode(ErrorReply(refusal.message, decoded.id, refusal.code))
        except Exception as fault:
            if self._on_fault is not None:
                self._on_fault(fault)
            return encode(ErrorReply(f"the provider failed with {type(fault).__name__}", decoded.id, "internal"))

    def overlong(self) -> bytes:
        """The reply to a line beyond the size limit, whose content nobody has read."""
        return encode(ErrorReply("the line is longer than this provider reads", None, "bad_request"))

    def _reply(self, raw: bytes, decoded: Decoded) -> Envelope | None:
        """The reply, None where there is none: two peers that answered replies would go on for ever."""
        message = decoded.envelope
        if decoded.type in FROM_PROVIDER:
            return None
        if message is not None:
            return _HANDLERS[type(message)](self, message, decoded.id)
        if decoded.faults:
            fault = decoded.faults[0]
            where = f" at {fault.path}" if fault.path else ""
            raise Refusal("bad_request", f"the line cannot be answered{where}: {fault.detail}")
        if decoded.id is None and msgspec.json.decode(raw).keys() <= {"type", "id"}:
            return None
        raise Refusal("bad_request", "this provider does not serve messages of that type")

    def _handshake(self, message: Handshake, _id: str | None) -> Envelope:
        if not interoperate(PROTOCOL_VERSION, message.protocol_version):
            raise Refusal("incompatible_version", f"this provider speaks {PROTOCOL_VERSION}")
        self._greeted = True
        provider = self._provider
        return HandshakeAck(PROTOCOL_VERSION, provider.info, provider.capabilities, provider.attester_keys)

    def _query(self, message: Query, id: str | None) -> Envelope:
        self._expect_greeting()
        return Frames(self._provider.query(message.query), id)

    def _verify(self, message: Verify, id: str | None) -> Envelope:
        self._expect_greeting()
        return Verified(self._provider.verify(message.request), id)

    def _shutdown(self, _message: Shutdown, _id: str | None) -> None:
        self.shut = True

    def _expect_greeting(self) -> None:
        if not self._greeted:
            raise Refusal("bad_request", "no payload before the handshake (SPEC 3)")


_HANDLERS: Final[dict[type[Any], Callable[[Answerer, Any, str | None], Envelope | None]]] = {
    Handshake: Answerer._handshake,
    Query: Answerer._query,
    Verify: Answerer._verify,
    Shutdown: Answerer._shutdown,
}
