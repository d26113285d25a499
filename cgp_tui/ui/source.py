"""A transcript and its analysis as the screens read them: the columns of the list. One record as a whole is for `records`.

The lines themselves are enough for a first paint. What judges them is loaded by `begin`, or when it is first asked for.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from functools import cached_property
from time import monotonic
from typing import TYPE_CHECKING, Final, Self

from cgp_tui.present.spans import Span, span
from cgp_tui.present.symbols import Look, Symbols
from cgp_tui.present.traffic import Entry, damaged_entry, latency, note_entry
from cgp_tui.protocol.timestamp import epoch, parse
from cgp_tui.text import Shown, own, show
from cgp_tui.transcript.reader import Transcript
from cgp_tui.transcript.record import Damaged
from cgp_tui.transcript.row import Peeked
from cgp_tui.ui import pace
from cgp_tui.wire.line import Line

if TYPE_CHECKING:
    from cgp_tui.analysis import Analysis, RowFacts
    from cgp_tui.analysis.background import Background
    from cgp_tui.analysis.columns import Worst
    from cgp_tui.protocol.query import ContextQuery
    from cgp_tui.store.marks import Marks
    from cgp_tui.ui.records import Records

AT_ONCE_BYTES: Final = 32 * 1024
"""A line up to this size is summed up while its row is painted; a longer one when there is time."""
NEVER_BYTES: Final = 16 * 1024 * 1024
"""A line beyond this size gets no summary."""
NEWEST: Final = 32
"""How many records at the end are looked at for a connection that is new; others are met when they are drawn."""
KEPT: Final = 1024
"""How many rows are remembered."""


class Source:
    """Everything by record number, from 0. `waiting` are records whose summary was put off, `background` is what is known
    beyond the lines themselves."""

    def __init__(
        self, transcript: Transcript, analysis: Analysis | None, symbols: Symbols, background: Background | None = None
    ) -> None:
        self.transcript = transcript
        self._analysis = analysis
        self._background = background
        self._find_out: Callable[[], Background] | None = None
        self._beginning = threading.Lock()
        self.look = Look(symbols)
        self.waiting: set[int] = set()
        self.connections = 1
        self._seen = 0
        self.called: Shown | None = None
        """What it is called where its file has no name."""
        self.marks: Marks | None = None
        """The person's marks; None until somebody asks for them."""
        self._entries: dict[int, tuple[RowFacts | None, Entry]] = {}
        self._long: dict[int, tuple[Span, ...]] = {}
        header = transcript.header
        began = None if header is None else parse(header.started_at)
        self.start = None if began is None else epoch(began)

    @classmethod
    def unread(cls, transcript: Transcript, symbols: Symbols, find_out: Callable[[], Background]) -> Self:
        """A source that knows the lines alone until it begins; what is around them comes from `find_out`, called once."""
        made = cls(transcript, None, symbols)
        made._find_out = find_out
        return made

    def begin(self) -> None:
        """Find out what is known beyond the lines, and be ready to judge them. May be called from any thread; raises what
        `find_out` raises."""
        with self._beginning:
            if self._background is None:
                from cgp_tui.analysis.background import Background

                self._background = Background(self.transcript) if self._find_out is None else self._find_out()
            if self._analysis is None:
                self._analysis = self._background.analysis()

    @property
    def begun(self) -> bool:
        """Whether lines can be judged without anything being loaded first."""
        return self._analysis is not None

    @property
    def analysis(self) -> Analysis:
        if self._analysis is None:
            self.begin()
        assert self._analysis is not None  # noqa: S101 - it has begun, for mypy
        return self._analysis

    @property
    def background(self) -> Background:
        if self._background is None:
            self.begin()
        assert self._background is not None  # noqa: S101 - it has begun, for mypy
        return self._background

    @cached_property
    def records(self) -> Records:
        """Its records, each with all that is known of it; not needed for the first paint."""
        from cgp_tui.ui.records import Records

        return Records(self)

    @property
    def done(self) -> int:
        """How many records have been judged."""
        return 0 if self._analysis is None else self._analysis.done

    @property
    def found(self) -> tuple[int, int, int]:
        """How many violations, advice and notes were found so far."""
        return (0, 0, 0) if self._analysis is None else self._analysis.counts

    def worst(self, first: int, after: int) -> Worst:
        """The worst that was found among the records from `first` up to `after`."""
        return "" if self._analysis is None else self._analysis.worst(first, after)

    @property
    def warning(self) -> Shown | None:
        """What must be known of what is around the lines."""
        return None if self._background is None else self._background.warning

    @cached_property
    def kept(self) -> bool:
        """Whether the file can be found again: one that is not recorded has no name."""
        try:
            return self.transcript.path.stat().st_nlink > 0
        except OSError:  # taken away meanwhile, which is told elsewhere
            return True

    @property
    def name(self) -> Shown:
        """What the transcript is called on the screen."""
        return self.called or show(self.transcript.path.name, 60)

    @property
    def count(self) -> int:
        return len(self.transcript)

    @property
    def lines(self) -> int:
        return self.transcript.lines

    @property
    def counts(self) -> tuple[int, int, int]:
        """Records, wire lines among them, and records that nobody can read, as far as the analysis has come upon them."""
        analysis, count = self._analysis, self.count
        if analysis is None:
            return count, self.lines, 0
        return count, analysis.lines if analysis.done == count else self.lines, analysis.damaged

    def refresh(self, seconds: float = pace.SLICE_SECONDS) -> bool:
        """See what the file has gained, for about `seconds`; whether it has become another one."""
        generation, until = self.transcript.generation, monotonic() + seconds
        known = self._seen
        self.transcript.refresh(pace.LOOK_BYTES)
        while not self.transcript.indexed and not self.transcript.event and monotonic() < until:
            self.transcript.refresh(pace.LOOK_BYTES)
        for at in range(max(self.count - NEWEST, known), self.count):
            self.connections = max(self.connections, self.transcript.row(at).connection or 1)
        self._seen = self.count
        if self.transcript.generation == generation:
            return False
        self._entries.clear()
        self._long.clear()
        self.waiting.clear()
        return True

    def advance(self, seconds: float) -> bool:
        """Let the analysis work for a slice of time; whether there is more to do."""
        return self.analysis.advance(seconds, pace.LARGE_BYTES)

    def marks_at_hand(self) -> Marks:
        """The person's marks on this transcript, read when they are first asked for."""
        if self.marks is None:
            from cgp_tui.store.marks import Marks

            self.marks = Marks.of(self.transcript.path)
            self._entries.clear()
        return self.marks

    @property
    def has_marks(self) -> bool:
        """Whether any line is marked, as far as the marks have been read."""
        return self.marks is not None and len(self.marks) > 0

    def look_anew_at(self, index: int) -> None:
        """Make the columns of a record again when they are next asked for."""
        self._entries.pop(index, None)

    def line_of(self, index: int) -> int:
        """The wire line at or before a record; 0 where there is none."""
        for at in range(min(index, self.count - 1), -1, -1):
            number = self.transcript.row(at).n
            if number is not None:
                return number
        return 0

    def type(self, index: int) -> Shown:
        """The message type of a record, or what else it is; read from its first and last few hundred bytes."""
        return _type(self.transcript.row(index))

    def entry(self, index: int) -> Entry:
        """The columns of one record; the same object for as long as nothing new is known of it."""
        facts = self.analysis.facts(index) if index < self.done else None
        kept = self._entries.get(index)
        if kept is not None and kept[0] == facts:
            return kept[1]
        entry = self._entry(index, facts)
        if index not in self.waiting:
            if len(self._entries) >= KEPT:
                del self._entries[next(iter(self._entries))]
            self._entries[index] = (facts, entry)
        return entry

    def _entry(self, index: int, facts: RowFacts | None) -> Entry:
        row = self.transcript.row(index)
        self.connections = max(self.connections, row.connection or 1)
        if row.kind == "damaged":
            record = self.transcript.record(index)
            why = record.why if isinstance(record, Damaged) else ""
            return damaged_entry(None, why, row.size, self.look)
        delta = None if facts is None else facts.delta
        if row.kind == "note":
            record = self.transcript.record(index)
            if isinstance(record, Line | Damaged):
                return damaged_entry(None, "", row.size, self.look)
            return note_entry(record, delta, None if facts is None else self.records.asked_by(index))
        return Entry(
            number=row.n,
            seconds=row.t,
            delta=delta,
            connection=row.connection or 0,
            sender=row.sender,
            type=_type(row),
            id=show(row.id, 40) if row.id is not None else own(""),
            summary=self._summary(index, row, facts),
            size=row.size,
            state=span("") if facts is None else latency(facts.latency, facts.state or ""),
            violations=0 if facts is None else facts.violations,
            advice=0 if facts is None else facts.advice,
            mark=row.n is not None and self.marks is not None and self.marks.comment(row.n) is not None,
        )

    def _summary(self, index: int, row: Peeked, facts: RowFacts | None) -> tuple[Span, ...]:
        if row.size > NEVER_BYTES:
            return (span("too long to sum up", "muted"),)
        kept = self._long.get(index)
        if kept is not None:
            return kept
        if row.size > AT_ONCE_BYTES:
            self.waiting.add(index)
            return (span("…" if self.look.symbols.cut == "…" else "...", "muted"),)
        return self._sum_up(index, None if facts is None or row.n is None else self.analysis.pair(row.n))

    def _sum_up(self, index: int, pair: int | None) -> tuple[Span, ...]:
        # Loaded for the first line that is summed up: a session that begins shows none yet.
        from cgp_tui.present.summary import summary
        from cgp_tui.wire.decode import decode, glance

        read = decode if self.begun else glance
        record = self.transcript.record(index)
        return summary(read(record.raw), self.look, self._asked(pair)) if isinstance(record, Line) else ()

    def _asked(self, pair: int | None) -> ContextQuery | None:
        place = None if pair is None else self.transcript.place(pair)
        if place is None or self.transcript.size(place, place + 1) > AT_ONCE_BYTES:
            return None
        from cgp_tui.protocol.envelope import Query
        from cgp_tui.wire.decode import decode

        record = self.transcript.record(place)
        if not isinstance(record, Line):
            return None
        envelope = decode(record.raw).envelope
        return envelope.query if isinstance(envelope, Query) else None

    def sum_up_waiting(self) -> bool:
        """Sum up one long line that was put off; whether there was one."""
        if not self.waiting:
            return False
        index = self.waiting.pop()
        row = self.transcript.row(index) if index < self.count else None
        if row is not None and row.n is not None:
            if len(self._long) >= KEPT:
                del self._long[next(iter(self._long))]
            self._long[index] = self._sum_up(index, self.analysis.pair(row.n))
        return True

    @property
    def next_size(self) -> int:
        """The bytes of the record that the analysis comes to next, 0 where there is none."""
        done = self.done
        return self.transcript.size(done, done + 1) if done < self.count else 0


def _type(row: Peeked) -> Shown:
    if row.kind == "damaged":
        return own("damaged")
    return show(row.type, 40) if row.type is not None else own("no type")
