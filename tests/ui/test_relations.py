"""A relation is followed to its frame: within the answer, and to another line, whatever its tab was."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from cgp_tui.analysis.background import Background
from cgp_tui.present.symbols import UNICODE
from cgp_tui.transcript.reader import Transcript
from cgp_tui.ui.app import CgpApp
from cgp_tui.ui.screens.inspector import InspectorScreen
from cgp_tui.ui.source import Source
from tests.present.samples import HANDSHAKE, ack, frame, frames, query
from tests.ui.pilots import inspector_of, opened, settled, write_bare


def edge(uri: str) -> dict[str, str]:
    return {"rel": "a.calls", "target_uri": uri}


MESSAGES: list[dict[str, Any]] = [
    HANDSHAKE,
    ack(),
    query(1),
    frames(1, frame("first"), frame("far", uri="u:far")),
    query(2),
    frames(2, frame("a", relations=[edge("u:b"), edge("u:far")]), frame("b", uri="u:b", relations=[edge("u:none")])),
]


async def test_enter_on_a_relation_goes_to_its_frame(tmp_path: Path) -> None:
    transcript = Transcript.open(write_bare(tmp_path / "a.ndjson", MESSAGES))
    background = Background(transcript)
    screen = InspectorScreen(Source(transcript, background.analysis(), UNICODE, background), at=6)
    async with opened(CgpApp(screen), (80, 24)) as pilot:
        inspector = inspector_of(pilot)
        detail = inspector.detail

        async def open_row(words: str) -> None:
            view = detail.view
            view.move_to(next(at for at, row in enumerate(view.rows) if words in row.text))
            await pilot.press("enter")
            await pilot.pause()
            await settled(pilot)

        await pilot.press("tab")
        await open_row("title of a")
        await open_row("> u:b")
        assert (inspector.traffic.cursor, detail.place.frame) == (5, 1)
        await open_row("> u:none")
        assert (inspector.traffic.cursor, detail.place.frame) == (5, 1), "nobody has it"
        await pilot.press("escape")
        await open_row("title of a")
        await open_row("> u:far")
        assert (inspector.traffic.cursor, detail.place.frame, detail.tab) == (3, 1, "Frame")
        assert detail.view.has_focus
