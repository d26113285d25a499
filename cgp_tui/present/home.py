"""Where to begin: the newest transcripts, the configured providers, where consent stands, and what else there is to try."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final, Literal

import msgspec

from cgp_tui.consent.ledger import Opened
from cgp_tui.consent.listing import Listed
from cgp_tui.present.consent_lines import ledger_line
from cgp_tui.present.layout import fit
from cgp_tui.present.numbers import ago, duration, plural, size
from cgp_tui.present.providers import advice, command_words, standing_span
from cgp_tui.present.spans import EMPTY, GAP, Jump, Row, Rows, Span, row, span
from cgp_tui.present.symbols import Look
from cgp_tui.protocol.timestamp import epoch, parse, utc_text
from cgp_tui.store.glances import Glance
from cgp_tui.store.registry import Configured, ProvidersFile
from cgp_tui.text import Shown, compose, own, show
from cgp_tui.transcript.recent import Folder, Recent

Does = Literal["replay", "inspect", "consent", "demo"]

MOST: Final = 8
"""How many transcripts are offered."""

TRY: Final[tuple[tuple[str, str], ...]] = (
    ("cgp-tui inspect -- CMD...", "watch a provider live"),
    ("cgp-tui replay FILE", "open a recording, or a file of bare envelopes"),
    ("cgp-tui check FILE", "every finding of a transcript, without a screen"),
)
"""Commands for the shell, each with what it does."""


Found = tuple[int, int]
"""Violations and advice."""


class Home(msgspec.Struct, frozen=True):
    """What the home screen knows: the recordings of this installation with what was `found` in them, the providers, the
    ledger and its grants, and the transcripts from `elsewhere` that were looked at. `now` is when it found that out, in
    seconds since 1970."""

    recordings: Folder
    files: tuple[ProvidersFile, ...]
    entries: tuple[Configured, ...]
    opened: Opened | None
    grants: tuple[Listed, ...] = ()
    found: Mapping[Path, Found] = {}
    elsewhere: tuple[Glance, ...] = ()
    now: float = 0.0


class Known(msgspec.Struct, frozen=True):
    """A transcript to go on with. `at` is when it was last written to, in seconds since 1970, for one from elsewhere when it
    was last looked at; `when` the same as an F4 timestamp. `who` are its providers or the file's name, `how` is the command
    that recorded it, empty for one from elsewhere; `found` is None where it was not judged to its end as it is now; `took`
    are the seconds from its start to its last change, None for one from elsewhere."""

    path: Path
    at: float
    when: str
    who: str
    how: str
    size: int
    lines: int | None
    found: Found | None
    growing: bool = False
    took: float | None = None


def known(home: Home) -> tuple[Known, ...]:
    """The transcripts that are offered, the newest first: what was recorded here by its last change, what came from
    elsewhere by the last look at it."""
    ours = (
        Known(
            one.path,
            one.changed,
            utc_text(one.changed),
            ", ".join(one.providers) or one.path.name,
            one.recorder,
            one.size,
            one.lines,
            home.found.get(one.path),
            one.growing,
            _took(one),
        )
        for one in home.recordings.newest
    )
    others = (
        Known(
            Path(one.path),
            one.at,
            utc_text(one.at),
            Path(one.path).name,
            "",
            one.size,
            one.lines,
            (one.violations, one.advice) if one.judged else None,
        )
        for one in home.elsewhere
    )
    return tuple(sorted((*ours, *others), key=lambda one: one.at, reverse=True)[:MOST])


def _took(one: Recent) -> float | None:
    began = parse(one.started_at)
    return None if began is None else max(one.changed - epoch(began), 0.0)


_TRANSCRIPTS: Final = "Transcripts"

_WIDE: Final = 112
"""From this width on, in cells, a transcript's row has every column; what is beyond goes to the name."""

_ALL_COLUMNS: Final = 76
"""Below this width there is no room for the age in words beside the day, nor for how long a session took."""

_WITH_LINES: Final = 56
"""Below this width neither the year nor the number of lines has room."""

_NAME: Final = (11, 40)
"""The least and the most cells for a name."""


class Choice(msgspec.Struct, frozen=True):
    """What a row leads to; `name` is a path or a provider's id."""

    does: Does
    name: str = ""


def choices(home: Home) -> tuple[Choice, ...]:
    """What the rows that lead somewhere lead to, in their order: a row's `place` counts these."""
    transcripts = (Choice("replay", str(one.path)) for one in known(home))
    providers = (Choice("inspect", one.spec.id) for one in home.entries)
    return (*transcripts, *providers, Choice("demo"))


