"""The findings of a session as one list: groups, folds, places, and what is told about them."""

from __future__ import annotations

import random
from collections.abc import Sequence

import pytest

from cgp_tui.present.grouped import (
    ORDERS,
    At,
    Grouped,
    Order,
    Tally,
    about_rows,
    about_title,
    beyond_words,
    entry_spans,
    entry_text,
    evidence,
    nothing_words,
    tally_words,
)
from cgp_tui.present.layout import cell_width, fold
from cgp_tui.present.symbols import ASCII, Look
from cgp_tui.protocol.requirements import LEVELS, Finding, Level, finding
from cgp_tui.text import Shown, hidden_codes, own
from tests.present.samples import KEYS

LOUD = "x\x1b[2J\r\u202e[/]"
LOOK = Look(width=78, keys=KEYS)


def named(line: int) -> Shown:
    return own(f"<- frames q{line}")


def one(anchor: str, line: int, level: Level | None = None, **more: str) -> Finding:
    return finding(anchor, line=line, level=level, **more)  # type: ignore[arg-type]


FOUND: Sequence[Finding] = (
    one("U3", 4),
    one("B3", 8, expected="8", found="5", frame_id="frm_a"),
    one("B1", 8, expected="at most 60", found="91"),
    one("B3", 2, expected="1", found="2", frame_id="frm_b"),
    one("6.5.4", 8, "note"),
)


def grouped(order: Order, found: Sequence[Finding] = FOUND) -> Grouped:
    made = Grouped(order)
    made.take(found)
    return made


def drawn(made: Grouped, look: Look = LOOK) -> list[str]:
    rows = (entry_spans(made, made.at(place), named, look) for place in range(len(made)))
    return ["".join(span.text for span in spans) for spans in rows]


def test_rules_come_by_their_worst_and_then_in_the_order_of_the_spec() -> None:
    made = grouped("anchor")
    assert [made.at(place).key for place in range(len(made))] == ["B1", "B3", "U3", "6.5.4"]


def test_a_rule_that_became_worse_moves_up() -> None:
    made = grouped("anchor", [one("B3", 1), one("B1", 1, "note")])
    assert made.at(0).key == "B3"
    made.take([one("B1", 2)])
    assert [made.at(0).key, made.at(1).key] == ["B1", "B3"]


def test_lines_come_by_number_and_levels_by_weight() -> None:
    lines, levels = grouped("line"), grouped("level")
    assert [at.key for at in map(lines.at, range(len(lines))) if at.finding is None] == [2, 4, 8]
    assert [at.key for at in map(levels.at, range(len(levels))) if at.finding is None] == list(LEVELS)


def test_inside_a_group_findings_come_by_line() -> None:
    made = grouped("anchor")
    made.fold("B3", True)
    lines = [at.finding.line for at in map(made.at, range(len(made))) if at.finding is not None]
    assert lines == [2, 8]


def test_rules_are_folded_at_first_lines_and_levels_are_open() -> None:
    assert [len(grouped(order)) for order in ORDERS] == [4, 3 + 5, 3 + 5]


def test_a_group_is_folded_and_unfolded_once() -> None:
    made = grouped("anchor")
    assert made.fold("B3", True) and len(made) == 6
    assert not made.fold("B3", True)
    assert made.fold("B3", False) and len(made) == 4
    assert not made.fold("none", True)


def test_a_fold_is_kept_when_more_comes() -> None:
    made = grouped("line")
    made.fold(8, False)
    made.take([one("B1", 8)])
    assert not made.is_open(8)


def test_a_row_outside_is_no_row() -> None:
    with pytest.raises(IndexError):
        grouped("anchor").at(4)
    with pytest.raises(IndexError):
        Grouped("line").at(0)


@pytest.mark.parametrize("order", ORDERS)
def test_every_row_is_found_again_where_it_stands(order: Order) -> None:
    made = grouped(order)
    for key in [made.at(place).key for place in range(len(made))]:
        made.fold(key, True)
    for place in range(len(made)):
        assert made.place(made.at(place)) == place


