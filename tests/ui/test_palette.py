"""The command list: in a window that has no room for it, and under a hand that is quicker than its search."""

from __future__ import annotations

import asyncio
from functools import partial
from pathlib import Path
from typing import Any, ClassVar

import pytest
from textual.binding import BindingType
from textual.command import CommandPalette, DiscoveryHit, Hit, Hits, Provider
from textual.screen import Screen
from textual.style import Style
from textual.widgets import OptionList

from cgp_tui.present.symbols import UNICODE
from cgp_tui.ui.base_app import BaseApp
from cgp_tui.ui.keys import by_id
from tests.ui.pilots import app_over, opened, screen_text, until, write_bare
from tests.ui.sessions import plan, session
from tests.ui.test_consent_screen import opened as opened_consent


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


class Slow(Provider):
    """Three commands; what is searched for is found when it is let go."""

    NAMES = ("one", "two", "twofold")

    def __init__(self, screen: Screen[Any], match_style: Style | None = None) -> None:
        super().__init__(screen, match_style)
        self.ran: list[str] = screen.ran  # type: ignore[attr-defined]
        self.free: asyncio.Event = screen.free  # type: ignore[attr-defined]

    async def discover(self) -> Hits:
        for name in self.NAMES:
            yield DiscoveryHit(name, partial(self.ran.append, name))

    async def search(self, query: str) -> Hits:
        await self.free.wait()
        for place, name in enumerate(one for one in self.NAMES if query in one):
            yield Hit(1 - place / 10, name, partial(self.ran.append, name), text=name)


class Behind(Screen[None]):
    BINDINGS: ClassVar[list[BindingType]] = [("j", "heard", "")]
    COMMANDS: ClassVar[set[type[Provider]]] = {Slow}  # type: ignore[assignment]

    def __init__(self) -> None:
        super().__init__()
        self.ran: list[str] = []
        self.free = asyncio.Event()

    def action_heard(self) -> None:
        self.ran.append("j")


class Plain(BaseApp):
    COMMANDS: ClassVar[set[type[Provider]]] = set()  # type: ignore[assignment]


@pytest.mark.parametrize(
    ("pressed", "ran"),
    [
        (("enter",), ["two"]),
        (("down", "enter"), ["twofold"]),
        (("down", "up", "enter"), ["two"]),
        (("enter", "j"), ["two", "j"]),
        (("f", "enter"), ["twofold"]),
        (("enter", "enter"), ["two"]),
    ],
    ids="-".join,
)
async def test_enter_runs_what_was_searched_for_last_however_soon_it_is_pressed(
    pressed: tuple[str, ...], ran: list[str]
) -> None:
    behind = Behind()
    app = Plain(behind, UNICODE, "cgp")
    async with app.run_test() as pilot:
        await pilot.press("colon")
        await until(pilot, lambda: isinstance(app.screen, CommandPalette) and app.screen.query_one(OptionList).option_count)
        palette = app.screen
        await pilot.press(*"two", *pressed)
        assert str(palette.query_one(OptionList).get_option_at_index(0).prompt) == "one", "the list of before is in view"
        assert behind.ran == [] and app.screen is palette
        behind.free.set()
        await until(pilot, lambda: len(behind.ran) >= len(ran))
        await until(pilot, lambda: app.screen is behind)
        await pilot.pause()
        assert behind.ran == ran


async def test_enter_on_what_is_not_found_runs_nothing() -> None:
    behind = Behind()
    app = Plain(behind, UNICODE, "cgp")
    async with app.run_test() as pilot:
        await pilot.press("colon")
        await until(pilot, lambda: isinstance(app.screen, CommandPalette) and app.screen.query_one(OptionList).option_count)
        await pilot.press(*"none", "enter")
        behind.free.set()
        await until(pilot, lambda: "No matches found" in screen_text(pilot))
        assert behind.ran == []
        await pilot.press("escape")
        assert app.screen is behind


async def test_on_the_consent_screen_it_lists_what_works_there_and_does_nothing_else(tmp_path: Path) -> None:
    async with session(tmp_path, plan("near", "plain")) as stage:
        screen = await opened_consent(stage)
        await stage.pilot.press("colon")
        await stage.until(lambda: "a command, a key, a theme" in stage.screen)
        assert "a place" not in stage.screen, "there is none to jump to here"
        await stage.pilot.press(*"restart")
        await stage.until(lambda: "No matches found" in stage.screen)
        await stage.pilot.press("escape", "colon", *"revoke")
        await stage.until(lambda: "consent.revoke-all" in stage.screen)
        await stage.pilot.press("escape")
        await stage.until(lambda: stage.app.screen is screen)
        await stage.app.run_row(by_id("session.restart"))
        await stage.pilot.pause()
        assert stage.app.screen is screen, "what is not for this screen asks nothing there"
        await stage.pilot.press("question_mark")
        await stage.until(lambda: by_id("consent.deny").sentence in stage.screen)
        await stage.pilot.press("escape", "2")
        await stage.until(lambda: stage.app.inspector.view == "findings" and stage.app.screen is stage.app.inspector)
