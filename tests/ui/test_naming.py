"""Filters under a name, from the line that one is typed in."""

from __future__ import annotations

from pathlib import Path

from cgp_tui.store.filters import Filters
from tests.ui.pilots import app_over, inspector_of, opened, screen_text, settled, write_bare


async def test_a_filter_is_saved_under_a_name_completed_taken_up_and_forgotten(tmp_path: Path) -> None:
    path = tmp_path / "state" / "filters.json"
    app = app_over(write_bare(tmp_path / "s.ndjson"))
    app.inspector.list_filter.saved = Filters(path)
    async with opened(app) as pilot:
        inspector = inspector_of(pilot)
        await pilot.press("slash", *"type:frames")
        await settled(pilot)
        assert "tab Complete  up Older  f2 Saved  f3 Save  esc Back" in screen_text(pilot)
        inspector.find.set("type:quer")
        await pilot.click(inspector.foot.keys, offset=(2, 0))
        await pilot.pause()
        assert inspector.find.field.value == "type:query", "a click on a key does the same"
        inspector.find.set("type:frames")
        await pilot.press("f3")
        await pilot.press(*"a b", "enter")
        await settled(pilot)
        assert "letters, digits, - and _ only" in screen_text(pilot) and not path.exists()
        await pilot.press("f3", *"@answers", "enter")
        await settled(pilot)
        assert "Saved: @answers stands for it in every filter, and f2 lists it." in screen_text(pilot)
        assert Filters(path).texts == {"answers": "type:frames"}
        await pilot.press("ctrl+u", "exclamation_mark", "at", "tab")
        assert inspector.find.field.value == "!@answers"
        sift = inspector.list_filter.taken
        assert sift is not None and len(sift.matches) == 9
        await pilot.press("f2")
        await settled(pilot)
        assert "@answers" in screen_text(pilot) and "1 saved" in screen_text(pilot)
        await pilot.press("enter")
        assert inspector.find.field.value == "type:frames"
        await pilot.press("up")
        assert inspector.find.field.value == "!@answers", "what stood in the line is not lost"
        await pilot.press("f2", "x")
        await settled(pilot)
        assert "No filter is saved. Where one is typed, f3 saves it." in screen_text(pilot)
        assert Filters(path).texts == {}


async def test_only_a_filter_is_saved(tmp_path: Path) -> None:
    app = app_over(write_bare(tmp_path / "s.ndjson"))
    async with opened(app) as pilot:
        await pilot.press("slash", *"type:", "f3")
        await settled(pilot)
        assert "There is no filter to save yet." in screen_text(pilot)
        await pilot.press("escape", "tab", "slash", *"x", "f2")
        await settled(pilot)
        assert "Complete" not in screen_text(pilot)
        assert "filters are for the traffic" in screen_text(pilot)


async def test_saved_filters_that_cannot_be_read_say_why(tmp_path: Path) -> None:
    path = tmp_path / "filters.json"
    path.write_text("{")
    app = app_over(write_bare(tmp_path / "s.ndjson"))
    app.inspector.list_filter.saved = Filters(path)
    async with opened(app) as pilot:
        await pilot.press("slash", "f2")
        await settled(pilot)
        assert "The saved filters cannot be read: " in screen_text(pilot)
        assert pilot.app.screen is app.inspector
