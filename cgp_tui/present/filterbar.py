"""What is said beside a filter, or beside a text that is searched for."""

from __future__ import annotations

from cgp_tui.present.spans import GAP, Span, span
from cgp_tui.present.symbols import Look, Symbols
from cgp_tui.text import Shown, compose, own


def filter_spans(
    taken: int, seen: int, count: int, look: Look, *, error: Shown | None = None, suspended: bool = False
) -> tuple[Span, ...]:
    """How much of `count` records the filter takes, as far as it has looked (`seen`); what is wrong with its text."""
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
    """Which of the places that hold the text the cursor is on, from 0; None where it is on none."""
    if not found:
        return (span(f"{symbols.bad} not found", "bad"),)
    return (span(f"{found:,} found" if place is None else f"{place + 1:,} of {found:,}"),)
