"""`cgp-tui consent grant`: meet the provider, show what a yes would mean, write it down."""

from __future__ import annotations

import asyncio
import sys
import time
from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

import msgspec

from cgp_tui.cli import diagnostics, output
from cgp_tui.cli.asked import at_terminal, typed
from cgp_tui.cli.configured import Chosen, chosen
from cgp_tui.cli.ledgers import warn
from cgp_tui.cli.options import SandboxKind
from cgp_tui.consent import drafts
from cgp_tui.consent.decision import Book, Word
from cgp_tui.consent.drafts import Terms
from cgp_tui.consent.gate import Gate
from cgp_tui.consent.ledger import Ledger, Opened
from cgp_tui.consent.needs import needs as needs_of
from cgp_tui.consent.receipt import Draft, Grantor, Receipt
from cgp_tui.consent.types import Binding, Denial, Need, Reason
from cgp_tui.consent.until import default_until, parse_until
from cgp_tui.errors import InputError, RefusedError
from cgp_tui.protocol.capability import LOCAL_ONLY, DataFlow, is_malformed_scope
from cgp_tui.report.consent import grant_document
from cgp_tui.text import Shown, compose, own, show

if TYPE_CHECKING:
    from cgp_tui.present.consent import Answered

USAGE: Final = "cgp-tui consent grant --scope SCOPE -- CMD..."


class Wanted(msgspec.Struct, frozen=True):
    """What the command line asks for."""

    scopes: tuple[str, ...]
    boolean: bool
    until: str | None
    provider_id: str | None
    argv: tuple[str, ...]
    env: tuple[str, ...]
    terms: Terms = Terms()
    sandbox: SandboxKind | None = None
    note: str = ""


class Met(msgspec.Struct, frozen=True):
    """The provider as it presented itself."""

    binding: Binding
    data_flow: DataFlow
    sandbox: str = "none"


def run(ledger: Ledger, wanted: Wanted, machine: bool) -> int:
    """Grant and report; returns the exit code. Raises InputError, RefusedError, OurError, PeerError."""
    opened = writable(ledger)
    asked = checked(wanted, ledger.now(opened.newest))
    met, made = prepared(ledger, opened, asked, drafts.human() if at_terminal() else drafts.policy())
    if at_terminal():
        _confirm(met, opened, made)
    with diagnostics.undisturbed():
        report(ledger, [met], ledger.grant(made, seen=opened.receipts), machine)
    return diagnostics.GOOD


def writable(ledger: Ledger) -> Opened:
    """The ledger, if it can take a grant. Raises RefusedError with its state."""
    opened = ledger.open()
    if not (opened.answers or opened.mendable):
        raise opened.refused()
    return opened


class Asked(msgspec.Struct, frozen=True):
    """A wish that can be granted as far as anybody knows before the provider is started."""

    wanted: Wanted
    provider: Chosen
    terms: Terms
    expires_at: str


def checked(wanted: Wanted, now: float) -> Asked:
    """What a wish comes to, with nothing started; `now` is seconds since 1970. Raises InputError."""
    _check(wanted)
    provider = chosen(wanted.argv, wanted.provider_id, wanted.env, USAGE, wanted.sandbox)
    terms = drafts.agreed(wanted.terms, provider.target)
    expires_at = default_until(provider.target, now) if wanted.until is None else parse_until(wanted.until, now)
    return Asked(wanted, provider, terms, expires_at)


def prepared(ledger: Ledger, opened: Opened, asked: Asked, grantor: Grantor) -> tuple[Met, tuple[Draft, ...]]:
    """Start the provider for its name and version, and make the records. Raises InputError, OurError, PeerError."""
    met = asyncio.run(_meet(ledger, asked.provider))
    needs = _chosen(asked.wanted, met, opened)
    return met, tuple(
        drafts.grant_draft(
            met.binding,
            need,
            declared=met.data_flow.egress_scopes,
            payload=drafts.PAYLOAD,
            expires_at=asked.expires_at,
            grantor=grantor,
            terms=asked.terms,
            note=asked.wanted.note,
        )
        for need in needs
    )


def _check(wanted: Wanted) -> None:
    """What can be said before anything is started."""
    if not wanted.scopes and not wanted.boolean:
        raise InputError("usage", "There is nothing to grant.", "Name each scope with --scope SCOPE, or give --boolean.")
    for scope in wanted.scopes:
        if is_malformed_scope(scope):
            raise InputError("scope_malformed", f"{scope!r} is not a scope.", "A scope is a word, or vendor:word.")
        if scope == LOCAL_ONLY:
            raise InputError(
                "usage", f"{scope} leaves nothing: it needs no consent.", "Name scopes that leave this machine."
            )


async def _meet(ledger: Ledger, provider: Chosen) -> Met:
    """Start the provider, shake hands, and stop it again: it does not run while a person decides."""
    from cgp_tui.cli.own_terminal import kept
    from cgp_tui.cli.provider_end import told
    from cgp_tui.host import Host
    from cgp_tui.host.errors import HostError
    from cgp_tui.store import paths
    from cgp_tui.store.seen import Sightings

    with kept() as terminal:
        host = Host(ledger=ledger, limits=provider.deadlines, terminal=terminal, seen=Sightings(paths.seen_dir()))
        try:
            async with host:
                connection = await host.connect(provider.target, provider.id, provider.sandbox)
                return Met(connection.question.binding, connection.ack.provider.data_flow, connection.sandbox)
        except HostError as error:
            raise told(error, host.connections.get(provider.id)) from None


