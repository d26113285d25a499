"""Two halves of a screen, by keys: in the findings and on the consent screen as in the traffic."""

from __future__ import annotations

from pathlib import Path

import pytest
from textual.pilot import Pilot

from cgp_tui.ui.screens.consent import ConsentScreen
from cgp_tui.ui.widgets.findings_pane import FindingsPane
from cgp_tui.ui.widgets.halves import bounded
from tests.ui.pilots import app_over, inspector_of, opened, pressed, screen_text, until, write_recording
from tests.ui.sessions import plan, session


def pane_of(pilot: Pilot[object]) -> FindingsPane:
    pane = inspector_of(pilot).findings
    assert pane is not None
    return pane


def test_no_share_squeezes_a_half_out() -> None:
    assert [bounded(share) for share in (-5, 20, 55, 80, 95)] == [20, 20, 55, 80, 80]


@pytest.mark.parametrize("size", [(100, 40), (200, 50)], ids=["stacked", "beside each other"])
async def test_the_half_with_the_focus_grows_and_shrinks(tmp_path: Path, size: tuple[int, int]) -> None:
    async with opened(app_over(write_recording(tmp_path / "session.ndjson")), size) as pilot:
        await pressed(pilot, "2")
        pane = pane_of(pilot)
        side = 0 if size[0] > 160 else 1
        before = pane.list.size[side]
        await pressed(pilot, "greater_than_sign")
        await until(pilot, lambda: pane.list.size[side] > before)
        await pressed(pilot, "tab", "greater_than_sign", "greater_than_sign")
        await until(pilot, lambda: pane.list.size[side] < before)
        await pressed(pilot, "less_than_sign")
        await until(pilot, lambda: pane.list.size[side] == before)


async def test_the_half_with_the_focus_has_all_the_room_until_escape(tmp_path: Path) -> None:
    async with opened(app_over(write_recording(tmp_path / "session.ndjson")), (80, 24)) as pilot:
        seen = await pressed(pilot, "2", "z")
        pane = pane_of(pilot)
        assert "[Findings]" in seen and "B1, line 6" not in seen and pane.list.size.height > 15
        seen = await pressed(pilot, "tab")
        assert "[B1, line 6" in seen and "Findings]" not in seen and pane.about.has_focus
        assert "Only one pane is shown now: zoomed." in await pressed(pilot, "less_than_sign")
        seen = await pressed(pilot, "escape")
        assert "[B1, line 6" in seen and "─ Findings ─" in seen and pane.about.has_focus, "one step: out of the zoom"
        await pressed(pilot, "escape", "z", "1")
        assert "note connect" in screen_text(pilot), "the traffic has both its panes"


async def test_the_lists_of_the_consent_screen_share_its_room(tmp_path: Path) -> None:
    async with session(tmp_path, plan("far", "egress"), size=(80, 24)) as stage:
        await stage.until(stage.live.deciding.cases)
        await stage.pilot.press("c")
        screen = stage.app.screen
        assert isinstance(screen, ConsentScreen)
        await stage.until(lambda: screen.needs.item and screen.needs.size.height)
        before = screen.needs.size.height
        await stage.pilot.press("less_than_sign")
        await stage.until(lambda: screen.needs.size.height < before)
        await stage.pilot.press("tab", "less_than_sign")
        await stage.until(lambda: screen.needs.size.height == before)
        await stage.pilot.press("z")
        await stage.until(lambda: "[Timeline: far]" in stage.screen and not screen.needs.display)
        await stage.pilot.press("greater_than_sign")
        await stage.until(lambda: "Only one pane is shown now: zoomed." in stage.screen)
        await stage.pilot.press("tab")
        await stage.until(lambda: "[Consent]" in stage.screen and not screen.history.display)
        await stage.pilot.press("escape")
        await stage.until(lambda: screen.needs.display and screen.history.display)
        assert screen.is_current
        await stage.pilot.press("escape")
        assert stage.app.inspector.is_current
