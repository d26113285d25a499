"""Notes for people: what no line shows, in one line and in full."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import msgspec

from cgp_tui.present.layout import labelled
from cgp_tui.present.numbers import duration, exact_bytes, plural
from cgp_tui.present.spans import Rows, Span, row, span
from cgp_tui.present.symbols import Look
from cgp_tui.text import Shown, join, own, show, show_lines
from cgp_tui.wire import note as notes

Spans = tuple[Span, ...]

_KEPT: Final = 200
_TRACEBACK: Final = "Traceback (most recent call last):"


def _connect(note: notes.Connect) -> Spans:
    argv = show(" ".join(note.target.shown), _KEPT)
    return (Span(show(note.provider_id, _KEPT)), span("  "), Span(argv, "muted"))


def _spawn(note: notes.Spawn) -> Spans:
    return (span(f"pid {note.pid}, sandbox "), Span(show(note.sandbox, _KEPT)))


def _exit(note: notes.Exit) -> Spans:
    if note.ours:
        how = "it closed its stdout; " if note.signal is None else ""
        return (span(f"{how}stopped by cgp-tui" + (f" (signal {note.signal})" if note.signal else "")),)
    if note.signal is not None:
        return (span(f"ended by signal {note.signal}", "bad"),)
    if note.code is None:
        return (span("ended, how is unknown", "doubt"),)
    return (span(f"exit code {note.code}", None if note.code == 0 else "bad"),)


def _stderr(note: notes.Stderr) -> Spans:
    lines = note.text.rstrip("\n").split("\n")
    more = (span(f"  and {plural(len(lines) - 1, 'more line')}", "muted"),) if len(lines) > 1 else ()
    # Python tells last what went wrong; most others tell it first.
    telling = lines[-1] if lines[0].strip() == _TRACEBACK and not lines[-1].startswith(" ") else lines[0]
    return (Span(show(telling, _KEPT)), *more)


def _gate(note: notes.GateNote) -> Spans:
    asked = f"{note.asked}, {exact_bytes(note.bytes)}"
    if note.allowed:
        return (span(asked, "good"),)
    reasons = ", ".join(dict.fromkeys(need.reason for need in note.needs if need.reason))
    refused = span(f"{asked}, {plural(len(note.needs), 'need')}", "bad")
    return (refused, span(": "), Span(show(reasons, _KEPT))) if reasons else (refused,)


def _gave_up(note: notes.GaveUp) -> Spans:
    return (span(f"exchange {note.exchange} after ", "bad"), Span(duration(note.after_s), "bad"))


def _refused(note: notes.Refused) -> Spans:
    what = span("no effect: " if note.line is None else f"line {note.line} has no effect: ", "bad")
    return (what, Span(show(note.fault.replace("_", " "), _KEPT), "bad"))


def _cut(note: notes.Cut) -> Spans:
    return (span(f"exchange {note.exchange} withheld after {exact_bytes(note.bytes)}", "bad"),)


def _after_revoke(note: notes.AnsweredAfterRevoke) -> Spans:
    return (span(f"line {note.line} came after the revocation: dropped", "bad"),)


def _poisoned(note: notes.Poisoned) -> Spans:
    return (span("nothing more is read from this stream: ", "bad"), Span(show(note.reason, _KEPT)))


def _send_failed(note: notes.SendFailed) -> Spans:
    where = "" if note.exchange is None else f"exchange {note.exchange}: "
    return (span(f"{where}not sent: ", "bad"), Span(show(note.reason, _KEPT)))


def _dropped(note: notes.Dropped) -> Spans:
    return (span(f"{plural(note.lines, 'line')} not recorded", "bad"),)


_NOTES: Final[dict[type, tuple[str, Callable[[Any], Spans]]]] = {
    notes.Connect: ("connect", _connect),
    notes.Spawn: ("spawn", _spawn),
    notes.Exit: ("exit", _exit),
    notes.Stderr: ("stderr", _stderr),
    notes.GateNote: ("gate", _gate),
    notes.GaveUp: ("gave_up", _gave_up),
    notes.Refused: ("refused", _refused),
    notes.Cut: ("cut", _cut),
    notes.AnsweredAfterRevoke: ("answered_after_revoke", _after_revoke),
    notes.Poisoned: ("poisoned", _poisoned),
    notes.SendFailed: ("send_failed", _send_failed),
    notes.Dropped: ("dropped", _dropped),
}


def kind(note: notes.AnyNote) -> Shown:
    """The note's kind as the file spells it."""
    if isinstance(note, notes.UnknownNote):
        return show(note.kind, _KEPT)
    return own(_NOTES[type(note)][0])


def summary(note: notes.AnyNote) -> Spans:
    """What a note says in one line, beside the word of its `state`."""
    if isinstance(note, notes.UnknownNote):
        return (span("a note of a later format", "muted"),)
    return _NOTES[type(note)][1](note)


def state(note: notes.AnyNote) -> Span:
    """The word for the state column, where a note decides something."""
    if isinstance(note, notes.GateNote):
        return span("allowed", "good") if note.allowed else span("refused", "bad")
    return span("")


def note_rows(note: notes.AnyNote, look: Look, asked_by: str | None = None) -> Rows:
    """A note in full: what it says, the id of the request that it speaks of, then its members."""
    if isinstance(note, notes.Stderr):
        yield row(Span(kind(note), "strong"))
        for line in show_lines(note.text):
            yield row(line)
        return
    decided = state(note)
    word = (decided, span("  ")) if decided.text else ()
    yield row(Span(kind(note), "strong"), span("  "), *word, *summary(note))
    if asked_by is not None:
        yield from labelled("request", look, Span(show(asked_by, _KEPT)))
    if isinstance(note, notes.GateNote):
        yield from _gate_rows(note, look)
    elif isinstance(note, notes.Connect):
        yield from labelled("target", look, Span(join(" ", (show(part) for part in note.target.shown))))
        yield from labelled("digest", look, Span(show(note.target.digest)))
        yield from labelled("code", look, Span(show(note.target.code)) if note.target.code else span("not pinned", "muted"))
    elif isinstance(note, notes.UnknownNote):
        for line in show_lines(note.raw.decode("utf-8", "backslashreplace")):
            yield row(line)


def _gate_rows(note: notes.GateNote, look: Look) -> Rows:
    """Each need with what stood for or against it; the payload is never in a note (SPEC 4.1)."""
    for need in note.needs:
        verdict = span("permitted", "good") if not need.reason else Span(show(f"refused: {need.reason}"), "bad")
        receipt = (span("  receipt "), Span(show(need.receipt_id))) if need.receipt_id else ()
        what = Span(show(f"{need.basis} {need.scope}".strip()))
        yield from labelled("need", look, what, span("  "), verdict, *receipt)
    if not note.needs:
        yield from labelled("needs", look, span("none: nothing leaves this machine by what the provider declares"))
    if note.ledger is not None:
        mark = note.ledger
        yield from labelled(
            "ledger", look, span(f"#{mark.seq} "), Span(show(mark.id)), span("  head "), Span(show(mark.hash))
        )


def note_json(note: notes.AnyNote) -> bytes:
    """A note as the JSON that the transcript holds."""
    return note.raw if isinstance(note, notes.UnknownNote) else msgspec.json.encode(note)
