"""What is written for a yes, a no and a withdrawal."""

from __future__ import annotations

import os

import pytest

from cgp_tui.consent import drafts
from cgp_tui.consent.receipt import Draft, Receipt
from cgp_tui.consent.types import Need
from cgp_tui.errors import InputError
from cgp_tui.target import Target
from tests.consent.people import BOOLEAN, SCOPE, Books, binding, draft, scoped, target


def test_a_grant_holds_for_exactly_what_was_met() -> None:
    made = drafts.grant_draft(
        binding(),
        scoped()[0],
        declared=[SCOPE, "x:y"],
        payload=["goal", "anchors", "goal"],
        expires_at="never",
        grantor=drafts.human(),
    )
    assert (made.kind, made.provider_name, made.provider_version) == ("grant", "example", "1.0.0")
    assert (made.target, made.code, made.target_shown) == ("aa" * 32, "bb" * 32, ("/usr/bin/p", "x.py"))
    assert (made.basis, made.scope, made.declared) == ("scope", SCOPE, (SCOPE, "x:y"))
    assert made.payload == ("anchors", "goal")
    assert (made.uses, made.code_policy, made.version_policy) == ("unlimited", "exact", "exact")
    floating = drafts.grant_draft(
        binding(target=target(floating="npx")),
        BOOLEAN[0],
        declared=(),
        payload=(),
        expires_at="never",
        grantor=drafts.policy(),
    )
    assert (floating.code_policy, floating.version_policy) == ("path", "exact")


def test_a_grantor_is_a_person_at_a_terminal_or_a_program_of_this_user() -> None:
    assert (drafts.human().kind, drafts.human().id) == ("human", f"tty:{os.getuid()}")
    assert (drafts.policy().kind, drafts.policy().id) == ("policy", f"cli:{os.getuid()}")


def test_terms_loosen_or_narrow_a_grant() -> None:
    made = drafts.grant_draft(
        binding(),
        scoped()[0],
        declared=(),
        payload=(),
        expires_at="never",
        grantor=drafts.human(),
        terms=drafts.Terms("once", "path", "minor"),
    )
    assert (made.uses, made.code_policy, made.version_policy) == ("once", "path", "minor")


@pytest.mark.parametrize(
    ("terms", "floating", "fits"),
    [
        (drafts.Terms(), "", True),
        (drafts.Terms(code="exact"), "", True),
        (drafts.Terms(code="exact"), "npx", False),
        (drafts.Terms(code="path"), "npx", True),
        (drafts.Terms(version="minor"), "", False),
        (drafts.Terms(code="exact", version="any"), "", False),
        (drafts.Terms(code="path", version="any"), "", True),
        (drafts.Terms(version="any"), "npx", True),
        (drafts.Terms("once"), "npx", True),
    ],
)
def test_terms_that_a_target_cannot_be_held_to(terms: drafts.Terms, floating: str, fits: bool) -> None:
    if fits:
        assert drafts.agreed(terms, target(floating=floating)) == terms
    else:
        with pytest.raises(InputError, match="code"):
            drafts.agreed(terms, target(floating=floating))


def test_a_denial_names_what_was_met() -> None:
    made = drafts.deny_draft(binding(), BOOLEAN[0], drafts.human())
    assert (made.kind, made.target, made.basis, made.expires_at) == ("deny", "aa" * 32, "boolean", "none")
    assert (made.provider_name, made.provider_version) == ("example", "1.0.0")
    for odd in ({"provider_name": "x" * 257}, {"provider_version": "x" * 129}, {"provider_name": "\ud800"}):
        made = drafts.deny_draft(binding(**odd), BOOLEAN[0], drafts.human())
        assert (made.provider_name, made.provider_version, made.target) == ("", "", "aa" * 32)


def written(books: Books, *given: Draft) -> tuple[Receipt, ...]:
    return books.ledger.grant(given)


