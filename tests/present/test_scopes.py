"""What a scope means, in the one table of them."""

from __future__ import annotations

import inspect

import pytest

from cgp_tui.present import consent, message
from cgp_tui.present.scopes import BASE, scope_meaning
from cgp_tui.protocol.capability import LOCAL_ONLY, OFF_MACHINE_SCOPES


def test_every_base_scope_has_a_meaning_of_its_own() -> None:
    assert set(BASE) == {LOCAL_ONLY, *OFF_MACHINE_SCOPES}
    assert len(set(BASE.values())) == len(BASE)


@pytest.mark.parametrize(
    ("scope", "meaning"),
    [
        ("local-only", "stays on this machine"),
        ("org-tenant", "a service of your organisation gets it"),
        ("acme:vault", 'acme\'s own word "vault": only acme knows what it means'),
        ("acme:\x1b[2J", 'acme\'s own word "␛[2J": only acme knows what it means'),
        ("Local-Only", "a word the SPEC does not list; it leaves this machine all the same (U2)"),
    ],
)
def test_a_scope_is_told_in_words(scope: str, meaning: str) -> None:
    assert scope_meaning(scope) == meaning


@pytest.mark.parametrize("module", [consent, message])
def test_the_meanings_stand_nowhere_else(module: object) -> None:
    text = inspect.getsource(module)  # type: ignore[arg-type]
    assert [meaning for meaning in BASE.values() if meaning in text] == []
