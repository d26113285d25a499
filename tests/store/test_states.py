"""What a log's blocks, its head and its size say together; the files themselves are in `test_log`."""

from __future__ import annotations

from typing import get_args

import pytest

from cgp_tui.consent.receipt import parse
from cgp_tui.store import chain
from cgp_tui.store.states import MENDABLE, NotWhole, judge, where
from tests.store.ledgers import blocks, six


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


def test_where_it_stops_is_told() -> None:
    data, _, heads = blocks(six())
    read = chain.read(data[:-1], parse)
    assert read.fault is not None
    assert where(read.fault) == f"Record 6, byte {heads[5].size}: it has no end. There stands: '[[receipt]]'."
