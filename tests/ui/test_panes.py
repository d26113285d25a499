"""The panes: turned, resized by key and by mouse, each way round with its own share, and nothing lost on a small screen."""

from __future__ import annotations

from pathlib import Path

import pytest

from cgp_tui.store.settings import SHARE_LEAST, SHARE_MOST, Settings
from cgp_tui.ui.screens.panes import BESIDE_LEAST
from cgp_tui.ui.widgets.halves import STEP
from tests.ui.pilots import Replay, app_over, inspector_of, opened, screen_text, settled, write_bare, write_recording
from tests.ui.test_travel import typed


def room(replay: Replay) -> tuple[int, int]:
    """The cells of the traffic's pane."""
    size = replay.inspector.left.size
    return size.width, size.height


async def test_the_panes_turn_and_turn_back(replay: Replay) -> None:
    seen = [(replay.inspector.beside, room(replay)[0])]
    for _ in range(2):
        await replay.press("v")
        seen.append((replay.inspector.beside, room(replay)[0]))
    assert seen == [(True, 60), (False, 120), (True, 60)] and replay.inspector.turned == "beside"


async def test_what_was_turned_by_hand_stays_so_at_any_width_that_allows_it(replay: Replay) -> None:
    await replay.press("v", "v")
    for width, beside in ((80, True), (BESIDE_LEAST, True), (BESIDE_LEAST - 1, False), (120, True)):
        await replay.pilot.resize_terminal(width, 40)
        await settled(replay.pilot)
        assert replay.inspector.beside is beside, width
    await replay.pilot.resize_terminal(60, 40)
    seen = await replay.press("v")
    assert f"need {BESIDE_LEAST} columns" in seen and not replay.inspector.beside


async def test_the_pane_with_the_focus_grows_and_shrinks(replay: Replay) -> None:
    await replay.press("greater_than_sign", "greater_than_sign")
    assert room(replay)[0] == 72
    await replay.press("less_than_sign")
    assert room(replay)[0] == 66
    await replay.press("tab", "greater_than_sign", "greater_than_sign")
    assert room(replay)[0] == 54 and replay.in_detail()


async def test_each_way_round_keeps_its_own_share(replay: Replay) -> None:
    await replay.press("greater_than_sign", "v", "less_than_sign", "less_than_sign")
    assert replay.inspector.shares == {True: 50 + STEP, False: 40 - 2 * STEP}
    low = room(replay)[1]
    await replay.press("v")
    assert room(replay)[0] == 66
    await replay.press("v")
    assert room(replay)[1] == low


async def test_no_pane_is_squeezed_out(replay: Replay) -> None:
    await replay.press(*["greater_than_sign"] * 12)
    assert replay.inspector.shares[True] == SHARE_MOST
    await replay.press(*["less_than_sign"] * 20)
    assert replay.inspector.shares[True] == SHARE_LEAST and room(replay)[0] == 24


async def test_where_one_pane_is_shown_it_says_so(replay: Replay) -> None:
    assert "Only one pane is shown now: zoomed." in await replay.press("z", "greater_than_sign")
    assert "Only one pane is shown now: zoomed." in await replay.press("v")


async def test_the_line_between_the_panes_is_dragged(replay: Replay) -> None:
    pilot, inspector = replay.pilot, replay.inspector
    await pilot.mouse_down(offset=(60, 10))
    await pilot.hover(offset=(84, 10))
    await pilot.mouse_up(offset=(84, 10))
    assert inspector.shares[True] == 70 and room(replay)[0] == 84
    await pilot.hover(offset=(30, 10))
    assert inspector.shares[True] == 70
    await replay.press("v")
    edge = inspector.detail.region.y
    await pilot.mouse_down(offset=(20, edge))
    await pilot.hover(offset=(20, edge + 4))
    await pilot.mouse_up(offset=(20, edge + 4))
    assert inspector.detail.region.y == edge + 4 and inspector.shares[False] > 40
    await pilot.mouse_down(offset=(20, edge))
    await pilot.hover(offset=(20, edge - 2))
    await pilot.mouse_up(offset=(20, edge - 2))
    assert inspector.detail.region.y == edge + 4


