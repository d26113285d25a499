"""A signed checkpoint stands for all records before it, and for nothing else."""

from __future__ import annotations

import msgspec
import pytest

from cgp_tui.consent import checkpoint
from cgp_tui.consent.drafts import policy
from tests.consent.people import Books, draft

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
def test_what_is_none(changes: dict[str, str], books: Books) -> None:
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
