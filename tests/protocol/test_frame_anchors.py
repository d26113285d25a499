"""The rows about frames: each a whole sentence, in the SPEC's order, binding whom the SPEC orders."""

from __future__ import annotations

from pathlib import Path

import pytest

from cgp_tui.protocol.anchors import MESSAGE_ROWS, SUITE_ONLY, Requirement
from cgp_tui.protocol.frame_anchors import FRAME_ROWS
from tests.protocol.rows import groups, must_be_whole, must_follow, spec_rows

SECTIONS = {"6.1", "6.3", "6.4", "6.5.4"}


@pytest.mark.parametrize("row", FRAME_ROWS, ids=lambda row: row.anchor)
def test_a_row_can_be_shown_on_one_line(row: Requirement) -> None:
    must_be_whole(row)


def test_the_rows_follow_the_spec(shared: Path) -> None:
    must_follow(FRAME_ROWS, spec_rows(shared))


def test_every_table_about_frames_is_here_whole(shared: Path) -> None:
    spec = spec_rows(shared)
    letters = groups(FRAME_ROWS)
    assert letters == ["F", "D", "P", "G"]
    of_these = {anchor for anchor in spec if anchor.rstrip("0123456789") in letters}
    assert {row.anchor for row in FRAME_ROWS} == of_these | SECTIONS


def test_what_only_the_suite_refuses_is_something_a_suite_can_see() -> None:
    """The reference's suite sees a provider's lines and nothing else."""
    rows = [row for row in (*MESSAGE_ROWS, *FRAME_ROWS) if row.reference == SUITE_ONLY]
    assert len(rows) > 10
    assert {(row.where, row.binds) for row in rows} == {("wire", "provider")}
