"""`cgp-tui consent`: what may leave this machine, to whom, who agreed, until when."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from cgp_tui.cli import diagnostics, options, output
from cgp_tui.errors import InputError, RefusedError
from cgp_tui.text import own

if TYPE_CHECKING:
    from cgp_tui.consent.ledger import Ledger, Opened, Revoked
    from cgp_tui.consent.receipt import Draft
    from cgp_tui.target import Target

app = typer.Typer()

Scopes = Annotated[list[str] | None, typer.Option("--scope", metavar="SCOPE", help="An off-machine scope; repeatable.")]
Boolean = Annotated[bool, typer.Option("--boolean", help="Sending at all, for a provider that names no scope.")]


def open_ledger(path: Path | None, head: Path | None) -> Ledger:
    """The ledger that the options name, the person's own by default."""
    from cgp_tui.consent.ledger import Ledger
    from cgp_tui.store import paths

    return Ledger(path or paths.ledger_path(), head)


def shut(opened: Opened) -> RefusedError | None:
    """What is wrong with a ledger that answers no question, None for one that does."""
    if opened.state in ("ok", "fresh"):
        return None
    return RefusedError(opened.state, f"The ledger is {opened.state}. {opened.detail}".rstrip(), opened.command)


def target_of(argv: list[str], env: list[str] | None) -> Target | None:
    """The target of CMD, None without one. Raises InputError."""
    from cgp_tui.target import stdio_target

    return stdio_target(argv, env=env or ()) if argv else None


@app.command("list")
def list_grants(
    argv: options.Argv,
    *,
    provider_id: options.ProviderId = None,
    env: options.EnvNames = None,
    ledger: options.LedgerFile = None,
    head: options.HeadFile = None,
    json: options.Json = False,
) -> int:
    """Show each grant: in force, or why not. With CMD, held against that command as it is now."""
    from cgp_tui.consent.listing import listing
    from cgp_tui.present.standing import ledger_line, listed_lines
    from cgp_tui.report.consent import list_document
    from cgp_tui.target import default_id

    with diagnostics.machine(json, lambda problem: list_document(None, (), problem)):
        target = target_of(argv, env)
        wanted = provider_id or (default_id(target) if target else "")
        book = open_ledger(ledger, head)
        opened = book.open()
        listed = listing(book, opened, target, wanted)
        fault = shut(opened)
        if json:
            output.document(list_document(opened, listed, diagnostics.problem(fault) if fault else None))
        else:
            output.text([ledger_line(opened), *(listed_lines(listed) or [own("No grant.")])])
            if fault:
                diagnostics.fail(fault)
        return diagnostics.exit_code(fault) if fault else diagnostics.GOOD


@app.command()
def history(ledger: options.LedgerFile = None, head: options.HeadFile = None, json: options.Json = False) -> int:
    """Show every record, oldest first."""
    from cgp_tui.present.standing import history_lines, ledger_line
    from cgp_tui.report.consent import history_document

    with diagnostics.machine(json, lambda problem: history_document(None, problem)):
        opened = open_ledger(ledger, head).open()
        fault = shut(opened)
        if json:
            output.document(history_document(opened, diagnostics.problem(fault) if fault else None))
        else:
            output.text([ledger_line(opened), *history_lines(opened.receipts)])
            if fault:
                diagnostics.fail(fault)
        return diagnostics.exit_code(fault) if fault else diagnostics.GOOD


@app.command()
def grant(
    argv: options.Argv,
    *,
    scope: Scopes = None,
    boolean: Boolean = False,
    until: Annotated[
        str | None,
        typer.Option(
            "--until", metavar="DATE", help="30d, fri, a date, an instant or never. 30d by default, 7d for launchers."
        ),
    ] = None,
    provider_id: options.ProviderId = None,
    env: options.EnvNames = None,
    ledger: options.LedgerFile = None,
    head: options.HeadFile = None,
    json: options.Json = False,
) -> int:
    """Allow queries to a provider. It is started for its name and version, and sent nothing else."""
    from cgp_tui.cli.grant import Wanted, run
    from cgp_tui.report.consent import grant_document

    options.need_argv(argv, "cgp-tui consent grant --scope SCOPE -- CMD...")
    with diagnostics.machine(json, lambda problem: grant_document((), (), problem)):
        wanted = Wanted(tuple(scope or ()), boolean, until, provider_id, tuple(argv), tuple(env or ()))
        return run(open_ledger(ledger, head), wanted, json)


