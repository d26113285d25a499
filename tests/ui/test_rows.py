"""A list of rows of any height: taken in slices, folded to the width, walked by row."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from time import sleep

import pytest
from textual.app import ComposeResult
from textual.pilot import Pilot
from textual.strip import Strip

from cgp_tui.present.spans import WAIT, Jump, Row, Rows, span
from cgp_tui.present.symbols import UNICODE, Look
from cgp_tui.ui.tokens import TokenApp
from cgp_tui.ui.widgets.rows import RowsView, leads
from tests.ui.pilots import until


class RowsApp(TokenApp):
    def __init__(self) -> None:
        super().__init__()
        self.view = RowsView(symbols=UNICODE)
        self.opened: list[Jump] = []

    def compose(self) -> ComposeResult:
        yield self.view

    def on_rows_view_opened(self, event: RowsView.Opened) -> None:
        self.opened.append(event.jump)


@asynccontextmanager
async def shown(make: Callable[[Look], Rows]) -> AsyncIterator[tuple[RowsView, Pilot[object]]]:
    app = RowsApp()
    async with app.run_test(size=(40, 10)) as pilot:
        app.view.show(make)
        await pilot.pause()
        yield app.view, pilot


def numbered(count: int) -> Callable[[Look], Rows]:
    def make(_look: Look) -> Rows:
        for number in range(count):
            yield Row((span(f"row {number}"),), jump=Jump(place=number) if number % 2 else None)

    return make


def tall(_look: Look) -> Rows:
    yield Row((span("first"),))
    yield Row((span("word " * 200),))
    yield Row((span("last"),))


def seen(view: RowsView) -> list[str]:
    return [view.render_line(y).text.rstrip() for y in range(view.size.height)]


async def test_rows_are_walked_and_shown() -> None:
    async with shown(numbered(30)) as (view, pilot):
        assert seen(view)[0] == ">row 0"
        await pilot.press("j", "j")
        assert view.cursor == 2
        await pilot.press("G")
        assert seen(view)[-1] == ">row 29"
        await pilot.press("pageup")
        assert view.cursor == 20
        await pilot.press("pagedown")
        assert view.cursor == 29
        await pilot.press("g", "k")
        assert view.cursor == 0


async def test_enter_opens_only_what_leads_somewhere() -> None:
    async with shown(numbered(30)) as (_view, pilot):
        await pilot.press("enter", "j", "enter")
        await pilot.pause()
        app = pilot.app
        assert isinstance(app, RowsApp)
        assert app.opened == [Jump(place=1)]


async def test_a_row_taller_than_the_view_scrolls_under_the_cursor() -> None:
    async with shown(tall) as (view, pilot):
        await pilot.press("j")
        assert view.cursor == 1
        for _ in range(60):
            if view.cursor == 2:
                break
            await pilot.press("j")
        assert view.cursor == 2
        assert seen(view)[-1] == ">last"
        await pilot.press("k")
        top = view.scroll_offset.y
        await pilot.press("k")
        assert (view.cursor, view.scroll_offset.y) == (1, top - 1)


async def test_a_page_goes_through_a_tall_row() -> None:
    async with shown(tall) as (view, pilot):
        await pilot.press("j", "pagedown")
        assert view.cursor == 1
        assert view.scroll_offset.y > 1
        await pilot.press("pageup")
        assert view.scroll_offset.y == 1


async def test_half_a_page_goes_on_and_back_and_through_a_tall_row() -> None:
    async with shown(numbered(30)) as (view, pilot):
        await pilot.press("ctrl+d", "ctrl+d")
        assert view.cursor == 10
        await pilot.press("ctrl+u")
        assert view.cursor == 5
    async with shown(tall) as (view, pilot):
        await pilot.press("j", "ctrl+d")
        assert (view.cursor, view.scroll_offset.y) == (1, 6)


async def test_many_rows_are_taken_in_slices() -> None:
    def slow(_look: Look) -> Rows:
        for number in range(64):
            sleep(0.002)
            yield Row((span(f"row {number}"),))

    app = RowsApp()
    async with app.run_test(size=(40, 10)) as pilot:
        app.view.show(slow)
        assert app.view.busy is True, "showing does not wait for the last row"
        assert 0 < len(app.view.rows) < 64
        await until(pilot, lambda: len(app.view.rows) == 64)
        assert app.view.virtual_size.height == 64


async def test_other_rows_end_the_taking_of_the_first() -> None:
    def endless(_look: Look) -> Rows:
        while True:
            sleep(0.001)
            yield Row((span("endless"),))

    async with shown(endless) as (view, pilot):
        view.show(numbered(3))
        await until(pilot, lambda: not view.busy)
        await pilot.pause(0.1)
        assert [row.text for row in view.rows] == ["row 0", "row 1", "row 2"]


async def test_the_cursor_can_wait_for_its_row() -> None:
    async with shown(numbered(500)) as (view, pilot):
        view.show(numbered(500), leads)
        await pilot.pause()
        assert view.cursor == 1
        view.show(numbered(500), 400)
        await until(pilot, lambda: view.cursor == 400)
        assert ">row 400" in seen(view)


async def test_a_key_before_there_is_any_row_gives_no_place_up() -> None:
    come = False

    def late(look: Look) -> Rows:
        while not come:
            sleep(0.015)
            yield WAIT
        yield from numbered(20)(look)

    async with shown(numbered(1)) as (view, pilot):
        view.show(late, 12)
        await pilot.press("j")
        assert not view.rows
        come = True
        await until(pilot, lambda: view.stands)
        assert view.cursor == 12


async def test_a_new_width_folds_anew_and_keeps_the_row() -> None:
    async with shown(tall) as (view, pilot):
        await pilot.press("j")
        height = view.virtual_size.height
        await pilot.resize_terminal(80, 10)
        await until(pilot, lambda: view.virtual_size.height < height)
        assert view.cursor == 1


async def test_a_click_selects_and_a_double_one_opens() -> None:
    async with shown(numbered(5)) as (view, pilot):
        await pilot.click(view, offset=(2, 3))
        assert view.cursor == 3
        await pilot.click(view, offset=(2, 3), times=2)
        await pilot.pause()
        app = pilot.app
        assert isinstance(app, RowsApp)
        assert app.opened == [Jump(place=3)]
        await pilot.click(view, offset=(2, 8))
        assert view.cursor == 3


async def test_no_rows_at_all_are_no_crash() -> None:
    async with shown(lambda _look: iter(())) as (view, pilot):
        await pilot.press("j", "k", "G", "g", "pagedown", "pageup", "enter")
        assert view.cursor == 0


async def test_rows_that_were_folded_before_the_view_had_a_size_are_never_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    words = "what is said here in a row of more than ten cells"
    seen: set[str] = set()
    paint = RowsView.render_line

    def noted(view: RowsView, y: int) -> Strip:
        line = paint(view, y)
        seen.add(line.text.strip(" >"))
        return line

    class Early(RowsApp):
        def on_mount(self) -> None:
            self.view.show(lambda look: iter([Row((span(words),))]))

    monkeypatch.setattr(RowsView, "render_line", noted)
    async with Early().run_test(size=(60, 12)) as pilot:
        await until(pilot, lambda: words in seen)
    assert seen == {words, ""}
    async with Early().run_test(size=(12, 12)) as pilot:
        await until(pilot, lambda: "what is" in seen)
