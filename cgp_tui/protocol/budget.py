"""Budget tokens: bytes both sides can count (SPEC 7)."""

from __future__ import annotations


def token_cost(content: str | None) -> int:
    """B3: `ceil(utf8_bytes(content) / 4)`; no inline content costs nothing (P4)."""
    return 0 if content is None else (len(content.encode("utf-8", "surrogatepass")) + 3) // 4
