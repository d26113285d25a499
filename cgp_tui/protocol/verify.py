"""Asking whether held frames still hold (SPEC 9)."""

from typing import Final

import msgspec

from cgp_tui.protocol.identity import FrameId

STATUSES: Final = ("valid", "stale", "gone", "unknown")


class VerifyRequest(msgspec.Struct, frozen=True, gc=False):
    """Identities only, never bodies (V1)."""

    frames: tuple[FrameId, ...]


class FrameVerdict(msgspec.Struct, frozen=True, gc=False, omit_defaults=True):
    """One answer, its identity echoed in full. Only `valid` allows reuse (V3)."""

    frame: FrameId
    status: str
    replacement_digest: str | None = None


class VerifyResponse(msgspec.Struct, frozen=True, gc=False):
    """One verdict for each identity asked about (V2); `expires_at` is an F4 timestamp."""

    verdicts: tuple[FrameVerdict, ...]
