"""The traffic list: what each record says in columns, and which columns a width has room for."""

from __future__ import annotations

from collections.abc import Collection
from typing import Final

import msgspec

from cgp_tui.present.layout import cell_width, cut, fit
from cgp_tui.present.note import kind as note_kind
from cgp_tui.present.note import state as note_state
from cgp_tui.present.note import summary as note_summary
from cgp_tui.present.numbers import clock, duration, size
from cgp_tui.present.spans import GAP, Jump, Row, Rows, Span, Token, span
from cgp_tui.present.symbols import Look, Symbols
from cgp_tui.protocol.anchors import Party
from cgp_tui.store.settings import Column, TimeMode
from cgp_tui.text import Shown, own, show
from cgp_tui.wire.note import AnyNote

STATE_WORDS: Final = {"duplicate": "dup"}
"""States whose word does not fit their column."""

TOKEN_OF: Final[dict[Party | None, Token | None]] = {"host": "sent", "provider": "received", None: None}

TIME_WORDS: Final[dict[TimeMode, str]] = {
    "clock": "Time of day, in UTC",
    "start": "Time since the recording began",
    "delta": "Time since the record before",
}
"""What the list can say of time."""

COLUMNS: Final[dict[Column, str]] = {
    "number": "The wire line's number; a dot marks a note of the recording.",
    "time": "When the line was seen: time of day in UTC, or since the recording began.",
    "delta": "The time since the record before.",
    "direction": "The connection, where there are several, and who sent the line.",
    "type": "The message type, or the kind of a note.",
    "id": "The id that ties a request to its reply.",
    "size": "The bytes of the line.",
    "state": "How long the reply took; else what became of the exchange: pending, late, orphan, dup, refused.",
    "findings": "Violations and advice of the line.",
    "mark": "Your own mark, once there is one.",
}
"""The columns that can be left out, each with a sentence."""

SUMMARY: Final = "The line in short."
"""The column that is always there."""

SUMMARY_LEAST: Final = 17
"""Cells that it has, except in panes in which nothing else fits beside it."""
SUMMARY_NARROW: Final = 8
TYPE_NARROW: Final = 9
"""The least cells of the summary and the type there; where even that is too much, the state goes."""

TIME_FROM: Final = 104
DELTA_FROM: Final = 88
SIZE_FROM: Final = 76
ID_FROM: Final = 56
"""The pane widths, in cells, below which a column goes."""
ASKED_FROM: Final = 66
"""The same for a time that the person asked for instead of the time of day."""


class Entry(msgspec.Struct, frozen=True):
    """One record of the list. `number` is the wire line's, None for a note; `seconds` since the recording's start, None
    where no time was recorded; `size` is bytes of the line. `state` is a span: a latency or a word."""

    number: int | None
    seconds: float | None
    delta: float | None
    connection: int
    sender: Party | None
    type: Shown
    id: Shown
    summary: tuple[Span, ...]
    size: int | None
    state: Span
    violations: int = 0
    advice: int = 0
    mark: bool = False


class Columns(msgspec.Struct, frozen=True):
    """Widths in cells; 0 where a column has no room. `summary` takes what is left. `mode` is what the time
    column says."""

    number: int
    time: int
    delta: int
    direction: int
    type: int
    id: int
    summary: int
    size: int
    state: int
    findings: int
    mark: int
    mode: TimeMode = "clock"


