"""Filters under a name: bounded, shared by two sessions, read when they are asked for."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from cgp_tui import limits
from cgp_tui.store import filters
from cgp_tui.store.filters import Filters


@pytest.fixture
def path(tmp_path: Path) -> Path:
    (tmp_path / "state").mkdir(mode=0o700)
    return tmp_path / "state" / "filters.json"


def test_a_filter_is_there_the_next_time_until_it_is_forgotten(path: Path) -> None:
    first = Filters(path)
    assert first.texts == {}
    assert first.save("slow", "latency>1s") and first.save("bad", "finding:B3")
    again = Filters(path)
    assert list(again.texts.items()) == [("bad", "finding:B3"), ("slow", "latency>1s")]
    again.forget("slow")
    again.forget("slow")
    assert Filters(path).texts == {"bad": "finding:B3"}


def test_two_sessions_lose_nothing_of_each_other(path: Path) -> None:
    one, other = Filters(path), Filters(path)
    assert one.texts == other.texts == {}
    one.save("a", "x")
    other.save("b", "y")
    one.save("a", "z")
    assert Filters(path).texts == {"a": "z", "b": "y"}


@pytest.mark.parametrize("name", ["", "a b", "a&b", "@a", "ä", "x" * (filters.NAME_CHARS + 1)])
def test_a_name_is_one_word_of_the_language(path: Path, name: str) -> None:
    assert not Filters(path).save(name, "x") and not path.exists()


def test_filters_are_bounded_in_number_and_length(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(filters, "MOST", 2)
    kept = Filters(path)
    assert [kept.save(f"n{number}", "x") for number in range(3)] == [True, True, False]
    assert kept.save("n0", "y"), "one that is there may be replaced"
    assert not kept.save("n0", " ") and not kept.save("n0", "x" * (limits.FILTER_CHARS + 1))


@pytest.mark.parametrize(
    "file",
    [
        {"format": "cgp-filters/9"},
        {"format": filters.FORMAT, "filters": {"a b": "x"}},
        {"format": filters.FORMAT, "filters": {"a": ""}},
        {"format": filters.FORMAT, "filters": {f"n{number}": "x" for number in range(filters.MOST + 1)}},
    ],
)
def test_what_was_not_written_here_is_named_and_left_alone(path: Path, file: object) -> None:
    path.write_text(json.dumps(file))
    path.chmod(0o600)
    kept = Filters(path)
    assert kept.texts == {} and str(path) in kept.problem
    assert kept.save("a", "x") and kept.texts == {"a": "x"}, "it is kept for this run"
    assert json.loads(path.read_text()) == file
