"""What is typed faster than a line opens is typed into it, and does nothing else."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from textual.app import ComposeResult
from textual.events import Key
from textual.pilot import Pilot
from textual.screen import ModalScreen, Screen
from textual.widget import Widget
from textual.widgets import Input

from cgp_tui.ui import pace
from cgp_tui.ui.typeahead import TypeAheadApp
from tests.terminal import Terminal
from tests.ui.pilots import app_over, inspector_of, opened, settled, until, write_bare, write_recording
from tests.ui.sessions import plan, session
from tests.ui.test_composer import compose, field


def burst(pilot: Pilot[object], text: str) -> None:
    """Keys as a terminal hands them over when they come all at once."""
    names = {
        "/": "slash",
        ";": "semicolon",
        ":": "colon",
        "\r": "enter",
        ">": "greater_than_sign",
        "\t": "tab",
        "\x1b": "escape",
    }
    for char in text:
        pilot.app.post_message(Key(names.get(char, char), char))


async def test_a_filter_typed_in_one_go_is_a_filter(tmp_path: Path) -> None:
    async with opened(app_over(write_bare(tmp_path / "s.ndjson"))) as pilot:
        inspector = inspector_of(pilot)
        burst(pilot, "/type:frames\r")
        await until(pilot, lambda: inspector.list_filter.text == "type:frames")
        await settled(pilot)
        assert inspector.find.field.value == "type:frames"
        assert pilot.app.screen is inspector, "no letter opened anything"
        assert inspector.traffic.time == "clock" and len(inspector.source.marks_at_hand()) == 0


@pytest.mark.parametrize(("opens", "typed"), [(";", "frm_gaveup"), ("M", "seen before")])
async def test_so_is_what_a_dialog_asks_for(tmp_path: Path, opens: str, typed: str) -> None:
    async with opened(app_over(write_bare(tmp_path / "s.ndjson"))) as pilot:
        burst(pilot, opens + typed)
        await until(pilot, lambda: isinstance(pilot.app.focused, Input) and pilot.app.focused.value == typed)
        assert isinstance(pilot.app.screen, ModalScreen)


@pytest.mark.parametrize("keys", ["/x", "2", "e", "?", ":", "C", "y", "m", "\r", "a", "w", "}", "]", "z", "q"])
async def test_a_key_that_is_quicker_than_the_rest_of_the_screen_finds_it_there(
    tmp_path: Path, keys: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("STANDS_SECONDS", "AT_ONCE_SECONDS", "LEAVES_SECONDS"):
        monkeypatch.setattr(pace, name, 3600.0)
    app = app_over(write_bare(tmp_path / "s.ndjson"))
    async with app.run_test(size=(80, 24)) as pilot:
        assert not app.inspector.find.is_mounted
        burst(pilot, keys)
        await until(pilot, lambda: app.inspector.find.is_mounted or not app.is_running)
        await pilot.pause(0.1)
    assert app.return_code in (0, None)


class Slow(Screen[None]):
    """Its line has the focus when others would have been painted many times."""

    AUTO_FOCUS = ""
    takes_text = True

    def compose(self) -> ComposeResult:
        yield Input()

    def on_mount(self) -> None:
        self.set_timer(0.3, self.query_one(Input).focus)


async def test_a_line_that_is_long_in_opening_gets_what_was_typed() -> None:
    app = TypeAheadApp()
    async with app.run_test() as pilot:
        await app.push_screen(Slow())
        assert app.focused is None
        burst(pilot, "abc")
        await until(pilot, lambda: isinstance(app.focused, Input) and app.focused.value == "abc")


class Busy(Widget, can_focus=True):
    """Something that takes a while over each key, and leaves it to the bindings."""

    async def on_key(self) -> None:
        await asyncio.sleep(0.2)


class Line(Screen[None]):
    """Its line has the focus at once."""

    takes_text = True

    def compose(self) -> ComposeResult:
        yield Input()


async def test_a_key_that_is_still_on_its_way_is_not_overtaken() -> None:
    app = TypeAheadApp()
    async with app.run_test() as pilot:
        busy = Busy()
        await app.screen.mount(busy)
        busy.focus()
        await until(pilot, lambda: app.focused is busy)
        burst(pilot, "a")
        await until(pilot, lambda: app._typed == 1)
        await app.push_screen(Line())
        await until(pilot, lambda: isinstance(app.focused, Input))
        burst(pilot, "bc")
        field = app.screen.query_one(Input)
        await until(pilot, lambda: len(field.value) == 3)
        assert field.value == "abc"
        burst(pilot, "de")
        await until(pilot, lambda: field.value == "abcde")


async def test_what_is_typed_after_a_line_was_left_is_not_of_that_line(tmp_path: Path) -> None:
    async with opened(app_over(write_bare(tmp_path / "s.ndjson"))) as pilot:
        inspector = inspector_of(pilot)
        burst(pilot, "/type:frames\rj")
        await until(pilot, lambda: inspector.source.line_of(inspector.traffic.cursor) == 6)
        assert inspector.find.field.value == inspector.list_filter.text == "type:frames"
        burst(pilot, ";7\x1bk")
        await until(pilot, lambda: inspector.source.line_of(inspector.traffic.cursor) == 4)
        assert pilot.app.screen is inspector
        burst(pilot, "/x\x1b\x1bG")
        await until(pilot, lambda: inspector.traffic.cursor == 10)
        assert not inspector.find.shown


async def test_what_is_typed_after_a_tab_is_of_the_next_line(tmp_path: Path) -> None:
    async with session(tmp_path, plan("one", "plain")) as stage:
        screen = await compose(stage)
        burst(stage.pilot, "why\tretry\tdoc")
        await stage.until(lambda: field(screen, "kinds").value == "doc")
        assert (field(screen, "goal").value, field(screen, "query_text").value) == ("why", "retry")


async def test_a_list_keeps_its_keys(tmp_path: Path) -> None:
    async with opened(app_over(write_bare(tmp_path / "s.ndjson"))) as pilot:
        inspector = inspector_of(pilot)
        burst(pilot, "jjjkj")
        await until(pilot, lambda: inspector.traffic.cursor == 3)


def test_on_a_terminal_too(tmp_path: Path, cgp: list[str]) -> None:
    path = write_recording(tmp_path / "s.ndjson")
    with Terminal([*cgp, "replay", str(path)], columns=100) as terminal:
        terminal.wait("before line 1")
        terminal.send("/type:frames & latency>1ms\r")
        terminal.wait("/ type:frames & latency>1ms")
        terminal.wait("2 of 17")
        terminal.send("q")
        assert terminal.ended() == 0
