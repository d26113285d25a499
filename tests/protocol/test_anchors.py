"""The rows about messages: each a whole sentence, in the SPEC's order, binding whom the SPEC orders."""

from __future__ import annotations

from pathlib import Path

import pytest

from cgp_tui.protocol.anchors import MESSAGE_ROWS, Requirement
from tests.protocol.rows import groups, must_be_whole, must_follow, spec_rows, subject

OURS = {"ENV", "SHAPE"}
SECTIONS = {"3.2", "9"}


@pytest.mark.parametrize("row", MESSAGE_ROWS, ids=lambda row: row.anchor)
def test_a_row_can_be_shown_on_one_line(row: Requirement) -> None:
    must_be_whole(row)


def test_the_rows_follow_the_spec(shared: Path) -> None:
    must_follow(MESSAGE_ROWS, spec_rows(shared))


def test_every_table_about_messages_is_here_whole(shared: Path) -> None:
    spec = spec_rows(shared)
    letters = groups(row for row in MESSAGE_ROWS if row.anchor not in OURS)
    assert letters == ["H", "C", "Q", "E", "B", "UR", "V", "X", "R", "U", "A"]
    of_these = {anchor for anchor in spec if anchor.rstrip("0123456789") in letters}
    assert {row.anchor for row in MESSAGE_ROWS} == of_these | OURS | SECTIONS


def test_whom_a_sentence_orders() -> None:
    assert subject("A host MUST ask first.") == "host"
    assert subject("When there are none, a provider MUST answer.") == "provider"
    assert subject("A host's HTTP transport MUST use TLS.") == "host"
    assert subject("A provider declaring capabilities.verify MUST answer.") == "provider"
    assert subject("title MUST be non-empty.") is None


def test_a_row_says_no_more_than_it_must_and_stays_as_it_is() -> None:
    row = Requirement("Z1", "host", "advice", "M.", "F.", "host")
    assert (row.reference, row.why) == ("", "")
    with pytest.raises(AttributeError):
        row.level = "violation"  # type: ignore[misc]
