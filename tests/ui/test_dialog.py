"""The frame in front of a screen: how it stands, and the ways out of it."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, cast

import pytest
from textual.containers import Vertical
from textual.pilot import Pilot
from textual.screen import Screen
from textual.widgets import Input

from cgp_tui.present.spans import Rows, row, span
from cgp_tui.present.symbols import ASCII, UNICODE, Look, Symbols
from cgp_tui.text import own
from cgp_tui.ui.base_app import BaseApp
from cgp_tui.ui.screens.dialog import Dialog, LineDialog, TextDialog
from cgp_tui.ui.screens.help import HelpScreen
from cgp_tui.ui.screens.reader import Reader
from cgp_tui.ui.screens.why import Why
from cgp_tui.ui.widgets.bars import KeyLine
from tests.ui.pilots import app_over, inspector_of, opened, screen_text, until, write_recording

Make = Callable[[], Dialog[Any]]


def some(look: Look) -> Rows:
    yield row(span("something to read"))


def reader(rows: int = 1) -> Reader:
    return Reader(own("A text"), lambda look: (row(span(f"row {n}, something to read")) for n in range(rows)), UNICODE)


def why() -> Why:
    return Why(own("Why"), some, UNICODE, None, own(""))


def line() -> LineDialog:
    return LineDialog(own("A line"), Input(compact=True), "enter saves it", UNICODE)


class Stage(BaseApp):
    """Shows one dialog and keeps what it came back with."""

    def __init__(self, dialog: Dialog[Any]) -> None:
        super().__init__(Screen(), UNICODE)
        self.dialog = dialog
        self.back: list[object] = []

    def on_mount(self) -> None:
        self.dress()
        self.push_screen(self.dialog, self.back.append)


@asynccontextmanager
async def shown(make: Make) -> AsyncIterator[tuple[Pilot[object], Stage]]:
    app = Stage(make())
    async with app.run_test(size=(120, 40)) as pilot:
        await pilot.pause()
        yield pilot, app


@pytest.mark.parametrize(
    ("make", "size"),
    [
        (reader, (104, 5)),
        (why, (104, 5)),
        (lambda: reader(31), (104, 35)),
        (lambda: reader(33), (104, 36)),
        (line, (104, 5)),
        (lambda: HelpScreen(UNICODE, ()), (100, 36)),
    ],
    ids=["reader", "made from the reader", "it just fits", "it scrolls", "a line", "help"],
)
async def test_the_frame_stands_in_the_middle(make: Make, size: tuple[int, int]) -> None:
    async with shown(make) as (_, app):
        frame = app.dialog.query_one(Vertical)
        assert frame.outer_size == size
        assert (frame.region.x, frame.region.y) == ((120 - size[0]) // 2, (40 - size[1]) // 2)
        assert app.dialog.heading.active


async def test_a_text_that_is_searched_or_shrinks_keeps_its_frame_around_it() -> None:
    async with shown(lambda: reader(20)) as (pilot, app):
        view, frame = cast("Reader", app.dialog).view, app.dialog.query_one(Vertical)
        assert (view.size.height, frame.outer_size.height) == (20, 24)
        await pilot.press("slash")
        await until(pilot, lambda: frame.outer_size.height == 25)
        assert view.size.height == 20, "the line to type in takes nothing from the text"
        await pilot.press("escape")
        view.show(some)
        await until(pilot, lambda: frame.outer_size.height == 5)


@pytest.mark.parametrize("key", ["escape", "q"])
async def test_a_list_is_left_by_either_key(key: str) -> None:
    async with shown(reader) as (pilot, app):
        await pilot.press(key)
        assert app.back == [None]


async def test_a_click_on_the_key_line_does_the_same() -> None:
    async with shown(reader) as (pilot, app):
        await pilot.click(KeyLine, offset=(13, 0))
        await pilot.pause()
        assert app.back == [None]


async def test_a_line_comes_back_without_the_blanks_around_it() -> None:
    async with shown(line) as (pilot, app):
        await pilot.press("space", "q", "space", "enter")
        assert app.back == ["q"]


async def test_a_line_that_is_left_comes_back_as_none() -> None:
    async with shown(line) as (pilot, app):
        await pilot.press("q", "escape")
        assert app.back == [None]


@pytest.mark.parametrize("make", [lambda: HelpScreen(UNICODE, ("app",)), reader], ids=["help", "reader"])
async def test_a_text_is_searched_with_next_previous_and_count(make: Make) -> None:
    async with shown(make) as (pilot, app):
        dialog = app.dialog
        assert isinstance(dialog, TextDialog)
        await pilot.press("slash", *"zzz")
        assert "not found" in screen_text(pilot)
        await pilot.press("ctrl+u", *"e", "enter")
        matches = dialog.view.matches
        assert matches and dialog.view.has_focus
        assert f"{matches.index(dialog.view.cursor) + 1:,} of {len(matches):,}" in screen_text(pilot)
        before = dialog.view.cursor
        await pilot.press("n")
        assert dialog.view.cursor == matches[(matches.index(before) + 1) % len(matches)]
        await pilot.press("N")
        assert dialog.view.cursor == before
        await pilot.press("slash", "escape", "escape")
        assert not dialog.search.shown and app.back == [], "the search is left before the text"
        await pilot.press("escape")
        assert app.back == [None]


async def test_a_hint_is_told_whole_on_a_narrow_terminal(tmp_path: Path) -> None:
    async with opened(app_over(write_recording(tmp_path / "s.ndjson")), (40, 12)) as pilot:
        hint = "enter saves it under this name, replacing any that has it"
        await pilot.app.push_screen(LineDialog(own("Save"), Input(compact=True), hint, UNICODE))
        await until(pilot, lambda: hint in " ".join(screen_text(pilot).split()))


@pytest.mark.parametrize("symbols", [UNICODE, ASCII])
async def test_what_is_typed_into_the_command_list_is_seen_on_the_smallest_terminal(
    tmp_path: Path, symbols: Symbols
) -> None:
    async with opened(app_over(write_recording(tmp_path / "s.ndjson"), symbols=symbols), (20, 5)) as pilot:
        await pilot.press("colon", *"zoom")
        await until(pilot, lambda: " zoom\n" in screen_text(pilot) and "Zoom  z" in screen_text(pilot))
        await pilot.resize_terminal(80, 24)
        await until(pilot, lambda: "Zoom this pane to the whole screen" in screen_text(pilot))


async def test_the_list_of_targets_says_what_its_keys_do_and_a_click_does_the_same(tmp_path: Path) -> None:
    async with opened(app_over(write_recording(tmp_path / "s.ndjson"))) as pilot:
        await pilot.press("semicolon", "B")
        await until(pilot, lambda: "tab Complete  down Next  esc Back" in screen_text(pilot))
        keys = pilot.app.screen.query_one(KeyLine)
        line = "".join(part.text for part in keys.line(keys.size.width))
        await pilot.click(keys, offset=(line.index("down"), 0))
        await pilot.click(keys, offset=(line.index("tab"), 0))
        assert pilot.app.screen.query_one(Input).value == "B1"
        await pilot.click(keys, offset=(line.index("esc"), 0))
        await until(pilot, lambda: pilot.app.screen is inspector_of(pilot))
