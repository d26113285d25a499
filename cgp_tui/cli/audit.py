"""`cgp-tui consent audit`: what left, to whom, who agreed, and when; and whether ledger and recordings hold together."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from cgp_tui.cli import diagnostics, options, output
from cgp_tui.cli.ledgers import open_ledger
from cgp_tui.errors import InputError, os_reason

if TYPE_CHECKING:
    from cgp_tui.transcript.reader import Transcript

_FIRST_LINE: Final = 65536
"""The first line of a recording is always shorter than this many bytes."""


def audit(
    files: Annotated[
        list[Path] | None, typer.Argument(metavar="FILE", help="Recordings; by default all of your own.")
    ] = None,
    *,
    ledger: options.LedgerFile = None,
    head: options.HeadFile = None,
    json: options.Json = False,
) -> int:
    """Verify the ledger's chain and head, and hold recordings against it: what left, to whom, who agreed, when.

    Exit 1 where anything does not hold.
    """
    from cgp_tui.consent.archive import set_aside
    from cgp_tui.consent.egress import audit
    from cgp_tui.present.consent_lines import ledger_line
    from cgp_tui.present.egress import audit_lines
    from cgp_tui.report.egress import audit_document
    from cgp_tui.store import paths

    with diagnostics.machine(json, lambda problem: audit_document(None, None, problem)):
        named = list({os.path.realpath(path): path for path in files or _begun(paths.transcripts_dir())}.values())
        book = open_ledger(ledger, head)
        opened = book.open()
        found = audit(opened, _whole(named), set_aside(book))
        if json:
            output.document(audit_document(opened, found))
        else:
            output.text([ledger_line(opened), *audit_lines(found)])
        return diagnostics.FELL_SHORT if found.faults else diagnostics.GOOD


def _begun(folder: Path) -> Iterator[Path]:
    """The recordings in our own folder. One that broke off before its first line was written, as on a full disk, has nothing
    that was sent, since each payload is recorded first: it is named and left out. Raises InputError unreadable."""
    from cgp_tui.text import compose, show

    try:
        found = sorted(folder.glob("*.ndjson"))
    except OSError as error:
        why = f"{folder} cannot be looked through: {os_reason(error)}."
        raise InputError("unreadable", why, "Fix it, or name the recordings.") from None
    for path in found:
        if _hollow(path):
            diagnostics.say(compose("Left out, nothing was recorded in it: {path}.", path=show(str(path))))
        else:
            yield path


def _hollow(path: Path) -> bool:
    """Whether a file lacks even one whole line. A file that cannot be looked at is left for its reader to report."""
    try:
        return path.is_file() and path.stat().st_size < _FIRST_LINE and b"\n" not in path.read_bytes()
    except OSError:
        return False


def _whole(named: Sequence[Path]) -> Iterator[Transcript]:
    """Each recording, as far as it has grown. Raises InputError for a file that is none."""
    from cgp_tui.transcript.reader import Transcript

    for path in named:
        with Transcript.counted(path) as transcript:
            yield transcript
