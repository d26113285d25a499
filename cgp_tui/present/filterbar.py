"""What is shown beside a filter, or beside a text that is searched for; and the saved filters."""

from __future__ import annotations

from collections.abc import Mapping

from cgp_tui.present.layout import cell_width, cut, fit
from cgp_tui.present.spans import GAP, Jump, Rows, Span, row, span
from cgp_tui.present.symbols import Look, Symbols
from cgp_tui.text import Shown, compose, own, show


def filter_spans(
    taken: int, seen: int, count: int, look: Look, *, error: Shown | None = None, suspended: bool = False
) -> tuple[Span, ...]:
    """How many of `count` records the filter accepts, as far as it has looked (`seen`), and what is wrong with its text."""
    symbols = look.symbols
    if error is not None:
        still = own(f"; still the {taken:,}")
        return (span(f"{symbols.bad} ", "bad"), Span(compose("{error}{still}", error=error, still=still), "bad"))
    if suspended:
        return (span(f"off: all {count:,} are shown", "doubt"),)
    if seen < count:
        share = look.say("{share} % ({app.back} stops)", share=seen * 100 // count)
        return (span(f"{taken:,} so far in {count:,}"), GAP, Span(share, "muted"))
    return (span(f"{taken:,} of {count:,}"), GAP, span("100 % ", "muted"), span(symbols.good, "good"))


def search_spans(place: int | None, found: int, symbols: Symbols) -> tuple[Span, ...]:
    """Which of the matches the cursor is on (`place`, from 0, None for none) and how many there are."""
    if not found:
        return (span(f"{symbols.bad} not found", "bad"),)
    return (span(f"{found:,} found" if place is None else f"{place + 1:,} of {found:,}"),)


def saved_rows(saved: Mapping[str, str], look: Look) -> Rows:
    """A row for each saved filter: its name as it is written in a filter, and what it stands for."""
    for place, (name, text) in enumerate(saved.items()):
        label = fit(show(f"@{name}"), min(max(look.width // 3, 8), 24), look.symbols)
        room = max(look.width - cell_width(label) - 2, 8)
        yield row(Span(label, "strong"), GAP, Span(cut(show(text, room), room, look.symbols)), jump=Jump(place=place))
    if not saved:
        yield row(Span(look.say("No filter is saved. Where one is typed, {find.keep} saves it."), "muted"))
