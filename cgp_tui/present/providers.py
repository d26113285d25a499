"""Configured providers for people: each file with its standing, each entry with what it would run, and what is wrong."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Sequence
from typing import Final

import msgspec

from cgp_tui.present.spans import EMPTY, Jump, Row, Rows, Span, Token, row, span
from cgp_tui.present.symbols import Look
from cgp_tui.secret import mask, mask_argv
from cgp_tui.store.providers import EntryFault
from cgp_tui.store.registry import Configured, ProvidersFile, entries
from cgp_tui.text import Shown, compose, join, own, show

TRUST: Final = "cgp-tui providers trust"
NOTHING: Final = (
    "No provider is configured.",
    "Add one: cgp-tui providers add ID -- CMD...",
    "Or name its command: cgp-tui inspect -- CMD...",
)
_SANDBOX: Final = {"none": "none", "processes": "processes", "no-network": "processes, no IP network"}


def command_words(entry: Configured) -> Shown:
    """What an entry runs or reaches, credentials masked, and nothing left out: it is what the person trusts."""
    spec = entry.spec
    line = shlex.join(mask_argv(spec.command)) if spec.command else mask(spec.url)
    return show(line, len(line))


def standing_span(entry: Configured) -> Span:
    """Whose entry it is, and whether it can be started."""
    if entry.shadowed:
        return span("shadowed by your own", "muted")
    if not entry.file.trusted:
        return span("project, not trusted", "doubt")
    if entry.spec.url:
        return span("a URL, not opened yet", "muted")
    return span("yours" if entry.file.kind == "user" else "project, trusted", "good")


def advice(entry: Configured) -> Shown | None:
    """Why an entry cannot be started, and what leads out; None for one that can."""
    if entry.shadowed:
        return own("Your own file has an entry of this id; that one is meant by it.")
    if not entry.file.trusted:
        return compose("Not trusted: look at what it runs, leave, then {command}", command=own(TRUST))
    if entry.spec.url:
        return own("A URL cannot be opened yet.")
    return None


def detail_words(entry: Configured) -> Iterator[tuple[str, Shown]]:
    """Whatever else decides what would run: label and value."""
    spec = entry.spec
    if spec.command:
        yield "in", show(str(entry.folder))
    if spec.env:
        yield "gets", join(", ", map(show, spec.env))
    if spec.roots:
        yield "roots", join(", ", (show(str(root)) for root in entry.roots))
    if spec.sandbox != "none":
        yield "sandbox", own(_SANDBOX[spec.sandbox])
    times = {"handshake": spec.timeouts.handshake, "exchange": spec.timeouts.exchange}
    given = [f"{name} {value:g} s" for name, value in times.items() if value is not None]
    if given:
        yield "waits", own(", ".join(given))


def file_words(file: ProvidersFile) -> Shown:
    """A file with its standing."""
    path = show(str(file.path))
    if file.problem is not None:
        why = file.problem.message
        head = own("") if str(file.path) in why else compose("{path}: ", path=path)
        return compose("{head}{why} {fix}", head=head, why=show(why), fix=show(file.problem.fix))
    if not file.there:
        return compose("{path}: not there", path=path)
    if file.kind == "user":
        return compose("{path}: yours", path=path)
    standing = own("trusted as it is" if file.trusted else f"NOT TRUSTED, nothing of it is run before `{TRUST}`")
    return compose("{path}: {standing} (sha256 {digest})", path=path, standing=standing, digest=show(file.sha256))


def fault_words(fault: EntryFault) -> Shown:
    """What is wrong with an entry, why, and what to write."""
    where = ".".join(part for part in (fault.id, fault.key) if part)
    return compose("{where}: {why}. {fix}", where=show(where, 200), why=show(fault.why), fix=show(fault.fix))


def listed_lines(files: Sequence[ProvidersFile]) -> list[Shown]:
    """Every file with its entries and their faults, as plain lines."""
    every = entries(tuple(files))
    lines: list[Shown] = []
    for file in files:
        lines.append(file_words(file))
        for entry in every:
            if entry.file is file:
                lines += entry_lines(entry)
        lines += [compose("  {sign} {fault}", sign=own("!"), fault=fault_words(fault)) for fault in file.faults]
    if not every and not any(file.problem or file.faults for file in files):
        lines += map(own, NOTHING)
    return lines


def entry_lines(entry: Configured) -> list[Shown]:
    """One entry: what it runs, then the rest of what decides that."""
    shadowed = own("  (shadowed by your own)" if entry.shadowed else "")
    head = compose("  {id}  {command}{aside}", id=show(entry.spec.id), command=command_words(entry), aside=shadowed)
    rest = [compose("    {label}: {value}", label=own(label), value=value) for label, value in detail_words(entry)]
    return [head, *rest]


class Offer(msgspec.Struct, frozen=True):
    """What the screen offers: all files, and the entries in the order of its rows' `place`."""

    files: tuple[ProvidersFile, ...]
    entries: tuple[Configured, ...]


def offer(files: Sequence[ProvidersFile]) -> Offer:
    return Offer(tuple(files), entries(tuple(files)))


def offer_rows(made: Offer, look: Look) -> Rows:
    """Each entry on a row that leads to it by its place, what it would run under it, then what is wrong."""
    width = max((len(entry.spec.id) for entry in made.entries), default=0)
    for place, entry in enumerate(made.entries):
        sign = span(f"{look.symbols.doubt} " if not entry.file.trusted else "  ", "doubt")
        name = show(entry.spec.id.ljust(min(width, 24)))
        yield row(sign, Span(name, "strong"), span("  "), standing_span(entry), jump=Jump(place=place))
        yield Row((Span(command_words(entry)),), lead=span("    "), rest=span("      "))
        for label, value in detail_words(entry):
            yield Row((span(f"{label} ", "muted"), Span(value)), lead=span("    "), rest=span("      "))
    for file in made.files:
        if file.problem is not None or file.faults or not file.trusted:
            yield from _trouble_rows(file, look)
    if not made.entries:
        yield from (row(span(line, "muted")) for line in NOTHING)


def _trouble_rows(file: ProvidersFile, look: Look) -> Rows:
    if not file.there:
        return
    yield EMPTY
    token: Token = "bad" if file.problem is not None else "doubt" if not file.trusted else "muted"
    yield Row((Span(file_words(file), token),), rest=span("  "))
    for fault in file.faults:
        sign = look.symbols.quiet if fault.harmless else look.symbols.bad
        token = "muted" if fault.harmless else "bad"
        yield Row((span(f"{sign} ", token), Span(fault_words(fault))), lead=span("  "), rest=span("    "))