@app.command()
def revoke(
    argv: options.Argv,
    *,
    scope: Scopes = None,
    boolean: Boolean = False,
    provider_id: options.ProviderId = None,
    env: options.EnvNames = None,
    ledger: options.LedgerFile = None,
    head: options.HeadFile = None,
    json: options.Json = False,
) -> int:
    """Withdraw what was granted: the named scopes, or all. Takes CMD, which is not started, or --id."""
    from cgp_tui.present.standing import revoked_line
    from cgp_tui.report.consent import revoke_document

    with diagnostics.machine(json, lambda problem: revoke_document(None, problem)):
        done = _revoke(open_ledger(ledger, head), target_of(argv, env), provider_id, tuple(scope or ()), boolean)
        fault = _unsure(done, open_ledger(ledger, head))
        if json:
            output.document(revoke_document(done, diagnostics.problem(fault) if fault else None))
        else:
            output.text([revoked_line(done)])
            if fault:
                diagnostics.fail(fault)
        return diagnostics.GOOD if fault is None else diagnostics.FELL_SHORT


def _revoke(
    ledger: Ledger, target: Target | None, provider_id: str | None, scopes: tuple[str, ...], boolean: bool
) -> Revoked:
    from cgp_tui.consent.drafts import policy, revoke_drafts
    from cgp_tui.consent.types import Need
    from cgp_tui.target import default_id

    if target is None and provider_id is None:
        raise InputError("usage", "No provider is named.", "Give --id ID, or end the line with -- and its command.")
    opened = ledger.open()
    known = dict.fromkeys(receipt.provider_id for receipt in opened.receipts if receipt.kind in ("grant", "deny", "revoke"))
    if provider_id is not None:
        ids = [provider_id]
    else:
        assert target is not None  # noqa: S101 -- checked above
        same = [receipt.provider_id for receipt in opened.receipts if receipt.target == target.digest]
        ids = list(dict.fromkeys([default_id(target), *same]))
    on_record = [one for one in ids if one in known]
    if not on_record and opened.state in ("ok", "fresh", "torn", "adopt"):
        names = ", ".join(known) or "none"
        raise InputError("usage", f"Nothing was ever decided for {' or '.join(ids)}.", f"On record are: {names}.")
    decided = {(receipt.basis, receipt.scope) for receipt in opened.receipts if receipt.provider_id in on_record}
    drafts: list[Draft] = []
    for one in on_record or ids:
        needs = [*(Need(one, "scope", scope) for scope in scopes), *([Need(one, "boolean")] if boolean else [])]
        for need in needs:
            # A misspelt scope must not read as withdrawn.
            if on_record and (need.basis, need.scope) not in decided:
                said = ", ".join(sorted(scope or "(sending at all)" for _, scope in decided))
                raise InputError(
                    "usage", f"{need.scope or '--boolean'} was never decided for {one}.", f"On record are: {said}."
                )
        drafts += revoke_drafts(opened.receipts, one, needs, policy())
    return ledger.revoke(drafts)


def _unsure(done: Revoked, ledger: Ledger) -> RefusedError | None:
    """What a person must know of a revocation that is not confirmed."""
    if done.outcome == "confirmed":
        return None
    if done.outcome == "not_confirmed":
        return RefusedError("lock_timeout", done.detail, "End that process: what it began to send may still leave.")
    if done.outcome == "emergency_stop":
        return RefusedError("head_missing", f"It could not be recorded. {done.detail}", ledger.command("recover"))
    return RefusedError("unrecordable", done.detail, "End every program that uses this ledger.")


@app.command()
def recover(ledger: options.LedgerFile = None, head: options.HeadFile = None, json: options.Json = False) -> int:
    """Lead out of a damaged ledger. Mends what loses no grant; else asks, and starts a new one."""
    from cgp_tui.cli.recover import run
    from cgp_tui.report.consent import recover_document

    with diagnostics.machine(json, lambda problem: recover_document(None, None, None, problem)):
        return run(open_ledger(ledger, head), json)
