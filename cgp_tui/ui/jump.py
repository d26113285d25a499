"""Where a jump may go: a line, a place, a time, a rule, a frame or a message; a table of forms, each with its search.

A search yields whenever it has worked for a slice, so that a transcript of any length can be searched while keys are
answered, and the search can be abandoned.
"""

from __future__ import annotations

import json
import re
import time
from collections.abc import Callable, Generator
from typing import Final, NamedTuple

from cgp_tui.errors import InputError
from cgp_tui.protocol.envelope import Frames
from cgp_tui.protocol.requirements import REQUIREMENTS
from cgp_tui.text import join, show
from cgp_tui.ui import pace
from cgp_tui.ui.parties import Party, parties
from cgp_tui.ui.source import Source
from cgp_tui.wire.decode import decode
from cgp_tui.wire.line import Line

LONGEST: Final = 512
"""The most characters of a target; a longer text names nothing."""

NAMED: Final = 5
"""How many providers are listed where none has the name that was typed."""

_DAY: Final = 86_400


class Landing(NamedTuple):
    """Where a jump ends: a record by its number from 0, and a frame in it by wire position, None for the record itself."""

    at: int
    place: int | None = None


class NowhereError(InputError):
    """There is no such target. Code `usage`."""

    def __init__(self, message: str, fix: str) -> None:
        super().__init__("usage", message, fix)


Search = Generator[None, None, Landing]
"""Raises NowhereError where it finds nothing."""


class Form(NamedTuple):
    """One kind of target: its name, how it is written, a sentence, and the search from a record on."""

    id: str
    example: str
    sentence: str
    pattern: re.Pattern[str]
    search: Callable[[Source, re.Match[str], int], Search]


def without_colon(text: str) -> str:
    """A typed target without the colon that may precede it."""
    return text.strip().removeprefix(":").strip()


def form_of(text: str) -> tuple[Form, re.Match[str]] | None:
    """The kind of target that a text names; None for one that names nothing."""
    text = without_colon(text)
    for form in FORMS if len(text) <= LONGEST else ():
        found = form.pattern.fullmatch(text)
        if found is not None and (form.id != "rule" or text.upper() in REQUIREMENTS):
            return form, found
    return None


def look_for(source: Source, text: str, cursor: int) -> Search:
    """Search for what a text names, from record `cursor` on. Raises NowhereError."""
    found = form_of(text)
    if found is None:
        raise NowhereError("That matches nothing.", f"Write a target as {', '.join(form.example for form in FORMS)}.")
    if not source.count:
        raise NowhereError("There is no line yet.", "Wait for the first one.")
    form, match = found
    return (yield from form.search(source, match, cursor))


def _line(source: Source, match: re.Match[str], _cursor: int) -> Search:
    yield from ()
    number = int(match[1])
    place = source.transcript.place(number)
    if place is None:
        last = source.line_of(source.count - 1)
        raise NowhereError(f"There is no line {number:,}.", f"The last one is {last:,}.")
    return Landing(place)


def _share(source: Source, match: re.Match[str], _cursor: int) -> Search:
    yield from ()
    share = float(match[1])
    if share > 100:
        raise NowhereError("A place is at most 100%.", "Write it as 50%.")
    return Landing(round((source.count - 1) * share / 100))


def _moment(source: Source, match: re.Match[str], _cursor: int) -> Search:
    yield from ()
    if source.start is None or source.transcript.format == "bare":
        raise NowhereError("This file has no times.", "Name a line, as 214, or a place, as 50%.")
    hour, minute, second = int(match[1]), int(match[2]), float(match[3] or 0)
    if hour > 23 or minute > 59 or second >= 60:
        raise NowhereError("There is no such time of day.", "Write it as 12:04:31, in UTC.")
    wanted = (hour * 3600 + minute * 60 + second - source.start % _DAY) % _DAY
    last = _time_at(source, source.count - 1)
    if wanted > last:
        before = _DAY - wanted  # this long before the start, the start itself is meant
        if before > wanted - last:
            raise NowhereError("Nothing was recorded then or after.", "50% is the middle of the recording.")
        return Landing(0)
    low, high = 0, source.count - 1
    while low < high:
        middle = (low + high) // 2
        if _time_at(source, middle) < wanted:
            low = middle + 1
        else:
            high = middle
    return Landing(low)


def _time_at(source: Source, at: int) -> float:
    """The time of a record, in seconds since the start; of one without, that of the record before."""
    for one in range(at, -1, -1):
        t = source.transcript.row(one).t
        if t is not None:
            return t
    return 0.0


