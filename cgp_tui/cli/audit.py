"""`cgp-tui consent audit`: what left, to whom, who agreed, and when; and whether ledger and recordings hold together."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from cgp_tui.cli import diagnostics, options, output
from cgp_tui.cli.ledgers import open_ledger
from cgp_tui.errors import InputError

if TYPE_CHECKING:
    from cgp_tui.transcript.reader import Transcript

_FIRST_LINE: Final = 65536
"""Bytes that the first line of a recording never takes."""


def audit(
    files: Annotated[
        list[Path] | None, typer.Argument(metavar="FILE", help="Recordings; without any, all of your own.")
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
    from cgp_tui.present.egress import audit_lines
    from cgp_tui.present.standing import ledger_line
    from cgp_tui.report.egress import audit_document
    from cgp_tui.store import paths

    with diagnostics.machine(json, lambda problem: audit_document(None, None, problem)):
        named = list({path.resolve(): path for path in files or _begun(paths.transcripts_dir())}.values())
        book = open_ledger(ledger, head)
        opened = book.open()
        found = audit(opened, _whole(named), set_aside(book))
        if json:
            output.document(audit_document(opened, found))
        else:
            output.text([ledger_line(opened), *audit_lines(found)])
        return diagnostics.FELL_SHORT if found.faults else diagnostics.GOOD


def _begun(folder: Path) -> Iterator[Path]:
    """The recordings in our own folder. One that broke off before its first line was down, as on a full disk, holds nothing
    that was sent, since each payload is written down first: it is told and left out. Raises InputError unreadable."""
    from cgp_tui.text import compose, show

    try:
        found = sorted(folder.glob("*.ndjson"))
    except OSError as error:
        why = f"{folder} cannot be looked through: {error.strerror or error}."
        raise InputError("unreadable", why, "Mend it, or name the recordings.") from None
    for path in found:
        if _hollow(path):
            diagnostics.say(compose("Left out, nothing was recorded in it: {path}.", path=show(str(path))))
        else:
            yield path


def _hollow(path: Path) -> bool:
    """Whether a file has not one whole line. What cannot be looked at is for its reader to tell of."""
    try:
        return path.is_file() and path.stat().st_size < _FIRST_LINE and b"\n" not in path.read_bytes()
    except OSError:
        return False


def _whole(named: Sequence[Path]) -> Iterator[Transcript]:
    """Each recording, as far as it goes now. Raises InputError for what is none."""
    from cgp_tui.transcript.reader import Transcript

    for path in named:
        with Transcript.counted(path) as transcript:
            yield transcript
