"""What stands behind is painted once where it changes, not for as long as something stands in front."""

from __future__ import annotations

from pathlib import Path

import pytest
from textual.screen import Screen
from textual.widgets import Input

from cgp_tui.present.symbols import UNICODE
from cgp_tui.text import own
from cgp_tui.ui.screens.dialog import LineDialog
from tests.ui.frozen import still
from tests.ui.pilots import app_over, inspector_of, opened, screen_text, until, write_recording


@pytest.mark.parametrize("key", ["question_mark", "colon", "semicolon", "y", "M"])
async def test_a_change_behind_is_painted_and_then_there_is_rest(tmp_path: Path, key: str) -> None:
    async with opened(app_over(write_recording(tmp_path / "s.ndjson"))) as pilot:
        inspector = inspector_of(pilot)
        await pilot.press("j", "j", key)
        await until(pilot, lambda: pilot.app.screen is not inspector)
        inspector.traffic.refresh()
        await pilot.pause()
        await until(pilot, lambda: not inspector._repaint_required and not inspector._dirty_widgets)
        await pilot.press("escape")
        await until(pilot, lambda: pilot.app.screen is inspector)
        assert "━[Traffic]" in screen_text(pilot)


async def test_what_changes_behind_shines_through(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async with opened(app_over(write_recording(tmp_path / "s.ndjson"))) as pilot:
        inspector = inspector_of(pilot)
        await pilot.press("j", "j", "M")
        await until(pilot, lambda: pilot.app.screen is not inspector)
        await until(pilot, lambda: not inspector._repaint_required)
        painted: list[Screen[object]] = []
        monkeypatch.setattr(pilot.app, "_display", lambda screen, _: painted.append(screen))
        inspector._notice = own("The disk is full.")
        inspector._say()
        await until(pilot, lambda: pilot.app.screen in painted)
        assert "The disk is full." in screen_text(pilot)


async def test_what_stands_behind_two_fronts_follows_the_size_of_the_terminal(tmp_path: Path) -> None:
    async with opened(app_over(write_recording(tmp_path / "s.ndjson")), (80, 24)) as pilot:
        await pilot.press("j", "j")
        for title in ("One", "Two"):
            await pilot.app.push_screen(LineDialog(own(title), Input(compact=True), "enter saves it", UNICODE))
        await until(pilot, lambda: "[Two]" in screen_text(pilot) and "REPLAY" in screen_text(pilot))
        before = await still(pilot, tmp_path)
        for size in ((20, 5), (80, 24)):
            await pilot.resize_terminal(*size)
            await until(pilot, lambda size=size: pilot.app.screen.size == size)  # type: ignore[misc]
        await until(pilot, lambda: screen_text(pilot) == before)