def columns(
    width: int,
    lines: int,
    connections: int,
    mode: TimeMode = "clock",
    hidden: Collection[Column] = (),
    *,
    marks: bool = True,
    arrow: int = 1,
) -> Columns:
    """The columns for a pane of `width` cells over a transcript of `lines` wire lines and `connections` connections. What is
    left out of them (`hidden`) leaves its room to the others; so does the column of the marks where there are none. An arrow
    is `arrow` cells wide."""
    number = max(4, min(7, len(str(max(lines, 1)))))
    direction = arrow + (len(str(connections)) if connections > 1 else 0)
    # What always stands there, and then what there is room for, the one that goes last first.
    always: dict[Column, int] = {"number": number, "direction": direction, "type": 13, "state": 7, "findings": 5}
    if marks:
        always["mark"] = 1
    shown = {column: cells for column, cells in always.items() if column not in hidden}
    least = SUMMARY_LEAST
    left = width - sum(shown.values()) - len(shown) - least
    if left < 0 and "type" in shown:
        given = min(-left, shown["type"] - TYPE_NARROW)
        shown["type"] -= given
        left += given
    if left < 0:
        given = min(-left, least - SUMMARY_NARROW)
        least -= given
        left += given
    if left < 0 and "state" in shown:
        left += shown.pop("state") + 1
    room = width + sum(cells + 1 for column, cells in always.items() if column in hidden)
    for column, cells, from_room in _by_room(mode):
        if column in hidden:
            room += cells + 1
        elif room >= from_room and left > cells:
            shown[column] = cells
            left -= cells + 1
    if "id" in shown and room >= DELTA_FROM and left >= 2:
        shown["id"] = 6
        left -= 2
    widths = {column: shown.get(column, 0) for column in COLUMNS}
    return Columns(summary=least + max(left, 0), mode=mode, **widths)


def _by_room(mode: TimeMode) -> tuple[tuple[Column, int, int], ...]:
    """The columns that narrow panes lack: which, how wide, and from what width of the pane on."""
    times: dict[TimeMode, tuple[tuple[Column, int, int], ...]] = {
        "clock": (("delta", 8, DELTA_FROM), ("time", 12, TIME_FROM)),
        "start": (("time", 8, ASKED_FROM), ("delta", 8, DELTA_FROM)),
        "delta": (("delta", 8, ASKED_FROM),),
    }
    return (("id", 4, ID_FROM), ("size", 5, SIZE_FROM), *times[mode])


def column_at(columns: Columns, x: int) -> str:
    """The sentence of the column that stands at cell `x` of a row; empty beyond the last and in the gaps."""
    at = 0
    sentences: dict[str, str] = {str(name): sentence for name, sentence in COLUMNS.items()} | {"summary": SUMMARY}
    for name in columns.__struct_fields__[:-1]:
        width: int = getattr(columns, name)
        if at <= x < at + width:
            return sentences[name]
        at += width + 1 if width else 0
    return ""


def column_rows(hidden: Collection[Column], columns: Columns, look: Look) -> Rows:
    """A row for each column: whether it is wanted, and what it says; where it is wanted and has no room, that too."""
    for place, (name, sentence) in enumerate(COLUMNS.items()):
        wanted = name not in hidden
        narrow = wanted and not getattr(columns, name) and name != "mark"
        yield Row(
            (
                span(f"[{'x' if wanted else ' '}] "),
                span(name.ljust(11), "strong"),
                span(sentence, "muted"),
                span(" No room for it now." if narrow else "", "doubt"),
            ),
            rest=span(" " * 15),
            jump=Jump(place=place),
        )


def latency(seconds: float | None, state: str) -> Span:
    """The state column: a reply's latency, else the word of a state that is not simply answered."""
    if state and state != "answered":
        token: Token = "muted" if state == "pending" else "bad"
        return span(STATE_WORDS.get(state, state), token)
    return span("") if seconds is None else Span(duration(seconds))


def note_entry(note: AnyNote, delta: float | None, asked_by: str | None = None) -> Entry:
    """The list's row of a note; `asked_by` is the id of the request that it speaks of."""
    return Entry(
        number=None,
        seconds=note.t,
        delta=delta,
        connection=note.connection,
        sender=None,
        type=note_kind(note),
        id=own("") if asked_by is None else show(asked_by, 40),
        summary=note_summary(note),
        size=None,
        state=note_state(note),
    )


