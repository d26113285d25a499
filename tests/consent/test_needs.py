"""What must be consented to, by what a provider declares and how it is reached."""

from __future__ import annotations

from typing import Any

import pytest

from cgp_tui.consent.needs import needs
from cgp_tui.consent.types import Need
from cgp_tui.protocol.capability import DataFlow
from tests.consent.people import BOOLEAN, scoped, target


@pytest.mark.parametrize(
    ("egress", "scopes", "where", "wanted"),
    [
        (False, (), {}, ()),
        (False, ("local-only",), {}, ()),
        (True, (), {}, BOOLEAN),
        (True, ("local-only",), {}, BOOLEAN),
        (True, ("a:b", "org-tenant", "a:b"), {}, scoped("a:b", "org-tenant")),
        (False, ("org-tenant",), {}, scoped("org-tenant")),
        (True, ("local-only", "org-tenant"), {}, scoped("org-tenant")),
        (True, ("Local-Only", "local-only "), {}, scoped("Local-Only", "local-only ")),
        (True, ("vendor:", ""), {}, scoped("vendor:", "")),
        (False, (), {"remote": "ssh"}, BOOLEAN),
        (False, ("local-only",), {"remote": "ssh"}, BOOLEAN),
        (True, ("org-tenant",), {"remote": "ssh"}, scoped("org-tenant")),
        (False, ("local-only",), {"kind": "http"}, BOOLEAN),
        (False, (), {"floating": "npx"}, ()),
    ],
)
def test_needs(egress: bool, scopes: tuple[str, ...], where: dict[str, Any], wanted: tuple[Need, ...]) -> None:
    assert needs("docs", DataFlow(egress=egress, egress_scopes=scopes), target(**where)) == wanted
