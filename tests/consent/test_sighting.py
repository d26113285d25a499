"""A sighting takes away and never gives: a grant is held against who was met last, unless that was before it."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from cgp_tui.consent.gate import Gate
from cgp_tui.consent.listing import find, listing
from cgp_tui.consent.sighting import against, binding_of, counts, sighting
from cgp_tui.consent.types import Denial
from tests.consent.people import START, Books, binding, draft, scoped, target

LATER = START + 60


def test_whom_a_sighting_names_is_whom_the_gate_is_asked_about() -> None:
    met = binding(provider_name="näme\n", target=target(code="cc" * 32))
    seen = sighting(met, LATER)
    back = binding_of(seen)
    assert (back.provider_id, back.provider_name, back.provider_version) == ("docs", "näme\n", "1.0.0")
    assert (back.target.digest, back.target.code, back.target.shown) == ("aa" * 32, "cc" * 32, ("/usr/bin/p", "x.py"))
    assert back.target.program == "", "nothing can be started from it"


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({}, ""),
        ({"provider_name": "other"}, "provider_name"),
        ({"provider_version": "1.0.1"}, "provider_version"),
        ({"target": target(code="cc" * 32)}, "code"),
        ({"target": target(digest="cc" * 32)}, "target"),
    ],
)
def test_the_list_says_what_the_gate_would_say_to_whoever_was_seen_last(
    changes: dict[str, object], field: str, books: Books
) -> None:
    (grant,) = books.ledger.grant([draft()])
    met = binding(**changes)
    seen = {"docs": sighting(met, LATER)}
    (listed,) = listing(books.ledger, books.ledger.open(), seen=seen)
    answer = Gate(books.ledger).peek(met, scoped())
    reason = answer.reasons[0] if isinstance(answer, Denial) else None
    said = ("identity_changed", reason.field, reason.old, reason.new) if reason else ("", "", "", "")
    assert (listed.reason, listed.field, listed.old, listed.new) == said
    assert (listed.field, listed.status) == (field, "not_in_force" if field else "in_force")
    assert listed.seen == seen["docs"]
    found = find(books.ledger, books.ledger.open(), "1", seen)
    assert found is not None and found.listed == listed
    assert against(grant, met) == reason


@pytest.mark.parametrize("policy", [{"code_policy": "path"}, {"code_policy": "path", "version_policy": "any"}])
def test_what_a_policy_covers_is_no_change(policy: dict[str, str], books: Books) -> None:
    books.ledger.grant([draft(**policy)])
    version = "9" if "version_policy" in policy else "1.0.0"
    met = binding(provider_version=version, target=target(code="cc" * 32))
    (listed,) = listing(books.ledger, books.ledger.open(), seen={"docs": sighting(met, LATER)})
    assert listed.status == "in_force"


def test_what_was_seen_before_the_grant_says_nothing_about_it(books: Books) -> None:
    (grant,) = books.ledger.grant([draft()])
    before = sighting(binding(provider_version="0.9"), START - 1)
    assert not counts(before, grant)
    assert not counts(None, grant)
    assert not counts(sighting(binding(provider_id="else"), LATER), grant)
    assert counts(sighting(binding(), START), grant), "the same second counts"
    (listed,) = listing(books.ledger, books.ledger.open(), seen={"docs": before})
    assert (listed.status, listed.seen) == ("in_force", None)


def test_nothing_that_ended_comes_back_for_who_was_seen(books: Books) -> None:
    books.ledger.grant([draft()])
    books.ledger.revoke([draft("revoke")])
    (listed,) = listing(books.ledger, books.ledger.open(), seen={"docs": sighting(binding(), LATER)})
    assert (listed.status, listed.seen) == ("revoked", None)


def test_a_command_is_taken_for_who_was_seen_of_it(books: Books, tmp_path: Path) -> None:
    books.ledger.grant([draft()])
    newer = sighting(binding(provider_version="2.0"), LATER)
    opened = books.ledger.open()
    (listed,) = listing(books.ledger, opened, target(), "docs", {"docs": newer})
    assert (listed.field, listed.seen) == ("provider_version", newer)
    elsewhere = msgspec.structs.replace(newer, target="cc" * 32)
    (listed,) = listing(books.ledger, opened, target(), "docs", {"docs": elsewhere})
    assert (listed.status, listed.seen) == ("in_force", None), "another command was seen, this one never"


def test_a_no_to_everything_is_listed_too(books: Books) -> None:
    books.ledger.deny([draft("deny", basis="all", scope="")])
    (listed,) = listing(books.ledger, books.ledger.open())
    assert (listed.status, listed.receipt.basis) == ("denied", "all")