def damaged_entry(number: int | None, detail: str, length: int, look: Look) -> Entry:
    """The list's row of a record that cannot be read."""
    said = (span(f"{look.symbols.bad} unreadable record: ", "bad"), Span(show(detail, 200)))
    return Entry(number, None, None, 0, None, own("damaged"), own(""), said, length, span(""))


def counts(violations: int, advice: int, symbols: Symbols) -> tuple[Span, ...]:
    """`✗2!1`: violations and advice of a line, nothing where there is neither."""
    bad = (span(f"{symbols.bad}{min(violations, 99)}", "bad"),) if violations else ()
    doubt = (span(f"{symbols.doubt}{min(advice, 99)}", "doubt"),) if advice else ()
    return bad + doubt


def _direction(entry: Entry, width: int, symbols: Symbols) -> Span:
    if not width:
        return span("")
    room = cell_width(symbols.sent)
    digits = (str(entry.connection) if width > room and entry.connection else "").rjust(width - room)
    if entry.number is None:
        return span(digits + " " * room, "muted")
    arrow = {"host": symbols.sent, "provider": symbols.received, None: symbols.question.ljust(room)}[entry.sender]
    return span(digits + arrow, TOKEN_OF[entry.sender])


def _flow(spans: tuple[Span, ...], width: int, symbols: Symbols) -> list[Span]:
    """Spans side by side in exactly `width` cells, with a mark where any of them is cut, one that is left out whole too."""
    out: list[Span] = []
    room = width
    for index, part in enumerate(spans):
        if room <= 0:
            break
        more = cell_width(part.text) == room and any(later.text for later in spans[index + 1 :])
        text = cut(Shown(part.text + symbols.cut) if more else part.text, room, symbols)
        out.append(Span(text, part.token))
        room -= cell_width(text)
    if room > 0:
        out.append(span(" " * room))
    return out


def _time(seconds: float, start: float | None, mode: TimeMode) -> Shown:
    return clock(start, seconds) if mode == "clock" else duration(seconds)


def entry_row(entry: Entry, columns: Columns, look: Look, start: float | None = None) -> Row:
    """One row of the list in columns. `start` is the recording's start in seconds since 1970, None where it has none."""
    symbols = look.symbols
    note = entry.number is None
    base = "muted" if note else TOKEN_OF[entry.sender]
    number = own(symbols.quiet) if note else own(str(entry.number))
    seconds = own("") if entry.seconds is None else _time(entry.seconds, start, columns.mode)
    delta = own("") if entry.delta is None else Shown(("+" if entry.delta >= 0 else "") + duration(entry.delta))
    told = entry.summary
    if note and entry.state.text and not columns.state:
        # Only here is it said what became of it.
        told = (entry.state, GAP, *told)
    if note and entry.id and not columns.id:
        told = (Span(entry.id), GAP, *told)
    cells: list[tuple[int, list[Span]]] = [
        (columns.number, [Span(fit(number, columns.number, symbols, align="right"), "muted")]),
        (columns.time, [Span(fit(seconds, columns.time, symbols, align="right"), "muted")]),
        (columns.delta, [Span(fit(delta, columns.delta, symbols, align="right"), "muted")]),
        (columns.direction, [_direction(entry, columns.direction, symbols)]),
        (columns.type, [Span(fit(entry.type, columns.type, symbols), base)]),
        (columns.id, [Span(fit(entry.id, columns.id, symbols, middle=True))]),
        (columns.summary, _flow(told, columns.summary, symbols)),
        (
            columns.size,
            [Span(fit(own("") if entry.size is None else size(entry.size), columns.size, symbols, align="right"))],
        ),
        (columns.state, [Span(fit(entry.state.text, columns.state, symbols, align="right"), entry.state.token)]),
        (columns.findings, _flow(counts(entry.violations, entry.advice, symbols), columns.findings, symbols)),
        (columns.mark, [span(symbols.mark if entry.mark else " ", "strong")]),
    ]
    out: list[Span] = []
    for width, spans in cells:
        if not width:
            continue
        if out:
            out.append(span(" "))
        out.extend(spans)
    return Row(tuple(out))
