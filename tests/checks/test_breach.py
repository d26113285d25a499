"""What a finding repeats of a peer's value, and where it is charged."""

from __future__ import annotations

import pytest

from cgp_tui.checks.breach import FOUND_CHARS, Breach, Charge, said
from cgp_tui.protocol.requirements import REQUIREMENTS


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
