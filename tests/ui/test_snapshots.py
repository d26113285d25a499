"""Frozen screens as plain text, each narrow and wide. `CGP_TUI_SNAPSHOTS=write pytest tests/ui/test_snapshots.py` writes
them anew."""

from __future__ import annotations

import os
from pathlib import Path
from typing import NamedTuple

import pytest

from cgp_tui.present.symbols import ASCII, UNICODE, Symbols
from tests.conftest import ROOT
from tests.present.samples import trusted
from tests.present.test_home import home
from tests.ui.pilots import app_over, inspector_of, opened, screen_text, settled, until, write_recording
from tests.ui.test_home import at_home

FOLDER = ROOT / "tests" / "snapshots"
SIZES = ((80, 24), (120, 40))


class Scene(NamedTuple):
    """What is pressed over the sample recording. `symbols` are those of the terminal."""

    name: str
    keys: tuple[str, ...]
    symbols: Symbols = UNICODE


NEXT = "right_square_bracket"
SCENES = (
    Scene("traffic", ("j", "j", "j")),
    Scene("answer-over-budget", ("e", "e", "tab")),
    Scene("frame", ("e", "enter")),
    Scene("chain", ("e", "enter", NEXT, "z")),
    Scene("proof", ("e", "tab", "j", "j", "j", "enter", NEXT, NEXT, "comma", "comma")),
    Scene("json", ("e", "tab", NEXT, NEXT)),
    Scene("raw", ("e", "tab", NEXT, NEXT, NEXT)),
    Scene("findings", ("2",)),
    Scene("findings-by-line", ("2", "o")),
    Scene("findings-ascii", ("e", "tab", NEXT), ASCII),
    Scene("provider", ("7",)),
    Scene("filter", ("slash", *"type:frames")),
    Scene("jump", ("semicolon", *"B")),
    Scene("columns", ("C",)),
    Scene("copying", ("y",)),
    Scene("why", ("e", "e", "w")),
    Scene("help", ("question_mark",)),
)
HOME = "home"


def held_against(name: str, size: tuple[int, int], seen: str) -> None:
    """The screen is the frozen one."""
    frozen = FOLDER / f"{name}-{size[0]}x{size[1]}.txt"
    if os.environ.get("CGP_TUI_SNAPSHOTS") == "write":
        frozen.parent.mkdir(exist_ok=True)
        frozen.write_text(seen + "\n", encoding="utf-8")
    assert seen + "\n" == frozen.read_text("utf-8")


@pytest.mark.parametrize("size", SIZES, ids=lambda size: f"{size[0]}x{size[1]}")
@pytest.mark.parametrize("scene", SCENES, ids=lambda scene: scene.name)
async def test_the_screen_is_as_it_was_looked_at(tmp_path: Path, scene: Scene, size: tuple[int, int]) -> None:
    path = write_recording(tmp_path / "session.ndjson")
    async with opened(app_over(path, symbols=scene.symbols, keys=[trusted()]), size) as pilot:
        await settled(pilot)
        await until(pilot, lambda: "Findings 5" in screen_text(pilot))
        for key in scene.keys:
            await pilot.press(key)
            if pilot.app.screen is inspector_of(pilot):
                await settled(pilot)
        await pilot.pause(0.1)
        seen = screen_text(pilot)
    held_against(scene.name, size, seen)


@pytest.mark.parametrize("size", SIZES, ids=lambda size: f"{size[0]}x{size[1]}")
async def test_home_is_as_it_was_looked_at(size: tuple[int, int]) -> None:
    async with at_home(home(), size) as (pilot, _):
        seen = screen_text(pilot)
    held_against(HOME, size, seen)


def test_no_frozen_screen_is_left_behind() -> None:
    names = (HOME, *(scene.name for scene in SCENES))
    assert {path.stem for path in FOLDER.glob("*.txt")} == {f"{name}-{w}x{h}" for name in names for w, h in SIZES}
