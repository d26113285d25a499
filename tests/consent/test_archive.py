"""Ledgers that were set aside: only those that the ones after them vouch for are evidence."""

from __future__ import annotations

import os
from pathlib import Path

from cgp_tui.consent.archive import Volume, present, set_aside
from cgp_tui.wire.note import LedgerMark
from tests.consent.people import Books, draft


def replaced(books: Books) -> str:
    """One more ledger is set aside; its id."""
    books.ledger.grant([draft(), draft(scope="a:b")])
    ledger_id = books.ledger.open().ledger_id
    books.head.unlink()
    books.ledger.recover()
    return ledger_id


def archived(books: Books) -> list[Path]:
    return sorted(path for path in (books.path.parent / "archive").iterdir() if path.suffix != ".head")


def test_each_vouches_for_the_one_before_it(books: Books) -> None:
    assert set_aside(books.ledger) == ()
    first, second = replaced(books), replaced(books)
    volumes = set_aside(books.open())
    assert [(one.ledger_id, len(one.receipts), one.aside) for one in volumes] == [(second, 2, True), (first, 2, True)]
    assert present(books.open().open()).aside is False


def test_what_nobody_vouches_for_is_no_evidence(books: Books) -> None:
    first, _ = replaced(books), replaced(books)
    for path in archived(books):
        if first.encode() in path.read_bytes():
            path.write_bytes(path.read_bytes().replace(b"example", b"exemple"))
    assert [one.ledger_id == first for one in set_aside(books.open())] == [False]
    for path in archived(books):
        path.chmod(0o666)
    assert set_aside(books.open()) == (), "others could have written it"
    for path in archived(books):
        path.unlink()
        path.mkdir()
    assert set_aside(books.open()) == ()


def test_what_followed_the_last_good_record_is_no_part_of_it(books: Books) -> None:
    books.ledger.grant([draft(), draft(scope="a:b"), draft(scope="c:d")])
    books.path.write_bytes(books.path.read_bytes().replace(b"a:b", b"a:c"))
    books.ledger.recover()
    (volume,) = set_aside(books.open())
    assert [one.seq for one in volume.receipts] == [1]


def test_a_head_that_was_remembered_is_one_of_the_chain_or_it_is_not(books: Books) -> None:
    receipts = books.ledger.grant([draft(), draft(scope="a:b")])
    opened = books.open().open()
    volume = present(opened)
    assert opened.head is not None
    for seq, digest in ((0, receipts[0].prev), (1, receipts[1].prev), (2, opened.head.hash)):
        assert volume.agrees(LedgerMark(opened.ledger_id, seq, digest))
        assert not volume.agrees(LedgerMark(opened.ledger_id, seq, "00" * 32))
        assert not volume.agrees(LedgerMark(opened.ledger_id, seq + 1, digest))
    unknown = Volume(opened.ledger_id, opened.receipts, "")
    assert not unknown.agrees(LedgerMark(opened.ledger_id, 2, ""))
    books.head.unlink()
    stopped = books.open().open()
    assert (stopped.state, present(stopped)) == ("head_missing", volume), "an emergency stop changes no record"
    books.path.unlink()
    assert present(books.open().open()).last == ""


def test_a_ledger_that_grew_by_a_hole_is_set_aside_and_read_as_far_as_it_holds(books: Books) -> None:
    books.ledger.grant([draft(), draft(scope="a:b")])
    os.truncate(books.path, 1 << 40)
    assert books.open().open().state == "damaged"
    books.ledger.recover()
    (volume,) = set_aside(books.open())
    assert [one.scope for one in volume.receipts] == ["third-party-index", "a:b"]
