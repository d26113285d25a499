"""Every row of every table names something that no other row would, and accuses nothing that stands beside it."""

from __future__ import annotations

from importlib import import_module
from typing import Any

import msgspec
import pytest

from cgp_tui.checks.tables import TABLES, Tables
from cgp_tui.protocol.requirements import REQUIREMENTS
from cgp_tui.transcript.writer import Writer
from tests.checks.witnesses import Witness, evidence, frames, sessions, verifies
from tests.dialogue import Clock, live, play, script, tell

CORPUS: dict[str, tuple[Witness, ...]] = {
    "line": frames.LINE,
    "course": sessions.COURSE,
    "offers": sessions.OFFERS,
    "acks": sessions.ACKS,
    "refusals": sessions.REFUSALS,
    "requests": sessions.REQUESTS,
    "pairings": sessions.PAIRINGS,
    "frames": frames.FRAMES,
    "answers": frames.ANSWERS,
    "verifies": verifies.VERIFIES,
    "evidence": evidence.EVIDENCE,
    "signed": evidence.SIGNED_ROWS,
}

ROWS: list[tuple[str, int, Any]] = [
    (table, place, row) for table in Tables.__struct_fields__ for place, row in enumerate(getattr(TABLES, table))
]
CASES = pytest.mark.parametrize(
    ("table", "place"), [case[:2] for case in ROWS], ids=[f"{table}-{place}-{row.anchor}" for table, place, row in ROWS]
)
WITHOUT_A_ROW = {"ENV", "SHAPE"}
"""A line that is no message, and a member of which no row speaks: there is nothing else to call them."""
SPEAKS_TO = {"E1": "host", "P5": "host", "V2": "provider"}
"""To whom the fix speaks where a requirement has a part for either side."""


JUDGE = import_module("cgp_tui.checks.judge")
"""The module; the room has a function of that name."""


def heard(text: str) -> list[str]:
    return play(live(script(text), Writer(None, "dialogue"), Clock())).broken


def without(table: str, place: int) -> Tables:
    rows = getattr(TABLES, table)
    return msgspec.structs.replace(TABLES, **{table: (*rows[:place], *rows[place + 1 :])})


def test_every_row_has_a_witness() -> None:
    assert {table: len(witnesses) for table, witnesses in CORPUS.items()} == {
        table: len(getattr(TABLES, table)) for table in Tables.__struct_fields__
    }
    for table, place, row in ROWS:
        assert CORPUS[table][place].named.split()[0] == row.anchor, (table, place)


@CASES
def test_its_witness_is_named_and_is_not_where_the_row_is_missing(
    table: str, place: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    witness = CORPUS[table][place]
    assert witness.named in tell(witness.broken).broken
    monkeypatch.setattr(JUDGE, "TABLES", without(table, place))
    assert witness.named not in heard(witness.broken)


@CASES
def test_its_neighbour_is_not_accused(table: str, place: int) -> None:
    assert tell(CORPUS[table][place].legal).broken == []


def test_what_the_tables_name_is_what_the_requirements_call_checked_on_the_wire() -> None:
    named = {row.anchor for _, _, row in ROWS} | WITHOUT_A_ROW
    assert named == {anchor for anchor, row in REQUIREMENTS.items() if row.where == "wire"}


@CASES
def test_whoever_is_charged_is_told_what_they_can_do(table: str, place: int) -> None:
    """A fix speaks to one side; a finding about the other side's doing has a fix of its own."""
    witness = CORPUS[table][place]
    for found in tell(witness.broken).findings:
        row = REQUIREMENTS[found.anchor]
        told = SPEAKS_TO.get(found.anchor, row.binds)
        if found.party is not None and told is not None and found.party != told:
            assert found.fix != row.fix, found
