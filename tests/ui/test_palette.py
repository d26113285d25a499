"""The command list in a window that has no room for it."""

from __future__ import annotations

from pathlib import Path

import pytest
from textual.command import CommandPalette
from textual.widgets import OptionList

from tests.ui.pilots import app_over, opened, until, write_bare


@pytest.mark.parametrize("key", ["pagedown", "pageup", "down", "up", "ctrl+end", "enter"])
async def test_a_window_of_one_cell_has_no_page_to_go_to(tmp_path: Path, key: str) -> None:
    app = app_over(write_bare(tmp_path / "t"))
    async with opened(app) as pilot:
        await pilot.resize_terminal(1, 1)
        await pilot.press("colon")
        await until(pilot, lambda: isinstance(app.screen, CommandPalette))
        await pilot.press("h", "e")
        await until(pilot, lambda: app.screen.query_one(OptionList).option_count > 1)
        await pilot.press(key)
        await pilot.resize_terminal(120, 40)
        await pilot.pause()
        assert app.is_running