@pytest.mark.parametrize("size", [(120, 40), (80, 16)], ids=["zoomed", "low"])
async def test_a_text_that_is_searched_stays_in_view(tmp_path: Path, size: tuple[int, int]) -> None:
    async with opened(app_over(write_bare(tmp_path / "s.ndjson"), at=6), size) as pilot:
        inspector = inspector_of(pilot)
        await pilot.press("tab", *["z"] * (size[1] == 40), "slash", *"frm_")
        await settled(pilot)
        assert inspector.find.field.has_focus and inspector.single
        assert inspector.detail.view.size.height > 0 and inspector.left.size.height == 0
        assert "B3 frm_config" in screen_text(pilot)
        await pilot.press("enter")
        assert inspector.detail.view.has_focus
        await pilot.press("tab", "slash")
        await settled(pilot)
        assert inspector.left.size.height > 0 and inspector.detail.view.size.height == 0, "what is filtered stays too"


async def test_the_settings_say_how_the_panes_stand_at_first(tmp_path: Path) -> None:
    settings = Settings(panes="stacked", stacked=70, time="delta")
    async with opened(app_over(write_recording(tmp_path / "s.ndjson"), settings=settings)) as pilot:
        inspector = inspector_of(pilot)
        assert not inspector.beside and inspector.left.size.height > inspector.detail.size.height
        assert inspector.traffic.time == "delta" and "+100 ms" in screen_text(pilot)


SIZES = [(80, 24), (100, 30), (120, 40), (160, 50), (200, 50), (240, 60)]


@pytest.mark.parametrize("size", SIZES, ids=str)
async def test_every_size_shows_both_panes_and_no_row_is_too_long(tmp_path: Path, size: tuple[int, int]) -> None:
    async with opened(app_over(write_recording(tmp_path / "s.ndjson")), size) as pilot:
        lines = screen_text(pilot).split("\n")
        assert len(lines) == size[1] and max(map(len, lines)) <= size[0]
        assert any("Traffic" in line for line in lines) and any("connect" in line for line in lines)
        inspector = inspector_of(pilot)
        assert inspector.beside is (size[0] >= 110)
        assert min(inspector.left.size) > 4 and min(inspector.detail.size) > 4


async def test_a_tiny_screen_and_back_loses_nothing(replay: Replay) -> None:
    pilot, inspector = replay.pilot, replay.inspector
    await replay.press("slash", *typed("type:frames"), "enter", "G", "tab", "j", "j")
    while replay.tab != "JSON":
        await replay.press("right_square_bracket")
    await replay.press("z", "j")
    before = (replay.line, replay.tab, inspector.detail.view.cursor, replay.zoomed(), inspector.find.field.value)
    await pilot.resize_terminal(20, 5)
    await settled(pilot)
    assert replay.in_detail()
    await pilot.resize_terminal(120, 40)
    await settled(pilot)
    after = (replay.line, replay.tab, inspector.detail.view.cursor, replay.zoomed(), inspector.find.field.value)
    assert after == before and replay.in_detail()
    assert inspector.shares == {True: 50, False: 40}


async def test_five_rows_still_show_the_selected_line_and_the_status(replay: Replay) -> None:
    pilot = replay.pilot
    await replay.press("e")
    await pilot.resize_terminal(20, 5)
    await settled(pilot)
    lines = screen_text(pilot).split("\n")
    assert len(lines) == 5 and max(map(len, lines)) <= 20
    assert "Traffic" in lines[0] and any(line.startswith(">") for line in lines) and "REPLAY" in lines[-1]
    seen = await replay.press("tab")
    assert seen.split("\n")[0].startswith("━[4")
    assert "REPLAY" in seen and replay.in_detail()


async def test_a_target_can_be_typed_on_a_tiny_screen(replay: Replay) -> None:
    await replay.pilot.resize_terminal(20, 6)
    await settled(replay.pilot)
    seen = await replay.press("semicolon", "6")
    assert "Jump to" in seen and "\n 6\n" in seen and ">6  The wire" in seen
    await replay.press("enter")
    await settled(replay.pilot)
    assert replay.line == 6


async def test_what_is_being_typed_and_following_outlast_a_tiny_screen(replay: Replay) -> None:
    pilot, inspector = replay.pilot, replay.inspector
    await replay.press("f", "slash", *typed("type:fr"))
    assert inspector.traffic.following
    await pilot.resize_terminal(20, 5)
    await settled(pilot)
    await replay.press("a")
    await pilot.resize_terminal(120, 40)
    await settled(pilot)
    assert inspector.find.field.has_focus and inspector.find.field.value == "type:fra" and inspector.traffic.following
