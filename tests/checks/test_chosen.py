"""Rows that are not asked had nothing to say."""

from __future__ import annotations

from typing import NamedTuple

import pytest

from cgp_tui.checks import answer, query, reply
from cgp_tui.checks.answer import Answer
from cgp_tui.checks.chosen import Chosen
from cgp_tui.protocol.envelope import Frames, Query, Verify
from cgp_tui.session import Exchange
from tests.checks.test_tables import CORPUS
from tests.dialogue import tell


class Row(NamedTuple):
    name: str
    part: str | None = None


def test_rows_are_picked_by_the_parts_that_are_there_in_their_order() -> None:
    rows = (Row("b", "two"), Row("always"), Row("a", "one"), Row("c", "two"))
    chosen = Chosen(rows, ("one", "two"))
    assert [row.name for row in chosen[False, True]] == ["b", "always", "c"]
    assert [row.name for row in chosen[True, False]] == ["always", "a"]
    assert chosen[True, True] == rows
    assert chosen[True, True] is chosen[True, True]


@pytest.fixture(scope="module")
def exchanges() -> list[Exchange]:
    """Every state of every exchange of the witnesses."""
    witnesses = [witness for table in CORPUS.values() for witness in table]
    return [change for one in witnesses for text in (one.broken, one.legal) for change in tell(text).changes]


def test_no_row_about_a_request_finds_anything_without_its_part(exchanges: list[Exchange]) -> None:
    spoke = 0
    for exchange in exchanges:
        asked = None if exchange.request is None else exchange.request.decoded.envelope
        if isinstance(asked, (Query, Verify)):
            picked = query._STANDARD[query._look(asked)]
            for row in query.ROWS:
                found = list(row.test(asked, exchange.ack))
                assert row in picked or not found
                spoke += bool(found)
    assert spoke >= len(query.ROWS)


def test_no_row_about_a_pairing_does(exchanges: list[Exchange]) -> None:
    spoke = 0
    for exchange in exchanges:
        picked = reply._STANDARD[reply._look(exchange)]
        for row in reply.ROWS:
            charged = exchange.request if row.at == "request" else exchange.reply
            found = list(row.test(exchange)) if charged is not None else []
            assert row in picked or not found
            spoke += bool(found)
    assert spoke >= len(reply.ROWS)


def test_no_row_about_an_answer_does(exchanges: list[Exchange]) -> None:
    spoke = 0
    for exchange in exchanges:
        asked = None if exchange.request is None else exchange.request.decoded.envelope
        if exchange.reply is None or not isinstance(asked, Query):
            continue
        told = exchange.reply.decoded
        if isinstance(told.envelope, Frames):
            made = Answer(asked.query, told.envelope.result, told, exchange.ack, exchange.past)
            picked = answer._STANDARD[answer._look(made)]
            for row in answer.ROWS:
                found = list(row.test(made))
                assert row in picked or not found
                spoke += bool(found)
    assert spoke >= len(answer.ROWS)
