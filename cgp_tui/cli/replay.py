"""`cgp-tui replay FILE`: a recorded transcript in the inspector. Starts no process and opens no connection."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from cgp_tui.cli.beside import RootFolders
from cgp_tui.cli.screen import open_screen


def replay(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A transcript, or bare envelopes one a line.")],
    at: Annotated[int | None, typer.Option("--at", metavar="LINE", min=1, help="The line to stand on first.")] = None,
    where: Annotated[
        str, typer.Option("--where", metavar="EXPR", help="Show the records that a filter takes: type:frames & latency>1s")
    ] = "",
    root: RootFolders = None,
) -> int:
    """Open a recorded transcript: every line, its findings and its evidence; play it by its own gaps or step through it."""
    from cgp_tui.transcript.reader import FIRST, Transcript

    if where:
        from cgp_tui.analysis.filter import compile_filter

        compile_filter(where)
    with Transcript.open(file, look=FIRST) as transcript:
        open_screen()

        from cgp_tui.cli.ledgers import open_ledger
        from cgp_tui.cli.settled import kept_views, person_settings
        from cgp_tui.cli.trusted import surroundings
        from cgp_tui.ui.app import CgpApp
        from cgp_tui.ui.crash import run
        from cgp_tui.ui.live.trusting import Trusting
        from cgp_tui.ui.screens.inspector import InspectorScreen
        from cgp_tui.ui.source import Source
        from cgp_tui.ui.themes import alphabet

        settings = person_settings()
        with surroundings(transcript, root or ()) as around:
            screen = InspectorScreen(
                Source(transcript, around.analysis(), alphabet(settings.symbols), around), at=at, where=where
            )
            screen.truster = Trusting(around, lambda: open_ledger(None, None))
            screen.views = kept_views(file)
            return run(CgpApp(screen, settings=settings))
