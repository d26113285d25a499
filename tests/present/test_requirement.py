"""A requirement for people: everything its row says, in plain words."""

from __future__ import annotations

from typing import get_args

import pytest

from cgp_tui.present.requirement import BINDS, WHERE, requirement_lines
from cgp_tui.protocol.requirements import REQUIREMENTS, Party, Requirement, Where


@pytest.mark.parametrize("row", REQUIREMENTS.values(), ids=REQUIREMENTS)
def test_a_row_is_told_whole(row: Requirement) -> None:
    lines = list(requirement_lines(row))
    assert lines[0] == f"{row.anchor}: {row.meaning}"
    rest = "\n".join(lines[1:])
    for text in (BINDS[row.binds], row.level, row.fix, WHERE[row.where], row.why, row.reference):
        assert text in rest
    assert ("reference" in rest) == bool(row.reference)
    assert all(line.isascii() and line.isprintable() for line in lines)


def test_every_word_of_the_table_has_its_own() -> None:
    assert set(WHERE) == set(get_args(Where))
    assert set(BINDS) == {*get_args(Party), None}
    assert len(set(WHERE.values())) == len(WHERE)
