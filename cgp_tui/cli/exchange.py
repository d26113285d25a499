"""`cgp-tui consent export` and `import`: to and from the store of the reference implementation."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from cgp_tui import limits
from cgp_tui.cli import diagnostics, options, output
from cgp_tui.cli.ledgers import last_seen, open_ledger, shut
from cgp_tui.cli.named import read_named
from cgp_tui.text import compose, join, own, show

if TYPE_CHECKING:
    from cgp_tui.consent.interchange import LeftOut


def export(
    *,
    format: Annotated[
        Literal["reference-json"], typer.Option("--format", metavar="reference-json", help="The only format there is.")
    ] = "reference-json",
    ledger: options.LedgerFile = None,
    head: options.HeadFile = None,
) -> int:
    """Write what is in force as a consent store of the reference implementation, on stdout.

    It cannot say what was revoked, nor bind a grant to a program, so it is as good as the moment it was written.
    """
    from cgp_tui.consent.interchange import export
    from cgp_tui.consent.listing import listing
    from cgp_tui.report.consent import export_failure

    with diagnostics.machine(True, export_failure):
        book = open_ledger(ledger, head)
        opened = book.open()
        fault = shut(opened)
        if fault is not None:
            raise fault
        store, left = export(listing(book, opened, seen=last_seen()))
        output.document(store)
        _say_left_out(left)
        return diagnostics.GOOD


def _say_left_out(left: Iterable[LeftOut]) -> None:
    for one in left:
        scope = show(one.scope) if one.scope else own("sending at all")
        diagnostics.say(
            compose("Left out: {who}, {scope}: {why}.", who=show(one.provider_id), scope=scope, why=show(one.why))
        )


def offer(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A consent store of the reference implementation.")],
    *,
    ledger: options.LedgerFile = None,
    head: options.HeadFile = None,
    json: options.Json = False,
) -> int:
    """Read another program's consent store and print the commands that would ask for the same. Grants nothing.

    The app's prompt for these providers is filled in with it.
    """
    from cgp_tui.consent.interchange import read, words
    from cgp_tui.consent.offers import Offers
    from cgp_tui.report.consent import import_document
    from cgp_tui.store import paths

    with diagnostics.machine(json, lambda problem: import_document((), (), problem)):
        book = open_ledger(ledger, head)
        data = read_named(file, limits.STORE_BYTES, "Name another.")
        offers, left = read(data, book.now(None))
        kept = Offers(paths.offers_dir()).keep(offers, str(file), book.now(None))
        who = join(", ", map(show, kept))
        filled = [compose("Nothing is granted. The prompt of the app is filled in for: {who}.", who=who)] if kept else []
        commands = [f"{book.command(*words(one))} -- CMD..." for one in offers]
        with diagnostics.stands(filled):
            if json:
                output.document(import_document(tuple(zip(offers, commands, strict=True)), left, kept=kept))
                return diagnostics.GOOD
            output.text([show(command, len(command)) for command in commands])
        for line in filled:
            diagnostics.say(line)
        _say_left_out(left)
        return diagnostics.GOOD
