"""`python -m tests.screenshots [FOLDER]`: the pictures of the README, made anew from the real demo.

The demo runs from a copy of the package in the temporary folder, so that no picture holds a path of whoever made it.
"""

from __future__ import annotations

import asyncio
import os
import re
import shutil
import sys
import sysconfig
import tempfile
import venv
from collections.abc import Sequence
from pathlib import Path
from typing import Final, NamedTuple

from textual.pilot import Pilot

from cgp_tui.analysis.analysis import Analysis
from cgp_tui.cli import tour
from cgp_tui.consent.ledger import Ledger
from cgp_tui.present.symbols import UNICODE
from cgp_tui.store.files import create_private
from cgp_tui.transcript.reader import Transcript
from cgp_tui.transcript.writer import Writer
from cgp_tui.ui.app import CgpApp
from cgp_tui.ui.live.session import Live
from cgp_tui.ui.screens.inspector import InspectorScreen
from cgp_tui.ui.source import Source
from tests.conftest import ROOT

STAGE: Final = Path(tempfile.gettempdir()) / "cgp-tui"


class Shot(NamedTuple):
    """A picture: its name, the size of its terminal, and the keys that lead to it from the demo's first answer."""

    name: str
    size: tuple[int, int]
    keys: Sequence[str]
    theme: str = "cgp"


SHOTS: Final = (
    Shot("demo-120x40", (120, 40), ()),
    Shot("demo-80x24", (80, 24), ()),
    Shot("frame-120x40", (120, 40), ("enter", "enter")),
    Shot("proof-120x40", (120, 40), ("enter", "enter", "]", "]")),
    Shot("query-120x40", (120, 40), ("a",)),
    Shot("consent-120x40", (120, 40), ("c", "enter")),
    Shot("light-120x40", (120, 40), ("enter", "enter", "]"), "textual-light"),
)


def main(folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    folder = folder.resolve()
    shutil.rmtree(STAGE, ignore_errors=True)
    for part in ("cgp_tui", "styles"):
        shutil.copytree(ROOT / part, STAGE / part, ignore=shutil.ignore_patterns("__pycache__"))
    venv.create(STAGE / "venv", symlinks=False)
    (packages,) = (STAGE / "venv" / "lib").glob("python*/site-packages")
    (packages / "ours.pth").write_text(f"{sysconfig.get_path('purelib')}\n")
    sys.executable = str(STAGE / "venv" / "bin" / "python3")
    os.chdir(STAGE)
    try:
        for shot in SHOTS:
            picture = asyncio.run(_taken(shot))
            (folder / f"{shot.name}.svg").write_text(picture, encoding="utf-8")
            print(folder / f"{shot.name}.svg")
    finally:
        os.chdir(folder)
        shutil.rmtree(STAGE, ignore_errors=True)


async def _taken(shot: Shot) -> str:
    work = STAGE / shot.name
    work.mkdir(mode=0o700)
    path = work / "demo.ndjson"
    writer = Writer(create_private(path), "demo")
    transcript = Transcript.open(path, growing=True)
    ledger = Ledger(work / "receipts.toml", work / "head")
    live = Live(tour._plans(), path, writer, ledger, whose=tour._WHOSE, ledger_words=tour._LEDGER, hint=tour._HINT)
    app = CgpApp(InspectorScreen(Source(transcript, Analysis(transcript), UNICODE), live), theme=shot.theme)
    try:
        async with app.run_test(size=shot.size) as pilot:
            await _first_answer(pilot, path)
            for key in shot.keys:
                await pilot.press(key)
                await pilot.pause(0.4)
            svg = app.export_screenshot(title="cgp-tui demo")
    finally:
        await live.end()
    assert str(ROOT) not in svg, "the picture holds a path of this checkout"
    return re.sub(r"(<text )", r'\1xml:space="preserve" ', svg)


async def _first_answer(pilot: Pilot[object], path: Path) -> None:
    """Wait for the whole opening of the demo, then stand on the answer before the verify."""
    for _ in range(500):
        await pilot.pause(0.02)
        if path.read_bytes().count(b'"type":"verified"') == 1:
            break
    await pilot.pause(0.5)
    await pilot.press("k", "k", "k")
    await pilot.pause(0.5)


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / "screenshots")
