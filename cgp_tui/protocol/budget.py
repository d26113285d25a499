"""Budget tokens: bytes both sides can count (SPEC 7)."""

from __future__ import annotations

from cgp_tui.protocol import utf8


def token_cost(content: str | None) -> int:
    """B3: `ceil(utf8_bytes(content) / 4)`; no inline content costs nothing (P4)."""
    if content is None:
        return 0
    return cost_of(utf8.size(content))


def cost_of(size: int) -> int:
    """The cost of content that is `size` bytes of UTF-8."""
    return (size + 3) // 4
