"""An envelope as the bytes of one line."""

from __future__ import annotations

import msgspec

from cgp_tui.errors import InputError
from cgp_tui.protocol.envelope import Envelope

_ENCODER = msgspec.json.Encoder()


def encode(envelope: Envelope) -> bytes:
    """One JSON object, compact, absent members left out, without a newline at its end or inside (SPEC 2).

    Raises InputError usage for text that is not valid Unicode, like a surrogate from a command line.
    """
    try:
        return _ENCODER.encode(envelope)
    except UnicodeEncodeError:
        raise InputError(
            "usage", "The message holds bytes that are not UTF-8.", "Give goals, kinds and anchors as UTF-8."
        ) from None
