"""`cgp-tui trust`: whose keys the person knows."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from cgp_tui import limits
from cgp_tui.cli import diagnostics, options, output
from cgp_tui.cli.asked import at_terminal, typed
from cgp_tui.cli.ledgers import open_ledger
from cgp_tui.cli.named import read_up_to
from cgp_tui.errors import Error, InputError, RefusedError, os_reason
from cgp_tui.text import compose, own, show

if TYPE_CHECKING:
    from cgp_tui.store.trust import TrustEntry

app = typer.Typer()

_HEX: Final = re.compile("[0-9a-f]{64}")
_DATE: Final = re.compile("[0-9]{4}-[0-9]{2}-[0-9]{2}")


@app.command("list", short_help="Show each trusted key: its signer, for whom and when.")
def list_keys(ledger: options.LedgerFile = None, head: options.HeadFile = None, json: options.Json = False) -> int:
    """Show each trusted key: its signer, for whom and when it counts, its fingerprint, how it came, whether on record."""
    from cgp_tui.cli.trusted import this_moment
    from cgp_tui.consent.trusting import on_record, store_at
    from cgp_tui.present.trust import trust_lines
    from cgp_tui.report.trust import list_document

    with diagnostics.machine(json, lambda problem: list_document(None, (), problem)):
        trusted = store_at().read()
        fault = trusted.problem()
        receipts = open_ledger(ledger, head).open().receipts if trusted.entries else ()
        records = [on_record(receipts, entry) for entry in trusted.entries]
        if json:
            output.document(list_document(trusted, records, diagnostics.problem(fault) if fault else None))
        else:
            output.text(trust_lines(trusted, records, this_moment()))
            if fault:
                diagnostics.fail(fault)
        return diagnostics.exit_code(fault) if fault else diagnostics.GOOD


@app.command()
def add(
    key: Annotated[str, typer.Argument(metavar="KEY", help="64 hex digits, or a file with them or a PEM public key.")],
    *,
    label: Annotated[str, typer.Option("--label", metavar="NAME", help="Whose key it is: the signer, as you say it.")],
    provider: Annotated[
        list[str], typer.Option("--provider", metavar="NAME", help="A declared name that it may sign for; repeatable.")
    ],
    not_before: Annotated[
        str | None, typer.Option("--not-before", metavar="TIME", help="Valid from this date or instant (UTC).")
    ] = None,
    not_after: Annotated[
        str | None, typer.Option("--not-after", metavar="TIME", help="Valid until this date or instant (UTC).")
    ] = None,
    ledger: options.LedgerFile = None,
    head: options.HeadFile = None,
    json: options.Json = False,
) -> int:
    """Trust a key for the providers you name, on record in the ledger. In a terminal you type its fingerprint."""
    from cgp_tui.consent import drafts, trusting
    from cgp_tui.report.trust import change_document

    with diagnostics.machine(json, lambda problem: change_document(None, None, problem)):
        public_key, how = _key(key)
        begin, end = _time(not_before, "T00:00:00Z"), _time(not_after, "T23:59:59Z")
        entry = trusting.entry(public_key, label, provider, how, not_before=begin, not_after=end)
        asked = at_terminal()
        if asked:
            _confirm(entry)
        grantor = drafts.human() if asked else drafts.policy()
        with diagnostics.undisturbed():
            record = trusting.trust(trusting.store_at(), open_ledger(ledger, head), entry, grantor)
            names = own(", ").join(map(show, entry.provider_names))
            words = "{label} is trusted for {names}, on record as #{seq}."
            line = compose(words, label=show(entry.label), names=own(names), seq=record.seq)
            with diagnostics.stands([line]):
                if json:
                    output.document(change_document(entry, record))
                else:
                    output.text([line])
        return diagnostics.GOOD


@app.command()
def remove(
    key: Annotated[str, typer.Argument(metavar="KEY", help="Its fingerprint, the beginning of it, or the key in hex.")],
    *,
    ledger: options.LedgerFile = None,
    head: options.HeadFile = None,
    json: options.Json = False,
) -> int:
    """Trust a key no more, on record in the ledger."""
    from cgp_tui.consent import drafts, trusting
    from cgp_tui.report.trust import change_document

    with (
        diagnostics.machine(json, lambda problem: change_document(None, None, problem, "removed")),
        diagnostics.undisturbed(),
    ):
        entry, record = trusting.distrust(trusting.store_at(), open_ledger(ledger, head), key, drafts.policy())
        fault = record if isinstance(record, Error) else None
        seq = own("not on record") if isinstance(record, Error) else compose("on record as #{seq}", seq=record.seq)
        line = compose("{label} is no longer trusted, {seq}.", label=show(entry.label), seq=seq)
        with diagnostics.stands([line], fault):
            if json:
                kept = None if isinstance(record, Error) else record
                output.document(change_document(entry, kept, diagnostics.problem(fault) if fault else None, "removed"))
            else:
                output.text([line])
                if fault:
                    diagnostics.fail(fault)
        return diagnostics.exit_code(fault) if fault else diagnostics.GOOD


def _key(text: str) -> tuple[bytes, str]:
    """The public key that the command line names, and how it came. Raises InputError."""
    if _HEX.fullmatch(text):
        return bytes.fromhex(text), "command line: in hex"
    from cgp_tui.protocol.ed25519 import key_of_text

    path = Path(text)
    fix = "Give 64 lower-case hex digits, or a file with them or with a PEM public key of Ed25519."
    try:
        data = read_up_to(path, limits.TRUST_BYTES)
    except OSError as error:
        raise InputError("unreadable", f"{text} is neither a key nor a file: {os_reason(error)}.", fix) from None
    except ValueError:
        raise InputError("unreadable", f"{text!r} is neither a key nor a file.", fix) from None
    public_key = key_of_text(data)
    if public_key is None:
        raise InputError("unreadable", f"{path} holds no Ed25519 public key.", fix)
    return public_key, f"command line: file {path.name}"[:256]


def _time(text: str | None, clock: str) -> str | None:
    """A bound as the store writes it; a date alone gets `clock`."""
    return f"{text}{clock}" if text is not None and _DATE.fullmatch(text) else text


def _confirm(entry: TrustEntry) -> None:
    """Have the fingerprint typed. Raises InputError for a key that cannot be trusted, RefusedError for another answer."""
    from cgp_tui.store.trust import TYPED_FINGERPRINT, agrees, check

    check(entry)
    names = own(", ").join(map(show, entry.provider_names))
    diagnostics.say(compose("Trust {label} to sign for {names}?", label=show(entry.label), names=own(names)))
    diagnostics.say(compose("The key's fingerprint: {fingerprint}", fingerprint=show(entry.fingerprint)))
    diagnostics.say(own("Compare it with what the signer told you through another channel."))
    diagnostics.say(compose("To trust it, type the first {n} digits of it and Enter.", n=TYPED_FINGERPRINT))
    if not agrees(typed(), entry.public_key):
        raise RefusedError(
            "usage", "Nothing was changed: the fingerprint was not typed.", "Run the command again to trust it."
        )
