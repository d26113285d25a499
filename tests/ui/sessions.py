"""Live sessions for the tests: the real app on real child processes, a ledger and a recording of their own."""

from __future__ import annotations

import contextlib
import json
import os
import sys
from collections.abc import AsyncIterator, Callable, Sequence
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec
from textual.pilot import Pilot

from cgp_tui import limits
from cgp_tui.analysis.analysis import Analysis
from cgp_tui.consent.ledger import Ledger
from cgp_tui.host.deadlines import Deadlines
from cgp_tui.present.symbols import UNICODE
from cgp_tui.protocol.query import ContextQuery
from cgp_tui.store.files import create_private
from cgp_tui.target import stdio_target
from cgp_tui.text import own
from cgp_tui.transcript.reader import Transcript
from cgp_tui.transcript.writer import Writer
from cgp_tui.ui.app import CgpApp
from cgp_tui.ui.live.memory import Memory
from cgp_tui.ui.live.peer import Plan
from cgp_tui.ui.live.session import Live
from cgp_tui.ui.screens.inspector import InspectorScreen
from cgp_tui.ui.screens.prompt import Prompt
from cgp_tui.ui.source import Source
from tests.conftest import ROOT

if TYPE_CHECKING:
    from tests.terminal import Terminal

PROVIDER = ROOT / "tests" / "host" / "provider.py"
WHY = ContextQuery(goal="why", max_frames=8, max_tokens=2000)


def plan(name: str, mode: str, *options: str, questions: Sequence[ContextQuery] = (), verify: bool = False) -> Plan:
    """A provider that behaves as `mode` says (see tests/host/provider.py), called `name` by us."""
    argv = [sys.executable, "-I", "-S", str(PROVIDER), mode, *options]
    return Plan(stdio_target(argv), name, tuple(questions), verify)


class Stage(NamedTuple):
    """A running app and what stands behind it."""

    app: CgpApp
    pilot: Pilot[Any]
    live: Live
    path: Path
    ledger: Ledger

    async def until(self, met: Callable[[], object], seconds: float = 60.0) -> None:
        """Wait until something holds. Raises AssertionError with what was recorded."""
        end = monotonic() + seconds
        while monotonic() < end:
            if met():
                return
            if self.app.failure is not None:
                raise self.app.failure
            await self.pilot.pause(0.02)
        raise AssertionError(self.path.read_text())

    async def until_ready(self) -> None:
        """Wait until it is known of everyone whether a query may go there, or that the handshake failed."""
        await self.until(lambda: all(peer.answer or peer.problem for peer in self.live._peers.values()))

    async def until_told(self, words: str, seconds: float = 60.0) -> None:
        """Wait until the bars say something."""
        await self.until(lambda: words in self.told, seconds)

    @property
    def told(self) -> str:
        """Everything that the bars say now."""
        return " | ".join(str(value) for value in msgspec.structs.astuple(self.live.state()) if value is not None)

    @property
    def records(self) -> list[dict[str, Any]]:
        """The recording, read as any program would."""
        return [json.loads(line) for line in self.path.read_bytes().splitlines()]

    def lines(self, type_: str) -> list[dict[str, Any]]:
        """The recorded messages of one type."""
        return [record["line"] for record in self.records if "n" in record and record.get("line", {}).get("type") == type_]

    def notes(self, kind: str) -> list[dict[str, Any]]:
        return [record for record in self.records if record.get("note") == kind]

    @property
    def pids(self) -> list[int]:
        return [note["pid"] for note in self.notes("spawn")]

    @property
    def screen(self) -> str:
        """The cells as text."""
        width = self.app.size.width
        lines = self.app.screen._compositor.render_strips()
        return "\n".join(strip.text[:width].rstrip() for strip in lines)


def armed_at(stage: Stage) -> float:
    """From when on keys count in the prompt that is open."""
    screen = stage.app.screen
    assert isinstance(screen, Prompt)
    return screen.armed_at


def armed(screen: Terminal) -> None:
    """Wait until keys count in the prompt that is open on a terminal: until one of them leads to another text, and back."""
    end = monotonic() + 60
    while "Before each query or verify" not in screen.text:
        assert monotonic() < end, screen.text
        screen.press("w")
    screen.press("\x1b")
    screen.wait("receive your queries?")


def alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return Path(f"/proc/{pid}/stat").read_text().split(")")[1].split()[0] != "Z" if Path("/proc").is_dir() else True


@contextlib.asynccontextmanager
async def session(
    folder: Path,
    *plans: Plan,
    size: tuple[int, int] = (120, 40),
    cap: int = limits.TRANSCRIPT_BYTES,
    memory: Memory | None = None,
    deadlines: Deadlines | None = None,
) -> AsyncIterator[Stage]:
    """The app on `plans`. `cap` is how many bytes the recording may take, `memory` what earlier runs left, `deadlines` how
    long it waits."""
    for place in (folder / "state", folder / "ledger"):
        place.mkdir(mode=0o700, exist_ok=True)
    ledger = Ledger(folder / "ledger" / "receipts.toml", folder / "ledger" / "head")
    path = folder / "state" / "session.ndjson"
    writer = Writer(create_private(path), "inspect", cap=cap)
    transcript = Transcript.open(path)
    whose, hint = own("a test's"), own("a hint")
    live = Live(plans, path, writer, ledger, whose=whose, hint=hint, memory=memory, deadlines=deadlines)
    app = CgpApp(InspectorScreen(Source(transcript, Analysis(transcript), UNICODE), live))
    try:
        async with app.run_test(size=size) as pilot:
            yield Stage(app, pilot, live, path, ledger)
    finally:
        await live.end()
    if app.failure is not None:
        raise app.failure
