"""`cgp-tui` without a command: the home screen, again and again until the person leaves it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cgp_tui.cli import diagnostics
from cgp_tui.cli.screen import open_screen
from cgp_tui.errors import Error

if TYPE_CHECKING:
    from cgp_tui.present.home import Choice, Home


def home() -> int:
    """Show where to begin, do what is chosen, come back. Returns the exit code of leaving.

    Raises InputError no_terminal. A choice that fails is reported, and home is shown again after Enter.
    """
    open_screen()
    from cgp_tui.ui.home import choose

    while True:
        chosen = choose(_known())
        if isinstance(chosen, int):
            return chosen
        try:
            code = _do(chosen)
        except Error as error:
            diagnostics.fail(error)
            if not _go_on():
                return diagnostics.exit_code(error)
        else:
            if code > diagnostics.SIGNALLED:
                return code


def _known() -> Home:
    from pathlib import Path
    from time import time

    from cgp_tui.cli.ledgers import open_ledger
    from cgp_tui.consent.listing import listing
    from cgp_tui.present.home import MOST, Home
    from cgp_tui.store import paths
    from cgp_tui.store.glances import Glances
    from cgp_tui.store.registry import entries, every
    from cgp_tui.transcript.recent import recent

    files = every()
    try:
        book = open_ledger(None, None)
        opened = book.open()
        grants = listing(book, opened)
    except Error:
        opened, grants = None, ()
    ours, looked = paths.transcripts_dir(), Glances(paths.looked_dir()).read()
    found = {Path(one.path): (one.violations, one.advice) for one in looked if one.judged}
    elsewhere = tuple(one for one in looked if Path(one.path).parent != ours)
    return Home(recent(ours, MOST), files, entries(files), opened, grants, found, elsewhere, time())


def _do(chosen: Choice) -> int:
    if chosen.does == "replay":
        from cgp_tui.cli.playback import play

        return play(chosen.name)
    if chosen.does == "inspect":
        from cgp_tui.cli.inspect import inspect

        return inspect([], provider_id=chosen.name)
    from cgp_tui.cli.tour import tour

    return tour()


def _go_on() -> bool:
    """Whether the person wants to go back home after a failure was reported."""
    from cgp_tui.text import own

    diagnostics.say(own("Enter goes home, ctrl+c leaves."))
    try:
        return input() is not None
    except (EOFError, KeyboardInterrupt):
        return False
