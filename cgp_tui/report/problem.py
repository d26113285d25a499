"""How a document says that something failed: the same member in all of them."""

from __future__ import annotations

from typing import Any

Problem = dict[str, str]
"""The `error` member: code, message, fix."""


def with_error(document: dict[str, Any], problem: Problem | None) -> dict[str, Any]:
    """`document`, and behind its own members what failed, where something did."""
    return document if problem is None else {**document, "error": problem}
