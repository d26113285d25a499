"""Picking a configured provider: every key, at 80 x 24, and what is said of an entry that cannot be started."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from textual.command import CommandPalette
from textual.pilot import Pilot

from cgp_tui.errors import InputError
from cgp_tui.present.providers import offer
from cgp_tui.present.symbols import ASCII, UNICODE, Symbols
from cgp_tui.store.providers import EntryFault, ProviderSpec
from cgp_tui.store.registry import ProvidersFile
from cgp_tui.ui.entrance import Entrance
from cgp_tui.ui.keys import KEYS, bindings, within
from cgp_tui.ui.picker import menu
from cgp_tui.ui.screens.entries import EntriesScreen, EntriesView
from cgp_tui.ui.screens.help import HelpScreen
from tests.ui.pilots import gone, screen_text, until

USER = ProvidersFile(
    "user",
    Path("/home/u/.config/cgp-tui/cgp-tui.toml"),
    True,
    "ab" * 32,
    True,
    (
        ProviderSpec("docs", ("docs-server", "--token", "hunter2"), env=("DOCS_TOKEN",)),
        ProviderSpec("web", url="https://cgp.example/v1"),
    ),
    (EntryFault("bad", "command", "it is missing", "Name what to run."),),
)
PROJECT = ProvidersFile(
    "project",
    Path("/work/cgp-tui.toml"),
    True,
    "cd" * 32,
    False,
    (ProviderSpec("docs", ("evil",)), ProviderSpec("local", ("./run", "--all"))),
)
BROKEN = ProvidersFile(
    "project", Path("/w/c.toml"), True, problem=InputError("unreadable", "/w/c.toml is no TOML.", "Mend it.")
)


@asynccontextmanager
async def picking(
    *files: ProvidersFile, symbols: Symbols = UNICODE, size: tuple[int, int] = (80, 24)
) -> AsyncIterator[tuple[Pilot[object], Entrance[str]]]:
    app = Entrance(menu(offer(files or (USER, PROJECT))), symbols)
    async with app.run_test(size=size) as pilot:
        view = app.screen.query_one(EntriesView)
        await until(pilot, lambda: view.rows and view.size.width and view.folded_to == view.look.width)
        yield pilot, app


def at(app: Entrance[str]) -> int:
    """The row of the cursor."""
    return app.screen.query_one(EntriesView).cursor


def said(app: Entrance[str]) -> str:
    screen = app.screen
    assert isinstance(screen, EntriesScreen)
    return " ".join(row.text for row in screen.said.rows)


async def test_each_entry_is_shown_with_what_it_would_run() -> None:
    async with picking() as (pilot, _):
        lines = screen_text(pilot).splitlines()
    assert len(lines) == 24 and max(map(len, lines)) <= 80
    text = "\n".join(lines)
    assert "4 configured" in lines[0]
    assert ">  docs   yours" in text
    assert "docs-server --token '***'" in text and "hunter2" not in text
    assert "gets DOCS_TOKEN" in text
    assert "web    a URL, not opened yet" in text
    assert "! docs   shadowed by your own" in text
    assert "! local  project, not trusted" in text
    assert "bad.command: it is missing. Name what to run." in text


async def test_ascii_and_a_narrow_screen() -> None:
    async with picking(symbols=ASCII, size=(40, 12)) as (pilot, _):
        text = screen_text(pilot)
    assert text.isascii()
    assert ">  docs   yours" in text


@pytest.mark.parametrize("key", ["enter"])
async def test_enter_picks_what_can_be_started(key: str) -> None:
    async with picking() as (pilot, app):
        await pilot.press(key)
        await gone(pilot)
        assert (app.chosen, app.return_code) == ("docs", 0)


@pytest.mark.parametrize(
    ("downs", "why"),
    [
        (1, "! A URL cannot be opened yet."),
        (2, "! Your own file has an entry of this id; that one is meant by it."),
        (3, "! Not trusted: look at what it runs, leave, then cgp-tui providers trust"),
    ],
)
async def test_of_another_it_is_said_why_not(downs: int, why: str) -> None:
    async with picking() as (pilot, app):
        await pilot.press(*["j"] * downs, "enter")
        assert said(app) == why
        assert app.chosen is None and app.return_code is None


@pytest.mark.parametrize(
    ("before", "key", "row"),
    [
        ("", "j", 4),
        ("", "down", 4),
        ("jj", "k", 4),
        ("jj", "up", 4),
        ("jjj", "g", 0),
        ("jjj", "home", 0),
        ("", "G", -1),
        ("", "end", -1),
        ("jjj", "j", 10),
        ("jjjj", "k", 8),
    ],
)
async def test_the_cursor_hops_from_entry_to_entry(before: str, key: str, row: int) -> None:
    async with picking() as (pilot, app):
        await pilot.press(*before, key)
        rows = app.screen.query_one(EntriesView).rows
        heads = [index for index, one in enumerate(rows) if one.jump is not None]
        expected = {4: heads[1], 0: heads[0], 8: heads[3], 10: heads[3] + 1, -1: len(rows) - 1}[row]
        assert at(app) == expected


@pytest.mark.parametrize(("key", "back"), [("pagedown", "pageup"), ("ctrl+f", "ctrl+b"), ("ctrl+d", "ctrl+u")])
async def test_a_key_pages_down_and_another_one_back(key: str, back: str) -> None:
    async with picking(size=(80, 8)) as (pilot, app):
        await pilot.press(key)
        page = at(app)
        assert page > 0
        await pilot.press(back)
        assert at(app) < page


@pytest.mark.parametrize("key", ["escape", "q", "ctrl+q", "ctrl+c"])
async def test_leaving_picks_nothing(key: str) -> None:
    async with picking() as (pilot, app):
        await pilot.press(key)
        await gone(pilot)
        assert (app.chosen, app.return_code) == (None, 0)


@pytest.mark.parametrize("key", ["question_mark", "f1"])
async def test_help_comes_and_goes(key: str) -> None:
    async with picking() as (pilot, app):
        await pilot.press(key)
        assert type(app.screen) is HelpScreen
        await pilot.press("q")
        assert [type(screen) for screen in app.screen_stack] == [EntriesScreen]


@pytest.mark.parametrize("key", ["colon", "ctrl+p"])
async def test_commands_are_found_by_name(key: str) -> None:
    async with picking() as (pilot, app):
        await pilot.press(key)
        await until(pilot, lambda: CommandPalette.is_open(app))


async def test_a_click_on_the_key_line_does_the_same() -> None:
    async with picking() as (pilot, app):
        await pilot.click("#entry-keys", offset=(2, 0))
        await gone(pilot)
        assert app.chosen == "docs"


@pytest.mark.parametrize(("downs", "there"), [(0, True), (2, False)], ids=["it can be started", "it is shadowed"])
async def test_the_command_that_starts_an_entry_is_copied(downs: int, there: bool) -> None:
    async with picking() as (pilot, _):
        await pilot.press(*["j"] * downs, "y")
        await until(pilot, lambda: "[Copy]" in screen_text(pilot))
        assert ("cgp-tui inspect --id docs" in screen_text(pilot)) is there


async def test_the_screen_is_saved(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    async with picking() as (pilot, app):
        await pilot.press("Y")
        await until(pilot, lambda: ".svg" in said(app))


def test_every_key_of_the_screen_was_pressed_here() -> None:
    keys = {key for row in KEYS if within(row, EntriesScreen.answers) for key in row.keys}
    pressed = {"enter", "j", "down", "k", "up", "g", "home", "G", "end"}
    pressed |= {"pagedown", "pageup", "ctrl+f", "ctrl+b", "ctrl+d", "ctrl+u"}
    pressed |= {"escape", "q", "ctrl+q", "ctrl+c", "question_mark", "f1", "colon", "ctrl+p", "y", "Y"}
    assert keys == pressed
    bound: set[Any] = {binding.key for binding in (*bindings("list", "app"), *EntriesScreen.BINDINGS)}  # type: ignore[union-attr]
    assert bound == pressed


async def test_files_without_an_entry_say_what_is_wrong_and_what_to_try() -> None:
    async with picking(BROKEN) as (pilot, app):
        text = screen_text(pilot)
        assert "/w/c.toml is no TOML. Mend it." in text
        assert "Add one: cgp-tui providers add ID -- CMD..." in text
        await pilot.press("enter")
        assert app.chosen is None
