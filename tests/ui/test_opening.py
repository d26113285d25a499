"""The screen stands before the session does: what is seen meanwhile, and what becomes of a session that cannot be made."""

from __future__ import annotations

import asyncio
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from cgp_tui.analysis.analysis import Analysis
from cgp_tui.consent.ledger import Ledger
from cgp_tui.errors import InputError
from cgp_tui.present.symbols import UNICODE
from cgp_tui.store.files import create_private
from cgp_tui.transcript.reader import Transcript
from cgp_tui.transcript.writer import Writer
from cgp_tui.ui.app import CgpApp
from cgp_tui.ui.live.opening import Opening
from cgp_tui.ui.live.session import Live
from cgp_tui.ui.screens.inspector import InspectorScreen
from cgp_tui.ui.source import Source
from tests.ui.pilots import gone, screen_text, until
from tests.ui.sessions import plan


def recording(folder: Path) -> tuple[Path, Writer]:
    path = folder / "state" / "session.ndjson"
    return path, Writer(create_private(path), "inspect")


def app_on(path: Path, opening: Opening) -> CgpApp:
    transcript = Transcript.open(path)
    return CgpApp(InspectorScreen(Source(transcript, Analysis(transcript), UNICODE), opening))


def slow(tmp_path: Path, path: Path, writer: Writer, may: threading.Event) -> Opening:
    """A session whose making waits for leave."""

    def make() -> Live:
        assert may.wait(60)
        return Live([plan("one", "plain")], path, writer, Ledger(tmp_path / "receipts.toml", tmp_path / "head"))

    return Opening(make)


async def test_the_screen_stands_while_the_session_is_being_made(tmp_path: Path) -> None:
    path, writer = recording(tmp_path)
    may = threading.Event()
    opening = slow(tmp_path, path, writer, may)
    app = app_on(path, opening)
    async with app.run_test() as pilot:
        await until(pilot, lambda: opening.state().empty == "Starting…")
        assert (opening.state().word, opening.state().running) == ("LIVE", False)
        await opening.act("query.compose", None)
        assert app.screen is app.inspector, "nothing to ask yet"
        await until(pilot, lambda: "the session is being started" in screen_text(pilot))
        may.set()
        await until(pilot, lambda: b"handshake_ack" in path.read_bytes())
        assert opening.state().running
        await opening.end()
        assert not opening.state().running
    assert b'"shutdown"' in path.read_bytes()


async def test_leaving_before_the_session_is_made_leaves_nothing_behind(tmp_path: Path) -> None:
    path, writer = recording(tmp_path)
    may = threading.Event()
    opening = slow(tmp_path, path, writer, may)
    app = app_on(path, opening)
    async with app.run_test() as pilot:
        await pilot.pause(0.1)
        threading.Timer(0.2, may.set).start()
        await opening.end()
        assert not opening.state().running


async def test_what_ends_before_its_first_paint_starts_nothing(tmp_path: Path) -> None:
    path, _ = recording(tmp_path)
    made: list[bool] = []

    def make() -> Live:
        made.append(True)
        raise AssertionError

    opening = Opening(make)
    await opening.begin(app_on(path, opening))
    await asyncio.wait_for(opening.end(), 60)
    assert made == []


async def test_a_session_that_cannot_be_made_ends_the_app_with_its_reason(tmp_path: Path) -> None:
    path, _ = recording(tmp_path)

    def make() -> Live:
        raise InputError("usage", "There is no such thing.", "Look again.")

    app = app_on(path, Opening(make))
    with pytest.raises(InputError, match="no such thing"):
        async with app.run_test() as pilot:
            await gone(pilot)
    assert isinstance(app.failure, InputError)


def test_the_first_screen_loads_neither_host_nor_ledger() -> None:
    """What the demo imports before it paints, seen from a fresh interpreter."""
    code = (
        "import sys\n"
        "import cgp_tui.cli.demo, cgp_tui.cli.inspect, cgp_tui.cli.recording, cgp_tui.transcript.writer\n"
        "import cgp_tui.ui.app, cgp_tui.ui.live.opening, cgp_tui.ui.source\n"
        "heavy = ('cgp_tui.host', 'cgp_tui.consent', 'cryptography', 'httpx', 'tomlkit')\n"
        "sys.stdout.write(' '.join(sorted(name for name in sys.modules if name.startswith(heavy))))\n"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ran.stdout == ""
