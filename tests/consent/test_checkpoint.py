"""A signed checkpoint stands for all records before it, and for nothing else."""

from __future__ import annotations

import msgspec
import pytest

from cgp_tui.consent import checkpoint
from cgp_tui.consent.drafts import policy
from cgp_tui.consent.promise import PROMISE
from cgp_tui.store import head
from cgp_tui.store.head import Head
from tests.consent.people import Books, draft
from tests.store.ledgers import forged

SEED = bytes(range(32))


def test_it_is_over_the_hash_before_it(books: Books) -> None:
    books.ledger.grant([draft()])
    made = books.ledger.checkpoint(checkpoint.signer(SEED), policy())
    found = checkpoint.read(made)
    assert found is not None
    assert found.good
    assert (made.seq, made.provider_id, made.basis, made.grantor.kind) == (2, "*", "all", "policy")
    assert books.open().open().state == "ok"
    moved = checkpoint.read(msgspec.structs.replace(made, prev="00" * 32))
    assert moved is not None
    assert not moved.good, "the same note elsewhere"


def test_two_in_a_row_sign_different_chains(books: Books) -> None:
    books.ledger.grant([draft()])
    first, second = (books.ledger.checkpoint(checkpoint.signer(SEED), policy()) for _ in range(2))
    assert first.note != second.note
    assert all(one is not None and one.good for one in map(checkpoint.read, (first, second)))


@pytest.mark.parametrize("changes", [{"kind": "grant"}, {"note": "trust add ab"}])
def test_a_record_without_a_signature_in_its_note_is_no_checkpoint(changes: dict[str, str], books: Books) -> None:
    books.ledger.grant([draft()])
    made = books.ledger.checkpoint(checkpoint.signer(SEED), policy())
    assert checkpoint.read(msgspec.structs.replace(made, **changes)) is None


@pytest.mark.parametrize("at", [8, 20, 73, 100, 200])
def test_a_changed_signature_or_key_does_not_hold(at: int, books: Books) -> None:
    books.ledger.grant([draft()])
    made = books.ledger.checkpoint(checkpoint.signer(SEED), policy())
    other = "0" if made.note[at] != "0" else "1"
    found = checkpoint.read(msgspec.structs.replace(made, note=made.note[:at] + other + made.note[at + 1 :]))
    assert found is not None
    assert not found.good


def test_a_grant_that_a_program_with_our_rights_added_is_beyond_every_signature(books: Books) -> None:
    """Who can write ledger and head alike is not found out by them, and that is promised nowhere; a head that was kept
    elsewhere is another, and no signature covers what was added."""
    books.ledger.grant([draft("deny")])
    books.ledger.checkpoint(checkpoint.signer(SEED), policy())
    kept = books.ledger.open()
    assert kept.head is not None
    block, digest = forged(kept.head.seq + 1, kept.head.hash, lambda text: text, expires_at="never")
    books.path.write_bytes(books.path.read_bytes() + block)
    head.create(books.head, Head(kept.ledger_id, kept.head.seq + 1, books.path.stat().st_size, digest))
    opened = books.open().open()
    assert (opened.state, opened.receipts[-1].kind) == ("ok", "grant")
    assert opened.head is not None
    assert opened.head.hash != kept.head.hash
    signed = [one.receipt.seq for one in map(checkpoint.read, opened.receipts) if one is not None and one.good]
    assert signed == [kept.head.seq]
    assert "a program with your rights that rewrites both; a head you keep elsewhere" in " ".join(PROMISE)


@pytest.mark.parametrize("note", ["", "ed25519", f"ed25519 {'0' * 64} {'0' * 127}", f"ed25519 {'A' * 64} {'0' * 128}"])
def test_a_note_that_is_no_signature_is_a_checkpoint_that_does_not_hold(note: str, books: Books) -> None:
    books.ledger.grant([draft()])
    made = books.ledger.checkpoint(checkpoint.signer(SEED), policy())
    found = checkpoint.read(msgspec.structs.replace(made, note=note))
    assert found is not None
    assert (found.public_key, found.good) == ("", False)
