"""Egress scopes: what leaves the machine, and what can never be agreed to."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cgp_tui.protocol.capability import (
    OFF_MACHINE_SCOPES,
    DataFlow,
    dimension,
    is_malformed_scope,
    is_off_machine,
    off_machine_scopes,
    scopes_consistent,
)


@pytest.mark.parametrize(
    "scope", [*OFF_MACHINE_SCOPES, "vendor:name", "notnamespaced", "Local-Only", "local-only ", "", ":x"]
)
def test_whatever_is_not_local_only_leaves(scope: str) -> None:
    assert is_off_machine(scope)


def test_local_only_stays() -> None:
    assert not is_off_machine("local-only")


@pytest.mark.parametrize(
    "scope", ["", "vendor:", ":x", ":", "a:b\x00", "a\nb", "\x1b[31m", "third-party-model\x7f", "a\x9bb"]
)
def test_scopes_nobody_can_agree_to(scope: str) -> None:
    assert is_malformed_scope(scope)


@pytest.mark.parametrize("scope", ["local-only", *OFF_MACHINE_SCOPES, "vendor:name", "a:b:c", "word", "Local-Only", "a b"])
def test_scopes_one_can_agree_to(scope: str) -> None:
    assert not is_malformed_scope(scope)


def test_scopes_in_declared_order_each_once() -> None:
    flow = DataFlow(egress=True, egress_scopes=("b:y", "local-only", "org-tenant", "b:y", "a:x"))
    assert off_machine_scopes(flow) == ("b:y", "org-tenant", "a:x")


scopes = st.lists(st.sampled_from(["local-only", *OFF_MACHINE_SCOPES, "vendor:name", "odd"]), max_size=5).map(tuple)


@given(scopes, st.booleans())
def test_only_a_denied_destination_contradicts(declared: tuple[str, ...], egress: bool) -> None:
    flow = DataFlow(egress=egress, egress_scopes=declared)
    assert scopes_consistent(flow) == (egress or set(declared) <= {"local-only"})
    assert set(off_machine_scopes(flow)) == set(declared) - {"local-only"}


@pytest.mark.parametrize(
    ("fingerprint", "length"),
    [
        ("model/3", 3),
        ("model/1536/l2", 1536),
        ("m/0", 0),
        ("m/9999999999", 9_999_999_999),
        ("m/10000000000", None),
        ("m", None),
        ("m/", None),
        ("/3", None),
        ("m/3/", None),
        ("m/3/l2/x", None),
        ("m/-3", None),
        ("m/\u0663", None),
        ("", None),
    ],
)
def test_the_length_of_vectors_that_a_fingerprint_stands_for(fingerprint: str, length: int | None) -> None:
    assert dimension(fingerprint) == length