def test_a_finding_in_a_folded_group_stands_at_its_heading_and_one_that_is_gone_nowhere() -> None:
    made = grouped("anchor")
    assert made.place(At("B3", FOUND[1])) == 1
    made.fold("B3", True)
    assert made.place(At("B3", one("B3", 8))) is None
    assert made.place(At("H1")) is None


def test_the_first_is_a_violation_where_there_is_one() -> None:
    assert grouped("anchor").first() == At("B1", FOUND[2])
    first = grouped("anchor", [one("6.5.4", 1, "note"), one("U3", 3)]).first()
    assert first is not None and first.finding is not None and first.finding.anchor == "U3"
    assert Grouped("anchor").first() is None


@pytest.mark.parametrize("order", ORDERS)
def test_a_line_leads_to_its_worst_finding(order: Order) -> None:
    at = grouped(order).of_line(8)
    assert at is not None and at.finding is not None and at.finding.level == "violation"
    assert grouped(order).of_line(3) is None
    noted = grouped(order, [one("6.5.4", 5, "note"), one("U3", 5)]).of_line(5)
    assert noted is not None and noted.finding is not None and noted.finding.anchor == "U3"


@pytest.mark.parametrize("order", ORDERS)
def test_taken_bit_by_bit_it_is_what_it_is_at_once(order: Order) -> None:
    dice = random.Random(7)
    found = [one(dice.choice(("B1", "B3", "U3", "H4")), dice.randint(1, 30)) for _ in range(200)]
    whole, parts = grouped(order, found), Grouped(order)
    for start in range(0, 200, 7):
        parts.take(found[start : start + 7])
    keys = {whole.at(place).key for place in range(len(whole))}
    for made in (whole, parts):
        for key in keys:
            made.fold(key, True)
    assert len(whole) == len(parts) == 200 + len(keys)
    assert [whole.at(place).key for place in range(len(whole))] == [parts.at(place).key for place in range(len(parts))]
    assert parts.count == 200


def test_a_rule_shows_its_meaning_and_its_findings_what_was_found() -> None:
    made = grouped("anchor")
    made.fold("B3", True)
    lines = drawn(made)
    assert lines[0].startswith("▸ ✗ B1  The token_cost values")
    assert lines[1].startswith("▾ ✗ B3  ") and lines[1].endswith(" ✗2")
    assert lines[2] == "         2 <- frames q2      frm_b: 2, expected 1"
    assert lines[-1].endswith(" ·1")


def test_a_line_shows_what_it_is_and_its_findings_their_rule() -> None:
    lines = drawn(grouped("line"))
    assert lines[0].startswith("▾ ✗ line 2  <- frames q2") and lines[0].endswith("✗1")
    assert lines[1].startswith("    ✗ B3  frm_b: ")
    assert lines[4].endswith("✗2 ·1")


def test_a_level_shows_line_and_rule() -> None:
    lines = drawn(grouped("level"), Look(ASCII, 78))
    assert lines[0].startswith("- X violation")
    assert lines[1].startswith("         2 <- frames q2      X B3  frm_b: ")


@pytest.mark.parametrize("order", ORDERS)
def test_every_row_has_its_rank_folded_away_or_not(order: Order) -> None:
    made = grouped(order)
    walked = list(made.all())
    for _, at in walked:
        made.fold(at.key, False)
    assert list(made.all()) == walked and len(walked) > len(made)
    assert [rank for rank, _ in walked] == sorted(rank for rank, _ in walked)
    assert [made.rank(at) for _, at in walked] == [rank for rank, _ in walked]
    assert sum(at.finding is not None for _, at in walked) == len(FOUND)


