"""A question is read, and answered, at every size of the terminal."""

from __future__ import annotations

from pathlib import Path

import pytest
from textual.pilot import Pilot
from textual.screen import Screen
from textual.widget import Widget
from textual.widgets import Button, Input

from cgp_tui.present.symbols import ASCII, UNICODE
from cgp_tui.text import own
from cgp_tui.ui.base_app import BaseApp
from cgp_tui.ui.keys import QUESTION, by_id
from cgp_tui.ui.screens.confirm import ConfirmScreen
from cgp_tui.ui.screens.leave import LeaveScreen
from cgp_tui.ui.screens.question import Question
from cgp_tui.ui.widgets.bars import KeyLine
from tests.ui.pilots import opened, screen_text, until
from tests.ui.test_trust import into_a_frame, trusting

SIZES = ((20, 5), (20, 24), (40, 12), (80, 24))


def leave() -> Question[bool]:
    return LeaveScreen(UNICODE)


def sure() -> Question[bool]:
    lines = [own(f"third-party-index-{number}  from acme-search  #{number}") for number in range(12)]
    return ConfirmScreen(own("Revoke everything, from every provider?"), lines, "Revoke all", "Keep", UNICODE)


def whole(screen: Question[bool], widget: Widget) -> bool:
    """Whether all of it is in view."""
    seen = screen.find_widget(widget)
    return seen.region.size == seen.visible_region.size and screen.region.contains_region(seen.region)


async def read_through(pilot: Pilot[object], screen: Question[bool]) -> str:
    """Everything that comes by while the text is read on to its end."""
    seen = ""
    screen.text.scroll_home(animate=False, immediate=True)
    await pilot.pause(0.05)
    for _ in range(80):
        seen += "".join(sign for sign in screen_text(pilot) if sign.isalnum() or sign in ".,#-?")
        before = screen.text.scroll_offset.y
        await pilot.press("pagedown")
        await pilot.pause(0.05)
        if screen.text.scroll_offset.y == before:
            return seen
    raise AssertionError("the text has no end")


@pytest.mark.parametrize("size", SIZES, ids=lambda size: f"{size[0]}x{size[1]}")
@pytest.mark.parametrize("make", [leave, sure])
async def test_its_answers_are_in_view_and_its_text_can_be_read(make: type, size: tuple[int, int]) -> None:
    app = BaseApp(Screen(), UNICODE, "cgp")
    async with app.run_test(size=size) as pilot:
        screen = make()
        await app.push_screen(screen)
        await until(pilot, lambda: screen.query_one(KeyLine).keys != () and screen.text.size.height > 0)
        await pilot.pause(0.05)
        buttons = list(screen.query(Button))
        assert [button for button in (*buttons, screen.query_one(KeyLine)) if not whole(screen, button)] == []
        for button in buttons:
            assert str(button.label) in screen_text(pilot)
        seen = await read_through(pilot, screen)
        listed = [f"#{number}" for number in range(8)]
        ends = ["Aprovider", "kept."] if make is leave else ["Revokeeverything,", *listed, "and4more"]
        assert [end for end in ends if end not in seen] == [], seen
        await pilot.press("pageup")
        assert screen.text.scroll_offset.y < max(screen.text.max_scroll_y, 1)


async def test_it_follows_the_terminal_even_behind_something_else() -> None:
    app = BaseApp(Screen(), UNICODE, "cgp")
    async with app.run_test(size=(80, 24)) as pilot:
        behind, front = sure(), leave()
        await app.push_screen(behind)
        await app.push_screen(front)
        await pilot.resize_terminal(20, 5)
        await pilot.press("escape")
        await until(pilot, lambda: app.screen is behind)
        await until(pilot, lambda: whole(behind, behind.query_one("#yes")) and whole(behind, behind.query_one("#no")))


async def test_what_the_keys_do_is_said_and_a_click_on_it_does_the_same() -> None:
    app = BaseApp(Screen(), ASCII, "cgp")
    heard: list[bool | None] = []
    async with app.run_test(size=(80, 24)) as pilot:
        screen = sure()
        await app.push_screen(screen, heard.append)
        await until(pilot, lambda: "tab Next answer  enter Answer  esc Keep" in screen_text(pilot))
        assert "pgdn" not in screen_text(pilot), "everything is in view"
        keys = screen.query_one(KeyLine)
        line = "".join(part.text for part in keys.line(keys.size.width))
        await pilot.click(keys, offset=(line.index("Next"), 0))
        assert screen.focused is screen.query_one("#no")
        await pilot.click(keys, offset=(line.index("enter"), 0))
        await until(pilot, lambda: heard == [False])
        again = sure()
        await app.push_screen(again, heard.append)
        await pilot.pause()
        await pilot.press("shift+tab", "tab", "enter")
        await until(pilot, lambda: heard == [False, True])
        await app.push_screen(leave(), heard.append)
        await pilot.resize_terminal(20, 5)
        await until(pilot, lambda: "pgdn Read on" in screen_text(pilot))


def test_every_key_of_a_question_is_a_row_of_the_table() -> None:
    assert all(by_id(name).keys for name in QUESTION)


@pytest.mark.parametrize("size", [(20, 5), (40, 12), (80, 24)], ids=lambda size: f"{size[0]}x{size[1]}")
async def test_a_key_is_trusted_at_every_size(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, size: tuple[int, int]
) -> None:
    monkeypatch.setenv("CGP_TUI_CONFIG", str(tmp_path / "config"))
    monkeypatch.setenv("CGP_TUI_STATE", str(tmp_path / "state"))
    async with opened(trusting(tmp_path), size) as pilot:
        await into_a_frame(pilot)
        await pilot.press("T")
        screen = pilot.app.screen
        assert isinstance(screen, Question)
        await until(pilot, lambda: screen.focused is not None and whole(screen, screen.focused))
        fixed = (screen.query_one("#state"), screen.query_one("#no"), screen.query_one("#yes"), screen.query_one(KeyLine))
        assert [widget for widget in fixed if not whole(screen, widget)] == []
        await pilot.press(*"jk", "tab")
        assert screen.query_one("#label", Input).value == "jk", "a letter is text"
        await until(pilot, lambda: screen.focused is screen.query_one("#typed") and whole(screen, screen.focused))
        if size == (20, 5):
            return
        seen = await read_through(pilot, screen)
        assert [word for word in ("docs", "SHA-256", "ofthekey", "contentistrue.", "fingerprint") if word not in seen] == []
        await pilot.press("escape")
        await until(pilot, lambda: pilot.app.screen is not screen)
