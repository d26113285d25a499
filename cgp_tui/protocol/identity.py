"""A frame's stable identity (SPEC 6.3)."""

from __future__ import annotations

import msgspec


class FrameId(msgspec.Struct, frozen=True, order=False):
    """The triple that names one frame's exact bytes. `provider_id` is the declared name on the wire."""

    provider_id: str
    frame_id: str
    content_digest: str | None = None

    def sort_key(self) -> tuple[bytes, bytes, bytes]:
        """Canonical order: bytewise by provider, frame, digest; an absent digest comes first."""
        digest = b"" if self.content_digest is None else b"\x01" + self.content_digest.encode()
        return self.provider_id.encode(), self.frame_id.encode(), digest
