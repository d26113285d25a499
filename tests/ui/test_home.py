"""Home: every key, at 80 x 24, and what the person gets from it."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from textual.pilot import Pilot

from cgp_tui.present.home import Choice, Home, choices
from cgp_tui.present.symbols import UNICODE
from cgp_tui.transcript.recent import Folder
from cgp_tui.ui.entrance import Entrance
from cgp_tui.ui.home import menu
from cgp_tui.ui.keys import bindings
from cgp_tui.ui.screens.copying import CopyScreen
from cgp_tui.ui.screens.entries import EntriesScreen, EntriesView
from tests.present.test_home import home
from tests.ui.pilots import screen_text, until


@asynccontextmanager
async def at_home(made: Home, size: tuple[int, int] = (80, 24)) -> AsyncIterator[tuple[Pilot[object], Entrance[Choice]]]:
    app = Entrance(menu(made), UNICODE)
    async with app.run_test(size=size) as pilot:
        await until(pilot, lambda: app.screen.query_one(EntriesView).rows)
        yield pilot, app


def said(app: Entrance[Choice]) -> str:
    assert isinstance(app.screen, EntriesScreen)
    return " ".join(row.text for row in app.screen.said.rows)


async def test_it_stands_on_the_newest_recording() -> None:
    async with at_home(home()) as (pilot, app):
        lines = screen_text(pilot).splitlines()
        assert len(lines) == 24 and max(map(len, lines)) <= 80
        assert any(line.startswith(">") and "18:12:00Z 3 min ago" in line for line in lines)
        await pilot.press("enter")
        await pilot.pause()
    assert app.chosen == Choice("replay", "/s/a.ndjson")


@pytest.mark.parametrize("key", sorted({one.key for one in bindings("list")}))
async def test_every_key_of_a_list_moves_or_opens(key: str) -> None:
    async with at_home(home()) as (pilot, app):
        view = app.screen.query_one("#entries")
        await pilot.press("j")
        before = view.cursor  # type: ignore[attr-defined]
        await pilot.press(key)
        await pilot.pause()
    assert app.chosen is not None if key == "enter" else view.cursor != before  # type: ignore[attr-defined]


async def test_the_cursor_hops_from_row_to_row_that_leads_somewhere() -> None:
    made = home()
    async with at_home(made) as (pilot, app):
        for _ in range(len(choices(made)) - 1):
            await pilot.press("down")
        await pilot.press("up", "down", "enter")
        await pilot.pause()
    assert app.chosen == Choice("demo")


async def test_what_cannot_be_started_says_why_and_stays() -> None:
    async with at_home(home()) as (pilot, app):
        await pilot.press("j", "j", "j", "enter")
        await pilot.pause()
        assert "cgp-tui providers trust" in said(app) and app.chosen is None


async def test_what_is_said_stands_under_the_entries_and_is_told_whole() -> None:
    async with at_home(home(), (40, 24)) as (pilot, app):
        assert "\n See, prove and consent to every piece\n of context an agent is given.\n" in screen_text(pilot)
        await pilot.press("j", "j", "j", "enter")
        await until(pilot, lambda: said(app) in " ".join(screen_text(pilot).split()))


async def test_escape_hints_and_q_leaves() -> None:
    async with at_home(home(recordings=Folder())) as (pilot, app):
        assert "q Leave" in screen_text(pilot) and "esc" not in screen_text(pilot)
        await pilot.press("escape")
        assert said(app) == "q leaves"
        await pilot.press("question_mark")
        await pilot.pause()
        assert "HelpScreen" in repr(app.screen)
        await pilot.press("q")
        await pilot.pause()
        assert "EntriesScreen" in repr(app.screen)
        await pilot.press("q")
        await pilot.pause()
    assert app.chosen is None and app.return_code == 0


async def test_a_click_selects_and_a_double_click_opens() -> None:
    async with at_home(home()) as (pilot, app):
        await pilot.click("#entries", offset=(4, 2))
        assert app.chosen is None
        await pilot.click("#entries", offset=(4, 2), times=2)
        await pilot.pause()
    assert app.chosen == Choice("replay", "/s/b.ndjson")


async def test_what_an_entry_stands_for_is_copied_and_the_screen_saved(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    async with at_home(home()) as (pilot, app):
        await pilot.press("y")
        await until(pilot, lambda: isinstance(app.screen, CopyScreen))
        seen = screen_text(pilot)
        for name in ("value", "command", "path", "list", "screen"):
            assert f"│>{name} " in seen or f"│ {name} " in seen, name
        await pilot.press("j", "enter")
        await until(pilot, lambda: "Copied the command" in screen_text(pilot))
        assert app.clipboard == "cgp-tui replay /s/a.ndjson"
        await pilot.press("Y")
        await until(pilot, lambda: ".svg" in said(app))
        assert [path.suffix for path in tmp_path.iterdir()] == [".svg"]
        await pilot.press("G", "y", "j", "enter")
        await until(pilot, lambda: isinstance(app.screen, EntriesScreen))
    assert app.chosen is None
