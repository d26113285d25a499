"""The reference's consent store: what of ours it can hold, and what of its contents may become a wish here."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from cgp_tui.consent.interchange import LeftOut, Offer, export, read, words
from cgp_tui.consent.listing import listing
from cgp_tui.errors import InputError
from cgp_tui.protocol.timestamp import utc_text
from tests.consent.people import SCOPE, START, Books, draft

END = utc_text(START + 60)
FOREVER: dict[str, Any] = {"basis": "boolean", "scope": "", "expires_at": "never"}


def exported(books: Books) -> tuple[dict[str, Any], tuple[LeftOut, ...]]:
    return export(listing(books.ledger, books.ledger.open()))


def test_a_scope_goes_out_with_its_end_or_without_one(books: Books) -> None:
    books.ledger.grant([draft(expires_at=END), draft(scope="a:b", expires_at="never")])
    store, left = exported(books)
    assert (store["records"], left) == ({}, ())
    assert [(one["scope"], one.get("expires_at", "none")) for one in store["receipts"]] == [(SCOPE, END), ("a:b", "none")]
    assert store["receipts"][0] == {
        "provider_id": "docs",
        "scope": SCOPE,
        "provider_name": "example",
        "provider_version": "1.0.0",
        "grantor": {"kind": draft().grantor.kind, "id": draft().grantor.id},
        "granted_at": utc_text(START),
        "expires_at": END,
    }


@pytest.mark.parametrize("declared", [(), ("a:b", SCOPE)])
def test_a_boolean_consent_goes_out_with_what_was_declared(declared: tuple[str, ...], books: Books) -> None:
    books.ledger.grant([draft(**FOREVER, declared=declared)])
    store, left = exported(books)
    assert (store["receipts"], left) == ([], ())
    flow = {"reads": True, "writes": False, "egress": True}
    assert store["records"]["docs"]["data_flow"] == (flow | {"egress_scopes": list(declared)} if declared else flow)
    assert store["records"]["docs"]["granted_at"] == utc_text(START)


def test_what_it_cannot_say_stays_here_and_is_named(books: Books) -> None:
    books.ledger.grant(
        [
            draft(uses="once"),
            draft(scope="a:b"),
            draft("revoke", scope="a:b"),
            draft(**{**FOREVER, "expires_at": END}),
        ]
    )
    store, left = exported(books)
    assert store == {"records": {}, "receipts": []}
    assert {(one.scope, one.why) for one in left} == {
        (SCOPE, "it is for one use"),
        ("a:b", "it is not in force: revoked"),
        ("", "a boolean consent has no end there, this one has"),
    }


def offered(*receipts: dict[str, Any], **records: dict[str, Any]) -> tuple[tuple[Offer, ...], tuple[LeftOut, ...]]:
    return read(msgspec.json.encode({"records": records, "receipts": receipts}), START)


def receipt(scope: str = SCOPE, provider_id: str = "docs", **more: Any) -> dict[str, Any]:
    return {"provider_id": provider_id, "scope": scope, **more}


def test_what_goes_out_comes_in_as_wishes(books: Books) -> None:
    books.ledger.grant([draft(expires_at="never"), draft(scope="a:b", expires_at="never"), draft(**FOREVER)])
    found, left = read(msgspec.json.encode(exported(books)[0]), START)
    assert (found, left) == ((Offer("docs", (SCOPE, "a:b"), False, "never"), Offer("docs", (), True, "never")), ())


def test_one_offer_for_each_provider_and_end(books: Books) -> None:
    found, left = offered(
        receipt(expires_at=END), receipt("a:b"), receipt("a:b"), receipt("c:d", expires_at=END), receipt(provider_id="else")
    )
    assert left == ()
    assert found == (
        Offer("docs", (SCOPE, "c:d"), False, END),
        Offer("docs", ("a:b",), False, "never"),
        Offer("else", (SCOPE,), False, "never"),
    )


@pytest.mark.parametrize(
    ("changes", "why"),
    [
        ({"expires_at": utc_text(START)}, "it has ended"),
        ({"expires_at": "soon"}, "not a valid time"),
        ({"scope": "vendor:"}, "scope is malformed"),
        ({"scope": "local-only"}, "leaves nothing"),
        ({"provider_id": "*"}, "is not valid here"),
        ({"provider_id": "a b"}, "is not valid here"),
    ],
)
def test_what_nobody_could_agree_to_is_left_out(changes: dict[str, Any], why: str) -> None:
    found, left = offered({**receipt(), **changes})
    assert found == ()
    assert [why in one.why for one in left] == [True]


def test_a_record_is_of_the_provider_that_its_key_names() -> None:
    found, left = offered(docs={"provider_id": "docs"}, other={"provider_id": "docs"}, **{"*": {"provider_id": "*"}})
    assert found == (Offer("docs", (), True, "never"),)
    assert [(one.provider_id, one.why) for one in left] == [
        ("other", "its key names another provider"),
        ("*", "its provider_id is not valid here"),
    ]


@pytest.mark.parametrize("data", [b"", b"[]", b"\xff", b'{"receipts":[{"scope":"a"}]}', b"[" * 100_000])
def test_what_is_no_store_is_refused(data: bytes) -> None:
    with pytest.raises(InputError) as caught:
        read(data, START)
    assert caught.value.code == "unreadable"


def test_an_offer_is_asked_for_in_the_words_of_grant() -> None:
    assert words(Offer("docs", ("a:b", "c d"), False, END)) == [
        "grant", "--id", "docs", "--scope", "a:b", "--scope", "c d", "--until", END
    ]  # fmt: skip
    assert words(Offer("docs", (), True, "never")) == ["grant", "--id", "docs", "--boolean", "--until", "never"]


def test_an_end_that_no_float_can_hold_is_offered_without_its_fraction() -> None:
    for end in ("9999-12-31T23:59:59.9999999999Z", "9999-12-31T23:59:60Z"):
        store = {"receipts": [{"provider_id": "docs", "scope": SCOPE, "expires_at": end}]}
        (offer,), left = read(msgspec.json.encode(store), START)
        assert (offer.until, left) == ("9999-12-31T23:59:59Z", ())