def _chosen(wanted: Wanted, met: Met, opened: Opened) -> tuple[Need, ...]:
    """The needs to grant: only what the provider declares, or what is on record for it.

    Raises InputError usage for any other.
    """
    declared = needs_of(met.binding.provider_id, met.data_flow, met.binding.target)
    # What the gate asks for, and no more: it may ask for sending at all where that was denied to one who declares nothing.
    possible = {word.need: word for word in Book(opened.receipts, opened.acknowledged).plan(met.binding, declared)}
    name = met.binding.provider_id
    chosen = [Need(name, "scope", scope) for scope in dict.fromkeys(wanted.scopes)]
    for need in chosen:
        if need not in possible:
            scopes = ", ".join(one.scope for one in possible if one.basis == "scope")
            fix = f"It declares: {scopes}." if scopes else "It declares no scope that leaves this machine."
            if Need(name, "boolean") in possible:
                fix = "It names no scope; grant sending at all with --boolean."
            raise InputError("usage", f"{name} does not declare the scope {need.scope}.", fix)
    if wanted.boolean:
        if Need(name, "boolean") not in possible:
            fix = (
                "Grant each scope it declares with --scope." if declared else "It needs no consent: it says nothing leaves."
            )
            raise InputError("usage", f"{name} has no need of --boolean.", fix)
        chosen.append(Need(name, "boolean"))
    return tuple(chosen)


def _confirm(met: Met, opened: Opened, made: Sequence[Draft]) -> None:
    """Show what is to be written and have the provider's id typed. Raises RefusedError `consent_required` for a no."""
    for line in _prompt(met, opened, made):
        diagnostics.say(line)
    name = met.binding.provider_id
    diagnostics.say(
        compose("To grant this, type the provider's id, {name}, and Enter. Anything else refuses.", name=show(name))
    )
    if typed() != name:
        raise RefusedError(
            "consent_required", "Nothing was granted: the id was not typed.", "Run the command again to grant."
        )


def _prompt(met: Met, opened: Opened, made: Sequence[Draft]) -> list[Shown]:
    import shutil

    from cgp_tui.present.consent import Case, prompt_rows
    from cgp_tui.present.layout import fold
    from cgp_tui.present.symbols import ASCII, UNICODE, Look
    from cgp_tui.text import join

    unicode = (sys.stderr.encoding or "").lower().replace("-", "") == "utf8"
    look = Look(UNICODE if unicode else ASCII, min(shutil.get_terminal_size().columns, 100))
    book = Book(opened.receipts, opened.acknowledged)
    needs = tuple(_answered(book, met.binding, draft) for draft in made)
    case = Case(binding=met.binding, data_flow=met.data_flow, needs=needs, receipts=opened.receipts, sandbox=met.sandbox)
    rows = prompt_rows(case, None, made, look)
    return [join("", (span.text for span in line)) for row in rows for line in fold(row, look.width)]


def _answered(book: Book, binding: Binding, draft: Draft) -> Answered:
    """A need with what the records say of it now."""
    from cgp_tui.present.consent import Answered

    need = Need(draft.provider_id, "scope" if draft.scope else "boolean", draft.scope)
    word = Word(need, True, book.word(binding, need)).at(time.time())
    return Answered(need, word) if isinstance(word, Receipt) else Answered(need, None, word)


def report(ledger: Ledger, providers: Sequence[Met], receipts: Sequence[Receipt], machine: bool) -> None:
    """What was written, and what a query to these providers would still be refused for."""
    granted = [_granted(receipt) for receipt in receipts]
    with diagnostics.stands(granted):
        warn(ledger)
        _warn_of_folders(providers, receipts)
        reasons = _still_refused(Gate(ledger), providers)
        if machine:
            missing = [{"basis": one.need.basis, "scope": one.need.scope, "reason": one.reason} for one in reasons]
            output.document(grant_document(receipts, missing))
        else:
            output.text([*granted, *map(_refused, reasons)])


def _still_refused(gate: Gate, providers: Sequence[Met]) -> list[Reason]:
    reasons: list[Reason] = []
    for met in providers:
        declared = needs_of(met.binding.provider_id, met.data_flow, met.binding.target)
        answer = gate.peek(met.binding, declared)
        reasons += answer.reasons if isinstance(answer, Denial) else ()
    return reasons


def _what(scope: str) -> Shown:
    return show(scope) if scope else own("sending at all")


def _granted(receipt: Receipt) -> Shown:
    until = own("without end") if receipt.expires_at == "never" else compose("until {end}", end=show(receipt.expires_at))
    what, who = _what(receipt.scope), show(receipt.provider_id)
    return compose("Granted {what} to {who} {until}: #{seq}.", what=what, who=who, until=until, seq=receipt.seq)


def _refused(one: Reason) -> Shown:
    return compose("Still refused: {what}, {reason}.", what=_what(one.need.scope), reason=own(one.reason))


def _warn_of_folders(providers: Sequence[Met], receipts: Sequence[Receipt]) -> None:
    """Tell on stderr of files that a grant by path finds in any folder. Whoever saw the prompt has read it there."""
    from cgp_tui.present.consent import anywhere

    by_path = {receipt.target for receipt in receipts if receipt.code_policy == "path"}
    for met in () if at_terminal() else providers:
        target = met.binding.target
        if target.digest in by_path and target.unplaced:
            diagnostics.say(compose("{who}: {what}.", who=show(met.binding.provider_id), what=anywhere(target.unplaced)))
