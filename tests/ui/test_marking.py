"""Marks: set and taken away, with a comment, hopped to, and there again in the next run."""

from __future__ import annotations

from pathlib import Path

import pytest

from cgp_tui.present.symbols import UNICODE
from cgp_tui.store.marks import Marks
from cgp_tui.ui.screens.marking import CommentScreen
from tests.ui.pilots import Replay, app_over, opened, screen_text, until, write_bare, write_recording


@pytest.fixture
def path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("CGP_TUI_STATE", str(tmp_path / "state"))
    return write_bare(tmp_path / "s.ndjson")


def row(seen: str, line: int) -> str:
    return next(text for text in seen.splitlines() if text.lstrip("> ").startswith(f"{line} "))


async def test_lines_are_marked_and_hopped_to(path: Path) -> None:
    async with opened(app_over(path)) as pilot:
        replay = Replay(pilot)
        assert "No line is marked." in await replay.press("apostrophe")
        seen = await replay.press("j", "m")
        assert "Line 2 is marked." in seen and "*" in row(seen, 2)
        await replay.press("j", "j", "j", "m", "g")
        await replay.press("apostrophe")
        assert replay.line == 2
        await replay.press("apostrophe")
        assert replay.line == 5
        await replay.press("apostrophe")
        assert replay.line == 2
        seen = await replay.press("m")
        assert "no longer marked" in seen and "*" not in row(seen, 2)


async def test_a_comment_is_written_kept_and_told(path: Path) -> None:
    async with opened(app_over(path)) as pilot:
        replay = Replay(pilot)
        await replay.press("j", "M")
        assert replay.shows(CommentScreen)
        await replay.press(*"why", "space", *"me", "enter")
        await replay.press("M", "escape")
        assert not replay.shows(CommentScreen)
        assert "line 2: why me" in await replay.press("g", "apostrophe")
    assert Marks.of(path).comment(2) == "why me"
    async with opened(app_over(path)) as pilot:
        replay = Replay(pilot)
        await replay.press("apostrophe", "M", "end", "x", "enter")
    assert Marks.of(path).comment(2) == "why mex"


async def test_only_wire_lines_are_marked(path: Path) -> None:
    async with opened(app_over(write_recording(path.with_name("r.ndjson")))) as pilot:
        replay = Replay(pilot)
        assert "Only wire lines are marked." in await replay.press("g", "m")


async def test_marks_that_cannot_be_kept_say_so(path: Path, tmp_path: Path) -> None:
    (tmp_path / "state").write_text("a file")
    async with opened(app_over(path), (200, 40)) as pilot:
        assert "marks cannot be" in await Replay(pilot).press("m")


async def test_marks_of_an_earlier_run_are_shown_without_being_asked_for(path: Path) -> None:
    Marks.of(path).toggle(3)
    async with opened(app_over(path)) as pilot:
        await until(pilot, lambda: UNICODE.mark in row(screen_text(pilot), 3))
        assert UNICODE.mark not in row(screen_text(pilot), 4)
        await pilot.press("j", "j", "m")
        await until(pilot, lambda: UNICODE.mark not in screen_text(pilot))
