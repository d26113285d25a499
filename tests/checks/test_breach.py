"""What a finding repeats of a peer's value, and where it is charged."""

from __future__ import annotations

import msgspec
import pytest

from cgp_tui import limits
from cgp_tui.checks.breach import FOUND_CHARS, Breach, Charge, few, said
from cgp_tui.checks.frame import judge_frames
from cgp_tui.protocol.frame import ContextFrame, Relation
from cgp_tui.protocol.requirements import REQUIREMENTS, Finding, Level


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (None, "nothing"),
        ("", "an empty text"),
        ("  ", "2 blank characters"),
        ("abc", "abc"),
        (True, "true"),
        (False, "false"),
        (1.5, "1.5"),
        (float("nan"), "nan"),
        (2**40, str(2**40)),
        (2**64, "a number of 65 bits"),
        ("x" * 500, "x" * FOUND_CHARS + "…"),
    ],
)
def test_a_value_is_short_and_never_invisible(value: object, text: str) -> None:
    assert said(value) == text


def test_a_finding_takes_from_its_requirement_what_the_breach_leaves_open() -> None:
    row = REQUIREMENTS["P1"]
    found = Charge(4, 2, "provider").find("P1", "sentence", Breach("/x", "e", "f"), "/base", "id")
    assert (found.path, found.line, found.exchange, found.party, found.frame_id) == ("/base/x", 4, 2, "provider", "id")
    assert (found.level, found.message, found.fix, found.reference) == (row.level, "sentence", row.fix, row.reference)


def test_and_the_breach_wins_where_it_speaks() -> None:
    breach = Breach(message="mine", level="advice", reference="", fix="do")
    found = Charge(4, None, None).find("P1", "sentence", breach)
    assert (found.level, found.message, found.fix, found.reference, found.party) == ("advice", "mine", "do", "", None)


def test_a_number_too_long_to_write_out_is_described() -> None:
    assert said(10**5000) == "a number of 16610 bits"


def test_a_thousand_alike_are_told_and_the_others_counted() -> None:
    def found(anchor: str, at: int, level: Level | None = None) -> Finding:
        return Charge(7, 2, "provider").find(anchor, "wrong", Breach(f"/{at}", level=level), frame_id=f"f{at}")

    alike = limits.FINDINGS_ALIKE
    told = [found("F1", at) for at in range(alike + 5)] + [found("F2", at) for at in range(alike)]
    told += [found("F1", at, "advice") for at in range(alike + 1)]
    kept = few(iter(told))
    assert kept[:-2] == [*told[:alike], *told[alike + 5 :][: 2 * alike]]
    *_, more, milder = kept
    assert (more.anchor, more.level, more.line, more.exchange, more.party) == ("F1", "violation", 7, 2, "provider")
    assert (more.frame_id, more.path, more.found, milder.level, milder.found) == (None, "", "5 more", "advice", "1 more")
    assert few(told[:alike]) == told[:alike]


@pytest.mark.parametrize("frames", [300, limits.FINDINGS_ALIKE + 3])
def test_a_line_tells_no_more_of_one_requirement_however_its_frames_break_it(frames: int) -> None:
    """Few frames with many bad relations each, or many frames with one."""
    relations = (Relation("acme:near", "", "n"),) * (5 if frames < limits.FINDINGS_ALIKE else 1)
    base = ContextFrame("f", "doc", "t", 0.5, 1, "x", citation_label="c", relations=relations)
    made = tuple(msgspec.structs.replace(base, id=f"f{at}") for at in range(frames))
    told = judge_frames(made, lambda index: index, Charge(4, 2, "provider"))
    total = frames * len(relations)
    assert [found.anchor for found in told] == ["G2"] * (limits.FINDINGS_ALIKE + 1)
    assert told[-1].found == f"{total - limits.FINDINGS_ALIKE:,} more"
