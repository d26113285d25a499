"""--only and --level: what is taken, and words that name nothing."""

from __future__ import annotations

import pytest

from cgp_tui.cli.choice import choice, requirement
from cgp_tui.errors import InputError
from cgp_tui.protocol.requirements import REQUIREMENTS, Level, finding


def test_without_words_everything_is_taken() -> None:
    chosen = choice((), "note")
    assert chosen.anchors == tuple(anchor for anchor, row in REQUIREMENTS.items() if row.where == "wire")
    assert all(chosen.takes(finding(anchor, line=1)) for anchor in REQUIREMENTS)


def test_anchors_are_taken_in_the_order_of_the_table() -> None:
    for words in (["F5,B3"], ["F5", "B3"], ["F5, B3,", "B3"], ["f5,b3"]):
        chosen = choice(words, "note")
        assert chosen.anchors == ("B3", "F5")
        assert [chosen.takes(finding(anchor, line=1)) for anchor in ("B3", "F5", "F1")] == [True, True, False]


LEVELS: list[Level] = ["note", "advice", "violation"]


def test_a_level_takes_itself_and_worse() -> None:
    for at, level in enumerate(LEVELS):
        chosen = choice(["B3"], level)
        assert [chosen.takes(finding("B3", line=1, level=one)) for one in LEVELS] == [place >= at for place in range(3)]


@pytest.mark.parametrize(
    ("word", "fix"),
    [
        ("b33", "Did you mean B3?"),
        ("F55", "Did you mean F5?"),
        ("shap", "Did you mean SHAPE?"),
        ("???", "They are: ENV, SHAPE"),
    ],
)
def test_a_word_that_names_nothing_is_told_with_what_was_meant(word: str, fix: str) -> None:
    with pytest.raises(InputError, match="There is no requirement") as told:
        choice([f"B3,{word}"], "note")
    assert told.value.code == "usage"
    assert told.value.fix.startswith(fix)
    with pytest.raises(InputError):
        requirement(word)


def test_nothing_named_is_told() -> None:
    with pytest.raises(InputError, match="names no requirement"):
        choice([","], "note")


@pytest.mark.parametrize("anchor", [anchor for anchor, row in REQUIREMENTS.items() if row.where != "wire"])
def test_what_no_transcript_shows_is_refused_with_the_way_to_why(anchor: str) -> None:
    with pytest.raises(InputError, match=f"No transcript shows whether {anchor} is met") as told:
        choice([f"B3,{anchor}"], "note")
    assert f"--explain {anchor}`" in told.value.fix
    assert requirement(anchor) is REQUIREMENTS[anchor]
