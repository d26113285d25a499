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
    protocol_version: str


class HandshakeAck(msgspec.Struct, frozen=True, gc=False, omit_defaults=True, tag_field="type", tag="handshake_ack"):
    protocol_version: str
    provider: ProviderInfo
    capabilities: Capabilities
    attester_keys: tuple[AttesterKey, ...] = ()


class Query(msgspec.Struct, frozen=True, gc=False, omit_defaults=True, tag_field="type", tag="query"):
    query: ContextQuery
    id: str | None = None


class Frames(msgspec.Struct, frozen=True, gc=False, omit_defaults=True, tag_field="type", tag="frames"):
    result: ContextQueryResult
    id: str | None = None


class Verify(msgspec.Struct, frozen=True, gc=False, omit_defaults=True, tag_field="type", tag="verify"):
    request: VerifyRequest
    id: str | None = None


class Verified(msgspec.Struct, frozen=True, gc=False, omit_defaults=True, tag_field="type", tag="verified"):
    response: VerifyResponse
    id: str | None = None


class Shutdown(msgspec.Struct, frozen=True, gc=False, tag_field="type", tag="shutdown"):
    pass


class ErrorReply(msgspec.Struct, frozen=True, gc=False, omit_defaults=True, tag_field="type", tag="error"):
    message: str
    id: str | None = None
    code: str | None = None


Envelope = Handshake | HandshakeAck | Query | Frames | Verify | Verified | Shutdown | ErrorReply
