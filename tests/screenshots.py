"""`python -m tests.screenshots [FOLDER]`: the pictures of the README, made anew from real sessions.

The demo runs from a copy of the package in the temporary folder, so that no picture holds a path of whoever made it.
"""

from __future__ import annotations

import argparse
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
from typing import Final, Literal, NamedTuple

from textual.pilot import Pilot

from cgp_tui.analysis.analysis import Analysis
from cgp_tui.cli import tour
from cgp_tui.cli.home import _known
from cgp_tui.consent.ledger import Ledger
from cgp_tui.present.symbols import UNICODE
from cgp_tui.store.files import create_private
from cgp_tui.transcript.reader import Transcript
from cgp_tui.transcript.writer import Writer
from cgp_tui.ui.app import CgpApp
from cgp_tui.ui.entrance import Entrance
from cgp_tui.ui.home import menu
from cgp_tui.ui.live.session import Live
from cgp_tui.ui.screens.inspector import InspectorScreen
from cgp_tui.ui.source import Source
from tests.conftest import ROOT
from tests.transcript.test_recent import closed
from tests.ui.pilots import write_recording

STAGE: Final = Path(tempfile.gettempdir()) / "cgp-tui"


class Shot(NamedTuple):
    """A picture: its name, the size of its terminal, and the keys that lead to it: in the demo from its first answer, in a
    replay from its first line, at home from the newest recording."""

    name: str
    size: tuple[int, int]
    keys: Sequence[str]
    theme: str = "cgp"
    of: Literal["demo", "replay", "home"] = "demo"


_FILTER: Final = ("slash", *"type", "colon", *"frames", "enter")
_GRANT: Final = ("c", "enter", *4 * ("G",), "tab", "tab", "tab", "space", "shift+tab", "shift+tab", "enter")
_ASK: Final = ("escape", "a", *"chain", "enter")

SHOTS: Final = (
    Shot("demo-120x40", (120, 40), ()),
    Shot("demo-80x24", (80, 24), ()),
    Shot("frame-120x40", (120, 40), ("enter", "enter")),
    Shot("chain-120x40", (120, 40), ("enter", "enter", "]")),
    Shot("proof-120x40", (120, 40), ("enter", "enter", "]", "]")),
    Shot("query-120x40", (120, 40), ("a",)),
    Shot("consent-120x40", (120, 40), ("c", "enter")),
    Shot("timeline-120x40", (120, 40), (*_GRANT, *_ASK, "c", "x", "enter", *_ASK, "c")),
    Shot("why-120x40", (120, 40), ("c", "d", "w")),
    Shot("light-120x40", (120, 40), ("enter", "enter", "]"), "textual-light"),
    Shot("home-100x30", (100, 30), (), of="home"),
    Shot("replay-120x40", (120, 40), ("e",), of="replay"),
    Shot("over-budget-120x40", (120, 40), ("e", "e"), of="replay"),
    Shot("findings-120x40", (120, 40), ("2",), of="replay"),
    Shot("filter-120x40", (120, 40), _FILTER, of="replay"),
    Shot("narrow-80x24", (80, 24), ("e", "e", "enter"), of="replay"),
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
            picture = asyncio.run({"demo": _of_demo, "replay": _of_replay, "home": _of_home}[shot.of](shot))
            (folder / f"{shot.name}.svg").write_text(picture, encoding="utf-8")
            print(folder / f"{shot.name}.svg")
    finally:
        os.chdir(folder)
        shutil.rmtree(STAGE, ignore_errors=True)


async def _pressed(pilot: Pilot[object], shot: Shot) -> str:
    for key in shot.keys:
        await pilot.press(key)
        await pilot.pause(0.4)
    svg = pilot.app.export_screenshot(title="cgp-tui")
    assert str(ROOT) not in svg, "the picture holds a path of this checkout"
    return re.sub(r"(<text )", r'\1xml:space="preserve" ', svg)


def _work(shot: Shot) -> Path:
    """A folder of the picture's own, in which whatever the app keeps is kept."""
    work = STAGE / shot.name
    work.mkdir(mode=0o700)
    os.environ |= {
        "CGP_TUI_STATE": str(work / "state"),
        "CGP_TUI_CONFIG": str(work / "config"),
        "CGP_TUI_LEDGER": str(work / "receipts.toml"),
    }
    return work


async def _of_replay(shot: Shot) -> str:
    path = write_recording(_work(shot) / "customer.ndjson")
    with Transcript.open(path) as transcript:
        app = CgpApp(InspectorScreen(Source(transcript, Analysis(transcript), UNICODE)), theme=shot.theme)
        async with app.run_test(size=shot.size) as pilot:
            await pilot.pause(1.0)
            return await _pressed(pilot, shot)


async def _of_home(shot: Shot) -> str:
    folder = _work(shot) / "state" / "transcripts"
    for number, who in enumerate((("repo-graph",), ("repo-graph", "acme-search"), ("docs",))):
        closed(folder / f"{number}.ndjson", *who, lines=214 + 37 * number, at=1_795_000_000.0 + number)
    config = STAGE / shot.name / "config"
    config.mkdir(mode=0o700)
    (config / "cgp-tui.toml").write_text('[providers.docs]\ncommand = ["docs-server", "--stdio"]\n')
    app = Entrance(menu(_known()), UNICODE, shot.theme)
    async with app.run_test(size=shot.size) as pilot:
        await pilot.pause(0.5)
        return await _pressed(pilot, shot)


async def _of_demo(shot: Shot) -> str:
    work = _work(shot)
    path = work / "demo.ndjson"
    writer = Writer(create_private(path), "demo")
    transcript = Transcript.open(path, growing=True)
    ledger = Ledger(work / "receipts.toml", work / "head")
    live = Live(tour._plans(), path, writer, ledger, whose=tour._WHOSE, ledger_words=tour._LEDGER, hint=tour._HINT)
    app = CgpApp(InspectorScreen(Source(transcript, Analysis(transcript), UNICODE), live), theme=shot.theme)
    try:
        async with app.run_test(size=shot.size) as pilot:
            await _first_answer(pilot, path)
            return await _pressed(pilot, shot)
    finally:
        await live.end()


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
    parser = argparse.ArgumentParser(prog="python -m tests.screenshots", description=__doc__)
    parser.add_argument("folder", nargs="?", type=Path, default=ROOT / "screenshots", metavar="FOLDER")
    main(parser.parse_args().folder)
