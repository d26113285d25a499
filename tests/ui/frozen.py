"""A live session that looks the same each time: real processes and a real ledger, with clocks that stand still, and numbers
and paths that are the same on every machine."""

from __future__ import annotations

import asyncio
import contextlib
import secrets
import shlex
import sys
import tempfile
from collections.abc import AsyncIterator, Coroutine, Iterator, Sequence
from itertools import count
from pathlib import Path
from time import monotonic
from typing import Any, Final

import msgspec
import pytest
from textual.pilot import Pilot

from cgp_tui.analysis.analysis import Analysis
from cgp_tui.consent import drafts
from cgp_tui.consent.ledger import Ledger
from cgp_tui.consent.receipt import Grantor
from cgp_tui.host.connection import Connection
from cgp_tui.present.session import Pulse
from cgp_tui.present.symbols import UNICODE, Symbols
from cgp_tui.store.files import create_private
from cgp_tui.target import Pin, code_digest, stdio_digest, stdio_target
from cgp_tui.transcript.reader import Transcript
from cgp_tui.transcript.writer import Writer
from cgp_tui.ui.app import CgpApp
from cgp_tui.ui.live import condition
from cgp_tui.ui.live.memory import Memory
from cgp_tui.ui.live.peer import Peer, Plan, pulse
from cgp_tui.ui.live.session import Live
from cgp_tui.ui.screens.inspector import InspectorScreen
from cgp_tui.ui.source import Source
from cgp_tui.wire.note import KnownNote, Spawn
from tests.ui.sessions import PROVIDER, Stage

NOW: Final = 1_795_976_671.0
"""2026-11-29T18:24:31Z, the only moment there is."""

PREFIX: Final = "cgp-tui-"


class Steady(Writer):
    """A recording whose clock goes on by a tenth of a second with each wire line, and by `ahead`."""

    ahead = 0.0

    def now(self) -> float:
        return round(self._lines / 10 + self.ahead, 6)

    def note(self, note: KnownNote) -> None:
        super().note(msgspec.structs.replace(note, pid=4710 + note.connection) if isinstance(note, Spawn) else note)


class InTurn(Live):
    """A session that starts its providers one after the other."""

    async def _connect(self, peer: Peer, restart: Coroutine[Any, Any, Connection] | None = None) -> None:
        self._turn = getattr(self, "_turn", None) or asyncio.Lock()
        async with self._turn:
            await super()._connect(peer, restart)


@pytest.fixture
def place() -> Iterator[Path]:
    """A folder whose path is as long on every machine, so that it is cut and folded at the same places."""
    with tempfile.TemporaryDirectory(prefix=PREFIX, dir="/tmp") as folder:
        yield Path(folder)


def plan(folder: Path, name: str, mode: str, *options: str) -> Plan:
    """A provider that behaves as `mode` says (see tests/host/provider.py). It is started by a script in `folder`, and shown
    as `/usr/bin/NAME serve --stdio`."""
    script = folder / name
    line = shlex.join([sys.executable, "-I", "-S", str(PROVIDER), mode, f"name={name}", *options])
    script.write_text(f"#!/bin/sh\nexec {line}\n")
    script.chmod(0o700)
    program, arguments = f"/usr/bin/{name}", ("serve", "--stdio")
    pins = (Pin("program", program, stdio_digest(program, options, ())),)
    target = msgspec.structs.replace(
        stdio_target([str(script), *arguments]),
        argv=(name, *arguments),
        program=program,
        digest=stdio_digest(program, arguments, ()),
        pins=pins,
        code=code_digest(pins),
        shown=(program, *arguments),
    )
    return Plan(target, name)


def freeze(monkeypatch: pytest.MonkeyPatch, folder: Path) -> Ledger:
    """What is made of chance, of the clock, of the place or of who runs this is the same each time. The ledger of it."""
    numbers, chance = count(0x9F1C02AA), secrets.token_hex

    def token(size: int | None = None) -> str:
        return f"{next(numbers):0{2 * size}x}" if size == 16 else chance(size)

    def signs(connection: Connection) -> Pulse:
        found = pulse(connection)
        return msgspec.structs.replace(found, pid=4711, silent=None if found.silent is None else 11.9)

    monkeypatch.setattr(secrets, "token_hex", token)
    monkeypatch.setattr(drafts, "human", lambda: Grantor("human", "tty:1000"))
    monkeypatch.setattr(condition, "pulse", signs)
    return Ledger(folder / "receipts.toml", folder / "head", clock=lambda: NOW)


@contextlib.asynccontextmanager
async def frozen(
    folder: Path,
    ledger: Ledger,
    plans: Sequence[Plan],
    size: tuple[int, int],
    symbols: Symbols = UNICODE,
    theme: str = "cgp",
    memory: Memory | None = None,
) -> AsyncIterator[Stage]:
    """The app on `plans`, at a moment that does not pass; the test has called `freeze`."""
    path = folder / "session.ndjson"
    writer = Steady(create_private(path), "inspect", started=NOW - 60)
    transcript = Transcript.open(path)
    live = InTurn(plans, path, writer, ledger, memory=memory)
    app = CgpApp(InspectorScreen(Source(transcript, Analysis(transcript), symbols), live), theme=theme)
    try:
        async with app.run_test(size=size) as pilot:
            yield Stage(app, pilot, live, path, ledger)
    finally:
        await live.end()
    if app.failure is not None:
        raise app.failure


def pass_by(stage: Stage, seconds: float) -> None:
    """Let time pass, all at once."""
    writer = stage.live._writer
    assert isinstance(writer, Steady)
    writer.ahead += seconds


async def still(pilot: Pilot[Any], folder: Path) -> str:
    """What is on the screen, once three looks at it find the same; `folder` under the same name each time."""
    seen: list[str] = []
    end = monotonic() + 60
    while monotonic() < end:
        await pilot.pause(0.06)
        strips = pilot.app.screen._compositor.render_strips()
        seen.append("\n".join("".join(part.text for part in strip).rstrip() for strip in strips))
        if len(seen) > 2 and seen[-1] == seen[-2] == seen[-3]:
            return seen[-1].replace(folder.name, f"{PREFIX}recorded")
    raise AssertionError("the screen does not come to rest")
