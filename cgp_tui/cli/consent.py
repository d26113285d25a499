"""`cgp-tui consent`: what may leave this machine, to whom, who agreed, until when."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from cgp_tui.cli import diagnostics, options, output, proof
from cgp_tui.cli.audit import audit
from cgp_tui.cli.exchange import export, offer
from cgp_tui.cli.ledgers import Boolean, By, Scopes, last_seen, noted, open_ledger, shut, target_of, warn
from cgp_tui.errors import InputError
from cgp_tui.text import own

if TYPE_CHECKING:
    from cgp_tui.consent.ledger import Ledger, Revoked

app = typer.Typer()


@app.command("list", short_help="Show each decision: in force, or why it is not.")
def list_grants(
    argv: options.Argv,
    *,
    provider_id: options.ProviderId = None,
    env: options.EnvNames = None,
    ledger: options.LedgerFile = None,
    head: options.HeadFile = None,
    json: options.Json = False,
) -> int:
    """Show each decision: in force, or why not, for whoever was last seen here; with CMD, for that command as it is now."""
    from cgp_tui.consent.listing import listing
    from cgp_tui.present.consent_lines import ledger_line, listed_lines
    from cgp_tui.report.consent import list_document
    from cgp_tui.target import default_id

    with diagnostics.machine(json, lambda problem: list_document(None, (), problem)):
        target = target_of(argv, env)
        wanted = provider_id or (default_id(target) if target else "")
        book = open_ledger(ledger, head)
        opened = book.open()
        listed = listing(book, opened, target, wanted, last_seen())
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
    from cgp_tui.present.consent_lines import history_lines, ledger_line
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
    once: Annotated[bool, typer.Option("--once", help="For one query or verify only.")] = False,
    code: Annotated[
        Literal["exact", "path"] | None,
        typer.Option(
            "--code", metavar="exact|path", help="Bind to these files as they are, or to whatever is at these paths."
        ),
    ] = None,
    version_policy: Annotated[
        Literal["exact", "minor", "any"],
        typer.Option(
            "--version-policy",
            metavar="exact|minor|any",
            help="Bind to this version, its major version, or any; the last two need --code path.",
        ),
    ] = "exact",
    policy: Annotated[
        Path | None, typer.Option("--policy", metavar="FILE", help="Grant what this policy file (TOML) says, in its name.")
    ] = None,
    by: By = None,
    provider_id: options.ProviderId = None,
    env: options.EnvNames = None,
    sandbox: options.Sandbox = None,
    ledger: options.LedgerFile = None,
    head: options.HeadFile = None,
    json: options.Json = False,
) -> int:
    """Allow queries to a provider. It is started for its name and version, and sent nothing else.

    Without CMD, --id names an entry of the providers file.
    """
    from cgp_tui.cli.grant import USAGE, Wanted, run
    from cgp_tui.consent.drafts import Terms
    from cgp_tui.report.consent import grant_document

    if policy is None and provider_id is None:
        options.need_argv(argv, USAGE)
    with diagnostics.machine(json, lambda problem: grant_document((), (), problem)):
        if policy is not None:
            from cgp_tui.cli.policy import run as run_policy

            said = (argv, scope, boolean, until, once, code, version_policy != "exact", by, provider_id, env, sandbox)
            if any(said):
                raise InputError("usage", "A policy file says everything itself.", "Give --policy alone.")
            return run_policy(open_ledger(ledger, head), policy, json)
        terms = Terms("once" if once else "unlimited", code, version_policy)
        names = tuple(scope or ()), boolean, until, provider_id, tuple(argv), tuple(env or ())
        return run(open_ledger(ledger, head), Wanted(*names, terms, sandbox, noted(by)), json)


@app.command()
def deny(
    argv: options.Argv,
    *,
    scope: Scopes = None,
    boolean: Boolean = False,
    by: By = None,
    provider_id: options.ProviderId = None,
    env: options.EnvNames = None,
    ledger: options.LedgerFile = None,
    head: options.HeadFile = None,
    json: options.Json = False,
) -> int:
    """Record a no: to the named scopes, or to everything. Takes CMD, which is not started, or --id."""
    from cgp_tui.cli.withdraw import Whom, deny
    from cgp_tui.report.consent import revoke_document

    with diagnostics.machine(json, lambda problem: revoke_document(None, problem, "denied")):
        book = open_ledger(ledger, head)
        whom = Whom(target_of(argv, env), provider_id, tuple(scope or ()), boolean, noted(by))
        with diagnostics.undisturbed():
            return _withdrawn(book, deny(book, whom), "denied", json)


@app.command()
def revoke(
    argv: options.Argv,
    *,
    scope: Scopes = None,
    boolean: Boolean = False,
    everything: Annotated[bool, typer.Option("--all", help="Everything, from every provider.")] = False,
    by: By = None,
    provider_id: options.ProviderId = None,
    env: options.EnvNames = None,
    ledger: options.LedgerFile = None,
    head: options.HeadFile = None,
    json: options.Json = False,
) -> int:
    """Withdraw what was granted: the named scopes, or all. Takes CMD, which is not started, or --id."""
    from cgp_tui.cli.withdraw import Whom, revoke, revoke_all
    from cgp_tui.report.consent import revoke_document

    with diagnostics.machine(json, lambda problem: revoke_document(None, problem)):
        book = open_ledger(ledger, head)
        if everything and (argv or provider_id or scope or boolean):
            raise InputError("usage", "--all already covers everything.", "Give it alone.")
        note = noted(by)
        whom = Whom(target_of(argv, env), provider_id, tuple(scope or ()), boolean, note)
        with diagnostics.undisturbed():
            return _withdrawn(book, revoke_all(book, note) if everything else revoke(book, whom), "revoked", json)


def _withdrawn(book: Ledger, done: Revoked, act: str, json: bool) -> int:
    from cgp_tui.cli.withdraw import unsure
    from cgp_tui.present.consent_lines import withdrawn_lines
    from cgp_tui.report.consent import revoke_document

    fault, lines = unsure(done, book), withdrawn_lines(done)
    with diagnostics.stands(lines, fault):
        if json:
            output.document(revoke_document(done, diagnostics.problem(fault) if fault else None, act))
        else:
            output.text(lines)
            if fault:
                diagnostics.fail(fault)
    warn(book)
    return diagnostics.GOOD if fault is None else diagnostics.FELL_SHORT


@app.command()
def recover(ledger: options.LedgerFile = None, head: options.HeadFile = None, json: options.Json = False) -> int:
    """Lead out of a damaged ledger. Mends what loses no grant; else asks, and starts a new one."""
    from cgp_tui.cli.recover import run
    from cgp_tui.report.consent import recover_document

    with diagnostics.machine(json, lambda problem: recover_document(None, None, None, problem)):
        return run(open_ledger(ledger, head), json)


app.command()(proof.show)
app.command(short_help="Ask whether a query would be let through: exit 0 or 3.")(proof.check)
app.command(short_help="Print the ledger's head, to keep elsewhere, or sign it.")(proof.head)
app.command(short_help="Compare recordings with the ledger: what left, to whom.")(audit)
app.command(short_help="Write the grants in force as a consent store of the reference.")(export)
app.command("import", short_help="Print the commands that would ask for what is in such a store.")(offer)
