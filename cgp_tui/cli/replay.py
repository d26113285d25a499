"""`cgp-tui replay FILE` as the parser sees it; what it does is in `playback`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from cgp_tui.cli.lookups import RootFolders


def replay(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A transcript, or bare envelopes, one per line.")],
    at: Annotated[int | None, typer.Option("--at", metavar="LINE", min=1, help="The line to select first.")] = None,
    where: Annotated[
        str, typer.Option("--where", metavar="EXPR", help="Show the records that match a filter: type:frames & latency>1s")
    ] = "",
    speed: Annotated[
        float, typer.Option("--speed", metavar="N", min=0.01, max=1000, help="Recorded seconds to play per second.")
    ] = 1.0,
    root: RootFolders = None,
) -> int:
    """Open a recorded transcript: every line, its findings and its evidence; play it by its own gaps or step through it."""
    from cgp_tui.cli.playback import play

    return play(file, at, where, root or (), speed)
