"""The vocabulary of refusals (SPEC 10). Unknown and absent codes are read as `internal` (X1, X2)."""

from __future__ import annotations

from typing import Final

REACTIONS: Final = {
    "bad_request": "do not retry",
    "unsupported_kind": "narrow the kinds, or skip this provider",
    "unsupported_representation": "ask again for full, or skip this provider",
    "incompatible_version": "do not retry: the provider is unusable",
    "budget_unsatisfiable": "raise the budget, or skip this provider",
    "unavailable": "retry with back-off",
    "shutting_down": "start the provider again, or drop it",
    "internal": "report it, and count it against the provider's health",
}
"""Each base code with what a host does about it."""


def effective_code(code: str | None) -> str:
    """The code a host acts on: `internal` for an unknown or absent one (X1, X2)."""
    return code if code in REACTIONS else "internal"
