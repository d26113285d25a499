"""The traffic list reads what is visible and moves only for the person."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from time import monotonic

import msgspec
import pytest
from textual.app import ComposeResult
from textual.pilot import Pilot
from textual.screen import Screen

from cgp_tui.present.spans import span
from cgp_tui.present.symbols import UNICODE
from cgp_tui.present.traffic import Entry
from cgp_tui.text import own
from cgp_tui.ui.tokens import TokenApp
from cgp_tui.ui.widgets.traffic import TrafficList
from tests.ui.pilots import until


class Made:
    """As many records as wanted, made when they are asked for, and counted."""

    def __init__(self, count: int) -> None:
        self.count = count
        self.connections = 1
        self.start: float | None = None
        self.has_marks = False
        self.read: list[int] = []

    @property
    def lines(self) -> int:
        return self.count

    def entry(self, index: int) -> Entry:
        self.read.append(index)
        return Entry(index + 1, None, None, 1, "host", own("query"), own("q"), (span("made"),), 10, span(""))


class ListApp(TokenApp):
    def __init__(self, made: Made) -> None:
        super().__init__()
        self.traffic = TrafficList(made, symbols=UNICODE)
        self.moved: list[int] = []
        self.stood = 0

    def compose(self) -> ComposeResult:
        yield self.traffic

    def on_traffic_list_first_paint(self) -> None:
        self.stood += 1

    def on_traffic_list_moved(self, event: TrafficList.Moved) -> None:
        self.moved.append(event.index)


@asynccontextmanager
async def shown(made: Made) -> AsyncIterator[tuple[TrafficList, Pilot[object]]]:
    app = ListApp(made)
    async with app.run_test(size=(80, 20)) as pilot:
        await pilot.pause()
        yield app.traffic, pilot


async def test_a_million_records_cost_what_the_screen_shows() -> None:
    made = Made(1_000_000)
    async with shown(made) as (traffic, pilot):
        assert traffic.virtual_size.height == 1_000_000
        await pilot.press("G")
        await pilot.pause()
        assert traffic.cursor == 999_999
        assert len(set(made.read)) <= 3 * 20
        assert "1000000" in traffic.render_line(19).text


async def test_growth_does_not_move_who_reads() -> None:
    made = Made(100)
    async with shown(made) as (traffic, pilot):
        traffic.move_to(50)
        await pilot.pause()
        top = traffic.scroll_offset.y
        made.count = 5_000
        traffic.look_again()
        await pilot.pause()
        assert (traffic.cursor, traffic.scroll_offset.y, traffic.fresh) == (50, top, 4_900)


async def test_following_goes_along_and_a_move_ends_it() -> None:
    made = Made(100)
    async with shown(made) as (traffic, pilot):
        traffic.following = True
        made.count = 150
        traffic.look_again()
        await pilot.pause()
        assert (traffic.cursor, traffic.fresh) == (149, 0)
        await pilot.press("k")
        assert not traffic.following
        made.count = 160
        traffic.look_again()
        assert traffic.cursor == 148


async def test_following_goes_along_with_the_line_that_brings_the_scrollbar() -> None:
    """Many lines may come at once to a list that had room for all: the last is seen, and the bar has its place and room."""
    made = Made(5)
    async with shown(made) as (traffic, pilot):
        traffic.following = True
        free = traffic.columns
        made.count = 30
        traffic.look_again()
        assert traffic.scroll_offset.y == 30 - traffic.size.height
        await until(pilot, lambda: traffic.columns != free)
        assert traffic.columns == msgspec.structs.replace(free, summary=free.summary - 1)
        assert traffic.vertical_scrollbar.position == traffic.scroll_offset.y


async def test_the_bottom_does_not_begin_to_follow() -> None:
    made = Made(100)
    async with shown(made) as (traffic, pilot):
        await pilot.press("G")
        made.count = 110
        traffic.look_again()
        assert traffic.cursor == 99


async def test_a_transcript_that_shrinks_is_another_one() -> None:
    made = Made(100)
    async with shown(made) as (traffic, pilot):
        await pilot.press("G")
        made.count = 10
        traffic.look_again()
        await pilot.pause()
        assert traffic.cursor == 0
        assert traffic.render_line(15).text.strip() == ""


async def test_the_wheel_ends_following_but_moves_no_cursor() -> None:
    made = Made(100)
    async with shown(made) as (traffic, pilot):
        traffic.following = True
        await pilot.pause()
        traffic.on_mouse_scroll_up()
        assert not traffic.following
        assert traffic.cursor == 99


class Accepted:
    """What a filter has accepted so far."""

    def __init__(self, *matches: int) -> None:
        self.matches = list(matches)

    def place(self, at: int) -> int:
        return bisect_left(self.matches, at)


async def test_an_aim_is_reached_as_soon_as_the_filter_shows_it() -> None:
    async with shown(Made(100)) as (traffic, _):
        taken = Accepted(4, 7)
        traffic.sift(taken)
        traffic.aim(50)
        assert traffic.cursor == 7
        taken.matches += [30, 50, 60]
        traffic.look_again()
        assert traffic.cursor == 50
        taken.matches.append(70)
        traffic.look_again()
        assert traffic.cursor == 50
        traffic.aim(80)
        taken.matches.append(90)
        traffic.look_again()
        assert traffic.cursor == 90, "the next one where the filter hides it"


async def test_who_moves_before_an_aim_is_reached_is_left_alone() -> None:
    async with shown(Made(100)) as (traffic, pilot):
        taken = Accepted(4, 7)
        traffic.sift(taken)
        traffic.aim(50)
        await pilot.press("k")
        assert traffic.cursor == 4
        taken.matches += [50, 60]
        traffic.look_again()
        assert traffic.cursor == 4
        traffic.aim(80)
        traffic.sift(Accepted(4))
        traffic.sift(None)
        assert traffic.cursor == 80, "a filter that went no further has not moved it"


async def test_what_comes_later_attracts_no_cursor() -> None:
    made = Made(100)
    async with shown(made) as (traffic, _):
        taken = Accepted(4, 7)
        traffic.sift(taken)
        traffic.aim(50)
        made.count = 120
        taken.matches += [110]
        traffic.look_again()
        assert traffic.cursor == 7


async def test_the_first_match_of_a_filter_gets_the_cursor() -> None:
    async with shown(Made(100)) as (traffic, pilot):
        taken = Accepted()
        traffic.sift(taken)
        taken.matches += [4, 7]
        traffic.look_again()
        assert traffic.cursor == 4
        await pilot.press("j")
        assert traffic.cursor == 7


async def test_the_person_is_told_of_every_move_once() -> None:
    made = Made(100)
    async with shown(made) as (_traffic, pilot):
        await pilot.press("j", "j", "k")
        await pilot.pause()
        app = pilot.app
        assert isinstance(app, ListApp)
        assert app.moved == [0, 1, 2, 1]


async def test_what_is_after_the_playhead_is_told_by_its_style_and_keeps_its_words() -> None:
    made = Made(100)
    async with shown(made) as (traffic, _pilot):
        traffic.after = 3
        before, behind = traffic.render_line(3), traffic.render_line(4)
        assert "made" in behind.text
        assert {segment.style for segment in behind} != {segment.style for segment in before}


async def test_a_key_is_answered_at_once_and_those_right_behind_it_together(monkeypatch: pytest.MonkeyPatch) -> None:
    async with shown(Made(100)) as (traffic, pilot):
        drawn: list[int] = []
        display = pilot.app._display

        def noted(screen: Screen[object], drawing: object) -> None:
            drawn.append(traffic.cursor)
            display(screen, drawing)  # type: ignore[arg-type]

        monkeypatch.setattr(pilot.app, "_display", noted)
        traffic.action_nav_down()
        assert drawn == [1], "nothing was waited for"
        monkeypatch.setattr(traffic, "_answer_again", monotonic() + 60)
        traffic.action_nav_down()
        traffic.action_nav_down()
        assert drawn == [1]
        for _ in range(200):
            if drawn[-1] == 3:
                break
            await pilot.pause(0.02)
        assert drawn[-1] == 3 and 2 not in drawn


async def test_the_first_paint_is_told_once() -> None:
    async with shown(Made(100)) as (_traffic, pilot):
        for _ in range(200):
            if pilot.app.stood:  # type: ignore[attr-defined]
                break
            await pilot.pause(0.02)
        await pilot.press("j", "j")
        assert pilot.app.stood == 1  # type: ignore[attr-defined]
