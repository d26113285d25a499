"""What the types of the wire may be written as."""

from __future__ import annotations

from typing import Any

import pytest

from cgp_tui.protocol.frame import ContentRef, ContextFrame, Provenance
from cgp_tui.wire import forms


@pytest.mark.parametrize(
    ("kind", "form"),
    [
        (str, (True, None, None)),
        (str | None, (True, None, None)),
        (int, (False, None, None)),
        (tuple[float, ...] | None, (False, float, None)),
        (tuple[str, ...], (False, str, None)),
        (tuple[Provenance, ...], (False, Provenance, None)),
        (ContentRef | None, (False, None, ContentRef)),
        (ContextFrame, (False, None, ContextFrame)),
    ],
)
def test_a_type_is_a_string_an_array_or_an_object(kind: Any, form: tuple[bool, Any, Any]) -> None:
    assert forms.form(kind) == form


def test_members_go_by_their_names_on_the_wire() -> None:
    assert forms.members(Provenance)["type"].name == "kind"
    assert "kind" not in forms.members(Provenance)


def test_a_value_is_read_as_its_type() -> None:
    assert forms.decoder(tuple[str, ...])(b'["a"]') == ("a",)