def test_what_is_searched_is_what_a_row_says_uncut() -> None:
    long = "frm_" + "a" * 40

    def said(order: Order) -> list[str]:
        made = grouped(order, [one("B3", 8, expected="8", found="5", frame_id=long)])
        return [entry_text(made, at, named) for _, at in made.all()]

    assert said("anchor")[0].startswith("B3  ") and said("anchor")[1] == f"8 <- frames q8 {long} 5, expected 8"
    assert said("line")[0] == "line 8  <- frames q8" and said("line")[1].startswith(f"B3 {long} ")
    assert said("level")[0] == "violation" and said("level")[1].startswith(f"8 <- frames q8 B3 {long} ")


@pytest.mark.parametrize("width", [40, 78, 118, 240])
@pytest.mark.parametrize("order", ORDERS)
def test_no_row_is_wider_than_the_look(order: Order, width: int) -> None:
    loud = [one("B3", 1, found=LOUD * 50, expected=LOUD, message=LOUD * 90, frame_id=LOUD * 9)]
    made = grouped(order, [*FOUND, *loud])
    for place in range(len(made)):
        made.fold(made.at(min(place, len(made) - 1)).key, True)
    for line in drawn(made, Look(width=width)):
        assert cell_width(line) <= width, line


def test_what_is_told_of_a_finding_without_evidence_is_its_sentence() -> None:
    assert evidence(one("B1", 1, message="So it is.")) == "So it is."
    assert evidence(one("B1", 1, expected="one")) == "expected one"
    assert evidence(one("B1", 1, found="two")) == "two"


def test_the_title_tells_how_much_is_known() -> None:
    assert tally_words(Tally((3, 1, 0), 4, 13, True), "anchor", LOOK) == "✗3 !1 of 13 lines, all checked, by rule (o)"
    assert tally_words(Tally((3, 1, 2), 6, 1, False, 40), "line", LOOK) == "✗3 !1 ·2 of 1 line, 40 % checked, by line (o)"


def test_what_is_counted_and_not_held_is_said() -> None:
    assert beyond_words(Tally((3, 1, 0), 4, 13, True)) is None
    assert beyond_words(Tally((90, 10, 5), 100, 13, True)) == (
        "100 findings are listed, 5 more are counted and shown on their own lines."
    )


def test_no_finding_is_no_certificate() -> None:
    assert nothing_words(Tally((0, 0, 0), 0, 4, False, 50)) == "No finding so far: 50 % of the lines are checked."
    assert "not a certificate" in nothing_words(Tally((0, 0, 0), 0, 4, True))


def about(made: Grouped, at: At | None) -> str:
    rows = about_rows(made, at, LOOK)
    return "\n".join("".join(span.text for span in line) for row in rows for line in fold(row, LOOK.width))


def test_below_stand_expected_found_and_fix() -> None:
    made = grouped("anchor")
    said = about(made, At("B1", FOUND[2]))
    assert "expected  at most 60" in said and "found     91" in said and "fix       Stop adding frames" in said
    assert about_title(made, At("B1", FOUND[2])) == "B1, line 8, the provider"


def test_below_a_heading_stands_its_rule_or_its_count() -> None:
    made, lines = grouped("anchor"), grouped("line")
    assert "binds     the provider" in about(made, At("B3"))
    assert about(lines, At(8)) == "3 findings  ✗2 ·1"
    assert [about_title(made, At("B3")), about_title(lines, At(8)), about_title(made, None)] == ["B3", "line 8", "Finding"]
    assert about(made, None) == ""


def test_hostile_words_stay_inert() -> None:
    loud = one("B3", 1, found=LOUD, expected=LOUD, message=LOUD, frame_id=LOUD, fix=LOUD, path=LOUD, reference=LOUD)
    made = grouped("level", [loud])
    said = [*drawn(made), about(made, At("violation", loud)), evidence(loud), about_title(made, At("violation", loud))]
    assert [text for text in said if hidden_codes(text.replace("\n", " "))] == []