@pytest.mark.parametrize(
    ("given", "needs", "ends"),
    [
        ([draft()], scoped(), 0),
        ([draft()], (), 0),
        ([], scoped(), None),
        ([draft(), draft(scope="a:b")], (), None),
        ([draft(), draft(scope="a:b")], scoped("a:b"), 1),
        ([draft(), draft()], scoped(), 1),
        ([draft(), draft(target="cc" * 32)], scoped(), None),
        ([draft(), draft("revoke"), draft(scope="a:b")], (), 2),
        ([draft(), draft("revoke")], scoped(), None),
        ([draft(), draft(target="cc" * 32), draft("deny", target="cc" * 32)], scoped(), 0),
        ([draft(provider_id="other")], scoped(), None),
    ],
)
def test_a_revocation_names_the_one_grant_it_ends(
    given: list[Draft], needs: tuple[Need, ...], ends: int | None, books: Books
) -> None:
    receipts = written(books, *given)
    (made,) = drafts.revoke_drafts(receipts, "docs", needs, drafts.policy())
    assert made.acts_on == ("" if ends is None else receipts[ends].receipt_id)
    assert (made.kind, made.target, made.basis) == ("revoke", "", needs[0].basis if needs else "all")


def test_each_named_need_is_withdrawn_by_itself() -> None:
    made = drafts.revoke_drafts((), "docs", (*scoped("a:b"), *BOOLEAN), drafts.policy())
    assert [(one.basis, one.scope) for one in made] == [("scope", "a:b"), ("boolean", "")]


@pytest.mark.parametrize(
    ("terms", "floating", "change", "made"),
    [
        (drafts.Terms(), "", {"version": "minor"}, drafts.Terms(code="path", version="minor")),
        (drafts.Terms(), "npx", {"version": "minor"}, drafts.Terms(version="minor")),
        (drafts.Terms(code="path", version="any"), "", {"code": "exact"}, drafts.Terms(code="exact")),
        (drafts.Terms(code="path", version="any"), "", {"version": "exact"}, drafts.Terms(code="path")),
        (drafts.Terms(code="path", version="any"), "", {"uses": "once"}, drafts.Terms("once", "path", "any")),
    ],
)
def test_what_is_chosen_last_stands_and_can_be_agreed(
    terms: drafts.Terms, floating: str, change: dict[str, str], made: drafts.Terms
) -> None:
    whom = target(floating=floating)
    assert drafts.turned(terms, whom, **change) == made
    assert drafts.agreed(made, whom) == made


def test_setting_aside_is_about_this_command_and_one_need(books: Books) -> None:
    made = drafts.narrow_draft(binding(), scoped()[0], drafts.human())
    assert (made.kind, made.provider_id, made.target, made.scope) == ("narrow", "docs", "aa" * 32, SCOPE)
    (written,) = books.ledger.grant([made])
    assert (written.kind, written.provider_name, written.expires_at) == ("narrow", "", "none")


@pytest.mark.parametrize(
    ("whom", "need", "told"),
    [
        (None, None, ("", "", (), "all", "")),
        (None, scoped()[0], ("", "", (), "scope", SCOPE)),
        (target(), None, ("aa" * 32, "bb" * 32, ("/usr/bin/p", "x.py"), "all", "")),
        (target(), BOOLEAN[0], ("aa" * 32, "bb" * 32, ("/usr/bin/p", "x.py"), "boolean", "")),
    ],
)
def test_a_no_is_to_one_need_or_to_everything_as_one_target_or_however_it_is_started(
    whom: Target | None, need: Need | None, told: tuple[object, ...], books: Books
) -> None:
    made = drafts.no_draft("docs", whom, need, drafts.policy())
    assert (made.target, made.code, made.target_shown, made.basis, made.scope) == told
    assert (made.kind, made.provider_id, made.provider_name, made.provider_version) == ("deny", "docs", "", "")
    assert books.ledger.deny([made]).outcome == "confirmed", "a ledger takes it"


def test_a_record_that_is_no_decision_ends_no_grant(books: Books) -> None:
    receipts = written(books, draft(), draft("narrow"), draft("expire", acts_on="00" * 16))
    (made,) = drafts.revoke_drafts(receipts, "docs", scoped(), drafts.policy())
    assert made.acts_on == receipts[0].receipt_id
