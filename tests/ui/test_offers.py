"""What could be meant by what is typed to jump, and how each of it is written."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from cgp_tui.text import own
from cgp_tui.ui.jump import FORMS, LONGEST, Landing
from cgp_tui.ui.offers import LOOKED_BYTES, MET, Offer, met, offers
from cgp_tui.ui.source import Source
from tests.present.samples import frame, frames, query
from tests.ui.pilots import DIALOGUE, write_bare, write_recording
from tests.ui.test_jump import source_over, two_providers


@pytest.fixture
def recorded(tmp_path: Path) -> Iterator[Source]:
    source = source_over(write_recording(tmp_path / "s.ndjson"))
    yield source
    source.transcript.close()


def texts(source: Source, text: str, *ids: str) -> list[str]:
    return [one.text for one in offers(source, text, tuple((name, Landing(5, at)) for at, name in enumerate(ids)))]


def test_what_is_known_comes_in_order(recorded: Source) -> None:
    forms = [form.example for form in FORMS]
    assert texts(recorded, "", "frm_a") == [*forms, "B1", "B3", "D1", "V1", "frm_a", "@1"]
    assert texts(recorded, "b") == ["b", "B1", "B3"]
    assert texts(recorded, "B3") == ["B3"]
    assert texts(recorded, "frm", "frm_a", "frm_a", "x") == ["frm", "frm_a"]
    assert offers(recorded, "frm", (("frm_a", Landing(5, 0)), ("frm_a", Landing(5, 1))))[1].landing == Landing(5, 0)


def test_providers_are_offered_by_number_under_their_names(tmp_path: Path) -> None:
    source = source_over(two_providers(tmp_path / "s.ndjson"))
    assert texts(source, "SEARCH") == ["SEARCH", "@2"]
    assert texts(source, "@")[-2:] == ["@1", "@2"] and texts(source, "@gra") == ["@gra", "@1", "@2"]
    assert texts(source, "@2") == ["@2"] and texts(source, "3") == ["3"]
    assert [one.sentence for one in offers(source, "acme")][1] == "acme-search, says graph␛[2J 0.2.0"
    source.transcript.close()


def test_marked_lines_are_found_by_number_and_by_what_was_said_of_them(recorded: Source) -> None:
    marks = recorded.marks_at_hand()
    marks.write(6, "over the budget\x1b[2J")
    marks.toggle(10)
    assert ("6", "over the budget␛[2J", None) in offers(recorded, "BUDGET")
    assert ("10", "A line you marked.", None) in offers(recorded, "1")
    assert ("6", "over the budget␛[2J", None) in offers(recorded, "")
    assert "6" not in texts(recorded, "nothing like it")


@pytest.mark.parametrize(
    ("name", "typed"),
    [
        ("frm_a", "frm_a"),
        ("two words", "two words"),
        ("214", '"214"'),
        ("B3", '"B3"'),
        ("@docs", '"@docs"'),
        ('a"b', 'a"b'),
        ('"', None),
        ("a\x07", None),
        ("a\u202eb", None),
        ("", None),
        ("a" * (LONGEST + 1), None),
    ],
)
def test_a_name_is_written_so_that_it_means_itself(name: str, typed: str | None) -> None:
    assert Offer(name, own(""), Landing(1)).typed == typed


def test_what_is_no_name_is_written_as_it_is() -> None:
    assert (Offer("B3", own("")).typed, Offer("B3", own("")).target) == ("B3", "B3")
    assert Offer("frm_a", own(""), Landing(1, 2)).target == Landing(1, 2)


def test_ids_are_met_from_the_cursor_on_and_round_each_once(recorded: Source) -> None:
    def found(text: str, cursor: int) -> list[tuple[str, int | None]]:
        met_here = [one for one in met(recorded, text, cursor) if one is not None]
        places = [one.landing for one in met_here if one.landing is not None]
        return [(one.text, recorded.transcript.row(place.at).n) for one, place in zip(met_here, places, strict=True)]

    assert found("Q", 0) == [("q1", 3), ("q2", 5), ("q3", 9)]
    assert found("q", recorded.count - 3) == [("q3", 10), ("q1", 3), ("q2", 5)]
    assert ("frm_gaveup", 6) in found("GAVE", 0) and found('"gave', 0) == found("gave", 0)
    assert found("", 0) == found(":", 0) == found("nobody", 0) == []
    assert len(list(met(recorded, "nobody", 0))) == recorded.count, "keys are looked at after each record"


def test_so_many_are_met_and_no_answer_beyond_a_size_is_opened(tmp_path: Path) -> None:
    many = [frames(1, *(frame(f"frm_{at}") for at in range(MET * 2)))]
    source = source_over(write_bare(tmp_path / "s.ndjson", [*DIALOGUE[:2], query(1, "a"), *many]))
    assert sum(one is not None for one in met(source, "frm", 0)) == MET
    source.transcript.close()
    large = [frames(1, frame("frm_a", "x" * LOOKED_BYTES))]
    source = source_over(write_bare(tmp_path / "t.ndjson", [*DIALOGUE[:2], query(1, "a"), *large]))
    assert not any(met(source, "frm", 0))
    source.transcript.close()
