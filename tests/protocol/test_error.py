"""Codes as a host reads them."""

from __future__ import annotations

import pytest

from cgp_tui.protocol.error import REACTIONS, effective_code


@pytest.mark.parametrize("code", REACTIONS)
def test_base_codes_are_themselves(code: str) -> None:
    assert effective_code(code) == code


@pytest.mark.parametrize("code", [None, "", "Unavailable", "unavailable ", "vendor:unavailable", "try_again"])
def test_everything_else_is_internal(code: str | None) -> None:
    assert effective_code(code) == "internal"


def test_the_eight_base_codes() -> None:
    assert set(REACTIONS) == {
        "bad_request",
        "unsupported_kind",
        "unsupported_representation",
        "incompatible_version",
        "budget_unsatisfiable",
        "unavailable",
        "shutting_down",
        "internal",
    }
