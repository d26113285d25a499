"""What a log's blocks, its head and its size say together; the files themselves are in `test_log`."""

from __future__ import annotations

from typing import get_args

import msgspec
import pytest

from cgp_tui.consent.receipt import parse
from cgp_tui.store import chain
from cgp_tui.store.chain import BLOCK_BYTES
from cgp_tui.store.head import Head
from cgp_tui.store.states import MENDABLE, NotWhole, in_words, judge, where
from tests.store.ledgers import LEDGER_ID, blocks, forged, six


def test_what_a_writer_mends_is_a_state_of_its_own() -> None:
    assert set(get_args(NotWhole)) >= MENDABLE == {"torn", "adopt"}


@pytest.mark.parametrize(
    ("kept", "covered", "more", "state"),
    [(6, 6, 0, "ok"), (6, 5, 0, "adopt"), (6, 6, 1, "damaged"), (6, 5, 1, "damaged"), (5, 6, 0, "shortened")],
)
def test_blocks_that_hold_together(kept: int, covered: int, more: int, state: str) -> None:
    data, _, heads = blocks(six())
    read = chain.read(data[: heads[kept].size], parse)
    assert judge(read, heads[covered], True, heads[kept].size + more)[0] == state


def test_a_state_is_told_in_words_and_by_name() -> None:
    assert in_words("tampered") == "is tampered"
    assert in_words("store_unsafe") == "is not safe to use (store_unsafe)"
    for state in (*get_args(NotWhole), "lock_timeout", "clock_behind"):
        assert state in in_words(state) and in_words(state).replace(f" ({state})", "").count("_") == 0


def test_where_it_stops_is_told() -> None:
    data, _, heads = blocks(six())
    read = chain.read(data[:-1], parse)
    assert read.fault is not None
    assert where(read.fault) == f"Record 6, byte {heads[5].size}: it has no end. Found: '[[receipt]]'."


def test_without_a_head_it_is_new_or_its_head_is_missed() -> None:
    data, _, heads = blocks(six())
    for size, state in ((heads[0].size, "fresh"), (heads[0].size + 5, "head_missing"), (heads[1].size, "head_missing")):
        assert judge(chain.read(data[:size], parse), None, False, size)[0] == state


def test_a_head_that_is_spoilt_or_anothers_covers_nothing() -> None:
    data, _, heads = blocks(six())
    read = chain.read(data, parse)
    assert judge(read, None, True, len(data))[0] == "head_damaged"
    for other in ({"ledger_id": "f" * 32}, {"hash": "0" * 64}, {"size": heads[6].size - 1}):
        assert judge(read, msgspec.structs.replace(heads[6], **other), True, len(data))[0] == "forked"
    junk = b"# no ledger\n"
    assert judge(chain.read(junk, parse), heads[0], True, len(junk))[0] == "forked"


@pytest.mark.parametrize(
    ("old", "new", "state"), [("scope = ", "scopes = ", "newer_format"), ('"scope"', '"Scope"', "tampered")]
)
def test_a_chained_block_that_is_no_record_is_of_a_later_version_or_of_somebody_else(old: str, new: str, state: str) -> None:
    data, _, heads = blocks([])
    block, digest = forged(1, heads[0].hash, lambda text: text.replace(old, new, 1))
    whole = data + block
    covering = Head(LEDGER_ID, 1, len(whole), digest)
    assert judge(chain.read(whole, parse), covering, True, len(whole))[0] == state


def test_what_is_cut_before_its_head_is_damaged_and_what_is_changed_is_tampered_with() -> None:
    data, _, heads = blocks(six())
    read = chain.read(data[: heads[5].size + 5], parse)
    assert read.fault is not None
    assert not read.fault.whole
    for size, state in ((heads[6].size - 1, "damaged"), (heads[6].size, "tampered")):
        assert judge(read, heads[6], True, size)[0] == state, "as long as it was, it was not cut"
    changed = data.replace(b"org-tenant", b"org-tenanu", 1)
    assert judge(chain.read(changed, parse), heads[6], True, len(changed))[0] == "tampered"


def test_a_tail_is_torn_where_one_record_may_have_been_cut_and_damage_beyond() -> None:
    data, _, heads = blocks(six())
    read = chain.read(data + b"half a record", parse)
    for more, state in ((1, "torn"), (BLOCK_BYTES, "torn"), (BLOCK_BYTES + 1, "damaged")):
        found, detail = judge(read, heads[6], True, read.good + more)
        assert found == state
        assert f"{more} bytes follow" in detail


def test_two_records_after_one_are_a_fork_though_one_is_not_covered() -> None:
    data, _, heads = blocks(six())
    rival, _ = forged(6, heads[5].hash, lambda text: text.replace(f"{6:032x}", "ab" * 16))
    assert judge(chain.read(data + rival, parse), heads[6], True, len(data + rival))[0] == "forked"


def test_how_many_records_are_not_covered_is_told() -> None:
    data, _, heads = blocks(six())
    assert judge(chain.read(data, parse), heads[4], True, len(data)) == (
        "adopt",
        "Its head remembers record 4, the file holds 6: 2 not acknowledged yet.",
    )
