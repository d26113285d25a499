"""Providers that are reached over a network, or that declare otherwise than they did: each is asked for afresh."""

from __future__ import annotations

from typing import Any

import pytest

from cgp_tui.consent.gate import Gate
from cgp_tui.consent.needs import needs
from cgp_tui.consent.types import Binding, Denial, Need
from cgp_tui.protocol.capability import DataFlow
from cgp_tui.target import Target, http_digest
from tests.consent.people import BOOLEAN, SCOPE, Books, binding, draft, scoped, target

URL = "https://cgp.example.com:443/v1"


def url(address: str = URL, credential: Any = "bearer") -> Target:
    """What reaches an address; nothing is opened."""
    return target(
        kind="http",
        argv=(address,),
        start=address,
        program=address,
        digest=http_digest(address, credential),
        code="",
        pins=(),
        shown=(address,),
    )


def asked(books: Books, who: Binding, *scopes: str, egress: bool = True) -> dict[Need, str]:
    """What stands against a query to a provider that declares these scopes; empty where it may go."""
    declared = needs(who.provider_id, DataFlow(egress=egress, egress_scopes=scopes), who.target)
    answer = Gate(books.ledger).peek(who, declared)
    return {reason.need: reason.reason for reason in answer.reasons} if isinstance(answer, Denial) else {}


def agreed(books: Books, who: Binding, scope: str = "") -> None:
    """A yes to one scope of this provider, to sending at all where none is named."""
    books.ledger.grant(
        [
            draft(
                target_kind=who.target.kind,
                target=who.target.digest,
                code=who.target.code,
                target_shown=who.target.shown,
                basis="scope" if scope else "boolean",
                scope=scope,
                expires_at="never",
            )
        ]
    )


@pytest.mark.parametrize("address", [URL, "http://127.0.0.1:8080/", "http://localhost:8080/"])
@pytest.mark.parametrize("egress", [True, False])
def test_what_is_reached_over_http_needs_consent_whatever_it_claims(address: str, egress: bool, books: Books) -> None:
    who = binding(target=url(address))
    assert asked(books, who, "local-only", egress=egress) == {BOOLEAN[0]: "no_receipt"}
    agreed(books, who)
    assert asked(books, who, "local-only", egress=egress) == {}


@pytest.mark.parametrize(
    "other",
    [
        url("https://cgp.example.org:443/v1"),
        url("https://cgp.example.com:8443/v1"),
        url("https://cgp.example.com:443/v2"),
        url("http://cgp.example.com:443/v1"),
        url(credential="none"),
        target(),
    ],
    ids=["host", "port", "path", "scheme", "credential", "a command"],
)
def test_another_origin_is_another_provider(other: Target, books: Books) -> None:
    agreed(books, binding(target=url()))
    who = binding(target=other)
    answer = Gate(books.ledger).peek(who, BOOLEAN)
    assert isinstance(answer, Denial)
    (reason,) = answer.reasons
    assert (reason.reason, reason.field) == ("identity_changed", "target")
    shown = URL, " ".join(other.shown)
    # What is masked may be all the difference; then the digests tell.
    assert (reason.old, reason.new) == (shown if shown[0] != shown[1] else (url().digest, other.digest))
    assert asked(books, binding(target=url()), "local-only") == {}


def test_a_renamed_or_updated_provider_at_the_same_address_is_asked_for_again(books: Books) -> None:
    agreed(books, binding(target=url()))
    for changed in ({"provider_name": "acme"}, {"provider_version": "1.3"}):
        assert asked(books, binding(target=url(), **changed)) == {BOOLEAN[0]: "identity_changed"}


@pytest.mark.parametrize("where", [target(), url()], ids=["command", "http"])
def test_a_scope_that_was_added_is_the_one_that_is_asked_for(where: Target, books: Books) -> None:
    who = binding(target=where)
    agreed(books, who, SCOPE)
    agreed(books, who, "org-tenant")
    assert asked(books, who, SCOPE, "org-tenant") == {}
    (new,) = scoped("acme:store")
    assert asked(books, who, SCOPE, "org-tenant", "acme:store") == {new: "no_receipt"}


def test_scopes_that_are_no_longer_named_take_no_consent_with_them(books: Books) -> None:
    """Who agreed to one scope did not agree to whatever is sent without one."""
    who = binding()
    agreed(books, who, SCOPE)
    assert asked(books, who, SCOPE) == {}
    assert asked(books, who) == {BOOLEAN[0]: "no_receipt"}


@pytest.mark.parametrize("scope", ["notnamespaced", "Local-Only", "local-only ", " local-only", "local\u2010only"])
def test_a_scope_that_is_nearly_one_needs_a_receipt_of_its_very_own(scope: str, books: Books) -> None:
    who = binding()
    (need,) = scoped(scope)
    assert asked(books, who, scope) == {need: "no_receipt"}
    agreed(books, who, scope.strip().lower() + "x")
    assert asked(books, who, scope)[need] == "no_receipt"
    agreed(books, who, scope)
    assert need not in asked(books, who, scope)


@pytest.mark.parametrize("last", ["revoke", "deny"])
@pytest.mark.parametrize(
    ("scopes", "egress"), [((), True), ((), False), (("local-only",), False), (("org-tenant",), True)], ids=str
)
def test_declaring_less_over_http_undoes_no_refusal(last: str, scopes: tuple[str, ...], egress: bool, books: Books) -> None:
    who = binding(target=url())
    agreed(books, who, SCOPE)
    agreed(books, who, "org-tenant")
    agreed(books, who)
    assert asked(books, who, *scopes, egress=egress) == {}
    books.ledger.revoke([draft(last, target="", scope=SCOPE)])
    (need,) = scoped()
    assert asked(books, who, *scopes, egress=egress) == {need: "posture_narrowed"}
