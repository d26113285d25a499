"""Every grant with what has become of it."""

from __future__ import annotations

import secrets

import pytest

from cgp_tui.consent.gate import Gate
from cgp_tui.consent.listing import find, listing
from cgp_tui.consent.receipt import Draft
from cgp_tui.consent.types import Denial
from tests.consent.people import START, Books, binding, draft, scoped, target


def standings(books: Books, **asked: object) -> list[tuple[str, str]]:
    return [(entry.status, entry.reason) for entry in listing(books.ledger, books.ledger.open(), **asked)]  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("drafts", "wanted"),
    [
        ([draft()], ("in_force", "")),
        ([draft(), draft("revoke")], ("revoked", "revoked")),
        ([draft(), draft("revoke", provider_id="*", basis="all", scope="")], ("revoked", "revoked")),
        ([draft(), draft("deny")], ("denied", "denied")),
        ([draft(), draft("revoke"), draft()], ("in_force", "")),
        ([draft(uses="once")], ("in_force", "")),
    ],
)
def test_the_last_decision_is_shown(drafts: list[Draft], wanted: tuple[str, str], books: Books) -> None:
    receipts = books.ledger.grant(drafts)
    found = listing(books.ledger, books.ledger.open())
    assert (found[0].status, found[0].reason) == wanted
    if len(drafts) == 2:
        assert found[0].by == receipts[1]


def test_a_grant_that_ended_is_expired_by_the_clock_and_by_the_record(books: Books) -> None:
    (grant,) = books.ledger.grant([draft()])
    books.clock.now = START + 86_400
    assert standings(books) == [("expired", "expired")]
    books.ledger.grant([draft("expire", acts_on=grant.receipt_id)])
    books.clock.now = START + 86_300
    assert standings(books) == [("expired", "expired")]


def test_what_ended_a_grant_is_named_and_is_never_the_grant(books: Books) -> None:
    used, over = books.ledger.grant([draft(uses="once"), draft(scope="a:b")])
    (spend,) = books.ledger.spend([draft("spend", acts_on=used.receipt_id)])
    (expire,) = books.ledger.grant([draft("expire", scope="a:b", acts_on=over.receipt_id)])
    opened = books.ledger.open()
    assert [(one.status, one.by) for one in listing(books.ledger, opened)] == [("spent", spend), ("expired", expire)]
    for name, by in (("1", spend), ("2", expire)):
        found = find(books.ledger, opened, name)
        assert found is not None
        assert found.by == (by,)


def test_a_denial_before_any_grant_is_listed(books: Books) -> None:
    books.ledger.deny([draft("deny")])
    assert standings(books) == [("denied", "")]


def test_one_row_for_each_provider_target_and_need(books: Books) -> None:
    books.ledger.grant([draft(), draft(scope="a:b"), draft(target="cc" * 32), draft(provider_id="other"), draft()])
    found = listing(books.ledger, books.ledger.open())
    assert [entry.receipt.seq for entry in found] == [2, 3, 4, 5]
    assert {entry.status for entry in found} == {"in_force"}


def test_a_ledger_that_does_not_answer_has_nothing_in_force(books: Books) -> None:
    books.ledger.grant([draft()])
    books.clock.now = START - 301
    assert standings(books) == [("not_in_force", "clock_behind")]
    books.clock.now = START
    books.head.unlink()
    assert standings(books) == [("not_in_force", "head_missing")]


def test_without_a_head_a_yes_after_a_no_is_still_the_last_word(books: Books) -> None:
    books.ledger.grant([draft()])
    books.ledger.revoke([draft("revoke")])
    books.ledger.grant([draft()])
    books.head.unlink()
    assert standings(books) == [("not_in_force", "head_missing")]


def test_what_is_not_acknowledged_is_not_in_force(books: Books) -> None:
    books.ledger.grant([draft(scope="a:b")])
    before = books.head.read_bytes()
    books.ledger.grant([draft()])
    books.head.write_bytes(before)
    assert standings(books) == [("not_in_force", "adopt"), ("not_in_force", "adopt")]


def test_held_against_a_command_as_it_is_now(books: Books) -> None:
    books.ledger.grant(
        [draft(), draft(scope="a:b", code_policy="path"), draft(provider_id="other"), draft(target="cc" * 32)]
    )
    books.ledger.grant([draft(provider_id="foreign", target="ee" * 32)])
    now = target(code="dd" * 32)
    found = listing(books.ledger, books.ledger.open(), now, "docs")
    assert [(entry.receipt.seq, entry.status, entry.field) for entry in found] == [
        (1, "not_in_force", "code"),
        (2, "in_force", ""),
        (3, "not_in_force", "code"),
        (4, "not_in_force", "target"),
    ]
    assert (found[0].old, found[0].new, found[0].reason) == ("bb" * 32, "dd" * 32, "identity_changed")
    assert [entry.receipt.seq for entry in listing(books.ledger, books.ledger.open(), None, "foreign")] == [5]


def test_a_record_is_found_by_its_number_and_by_its_id(books: Books) -> None:
    second = books.ledger.grant([draft(), draft()])[1]
    opened = books.ledger.open()

    def found(name: str) -> int | None:
        one = find(books.ledger, opened, name)
        return None if one is None else one.receipt.seq

    assert [found(name) for name in ("1", "#2", "3", "#", "\u0661", "")] == [1, 2, None, None, None, None]
    assert found(second.receipt_id) == found(second.receipt_id[:8]) == found(second.receipt_id[:8].upper()) == 2
    assert found(second.receipt_id[:7]) is None, "that is too little to name one"


def test_a_beginning_that_fits_several_names_none(books: Books, monkeypatch: pytest.MonkeyPatch) -> None:
    books.ledger.recover()
    names = iter(["0123456789abcdef" * 2, "01234567" + "f" * 24])
    monkeypatch.setattr(secrets, "token_hex", lambda _: next(names))
    books.ledger.grant([draft(), draft(scope="a:b")])
    opened = books.ledger.open()
    assert find(books.ledger, opened, "01234567") is None
    one = find(books.ledger, opened, "012345678")
    assert one is not None
    assert one.receipt.seq == 1


def test_what_became_of_a_record_is_told_beside_it(books: Books) -> None:
    grant, again = books.ledger.grant([draft(), draft()])
    standing = find(books.ledger, books.ledger.open(), "2")
    assert standing is not None and (standing.standing, standing.by) == ("in_force", ())
    (used,) = books.ledger.spend([draft("spend", acts_on=grant.receipt_id)])
    withdrawn = books.ledger.revoke([draft("revoke", acts_on=again.receipt_id)]).receipts[0]
    everything = books.ledger.revoke([draft("revoke", provider_id="*", basis="all", scope="")]).receipts[0]
    opened = books.ledger.open()
    told = []
    for name in ("1", "2", "3"):
        one = find(books.ledger, opened, name)
        assert one is not None
        told.append((one.standing, one.by))
    assert told == [("replaced", (used,)), ("revoked", (withdrawn, everything)), ("", ())]


def test_locks_that_the_gate_may_not_take_shut_the_list_as_they_shut_the_gate(books: Books) -> None:
    books.ledger.grant([draft()])
    lock = books.ledger.send_lock
    lock.unlink(missing_ok=True)
    lock.symlink_to(lock.with_name("elsewhere"))
    answer = Gate(books.ledger).peek(binding(), scoped())
    assert isinstance(answer, Denial) and [one.reason for one in answer.reasons] == ["store_unsafe"]
    assert standings(books) == [("not_in_force", "store_unsafe")]
