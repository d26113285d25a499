"""Where to begin: the newest recordings, the configured providers, where consent stands, and what else there is to try."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, Literal

import msgspec

from cgp_tui.consent.ledger import Opened
from cgp_tui.consent.listing import Listed
from cgp_tui.present.numbers import plural, size
from cgp_tui.present.providers import advice, command_words, standing_span
from cgp_tui.present.spans import EMPTY, GAP, Jump, Rows, Span, row, span
from cgp_tui.present.standing import ledger_line
from cgp_tui.present.symbols import Look
from cgp_tui.store.registry import Configured, ProvidersFile
from cgp_tui.text import Shown, clip, compose, own, show
from cgp_tui.transcript.recent import Folder, Recent

Does = Literal["replay", "inspect", "consent", "demo"]

TRY: Final[tuple[tuple[str, str], ...]] = (
    ("cgp-tui inspect -- CMD...", "watch a provider live"),
    ("cgp-tui replay FILE", "open a recording, or a file of bare envelopes"),
    ("cgp-tui check FILE", "every finding of a transcript, without a screen"),
)
"""Commands for the shell, each with what it does."""


class Home(msgspec.Struct, frozen=True):
    """What the home screen knows. `fault` is what is wrong with the ledger, empty where nothing is."""

    recordings: Folder
    files: tuple[ProvidersFile, ...]
    entries: tuple[Configured, ...]
    opened: Opened | None
    grants: tuple[Listed, ...] = ()


class Choice(msgspec.Struct, frozen=True):
    """What a row leads to; `name` is a path or a provider's id."""

    does: Does
    name: str = ""


def choices(home: Home) -> tuple[Choice, ...]:
    """What the rows that lead somewhere lead to, in their order: a row's `place` counts these."""
    recordings = (Choice("replay", str(one.path)) for one in home.recordings.newest)
    providers = (Choice("inspect", one.spec.id) for one in home.entries)
    return (*recordings, *providers, Choice("demo"))


def obstacle(home: Home, place: int) -> Shown | None:
    """Why the row at `place` cannot be opened, and what leads out; None where it can."""
    chosen = choices(home)[place]
    if chosen.does != "inspect":
        return None
    return advice(home.entries[place - len(home.recordings.newest)])


def home_rows(home: Home, look: Look) -> Rows:
    """All of it, a part after the other."""
    place = 0
    folder = home.recordings
    aside = f"{plural(folder.count, 'file')}, {size(folder.size)}" if folder.count else ""
    yield row(span("Recordings", "strong"), GAP, span(aside, "muted"))
    for one in folder.newest:
        yield row(span("  "), *_recording(one, look), jump=Jump(place=place))
        place += 1
    if not folder.newest:
        yield row(span("  None yet: every session is recorded, beginning with the demo's.", "muted"))
    yield EMPTY
    yield row(span("Providers", "strong"))
    width = min(max((len(one.spec.id) for one in home.entries), default=0), 24)
    for entry in home.entries:
        name = Span(show(entry.spec.id.ljust(width), 40), "strong")
        yield row(span("  "), name, GAP, standing_span(entry), GAP, Span(command_words(entry)), jump=Jump(place=place))
        place += 1
    yield from _provider_notes(home.files, home.entries, look)
    yield EMPTY
    yield row(span("Consent", "strong"))
    yield from _consent(home, look)
    yield EMPTY
    yield row(span("Try", "strong"))
    yield row(span("  demo", "strong"), GAP, span("the tour on two bundled providers, no set-up"), jump=Jump(place=place))
    for command, what in TRY:
        yield row(span(f"  {command}"), GAP, span(what, "muted"))


def _recording(one: Recent, look: Look) -> tuple[Span, ...]:
    when = f"{one.started_at[:10]} {one.started_at[11:16]}Z"
    lines = "" if one.lines is None else plural(one.lines, "line")
    who = clip(show(", ".join(one.providers) or one.path.name), 18)
    state = (GAP, span(f"{look.symbols.doubt} live", "doubt")) if one.growing else ()
    how = show(one.recorder, 20)
    return (
        Span(show(when, 20)),
        GAP,
        Span(Shown(who.ljust(18)), "strong"),
        GAP,
        Span(Shown(how.ljust(8)), "muted"),
        GAP,
        span(lines.rjust(11)),
        GAP,
        Span(Shown(size(one.size).rjust(5)), "muted"),
        *state,
    )


def _provider_notes(files: Sequence[ProvidersFile], entries: Sequence[Configured], look: Look) -> Rows:
    if not entries:
        yield row(span("  None configured: cgp-tui providers add ID -- CMD...", "muted"))
    for file in files:
        if file.there and not file.trusted and file.problem is None:
            sign = span(f"  {look.symbols.doubt} ", "doubt")
            words = span("the project's file here is not trusted: enter on an entry says what leads out", "doubt")
            yield row(sign, words)
        if file.problem is not None or any(not fault.harmless for fault in file.faults):
            sign = span(f"  {look.symbols.bad} ", "bad")
            yield row(
                sign, Span(compose("{path} has faults: cgp-tui providers list", path=show(str(file.path), 200)), "bad")
            )


def _consent(home: Home, look: Look) -> Rows:
    opened = home.opened
    if opened is None:
        yield row(span("  No ledger can be kept on this system, so nothing can be granted.", "muted"))
        return
    yield row(span("  "), Span(ledger_line(opened), None if opened.answers else "bad"))
    if not opened.answers:
        sign = span(f"  {look.symbols.bad} ", "bad")
        yield row(sign, Span(compose("Nothing leaves this machine. {command}", command=show(opened.command)), "bad"))
        return
    if not opened.receipts:
        yield row(span("  No receipt yet: nothing has left through cgp-tui.", "muted"))
        return
    live = [one for one in home.grants if one.status == "in_force"]
    if not live:
        yield row(span("  No grant is in force: nothing may leave this machine.", "muted"))
        return
    ends = min(one.receipt.expires_at for one in live)
    words = compose("  {count} in force; the first ends {ends}", count=own(plural(len(live), "grant")), ends=show(ends, 40))
    yield row(Span(words))
