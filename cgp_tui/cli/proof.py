"""`cgp-tui consent show`, `check` and `head`: what the ledger says, for a person and for a script that has to know."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from cgp_tui import limits, text
from cgp_tui.cli import diagnostics, options, output
from cgp_tui.cli.ledgers import Boolean, Scopes, last_seen, named_needs, open_ledger, shut, target_of
from cgp_tui.cli.named import read_named
from cgp_tui.errors import InputError

if TYPE_CHECKING:
    from cgp_tui.consent.kept import Kept
    from cgp_tui.consent.ledger import Ledger, Opened
    from cgp_tui.consent.receipt import Receipt
    from cgp_tui.consent.types import Need
    from cgp_tui.store.seen import Sighting
    from cgp_tui.target import Target


def show(
    name: Annotated[str, typer.Argument(metavar="ID", help="A record's number, or its receipt_id or the beginning of it.")],
    *,
    ledger: options.LedgerFile = None,
    head: options.HeadFile = None,
    json: options.Json = False,
) -> int:
    """Show one record with all its members, and what has become of it."""
    from cgp_tui.consent.listing import find
    from cgp_tui.present.consent_lines import ledger_line, record_lines
    from cgp_tui.report.consent import show_document

    with diagnostics.machine(json, lambda problem: show_document(None, None, problem)):
        book = open_ledger(ledger, head)
        opened = book.open()
        fault = shut(opened)
        found = find(book, opened, name, last_seen())
        if found is None and fault is None:
            raise InputError("usage", f"{name!r} names no record, or more than one.", f"See: {book.command('history')}")
        if json:
            output.document(show_document(opened, found, diagnostics.problem(fault) if fault else None))
        else:
            output.text([ledger_line(opened), *(record_lines(found) if found else ())])
            if fault:
                diagnostics.fail(fault)
        return diagnostics.exit_code(fault) if fault else diagnostics.GOOD


def check(
    argv: options.Argv,
    *,
    provider: Annotated[str, typer.Option("--provider", metavar="ID", help="The provider's id in the ledger.")],
    name: Annotated[str, typer.Option("--name", metavar="NAME", help="The name that it declares.")],
    version: Annotated[str, typer.Option("--version", metavar="VERSION", help="The version that it declares.")],
    scope: Scopes = None,
    boolean: Boolean = False,
    env: options.EnvNames = None,
    ledger: options.LedgerFile = None,
    head: options.HeadFile = None,
    json: options.Json = False,
) -> int:
    """Exit 0 where a query with these scopes would be let through, else 3. True when read, and nothing is started.

    Without CMD the answer is for the entry of that id in the providers file, else for the command that was last granted,
    with the code that it was last seen with here.
    """
    from cgp_tui.cli.configured import entry_target
    from cgp_tui.consent.gate import Gate
    from cgp_tui.consent.types import Binding, Denial
    from cgp_tui.present.consent_lines import checked_lines, ledger_line
    from cgp_tui.report.consent import check_document
    from cgp_tui.target import ID_FORM, provider_id_fits

    with diagnostics.machine(json, lambda problem: check_document(None, None, problem)):
        if not provider_id_fits(provider):
            raise InputError("usage", f"{provider!r} cannot be an id.", ID_FORM)
        needs = named_needs(provider, tuple(scope or ()), boolean)
        if not needs:
            raise InputError("usage", "There is nothing to check.", "Name each scope with --scope SCOPE, or give --boolean.")
        gate = Gate(open_ledger(ledger, head))
        opened = gate.refresh()
        target = target_of(argv, env) or entry_target(provider)
        target = target or _last_granted(opened.receipts, needs, last_seen().get(provider))
        answer = gate.peek(Binding(provider, name, version, target), needs)
        if json:
            fault = shut(opened)
            output.document(check_document(opened, answer, diagnostics.problem(fault) if fault else None))
        else:
            output.text([ledger_line(opened), *checked_lines(answer)])
            if isinstance(answer, Denial) and answer.fix:
                diagnostics.say(text.show(answer.fix, len(answer.fix)))
                _say_who_is_called_so(opened.receipts, provider)
        return diagnostics.REFUSED if isinstance(answer, Denial) else diagnostics.GOOD


def _say_who_is_called_so(receipts: Sequence[Receipt], provider: str) -> None:
    """Where nothing is on record for an id that is the name which others declare: their ids."""
    ids = dict.fromkeys(receipt.provider_id for receipt in receipts if receipt.provider_name == provider)
    if ids and all(receipt.provider_id != provider for receipt in receipts):
        diagnostics.say(
            text.compose(
                "{name} is the name declared by {ids}: --provider takes the id.",
                name=text.show(provider),
                ids=text.join(", ", map(text.show, ids)),
            )
        )


def _last_granted(receipts: Sequence[Receipt], needs: Sequence[Need], seen: Sighting | None) -> Target:
    """The target of the newest grant of one of these needs, as it was last seen; one that no grant names where none is."""
    from cgp_tui.consent.sighting import counts, known_target

    asked = {(need.provider_id, need.basis, need.scope) for need in needs}
    granted = (r for r in reversed(receipts) if r.kind == "grant" and (r.provider_id, r.basis, r.scope) in asked)
    last = next(granted, None)
    if last is None:
        return known_target("", "", ("CMD...",))
    since = seen if counts(seen, last) and seen is not None and seen.target == last.target else None
    return known_target(last.target, since.code if since else last.code, last.target_shown or ("CMD...",))


def head(
    *,
    sign: Annotated[
        Path | None, typer.Option("--sign", metavar="KEYFILE", help="Sign it with this Ed25519 key (PEM), on record.")
    ] = None,
    kept: Annotated[
        Path | None,
        typer.Option("--kept", metavar="FILE", help="Check that the ledger still holds the heads kept in this file."),
    ] = None,
    ledger: options.LedgerFile = None,
    head: options.HeadFile = None,
    json: options.Json = False,
) -> int:
    """Show the ledger's head, to be kept elsewhere, and whether its signed checkpoints hold; exit 1 where one does not.

    What it shows can be kept as it is, one run after the other; --kept reads that again.
    """
    from cgp_tui.consent import checkpoint
    from cgp_tui.present.consent_lines import head_lines
    from cgp_tui.report.consent import head_document

    with diagnostics.machine(json, lambda problem: head_document(None, problem=problem)), diagnostics.undisturbed():
        book = open_ledger(ledger, head)
        signed = None if sign is None else _sign(book, sign)
        with diagnostics.stands([] if signed is None else [text.compose("Signed, on record as #{seq}.", seq=signed.seq)]):
            opened: Opened = book.open()
            fault = shut(opened)
            found = [one for one in map(checkpoint.read, opened.receipts) if one is not None]
            before = None if kept is None else _held(book, opened, kept)
            if json:
                output.document(head_document(opened, found, signed, diagnostics.problem(fault) if fault else None, before))
            else:
                output.text(head_lines(opened, found, before or ()))
                if fault:
                    diagnostics.fail(fault)
        if fault:
            return diagnostics.exit_code(fault)
        holds = all(one.good for one in found) and not any(one.why for one in before or ())
        return diagnostics.GOOD if holds else diagnostics.FELL_SHORT


def _held(book: Ledger, opened: Opened, file: Path) -> tuple[Kept, ...]:
    """The heads in a file, held against the ledger. Raises InputError unreadable for a file that holds none."""
    from cgp_tui.consent.archive import present, set_aside
    from cgp_tui.consent.kept import held, marks_in

    fix = f"Keep what this prints: {book.command('head')}"
    marks = marks_in(read_named(file, limits.STORE_BYTES, fix).decode("utf-8", "replace"))
    if not marks:
        raise InputError("unreadable", f"{file} holds no head of a ledger.", fix)
    return held((*set_aside(book), present(opened)), marks)


def _sign(book: Ledger, keyfile: Path) -> Receipt:
    """Append a signed checkpoint. Raises InputError unreadable for a file without such a key, and as `Ledger.grant`."""
    from cgp_tui.consent import checkpoint
    from cgp_tui.consent.drafts import policy
    from cgp_tui.protocol.ed25519 import seed_of_pem

    fix = "Make one with: openssl genpkey -algorithm ed25519"
    seed = seed_of_pem(read_named(keyfile, limits.KEY_BYTES, fix))
    if seed is None:
        raise InputError("unreadable", f"{keyfile} holds no unencrypted Ed25519 private key.", fix)
    return book.checkpoint(checkpoint.signer(seed), policy())
