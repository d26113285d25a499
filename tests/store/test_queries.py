"""Queries across sessions: bounded, private, shared by two sessions, and never in the way."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from cgp_tui.protocol.query import ContextQuery
from cgp_tui.store import queries
from cgp_tui.store.queries import Queries


def query(goal: str) -> ContextQuery:
    return ContextQuery(goal, 8, 2000, kinds=("doc",))


@pytest.fixture
def path(tmp_path: Path) -> Path:
    (tmp_path / "state").mkdir(mode=0o700)
    return tmp_path / "state" / "queries.json"


def test_history_and_presets_are_there_the_next_time(path: Path) -> None:
    first = Queries(path)
    for goal in ("a", "b", "a"):
        first.asked(query(goal))
    assert first.save("mine", query("c"))
    again = Queries(path)
    assert [one.goal for one in again.history] == ["b", "a"]
    assert again.presets == {"mine": query("c")}
    assert path.stat().st_mode & 0o777 == 0o600
    again.forget("mine")
    again.forget("mine")
    assert Queries(path).presets == {}


def test_two_sessions_lose_nothing_of_each_other(path: Path) -> None:
    one, other = Queries(path), Queries(path)
    one.asked(query("a"))
    other.asked(query("b"))
    one.save("x", query("c"))
    other.save("y", query("d"))
    assert [each.goal for each in Queries(path).history] == ["a", "b"]
    assert list(Queries(path).presets) == ["x", "y"]


def test_history_and_presets_are_bounded_and_the_oldest_question_goes_first(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(queries, "MOST", 3)
    monkeypatch.setattr(queries, "PRESETS", 2)
    kept = Queries(path)
    for number in range(5):
        assert kept.save(f"n{number}", query("x")) == (number < 2)
        kept.asked(query(str(number)))
    assert [one.goal for one in kept.history] == ["2", "3", "4"]
    assert len(json.loads(path.read_bytes())["history"]) == 3
    assert kept.save("n0", query("another")), "one that is there may be replaced"
    assert not kept.save("", query("x"))
    assert not kept.save("x" * 61, query("x"))
    large = query("x" * queries.QUERY_BYTES)
    kept.asked(large)
    kept.forget("n1")
    assert not kept.save("large", large)
    assert large not in kept.history
    assert not kept.save("half", query("\ud800"))


@pytest.mark.parametrize(
    "data", [b"{", b"[]", b'{"format":"cgp-queries/9"}', b'{"format":"cgp-queries/1","presets":{"":{}}}', b'{"history":[1]}']
)
def test_what_cannot_be_read_is_named_and_left_alone(path: Path, data: bytes) -> None:
    path.write_bytes(data)
    path.chmod(0o600)
    kept = Queries(path)
    assert str(path) in kept.problem
    kept.asked(query("a"))
    assert [one.goal for one in kept.history] == ["a"], "it is kept for this run"
    assert path.read_bytes() == data


def test_a_file_that_others_may_write_to_is_not_used(path: Path) -> None:
    path.write_text(json.dumps({"format": queries.FORMAT}))
    path.chmod(0o666)
    assert "cannot be read" in Queries(path).problem


@pytest.mark.skipif(os.geteuid() == 0, reason="root writes everywhere")
def test_a_folder_that_cannot_be_written_to_is_named(path: Path) -> None:
    path.parent.chmod(0o500)
    kept = Queries(path)
    kept.asked(query("a"))
    assert "cannot be kept" in kept.problem
    path.parent.chmod(0o700)


def test_without_a_file_they_are_kept_in_memory() -> None:
    kept = Queries()
    kept.asked(query("a"))
    assert kept.save("x", query("b"))
    assert (kept.history, kept.presets, kept.problem) == ((query("a"),), {"x": query("b")}, "")
