"""`cgp-tui replay FILE`: a recorded transcript in the inspector. Starts no process and opens no connection."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer


def replay(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A transcript, or bare envelopes one a line.")],
    at: Annotated[int | None, typer.Option("--at", metavar="LINE", min=1, help="The line to stand on first.")] = None,
) -> int:
    """Open a recorded transcript: every line, its findings and its evidence; play it by its own gaps or step through it."""
    from cgp_tui.analysis import Analysis
    from cgp_tui.transcript.reader import Transcript

    transcript = Transcript.open(file)
    try:
        from cgp_tui.ui.app import CgpApp
        from cgp_tui.ui.crash import need_terminal, run
        from cgp_tui.ui.screens.inspector import InspectorScreen
        from cgp_tui.ui.source import Source
        from cgp_tui.ui.themes import symbols

        need_terminal()
        source = Source(transcript, Analysis(transcript), symbols())
        return run(CgpApp(InspectorScreen(source, at=at)))
    finally:
        transcript.close()
