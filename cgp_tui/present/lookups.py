"""What became of the files that provenance cites, and of frames that were met before, in words."""

from __future__ import annotations

from typing import Final

from cgp_tui.analysis.cited_files import Outcome, Reread
from cgp_tui.analysis.history import Again
from cgp_tui.present.numbers import exact_bytes
from cgp_tui.present.spans import Span, Token, span
from cgp_tui.present.symbols import Look
from cgp_tui.text import Shown, compose, join, own, show

_TOLD: Final = 4
"""Sightings that a line names."""

_OUTCOMES: Final[dict[Outcome, tuple[str, Token]]] = {
    "matches": ("good", "good"),
    "differs": ("unequal", "bad"),
    "unverifiable": ("question", "doubt"),
    "outside roots": ("quiet", "muted"),
}
"""Symbol and token of each outcome."""


def reread_words(found: Reread) -> Shown:
    """What came of reading a cited file again, in a sentence."""
    if found.outcome == "outside roots":
        return own("outside roots: no opened folder holds it (--root DIR)")
    if found.outcome == "unverifiable":
        return compose("unverifiable: {why}", why=show(found.why))
    under = own("") if found.root is None else compose(" under {root}", root=show(str(found.root)))
    said = compose("re-read {size}{under}: ", size=own(exact_bytes(found.size or 0)), under=under)
    if found.outcome == "matches":
        return compose("{said}matches", said=said)
    at = own("") if found.first_byte is None else compose(", the first at byte {n}", n=found.first_byte)
    return compose("{said}differs{at}", said=said, at=at)


def reread_spans(found: Reread, look: Look) -> tuple[Span, ...]:
    """The same with its sign."""
    sign, token = _OUTCOMES[found.outcome]
    return (span(f"{getattr(look.symbols, sign)} ", token), Span(reread_words(found), token))


def again_words(again: Again) -> Shown:
    """Where a frame was met besides this line, and whether its bytes are the same there."""
    places = [
        compose("line {n}", n=one.line)
        if one.transcript is None
        else compose("{file} line {n}", file=show(one.transcript), n=one.line)
        for one in again.seen[:_TOLD]
    ]
    more = again.times - len(places)
    where = join(", ", [*places, *([compose("{n} more", n=more)] if more else [])])
    if not again.changed:
        return compose("{where}: same bytes", where=where)
    if again.content_digest is None:
        return compose("{where}: other bytes; without a content_digest they may change (D3)", where=where)
    return compose("{where}: OTHER BYTES under one identity (D2)", where=where)


def again_token(again: Again) -> Token | None:
    """How loud that is: under a digest bytes cannot change honestly."""
    if not again.changed:
        return None
    return "doubt" if again.content_digest is None else "bad"
