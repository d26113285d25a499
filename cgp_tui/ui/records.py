"""One record of a transcript with all that is known of it, what has become known since, and how a long one is let go of."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from cgp_tui.present.subject import Subject
from cgp_tui.ui import pace
from cgp_tui.wire import spent
from cgp_tui.wire.decode import decode
from cgp_tui.wire.line import Line, Seen
from cgp_tui.wire.memo import FrameMemo
from cgp_tui.wire.note import Cut, GaveUp, SendFailed

if TYPE_CHECKING:
    from msgspec import Struct

    from cgp_tui.checks.types import Judged
    from cgp_tui.present.detail import Record
    from cgp_tui.ui.source import Source


LOOK_BACK: Final = 256
"""How far before a note its request is looked for, in records."""


class Records:
    """The records of a source, by number from 0, for whoever looks at one."""

    def __init__(self, source: Source) -> None:
        self._source = source
        self._held: list[list[Struct]] = []
        """What long lines are made of that were read whole."""

    def at(self, index: int) -> Record:
        """One record with all that is known of it."""
        source = self._source
        record = source.transcript.record(index)
        if not isinstance(record, Line):
            return record
        known = index < source.done
        judged = source.analysis.judged(record.n) if known else None
        seen = _seen(record, judged)
        self._hold(seen, judged)
        return Subject(
            line=seen.line,
            decoded=seen.decoded,
            judged=judged,
            findings=source.analysis.findings_at(record.n) if known else (),
            pair=source.analysis.pair(record.n) if known else None,
            background=source.background if source.begun else None,
        )

    def asked_by(self, index: int) -> str | None:
        """The id of the request that the note of a record speaks of; None where it has none, or where that is not known."""
        analysis, transcript = self._source.analysis, self._source.transcript
        note = transcript.record(index) if transcript.row(index).kind == "note" else None
        if not isinstance(note, GaveUp | Cut | SendFailed) or note.exchange is None:
            return None
        for at in range(index - 1, max(index - LOOK_BACK, 0) - 1, -1):
            row = transcript.row(at)
            if row.sender == "host" and row.connection == note.connection and analysis.facts(at).exchange == note.exchange:
                return row.id
        return None

    def weight(self, index: int) -> int:
        """The bytes that telling all of a record takes: its own, and those of the other end of its exchange."""
        source = self._source
        ends = (index, source.analysis.partner(index) if source.begun else None)
        return sum(source.transcript.size(end, end + 1) for end in ends if end is not None)

    def is_outdated(self, index: int, shown: Subject) -> bool:
        """Whether more has become known of a line since it was shown as `shown`; without judging it again."""
        if index >= self._source.done:
            return False
        unjudged = shown.judged is None and self._source.analysis.facts(index).state is not None
        return unjudged or self._is_changed(shown)

    def news(self, index: int, shown: Subject) -> Subject | None:
        """What has become known of a line since it was shown as `shown`; None where nothing has."""
        source, number = self._source, shown.line.n
        if index >= source.done or (shown.judged is not None and not self._is_changed(shown)):
            return None
        judged = source.analysis.judged(number)
        if judged is None and not self._is_changed(shown):
            return None
        pair, findings = source.analysis.pair(number), source.analysis.findings_at(number)
        return Subject(shown.line, shown.decoded, judged, findings, pair, source.background)

    def _is_changed(self, shown: Subject) -> bool:
        analysis, number = self._source.analysis, shown.line.n
        return analysis.pair(number) != shown.pair or analysis.findings_at(number) != shown.findings

    def _hold(self, seen: Seen, judged: Judged | None) -> None:
        """Keep what a long line, or a long one at the other end of its exchange, is made of."""
        ends = (seen,) if judged is None else (judged.exchange.request, judged.exchange.reply)
        for end in ends:
            if end is not None and len(end.line.raw) > pace.LARGE_BYTES:
                self._held.append([*spent.parts(end.decoded.envelope), *(() if judged is None else judged.appraisals)])

    def tidy(self) -> None:
        """Let go of some of a long line that nobody looks at any more: all of it at once would keep a key waiting."""
        if not self._held:
            return
        for parts in self._held:
            if spent.alone(parts):
                del parts[-spent.AT_ONCE :]
        self._held = [parts for parts in self._held if parts]


def _seen(line: Line, judged: Judged | None) -> Seen:
    """The line with what it says, as it was judged where it was: a long one is not read twice."""
    ends = () if judged is None else (judged.exchange.request, judged.exchange.reply)
    found = next((seen for seen in ends if seen is not None and seen.line.n == line.n), None)
    if found is not None:
        return found
    return Seen(line, decode(line.raw, FrameMemo() if len(line.raw) > pace.LARGE_BYTES else None))
