"""Heads that were kept elsewhere find a ledger that was put back together with its head."""

from __future__ import annotations

from cgp_tui.consent.archive import present, set_aside
from cgp_tui.consent.kept import Kept, held, marks_in
from cgp_tui.wire.note import LedgerMark
from tests.consent.people import Books, draft

ID, HASH = "ab" * 16, "cd" * 32


def test_heads_are_lines_of_their_own_and_the_rest_is_passed_over() -> None:
    text = f"ledger /x: #1 ok\n{ID} 0 {HASH}\r\n{ID} 12 {HASH}\n {ID} 3 {HASH}\n{ID} 03 {HASH}\n{ID} \u0663 {HASH}\n"
    assert marks_in(text) == (LedgerMark(ID, 0, HASH), LedgerMark(ID, 12, HASH))
    assert marks_in("") == ()


def test_an_older_ledger_put_back_with_its_head_is_found(books: Books) -> None:
    books.ledger.grant([draft()])
    first = books.open().open().head
    old = books.path.read_bytes(), books.head.read_bytes()
    books.ledger.grant([draft(scope="a:b")])
    second = books.open().open().head
    assert first is not None and second is not None
    marks = [first, second]

    def why() -> list[str]:
        return [one.why for one in held([present(books.open().open())], marks)]

    assert why() == ["", ""]
    books.path.write_bytes(old[0])
    books.head.write_bytes(old[1])
    assert books.open().open().state == "ok"
    assert why() == ["", "the ledger no longer has it"]
    books.open().grant([draft(scope="c:d")])
    assert why() == ["", "another record is there"]


def test_a_ledger_that_was_set_aside_still_holds_its_own_and_no_other_s(books: Books) -> None:
    books.ledger.grant([draft()])
    mark = books.open().open().head
    assert mark is not None
    books.head.unlink()
    books.ledger.recover()
    volumes = (*set_aside(books.open()), present(books.open().open()))
    strange = LedgerMark(ID, mark.seq, mark.hash)
    assert held(volumes, [mark]) == (Kept(mark),)
    assert "another ledger" in held(volumes, [strange])[0].why
