"""An inspector to press keys in, and its screen as lines of text."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, Final

from textual.command import CommandPalette
from textual.pilot import Pilot
from textual.screen import Screen
from textual.widgets import OptionList

from cgp_tui import limits
from cgp_tui.analysis import Analysis
from cgp_tui.present.symbols import UNICODE, Symbols
from cgp_tui.protocol.attestation import TrustedKey
from cgp_tui.store.settings import Settings
from cgp_tui.transcript.reader import Transcript
from cgp_tui.ui.actor import Actor
from cgp_tui.ui.app import CgpApp
from cgp_tui.ui.screens.inspector import InspectorScreen
from cgp_tui.ui.source import Source
from tests.present.samples import attested_answer, frame, frames, query, raw_lines

Messages = Sequence[dict[str, Any] | bytes]

LONGEST: Final = 60.0
"""Seconds after which what is waited for does not come, on a machine that has much else to do."""

DIALOGUE: Messages = [
    *attested_answer()[:4],
    query(2, "GaveUp", max_tokens=10),
    frames(2, frame("frm_retry"), frame("frm_config", token_cost=9), frame("frm_gaveup")),
    {"type": "verify", "id": "v1", "request": {"frames": [{"provider_id": "repo-graph", "frame_id": "frm_retry"}]}},
    {
        "type": "verified",
        "id": "v1",
        "response": {"verdicts": [{"frame": {"provider_id": "repo-graph", "frame_id": "frm_retry"}, "status": "unknown"}]},
    },
    query(3, "where is GaveUp raised", kinds=["symbol"]),
    {"type": "error", "id": "q3", "code": "unavailable", "message": "the index is being built"},
    {"type": "shutdown"},
]
"""Eleven lines: an attested answer (4), one over its budget with a false cost (6), a verify, a refusal, the end."""

HEADER = {"format": "cgp-transcript/1", "started_at": "2026-11-29T12:04:31Z", "recorder": "inspect", "payload": "whole"}
NOTES: dict[int, list[dict[str, Any]]] = {
    1: [
        {
            "note": "connect",
            "t": 0.0,
            "connection": 1,
            "provider_id": "repo-graph-1",
            "target": {"kind": "stdio", "shown": ["repo-graph", "serve"], "digest": "ab" * 32, "code": ""},
        },
        {"note": "spawn", "t": 0.001, "connection": 1, "pid": 4711, "sandbox": "none"},
    ],
    5: [{"note": "gate", "t": 0.4, "connection": 1, "allowed": True, "bytes": 110, "exchange": 3, "needs": []}],
    9: [
        {
            "note": "gate",
            "t": 0.9,
            "connection": 1,
            "allowed": False,
            "bytes": 164,
            "needs": [{"basis": "scope", "scope": "third-party-index", "reason": "no_receipt"}],
        },
        {"note": "stderr", "t": 0.95, "connection": 1, "text": "index: 40 %\nindex: 80 %\n"},
    ],
    99: [{"note": "exit", "t": 2.5, "connection": 1, "code": 0}],
}


def write_bare(path: Path, messages: Messages = DIALOGUE) -> Path:
    path.write_bytes(b"".join(line + b"\n" for line in raw_lines(messages)))
    return path


def records(messages: Messages = DIALOGUE) -> list[bytes]:
    """The records of a recording, header first; line n was seen at n tenths of a second."""
    out: list[bytes] = [json.dumps(HEADER).encode()]
    sent = ("handshake", "query", "verify", "shutdown")
    for number, message in enumerate(messages, 1):
        out += [json.dumps(note, separators=(",", ":")).encode() for note in NOTES.get(number, [])]
        assert isinstance(message, dict)
        sender = "host" if message["type"] in sent else "provider"
        record = {"n": number, "t": number / 10, "connection": 1, "from": sender, "line": message}
        out.append(json.dumps(record, separators=(",", ":")).encode())
    out += [json.dumps(note, separators=(",", ":")).encode() for note in NOTES[99]]
    return out


def write_recording(path: Path, messages: Messages = DIALOGUE) -> Path:
    path.write_bytes(b"".join(record + b"\n" for record in records(messages)))
    return path


def app_over(
    path: Path,
    actor: Actor | None = None,
    *,
    at: int | None = None,
    symbols: Symbols = UNICODE,
    keys: Sequence[TrustedKey] = (),
    theme: str | None = "cgp",
    growing: bool = False,
    settings: Settings | None = None,
    keep: int = limits.FINDINGS_KEPT,
) -> CgpApp:
    transcript = Transcript.open(path, growing=growing)
    screen = InspectorScreen(Source(transcript, Analysis(transcript, keys, keep=keep), symbols), actor, at=at)
    return CgpApp(screen, theme=theme, settings=settings)


@asynccontextmanager
async def opened(app: CgpApp, size: tuple[int, int] = (120, 40)) -> AsyncIterator[Pilot[object]]:
    """The app running, its first detail drawn."""
    async with app.run_test(size=size) as pilot:
        await settled(pilot)
        yield pilot
    app.inspector.source.transcript.close()


async def settled(pilot: Pilot[object]) -> None:
    """Until the detail has followed the selection and nothing is being taken."""
    inspector = inspector_of(pilot)
    end = time.monotonic() + LONGEST
    while time.monotonic() < end:
        await pilot.pause(0.02)
        source = inspector.source
        quiet = inspector.settled and not inspector.detail.view.busy
        if source.count and source.analysis.done == source.count and quiet:
            await pilot.pause()  # what was found is told, and not yet drawn
            return
    raise AssertionError("the inspector did not settle")


def inspector_of(pilot: Pilot[object]) -> InspectorScreen:
    assert isinstance(pilot.app, CgpApp)
    return pilot.app.inspector


def screen_text(pilot: Pilot[object]) -> str:
    """What the terminal would show, blanks at line ends cut."""
    strips = pilot.app.screen._compositor.render_strips()
    return "\n".join("".join(segment.text for segment in strip).rstrip() for strip in strips)


async def until(pilot: Pilot[object], there: Callable[[], object], seconds: float = LONGEST) -> None:
    """Until something is there. Raises AssertionError with the screen."""
    end = time.monotonic() + seconds
    while not there():
        assert time.monotonic() < end, screen_text(pilot)
        await pilot.pause(0.02)


async def chosen(pilot: Pilot[object], words: str) -> None:
    """Until the command that enter would run holds some words."""

    def first() -> bool:
        palette = pilot.app.screen
        if not isinstance(palette, CommandPalette):
            return False
        options = palette.query_one(OptionList)
        at = options.highlighted
        return at is not None and words in str(options.get_option_at_index(at).prompt)

    await until(pilot, first)


async def gone(pilot: Pilot[object]) -> None:
    """Until the app has ended."""
    end = time.monotonic() + LONGEST
    while pilot.app.is_running:
        assert time.monotonic() < end, "the app goes on"
        await asyncio.sleep(0.02)


async def pressed(pilot: Pilot[object], *keys: str) -> str:
    """Press keys and return the screen once it is quiet."""
    for key in keys:
        await pilot.press(key)
        await pilot.pause()
    if pilot.app.screen is inspector_of(pilot):
        await settled(pilot)
    return screen_text(pilot)


class Replay:
    """A replay to press keys in. Lines of the bare dialogue: 4 and 6 are answers with findings."""

    def __init__(self, pilot: Pilot[object]) -> None:
        self.pilot = pilot
        self.inspector = inspector_of(pilot)

    async def press(self, *keys: str) -> str:
        """Press keys and return the screen once it is quiet."""
        return await pressed(self.pilot, *keys)

    @property
    def line(self) -> int:
        return self.inspector.traffic.cursor + 1

    @property
    def tab(self) -> str:
        return self.inspector.detail.tab

    def in_detail(self) -> bool:
        return self.inspector.detail.view.has_focus

    def zoomed(self) -> bool:
        return self.inspector.zoomed

    def shows(self, screen: type[Screen[Any]]) -> bool:
        """Whether a screen of this kind is on top."""
        return isinstance(self.pilot.app.screen, screen)
