"""A frame's stable identity (SPEC 6.3)."""

import msgspec


class FrameId(msgspec.Struct, frozen=True, gc=False, omit_defaults=True):
    """The triple that names one frame's exact bytes. `provider_id` is the declared name on the wire."""

    provider_id: str
    frame_id: str
    content_digest: str | None = None

    def sort_key(self) -> tuple[bytes, bytes, bytes]:
        """Canonical order: bytewise by provider, frame, digest; an absent digest comes first, before an empty one.

        A lone surrogate, which has no UTF-8 form, is ordered where its code point belongs: sorting never fails.
        """
        digest = b"" if self.content_digest is None else b"\x01" + _bytes(self.content_digest)
        return _bytes(self.provider_id), _bytes(self.frame_id), digest


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")
