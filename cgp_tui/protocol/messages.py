"""The names of the eight messages and who sends which (SPEC 2.1), without the structs: cheap to import."""

from __future__ import annotations

from typing import Final

FROM_HOST: Final = ("handshake", "query", "verify", "shutdown")
FROM_PROVIDER: Final = ("handshake_ack", "frames", "verified", "error")
TYPES: Final = (*FROM_HOST, *FROM_PROVIDER)
"""The vocabulary of contextgraph/1.0; another type is ignored and shown (SPEC 2.1)."""
