"""What lies under other widgets is painted once, and looks as if each line had been painted."""

from __future__ import annotations

from pathlib import Path

import pytest
from textual._styles_cache import StylesCache
from textual.geometry import Region
from textual.widget import Widget

from cgp_tui.ui.widgets.ground import Ground, alike
from tests.ui.pilots import app_over, inspector_of, settled, write_bare


@pytest.mark.parametrize("size", [(120, 40), (80, 24)])
async def test_a_ground_looks_as_if_each_line_of_it_had_been_painted(tmp_path: Path, size: tuple[int, int]) -> None:
    """Beside each other the detail has an edge at its left; stacked no pane has one."""
    async with app_over(write_bare(tmp_path / "s.ndjson")).run_test(size=size) as pilot:
        await settled(pilot)
        screen = inspector_of(pilot)
        grounds = [*screen.query(Ground), screen]
        assert len(grounds) > 3
        for ground in grounds:
            if ground.region:
                part = Region(0, 0, *ground.region.size)
                assert ground.render_lines(part) == Widget.render_lines(ground, part)


async def test_one_line_of_a_ground_is_painted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    painted: list[Region] = []
    before = StylesCache.render_widget

    def noted(self: StylesCache, widget: Widget, crop: Region) -> object:
        if isinstance(widget, Ground):
            painted.append(crop)
        return before(self, widget, crop)

    monkeypatch.setattr(StylesCache, "render_widget", noted)
    async with app_over(write_bare(tmp_path / "s.ndjson")).run_test(size=(120, 40)) as pilot:
        await settled(pilot)
    assert painted and {crop.height for crop in painted} == {1}


def test_a_part_of_a_ground_is_as_large_as_was_asked_for() -> None:
    asked: list[Region] = []

    def paint(crop: Region) -> list[object]:
        asked.append(crop)
        return [crop]

    lines = alike(paint, Region(3, 7, 20, 5))  # type: ignore[arg-type]
    assert (len(lines), asked) == (5, [Region(3, 0, 20, 1)])


async def test_a_line_on_which_nothing_stands_is_made_once_a_look(tmp_path: Path) -> None:
    async with app_over(write_bare(tmp_path / "s.ndjson")).run_test(size=(120, 40)) as pilot:
        await settled(pilot)
        traffic = inspector_of(pilot).traffic
        blank = traffic.blank()
        assert traffic.blank() is blank
        pilot.app.theme = "textual-light"
        await settled(pilot)
        assert traffic.blank() != blank
        light = traffic.blank()
        await pilot.resize_terminal(80, 24)
        await settled(pilot)
        assert traffic.blank().cell_length == traffic.scrollable_content_region.width != light.cell_length
