"""Frozen screens as plain text. `CGP_TUI_SNAPSHOTS=write pytest tests/ui/test_snapshots.py` writes them anew."""

from __future__ import annotations

import os
from pathlib import Path
from typing import NamedTuple

import pytest

from cgp_tui.present.symbols import ASCII, UNICODE, Symbols
from tests.conftest import ROOT
from tests.present.samples import trusted
from tests.ui.pilots import app_over, inspector_of, opened, screen_text, settled, write_recording

FOLDER = ROOT / "tests" / "snapshots"


class Scene(NamedTuple):
    name: str
    size: tuple[int, int]
    keys: tuple[str, ...]
    symbols: Symbols = UNICODE


NEXT = "right_square_bracket"
SCENES = (
    Scene("traffic", (80, 24), ("j", "j", "j")),
    Scene("answer-over-budget", (120, 40), ("e", "e", "tab")),
    Scene("answer-over-budget-narrow", (80, 24), ("e", "e", "tab")),
    Scene("chain", (80, 24), ("e", "enter", NEXT, "z")),
    Scene("proof", (120, 40), ("e", "tab", "j", "j", "j", "enter", NEXT, NEXT, "comma", "comma")),
    Scene("findings-ascii", (80, 24), ("e", "tab", NEXT), ASCII),
    Scene("findings", (120, 40), ("2", "o")),
    Scene("findings-narrow", (80, 24), ("2",)),
    Scene("provider", (80, 24), ("7",)),
    Scene("why", (80, 24), ("e", "e", "w")),
    Scene("help", (80, 24), ("question_mark",)),
)


@pytest.mark.parametrize("scene", SCENES, ids=lambda scene: scene.name)
async def test_the_screen_is_as_it_was_looked_at(tmp_path: Path, scene: Scene) -> None:
    path = write_recording(tmp_path / "session.ndjson")
    async with opened(app_over(path, symbols=scene.symbols, keys=[trusted()]), scene.size) as pilot:
        for key in scene.keys:
            await pilot.press(key)
            if pilot.app.screen is inspector_of(pilot):
                await settled(pilot)
        await pilot.pause(0.1)
        seen = screen_text(pilot) + "\n"
    frozen = FOLDER / f"{scene.name}.txt"
    if os.environ.get("CGP_TUI_SNAPSHOTS") == "write":
        frozen.parent.mkdir(exist_ok=True)
        frozen.write_text(seen, encoding="utf-8")
    assert seen == frozen.read_text("utf-8")


def test_no_frozen_screen_is_left_behind() -> None:
    assert {path.stem for path in FOLDER.glob("*.txt")} == {scene.name for scene in SCENES}
