"""What is typed faster than a line opens is typed into it, and does nothing else."""

from __future__ import annotations

from pathlib import Path

import pytest
from textual.events import Key
from textual.pilot import Pilot
from textual.screen import ModalScreen
from textual.widgets import Input

from cgp_tui.ui import pace
from tests.terminal import Terminal
from tests.ui.pilots import app_over, inspector_of, opened, settled, until, write_bare, write_recording


def burst(pilot: Pilot[object], text: str) -> None:
    """Keys as a terminal hands them over when they come all at once."""
    names = {"/": "slash", ";": "semicolon", ":": "colon", "\r": "enter", ">": "greater_than_sign"}
    for char in text:
        pilot.app.post_message(Key(names.get(char, char), char))


async def test_a_filter_typed_in_one_go_is_a_filter(tmp_path: Path) -> None:
    async with opened(app_over(write_bare(tmp_path / "s.ndjson"))) as pilot:
        inspector = inspector_of(pilot)
        burst(pilot, "/type:frames\r")
        await until(pilot, lambda: inspector.sieve.text == "type:frames")
        await settled(pilot)
        assert inspector.find.field.value == "type:frames"
        assert pilot.app.screen is inspector, "no letter opened anything"
        assert inspector.traffic.time == "clock" and len(inspector.source.marks_at_hand()) == 0


@pytest.mark.parametrize(("opens", "typed"), [(";", "frm_gaveup"), ("M", "met before")])
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
