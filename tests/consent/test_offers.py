"""An offer is a wish: kept until somebody is asked, gone once they have answered."""

from __future__ import annotations

from pathlib import Path

import pytest

from cgp_tui.consent.interchange import Offer
from cgp_tui.consent.offers import Offered, Offers, carried_over, open_offer
from cgp_tui.consent.receipt import Draft
from cgp_tui.consent.types import Need
from cgp_tui.protocol.timestamp import utc_text
from tests.consent.people import SCOPE, START, Books, draft

END = "2031-01-01T00:00:00Z"
ONE = Offer("docs", (SCOPE,), False, END)
NEED = Need("docs", "scope", SCOPE)
BOOLEAN = Need("docs", "boolean")


def offered(*offers: Offer, at: float = START) -> Offered:
    return Offered("docs", offers or (ONE,), "store.json", utc_text(at))


def test_offers_of_one_provider_are_kept_together_in_place_of_those_before(tmp_path: Path) -> None:
    kept = Offers(tmp_path / "offers")
    more = Offer("docs", (), True, "never")
    assert kept.keep([ONE, Offer("else", ("a:b",), False, END), more], "store.json", START) == ("docs", "else")
    assert kept.read().by_id["docs"] == offered(ONE, more)
    kept.keep([more], "other.json", START)
    assert kept.read().by_id["docs"].offers == (more,)
    assert kept.read().by_id["else"].source == "store.json"


@pytest.mark.parametrize(
    ("old", "new", "why"),
    [
        (b'"until":"2031-01-01T00:00:00Z"', b'"until":"soon"', "no time"),
        (b'[{"provider_id":"docs"', b'[{"provider_id":"else"', "another provider"),
    ],
)
def test_what_was_changed_by_hand_is_named_and_left_out(tmp_path: Path, old: bytes, new: bytes, why: str) -> None:
    kept = Offers(tmp_path)
    kept.keep([ONE], "store.json", START)
    path = tmp_path / "docs.json"
    assert old in path.read_bytes()
    path.write_bytes(path.read_bytes().replace(old, new))
    found = kept.read()
    assert found.by_id == {}
    assert why in found.unread[0][1]


def test_the_need_has_to_be_the_one_offered() -> None:
    assert open_offer(offered(), NEED, (), START) == ONE
    assert open_offer(offered(), BOOLEAN, (), START) is None
    assert open_offer(offered(Offer("docs", (), True, "never")), BOOLEAN, (), START) is not None
    assert open_offer(offered(), Need("docs", "scope", "a:b"), (), START) is None
    assert open_offer(None, NEED, (), START) is None
    ended = Offer("docs", (SCOPE,), False, utc_text(START))
    assert open_offer(offered(ended), NEED, (), START) is None


@pytest.mark.parametrize(
    ("decided", "stands"),
    [
        (draft(), False),
        (draft("deny"), False),
        (draft("revoke", basis="all", scope=""), False),
        (draft(scope="a:b"), True),
        (draft(provider_id="else"), True),
    ],
)
def test_a_decision_since_then_ends_it(books: Books, decided: Draft, stands: bool) -> None:
    (receipt,) = books.ledger.grant([decided]) if decided.kind == "grant" else books.ledger.revoke([decided]).receipts
    assert (open_offer(offered(at=START), NEED, [receipt], START) is not None) == stands
    assert open_offer(offered(at=START + 1), NEED, [receipt], START) is not None, "it came after the decision"


def test_what_stood_in_a_ledger_set_aside_is_offered_again(books: Books) -> None:
    once, gone = draft(scope="c:d", uses="once"), draft(scope="e:f")
    books.ledger.grant([draft(), draft(scope="a:b", expires_at="never"), once, gone])
    books.ledger.revoke([draft("revoke", scope="e:f"), draft("revoke", scope="a:b")])
    books.ledger.grant([draft(scope="a:b", expires_at="never")])
    books.head.unlink()
    assert [(one.provider_id, one.scopes, one.until) for one in carried_over(books.ledger, books.ledger.open())] == [
        ("docs", (SCOPE,), draft().expires_at),
        ("docs", ("a:b",), "never"),
    ]


def test_its_mark_moves_with_what_is_offered(tmp_path: Path) -> None:
    kept = Offers(tmp_path)
    before = kept.mark
    assert kept.mark == before
    kept.keep([ONE], "store.json", START)
    assert kept.mark != before
