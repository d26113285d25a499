"""The words of the bars: what is open, how far it is judged, what may leave, where a replay is."""

from __future__ import annotations

from typing import Final

import msgspec

from cgp_tui.present.key_sentences import Keys, keyed
from cgp_tui.present.numbers import clock, duration, plural, size
from cgp_tui.present.spans import GAP, Span, Token, span
from cgp_tui.present.symbols import Symbols
from cgp_tui.text import Shown, compose, own
from cgp_tui.ui.actor import ActorState

Spans = tuple[Span, ...]


class Progress(msgspec.Struct, frozen=True):
    """How much of the transcript has been judged, and what was found so far."""

    records: int
    judged: int
    violations: int
    advice: int


TOLD: Final = {
    "LIVE": "A live session: every line is recorded first, then shown.",
    "ENDED": "No provider runs any more; what was recorded is kept.",
    "REPLAY": "A recording: no process is started and no connection opened.",
    "violations": "Broken rules of the SPEC, as far as has been checked.",
    "advice": "What should be different, or may be a mistake: no rule is broken.",
    "checked": "How much of the transcript has been checked.",
    "waiting": "The request that has waited longest, and its limit.",
    "recording": "What is on the disk. What cannot be recorded is not sent.",
    "gate": "Whatever needs consent is asked for here before it is sent; then the ledger that decides.",
    "no gate": "Nothing is sent, so nothing is asked.",
}
"""What each item of the status line says."""


def _told(item: str, text: str, token: Token | None = None) -> Span:
    return Span(own(text), token, own(TOLD[item]))


def found_spans(progress: Progress, symbols: Symbols) -> Spans:
    """`✗3 !1`, and how far the checks have got until they have caught up."""
    bad = _told("violations", f"{symbols.bad}{progress.violations:,}", "bad" if progress.violations else "muted")
    doubt = _told("advice", f"{symbols.doubt}{progress.advice:,}", "doubt" if progress.advice else "muted")
    behind = progress.judged < progress.records
    share = progress.judged * 100 // max(progress.records, 1)
    return (bad, span(" "), doubt, _told("checked", f"  checked {share} %" if behind else "", "muted"))


def status_spans(name: Shown, when: Shown, progress: Progress, state: ActorState | None, symbols: Symbols) -> Spans:
    """The status line of a recording (`state` None) or of a session. `when` is the day of the recording, or empty."""
    if state is None:
        recorded = (span("recorded ", "muted"), Span(when, "muted"), GAP) if when else ()
        return (
            _told("REPLAY", " REPLAY offline", "strong"),
            GAP,
            *found_spans(progress, symbols),
            _told("no gate", "  no gate", "strong"),
            GAP,
            *recorded,
            Span(name),  # last, since it is the longest, and in the title too
        )
    word = _told(state.word, f" {state.word}", "strong" if state.word == "LIVE" else "doubt")
    waiting = (GAP, Span(state.waiting, "doubt", own(TOLD["waiting"]))) if state.waiting and state.hang is None else ()
    written = own("not recorded") if state.recording is None else compose("recording {size}", size=size(state.recording))
    kept = Span(written, None if state.recording is not None else "doubt", own(TOLD["recording"]))
    gate = Span(state.gate, "strong", own(TOLD["gate"]))
    return (word, GAP, *found_spans(progress, symbols), *waiting, GAP, kept, GAP, gate)


def title_spans(name: Shown, records: int, lines: int, unreadable: int) -> Spans:
    """The first line: whose transcript this is. `lines` are wire lines, `unreadable` the records that nobody can read."""
    notes = records - lines - unreadable
    beside = f", {plural(notes, 'note')}" if notes else ""
    beside += f", {unreadable:,} unreadable" if unreadable else ""
    return (span(" cgp-tui  "), Span(name), span(f"  {plural(lines, 'line')}{beside}", "muted"))


class Playhead(msgspec.Struct, frozen=True):
    """Where a replay is: at wire line `line` of `lines`, `at` seconds into a recording of `whole` seconds; `whole` is None
    where the file has no times, `at` where this record has none. `speed` is the number of recorded seconds that pass in
    one."""

    playing: bool
    line: int
    lines: int
    at: float | None
    whole: float | None
    speed: float = 1.0


_WHILE_PLAYING: Final = ("  {session.run} pauses", "  {step.more} {step.less} speed")
_WHILE_PAUSED: Final = ("  {session.run} plays", "  {step.on} {step.back} step")


def replay_spans(head: Playhead, start: float | None, keys: Keys) -> tuple[Spans, ...]:
    """`paused  line 4 of 611  12:04:31.207  2.10 s of 9m48s  speed 4 x`, the speed where it is another than recorded; first
    with what the keys do, then, for a narrower terminal, without the one that the key line has, without any, and without
    the time of day."""
    word = span(" playing" if head.playing else " paused ", "strong")
    place = span(f"  line {head.line:,} of {head.lines:,}" if head.line else f"  before line 1 of {head.lines:,}")
    pace = span(f"  speed {head.speed:g} x" if head.speed != 1 else "")
    runs, steps = (Span(keyed(hint, keys), "muted") for hint in (_WHILE_PLAYING if head.playing else _WHILE_PAUSED))
    if head.at is None or head.whole is None:
        unknown = "no times in this file" if head.whole is None else "no time on this record"
        said: Spans = (word, place, span(f"  {unknown}", "muted"), pace)
        return ((*said, runs, steps), (*said, steps), said)
    moment = clock(start, head.at)
    clocked = (GAP, Span(moment, "muted")) if moment else ()
    times = (GAP, Span(duration(head.at)), span(" of "), Span(duration(head.whole)), pace)
    said = (word, place, *clocked, *times)
    return ((*said, runs, steps), (*said, steps), said, (word, place, *times))
