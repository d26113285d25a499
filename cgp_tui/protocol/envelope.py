"""The eight messages (SPEC 2.1): one JSON object each, tagged by `type`."""

import msgspec

from cgp_tui.protocol.capability import AttesterKey, Capabilities, ProviderInfo
from cgp_tui.protocol.evidence import FrameAttestation, ProvenanceAttestation
from cgp_tui.protocol.frame import ContextFrame
from cgp_tui.protocol.query import ContextQuery
from cgp_tui.protocol.verify import VerifyRequest, VerifyResponse


class ContextQueryResult(msgspec.Struct, frozen=True, gc=False, omit_defaults=True):
    """The answer to a query; evidence travels beside the frames, never inside them (F6, F11)."""

    frames: tuple[ContextFrame, ...]
    truncated: bool
    dropped_estimate: int | None = None
    frame_attestations: tuple[FrameAttestation, ...] = ()
    result_attestation: ProvenanceAttestation | None = None


class Handshake(msgspec.Struct, frozen=True, gc=False, tag_field="type", tag="handshake"):
    """The host speaks first and says which version it offers (SPEC 3)."""

    protocol_version: str


class HandshakeAck(msgspec.Struct, frozen=True, gc=False, omit_defaults=True, tag_field="type", tag="handshake_ack"):
    """The provider says who it is, what it may do with data, what it offers (H1, H2), and its keys (SPEC 6.5.2)."""

    protocol_version: str
    provider: ProviderInfo
    capabilities: Capabilities
    attester_keys: tuple[AttesterKey, ...] = ()


class Query(msgspec.Struct, frozen=True, gc=False, omit_defaults=True, tag_field="type", tag="query"):
    """`id` is there only where the provider declared correlation (SPEC 3.2); so it is with `Verify`."""

    query: ContextQuery
    id: str | None = None


class Frames(msgspec.Struct, frozen=True, gc=False, omit_defaults=True, tag_field="type", tag="frames"):
    """The answer to a query; `id` repeats that of the query (H4), as in every reply."""

    result: ContextQueryResult
    id: str | None = None


class Verify(msgspec.Struct, frozen=True, gc=False, omit_defaults=True, tag_field="type", tag="verify"):
    """Held frames are asked about (SPEC 9)."""

    request: VerifyRequest
    id: str | None = None


class Verified(msgspec.Struct, frozen=True, gc=False, omit_defaults=True, tag_field="type", tag="verified"):
    """A verdict for each of them (V2)."""

    response: VerifyResponse
    id: str | None = None


class Shutdown(msgspec.Struct, frozen=True, gc=False, tag_field="type", tag="shutdown"):
    """Ends the connection; nothing answers it (R2)."""


class ErrorReply(msgspec.Struct, frozen=True, gc=False, omit_defaults=True, tag_field="type", tag="error"):
    """Answers a request that cannot be served (SPEC 10); without a `code` it counts as internal (X2)."""

    message: str
    id: str | None = None
    code: str | None = None


Envelope = Handshake | HandshakeAck | Query | Frames | Verify | Verified | Shutdown | ErrorReply