def obstacle(home: Home, place: int) -> Shown | None:
    """Why the row at `place` cannot be opened, and what leads out; None where it can."""
    chosen = choices(home)[place]
    if chosen.does != "inspect":
        return None
    return advice(home.entries[place - len(known(home))])


def home_rows(home: Home, look: Look) -> Rows:
    """All of it, a part after the other."""
    place = 0
    folder, offered = home.recordings, known(home)
    aside = f"  {plural(folder.count, 'recording')}, {size(folder.size)}" if folder.count else ""
    when = "  last written; imported: last opened" if offered else ""
    room = look.width - len(_TRANSCRIPTS) - len(aside)
    yield row(span(_TRANSCRIPTS, "strong"), span(f"{aside}{when if len(when) <= room else ''}", "muted"))
    for one in offered:
        yield Row((span("  "), *_transcript(one, home.now, look)), rest=span("    "), jump=Jump(place=place))
        place += 1
    if not offered:
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


def _transcript(one: Known, now: float, look: Look) -> tuple[Span, ...]:
    """Sessions of one provider are told apart by when they were, to the second, and by how long they took."""
    many = one.lines is not None and one.lines >= 1_000_000
    lines = "" if one.lines is None else f"{one.lines / 1_000_000:.1f}M lines" if many else plural(one.lines, "line")
    wide, full, dated = look.width >= _WIDE, look.width >= _ALL_COLUMNS, look.width >= _WITH_LINES
    least, most = _NAME
    room = max(least, min(look.width - (91 if wide else 65), most)) if dated else 10
    took = own("") if one.took is None else duration(one.took)
    cells = [
        span(_when(one, now, look.width)),
        Span(fit(show(one.who), room, look.symbols, middle=not one.how), "strong"),
        *([Span(fit(ago(now - one.at), 12, look.symbols), "muted")] if wide else []),
        *([Span(fit(show(one.how or "imported", 20), 8, look.symbols), "muted")] if full else []),
        *([span(lines.rjust(11))] if dated else []),
        *([Span(fit(took, 7, look.symbols, align="right"), "muted")] if wide else []),
        *([span(size(one.size).rjust(5), "muted")] if full else []),
    ]
    return (*(part for cell in cells for part in (cell, GAP)), *_found(one, look))


def _when(one: Known, now: float, width: int) -> str:
    """When it was last written to. Of the last day the time is told to the second, and with room the age in words."""
    day, time = one.when[:10], one.when[11:20]
    if width >= _WIDE:
        return f"{day} {time}"
    recent = 0 <= now - one.at < 86_400
    if width >= _ALL_COLUMNS:
        return f"{time} {ago(now - one.at)}".ljust(20) if recent else f"{day} {time}"
    if width >= _WITH_LINES:
        return time.ljust(17) if recent else f"{day} {time[:5]}Z"
    return time.ljust(12) if recent else f"{day[5:]} {time[:5]}Z"


def _found(one: Known, look: Look) -> tuple[Span, ...]:
    if one.growing:
        return (span(f"{look.symbols.doubt} live", "doubt"),)
    if one.found is None:
        return (span("unchecked", "muted"),)
    bad, doubt = one.found
    return (
        span(f"{look.symbols.bad}{bad:,}", "bad" if bad else "muted"),
        span(" "),
        span(f"{look.symbols.doubt}{doubt:,}", "doubt" if doubt else "muted"),
    )


def _provider_notes(files: Sequence[ProvidersFile], entries: Sequence[Configured], look: Look) -> Rows:
    if not entries:
        yield row(span("  None configured: cgp-tui providers add ID -- CMD...", "muted"))
    for file in files:
        if file.there and not file.trusted and file.problem is None:
            sign = span(f"  {look.symbols.doubt} ", "doubt")
            words = look.say("the project's file here is not trusted: {nav.open} on an entry says what leads out")
            yield Row((Span(words, "doubt"),), lead=sign, rest=span("    "))
        if file.problem is not None or any(not fault.harmless for fault in file.faults):
            sign = span(f"  {look.symbols.bad} ", "bad")
            said = compose("{path} has faults: cgp-tui providers list", path=show(str(file.path), 200))
            yield Row((Span(said, "bad"),), lead=sign, rest=span("    "))


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
        yield row(span("  No receipt yet: nothing that needs consent has left through cgp-tui.", "muted"))
        return
    live = [one for one in home.grants if one.status == "in_force"]
    if not live:
        yield row(span("  No grant is in force: a provider that says it sends data away gets no query.", "muted"))
        return
    ends = min(one.receipt.expires_at for one in live)
    words = compose("  {count} in force; the first ends {ends}", count=own(plural(len(live), "grant")), ends=show(ends, 40))
    yield row(Span(words))
