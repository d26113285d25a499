"""The table of requirements against the SPEC itself, and findings made from it."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from cgp_tui.protocol.anchors import MESSAGE_ROWS
from cgp_tui.protocol.frame_anchors import FRAME_ROWS
from cgp_tui.protocol.requirements import REQUIREMENTS, Finding, finding
from tests.protocol.rows import spec_rows

OURS = {"ENV", "SHAPE"}
SECTIONS = {"3.2", "6.1", "6.3", "6.4", "6.5.4", "9"}
SEEN_WITHOUT_A_BREACH = {"U3": "advice"}
"""A bold MUST whose breach a wire seldom shows: a later minor may make the word one of the protocol's."""

BOUND_BY_ANOTHER_ROW = {"P4": "violation"}
"""P4 says what B3's MUST comes to for each representation, without a bold word of its own."""


def test_names_exactly_the_anchors_of_the_spec(shared: Path) -> None:
    in_spec = set(spec_rows(shared))
    assert len(in_spec) == 61
    assert set(REQUIREMENTS) - OURS - SECTIONS == in_spec
    assert set(REQUIREMENTS) >= OURS | SECTIONS


def test_levels_follow_the_bold_words(shared: Path) -> None:
    for anchor, text in spec_rows(shared).items():
        plain = "violation" if "MUST" in text else "advice"
        expected = (SEEN_WITHOUT_A_BREACH | BOUND_BY_ANOTHER_ROW).get(anchor, plain)
        assert REQUIREMENTS[anchor].level == expected, anchor


def test_no_sentence_is_borrowed_from_the_spec(shared: Path) -> None:
    (spec,) = (shared / "spec").glob("000_*.txt")
    words = " ".join(re.findall(r"[\w.]+", spec.read_text("utf-8").lower()))
    for row in REQUIREMENTS.values():
        for text in (row.meaning, row.fix):
            own = re.findall(r"[\w.]+", text.lower())
            for start in range(len(own) - 7):
                assert " ".join(own[start : start + 8]) not in words, row.anchor


def test_every_anchor_has_one_row() -> None:
    assert len(MESSAGE_ROWS) + len(FRAME_ROWS) == len(REQUIREMENTS)
    assert all(anchor == row.anchor for anchor, row in REQUIREMENTS.items())


def test_the_table_cannot_be_changed() -> None:
    with pytest.raises(TypeError):
        REQUIREMENTS["B3"] = REQUIREMENTS["B4"]  # type: ignore[index]


def test_a_finding_takes_what_it_is_not_given_from_its_row() -> None:
    row = REQUIREMENTS["B3"]
    assert finding("B3", line=4) == Finding(
        anchor="B3",
        level="violation",
        party="provider",
        line=4,
        exchange=None,
        frame_id=None,
        path="",
        message=row.meaning,
        expected="",
        found="",
        fix=row.fix,
        reference=row.reference,
    )


def test_a_finding_keeps_what_it_is_given() -> None:
    given = finding(
        "H4",
        line=9,
        exchange=3,
        frame_id="f",
        path="/id",
        message="Another id came back.",
        expected="q1",
        found="q2",
        level="advice",
        party="host",
        fix="Mend it.",
        reference="",
    )
    assert given == Finding("H4", "advice", "host", 9, 3, "f", "/id", "Another id came back.", "q1", "q2", "Mend it.", "")


def test_an_unknown_sender_is_not_the_bound_party() -> None:
    assert finding("B3", line=1, party=None).party is None
    assert finding("ENV", line=1).party is None


def test_an_anchor_without_a_row_is_a_mistake_of_ours() -> None:
    with pytest.raises(KeyError):
        finding("B5", line=1)
