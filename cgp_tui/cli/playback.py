"""Shows a recording, once the command line is read. Starts no process and opens no connection."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING

from cgp_tui.cli.screen import open_screen

if TYPE_CHECKING:
    from cgp_tui.consent.ledger import Ledger


def play(file: Path | str, at: int | None = None, where: str = "", roots: Sequence[Path] = (), speed: float = 1.0) -> int:
    """Show a recording until the person leaves; returns the exit code. `at` is the wire line to begin on, `where` the filter
    to begin with, `roots` are folders with the files that provenance may cite, `speed` is the number of recorded seconds
    that pass in one.

    Raises InputError for an invalid file, filter or folder, no_terminal, and whatever made the app fail. Does not load the
    parser, because somebody waits for the start of this command.
    """
    from cgp_tui.transcript.reader import FIRST, Transcript

    if where:
        from cgp_tui.cli.preferences import compiled

        compiled(where)
    with Transcript.open(file, look=FIRST) as transcript, ExitStack() as stack:
        open_screen()

        from cgp_tui.cli.preferences import keep_glance, kept_views, person_settings, saved_filters
        from cgp_tui.cli.trusted import surroundings
        from cgp_tui.ui.app import CgpApp
        from cgp_tui.ui.crash import run
        from cgp_tui.ui.live.trusting import Trusting
        from cgp_tui.ui.screens.inspector import InspectorScreen
        from cgp_tui.ui.source import Source
        from cgp_tui.ui.themes import alphabet

        settings = person_settings()
        source = Source.unread(
            transcript, alphabet(settings.symbols), lambda: stack.enter_context(surroundings(transcript, roots))
        )
        if roots:  # an invalid folder is reported before anything is drawn
            source.begin()
        screen = InspectorScreen(source, at=at, where=where)
        if screen.player is not None:
            screen.player.play_at(speed)
        screen.truster = Trusting(lambda: source.background, _ledger)
        screen.views = kept_views(transcript.path)
        screen.list_filter.shelf = saved_filters
        code = run(CgpApp(screen, settings=settings))
        keep_glance(source)
        return code


def _ledger() -> Ledger:
    """The person's own, where a key comes to be trusted."""
    from cgp_tui.cli.ledgers import open_ledger

    return open_ledger(None, None)
