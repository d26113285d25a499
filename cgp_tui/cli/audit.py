"""`cgp-tui consent audit`: what left, to whom, who agreed, and when; and whether ledger and recordings hold together."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from cgp_tui.cli import diagnostics, options, output
from cgp_tui.cli.ledgers import open_ledger

if TYPE_CHECKING:
    from cgp_tui.transcript.reader import Transcript


def audit(
    files: Annotated[
        list[Path] | None, typer.Argument(metavar="[FILE]...", help="Recordings; without any, all of your own.")
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
        named = list({path.resolve(): path for path in files or sorted(paths.transcripts_dir().glob("*.ndjson"))}.values())
        book = open_ledger(ledger, head)
        opened = book.open()
        found = audit(opened, _whole(named), set_aside(book))
        if json:
            output.document(audit_document(opened, found))
        else:
            output.text([ledger_line(opened), *audit_lines(found)])
        return diagnostics.FELL_SHORT if found.faults else diagnostics.GOOD


def _whole(named: Sequence[Path]) -> Iterator[Transcript]:
    """Each recording, as far as it goes now. Raises InputError for what is none."""
    from cgp_tui.transcript.reader import Transcript

    for path in named:
        with Transcript.counted(path) as transcript:
            yield transcript
