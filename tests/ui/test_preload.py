"""What is loaded before the first paint of a recording, in the process that paints it; and that the rest comes after it."""

from __future__ import annotations

import os
import sys
import threading
import time
from importlib.util import find_spec
from pathlib import Path

import pytest

from cgp_tui.analysis.background import Background
from cgp_tui.present.symbols import UNICODE
from cgp_tui.transcript.reader import Transcript
from cgp_tui.ui import pace, preload
from cgp_tui.ui.source import Source
from cgp_tui.ui.widgets.traffic import TrafficList
from tests.conftest import ROOT
from tests.terminal import Terminal
from tests.ui.pilots import app_over, inspector_of, settled, write_bare, write_recording

MAY_BE_LOADED = {
    "": "cli doors errors limits present protocol store text transcript ui wire",
    "cli": "main preferences screen trusted",
    "present": "key_sentences layout note numbers overview spans subject symbols traffic",
    "protocol": "anchors messages timestamp",
    "store": "files paths settings",
    "transcript": "formats index opened reader record row sender writer",
    "ui": "actor app base_app content crash driver incoming keymap keys list_filter live ours pace preload screens source "
    "status stylesheets themes tokens toolkit typeahead widgets",
    "ui.live": "trusting",
    "ui.screens": "inspector panes recall selecting travel views",
    "ui.widgets": "bars detail folded foot ground halves overview painted rows traffic viewtabs",
    "wire": "line note peek",
}
"""Modules by the package they are in. A longer list is a longer wait: what is not painted is imported where it is used."""

FOR_LINES = {
    "": "secret",
    "cli": "playback",
    "present": "summary",
    "protocol": "capability envelope evidence frame identity query verify",
    "store": "shelf views",
    "ui": "player",
    "wire": "decode proof ranges skeleton slices",
}
"""The same for what a recording shows beyond that: its lines, summed up, and where it is played."""

FOR_A_SESSION = {"cli": "live recording tour", "ui.live": "opening"}
"""The same for a session that begins."""

_PAINTS = """
import sys, time
from pathlib import Path
from cgp_tui.ui.widgets.traffic import TrafficList
before, out = TrafficList.render_line, Path(sys.argv.pop(1))
def noted(self, y):
    if not out.exists():
        out.write_text(" ".join(sys.modules))
    return before(self, y)
TrafficList.render_line = noted
from cgp_tui.cli.main import main
sys.exit(main())
"""


def _names(modules: list[str]) -> set[str]:
    return {name.removeprefix("cgp_tui.") for name in modules if name.startswith("cgp_tui.")}


def _allowed(*tables: dict[str, str]) -> set[str]:
    return {f"{room}.{name}".strip(".") for table in tables for room, names in table.items() for name in names.split()}


def _loaded(folder: Path, argv: list[str], seen: str) -> list[str]:
    """The modules that a command has loaded when its list is painted first; `seen` comes after that."""
    out = folder / "modules"
    env = {**os.environ, "PYTHONPATH": str(ROOT), "HOME": str(folder), "CGP_TUI_STATE": str(folder / "state")}
    with Terminal([sys.executable, "-c", _PAINTS, str(out), *argv], env=env) as terminal:
        terminal.wait(seen, 60)
        terminal.process.terminate()
        terminal.ended(60)
    return out.read_text().split()


NEVER_BEFORE = {"typer", "httpx", "tomlkit", "cryptography", "psutil", "secrets", "json"}


def test_a_recording_is_painted_before_anything_is_loaded_that_judges_it(tmp_path: Path) -> None:
    # The detail comes with what is loaded later.
    loaded = _loaded(tmp_path, ["replay", str(write_bare(tmp_path / "s.ndjson"))], "speaks")
    assert _names(loaded) <= _allowed(MAY_BE_LOADED, FOR_LINES)
    assert not NEVER_BEFORE & set(loaded)
    assert not _names(loaded) & _names(list(preload.MODULES))


def test_a_session_is_painted_before_anything_is_loaded_that_reads_a_line(tmp_path: Path) -> None:
    loaded = _loaded(tmp_path, ["demo"], "handshake_ack")
    assert _names(loaded) <= _allowed(MAY_BE_LOADED, FOR_A_SESSION)
    assert not (NEVER_BEFORE | {"hashlib"}) & set(loaded)
    assert not _names(loaded) & _names(list(preload.MODULES))


def test_every_module_that_is_loaded_later_is_there() -> None:
    assert [name for name in preload.MODULES if find_spec(name) is None] == []


def test_a_source_begins_once_whoever_asks_for_it(tmp_path: Path) -> None:
    """A key may ask for the analysis while another thread is making it."""
    made: list[Background] = []

    def find_out() -> Background:
        time.sleep(0.05)
        made.append(Background(transcript))
        return made[-1]

    with Transcript.open(write_recording(tmp_path / "s.ndjson")) as transcript:
        source = Source.unread(transcript, UNICODE, find_out)
        known = source.done, source.found, source.worst(0, 1), source.warning, source.counts[0]
        assert (source.begun, *known) == (False, 0, (0, 0, 0), "", None, len(transcript))
        assert source.entry(0).violations == 0
        threads = [threading.Thread(target=source.begin) for _ in range(4)]
        for thread in threads:
            thread.start()
        first = source.analysis
        for thread in threads:
            thread.join()
        assert (source.begun, source.analysis, source.background, len(made)) == (True, first, made[0], 1)
        source.advance(10)
        assert source.done == len(transcript)


async def test_what_comes_after_the_first_paint_does_not_wait_for_the_clock(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The clock is for a screen on which nothing is painted."""
    monkeypatch.setattr(pace, "STANDS_SECONDS", 3600.0)
    async with app_over(write_bare(tmp_path / "s.ndjson")).run_test() as pilot:
        await settled(pilot)
        assert inspector_of(pilot).find.is_mounted


async def test_a_screen_that_paints_no_list_begins_all_the_same(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(TrafficList, "render_line", lambda self, y: self.blank())
    monkeypatch.setattr(pace, "STANDS_SECONDS", 0.01)
    async with app_over(write_bare(tmp_path / "s.ndjson")).run_test() as pilot:
        await settled(pilot)