def _rule(source: Source, match: re.Match[str], cursor: int) -> Search:
    anchor = match[0].upper()
    end = time.monotonic() + pace.SLICE_SECONDS
    for begin, until in ((cursor, None), (-1, cursor)):
        at = source.analysis.next_charged(begin, True)
        while at is not None and (until is None or at <= until):
            line = source.transcript.row(at).n
            if line is not None and any(finding.anchor == anchor for finding in source.analysis.findings_at(line)):
                return Landing(at)
            if time.monotonic() >= end:
                yield
                end = time.monotonic() + pace.SLICE_SECONDS
            at = source.analysis.next_charged(at, True)
    if source.analysis.done < source.count:
        raise NowhereError(f"No finding of {anchor} so far.", "The checks have not come to the end yet.")
    raise NowhereError(f"No finding of {anchor} here.", "e goes to the next finding of any rule.")


def _provider(source: Source, match: re.Match[str], cursor: int) -> Search:
    called = match[1].strip()
    found = [party.at for party in _called(source, called)]
    if called.isdecimal():
        found = yield from _connection(source, int(called))
    if not found:
        known = [show(party.id or party.name, 24) for party, _ in zip(parties(source), range(NAMED), strict=False)]
        so_far = " so far" if source.done < source.count else ""
        there_are = f"There are: {join(', ', known)}." if known else "Name a line, as 214, or a place, as 50%."
        raise NowhereError(f"No provider is called that here{so_far}.", there_are)
    return Landing(next((at for at in found if at > cursor), found[0]))


def _called(source: Source, called: str) -> list[Party]:
    """The connections to providers with that name, else those to providers whose name contains it."""
    known = [party for party in parties(source) if party.is_called(called)]
    return [party for party in known if called.casefold() in (party.id.casefold(), party.name.casefold())] or known


def _connection(source: Source, number: int) -> Generator[None, None, list[int]]:
    """The first record of a connection, as a list; empty where there is none."""
    end = time.monotonic() + pace.SLICE_SECONDS
    for at in range(source.count if number else 0):
        if source.transcript.row(at).connection == number:
            return [at]
        if time.monotonic() >= end:
            yield
            end = time.monotonic() + pace.SLICE_SECONDS
    return []


def _name(source: Source, match: re.Match[str], cursor: int) -> Search:
    name = match[1] or match[2]
    needle = json.dumps(name)[1:-1].encode()
    plain = name.encode("utf-8", "surrogatepass")
    end = time.monotonic() + pace.SLICE_SECONDS
    count, generation = source.count, source.transcript.generation
    for step in range(1, count + 1):
        if source.transcript.generation != generation:
            raise NowhereError("The file was replaced in the meantime.", "Jump again.")
        at = (cursor + step) % count
        row = source.transcript.row(at)
        if row.id == name:
            return Landing(at)
        if row.type == "frames":
            raw = source.transcript.raw(at)
            if needle in raw or plain in raw or b"\\" in raw:
                place = _place_of(source, at, name)
                if place is not None:
                    return Landing(at, place)
        if time.monotonic() >= end:
            yield
            end = time.monotonic() + pace.SLICE_SECONDS
    called = _called(source, name) if match[1] is None else []
    if called:
        return Landing(next((party.at for party in called if party.at > cursor), called[0].at))
    raise NowhereError("No frame, message or provider is called that here.", "Write the id exactly, capitals included.")


def _place_of(source: Source, at: int, name: str) -> int | None:
    """The wire position of the frame with that id in record `at`; None where there is none."""
    record = source.transcript.record(at)
    if not isinstance(record, Line):
        return None
    decoded = decode(record.raw)
    frames = decoded.envelope.result.frames if isinstance(decoded.envelope, Frames) else ()
    found = [decoded.place(index) for index, frame in enumerate(frames) if frame.id == name]
    return min(found + [bad.place for bad in decoded.bad_frames if bad.frame_id == name], default=None)


FORMS: Final = (
    Form("line", "214", "The wire line of that number.", re.compile(r"(\d{1,9})"), _line),
    Form("place", "50%", "How far into the transcript.", re.compile(r"(\d{1,3}(?:\.\d+)?) ?%"), _share),
    Form(
        "time",
        "12:04:31",
        "The first record at that time of day or after, in UTC.",
        re.compile(r"(\d{1,2}):(\d{2})(?::(\d{2}(?:\.\d{1,9})?))?"),
        _moment,
    ),
    Form(
        "rule", "B3", "The next line that breaks that rule of the SPEC.", re.compile(r"[A-Za-z]+[\d.]*|\d+(?:\.\d+)+"), _rule
    ),
    Form(
        "provider",
        "@docs",
        "Where the next connection to that provider begins; part of its name will do, or the connection's number.",
        re.compile(r"@ *([^ ].*)"),
        _provider,
    ),
    Form(
        "name",
        "frm_retry",
        "The next answer with a frame of that id, the next message of that id, as q2, or a provider; in quotes an id.",
        re.compile(r'"([^"]+)"|([^\s"].*)'),
        _name,
    ),
)
