"""The demo: the inspector on two bundled providers, run as real child processes, with a ledger of its own."""

from __future__ import annotations

import contextlib
import os
import shutil
import stat
import sys
import tempfile
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Final

from cgp_tui.cli.screen import open_screen
from cgp_tui.text import own

if TYPE_CHECKING:
    from cgp_tui.consent.ledger import Ledger
    from cgp_tui.ui.live.peer import Plan

_PREFIX: Final = "cgp-tui-demo-"
_HINT: Final = own(
    "Try: {nav.open} opens a line, {query.compose} asks, {consent.open} shows what may leave, {app.help} every key"
)
_WHOSE: Final = own("demo's")
_LEDGER: Final = own("The demo has a ledger of its own, thrown away at its end; yours is untouched.")


def tour(record: Path | None = None) -> int:
    """Show the demo until the person leaves; returns the exit code. `record` is a new file to record into, None for the
    usual one.

    Raises what `run_live` raises. Does not load the parser, because somebody waits for the start of this command.
    """
    from cgp_tui.cli.live import run_live

    open_screen()

    folder = Path(tempfile.mkdtemp(prefix=f"{_PREFIX}{os.getpid()}-"))
    try:
        ledger = partial(_ledger, folder)
        return run_live(_plans, ledger, record, "demo", "demo", whose=_WHOSE, ledger_words=_LEDGER, hint=_HINT)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _ledger(folder: Path) -> Ledger:
    from cgp_tui.consent.ledger import Ledger

    clear_leftovers(folder.parent)
    return Ledger(folder / "receipts.toml", folder / "head")


def clear_leftovers(parent: Path) -> None:
    """Remove the folders of demos that were killed before they could do so themselves: ours, of processes that are gone."""
    if os.name != "posix":
        return
    for left in parent.glob(f"{_PREFIX}*-*"):
        pid = left.name.removeprefix(_PREFIX).partition("-")[0]
        with contextlib.suppress(OSError):
            state = left.lstat()
            if pid.isdecimal() and stat.S_ISDIR(state.st_mode) and state.st_uid == os.getuid() and not _alive(int(pid)):
                shutil.rmtree(left, ignore_errors=True)


def _alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except (ProcessLookupError, OverflowError):
        return False
    except OSError:
        pass
    return True


def _plans() -> list[Plan]:
    """Two providers; the local one is asked three different questions, and whether its last answer still holds."""
    from cgp_tui.protocol.query import ContextQuery
    from cgp_tui.target import stdio_target
    from cgp_tui.ui.live.peer import Plan

    questions = (
        ContextQuery(goal="how does a host know that a frame is what was signed", max_frames=5, max_tokens=800),
        ContextQuery(goal="what may leave this machine", query_text="consent scopes", max_frames=8, max_tokens=120),
        ContextQuery(
            goal="how was a frame's cost counted before the freeze",
            max_frames=4,
            max_tokens=2000,
            kinds=("doc", "fact", "snippet"),
            as_of="2026-07-01T00:00:00Z",
        ),
    )
    serve = [sys.executable, "-m", "cgp_tui", "serve"]
    return [
        Plan(stdio_target([*serve, "example-docs", "--sign"]), "example-docs", questions, verify=True),
        Plan(stdio_target([*serve, "example-index"]), "example-index"),
    ]
