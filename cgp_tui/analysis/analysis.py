"""A transcript paired and judged, as far as it has grown."""

from __future__ import annotations

import itertools
import time
from collections.abc import Callable, Iterator, Sequence
from typing import Final

import msgspec

from cgp_tui import limits
from cgp_tui.analysis.columns import Columns, Worst
from cgp_tui.analysis.connections import Connections
from cgp_tui.analysis.findings import NOTHING_WITHDRAWN, Findings, FindingsChange
from cgp_tui.analysis.pairing import Paired, Pairing
from cgp_tui.analysis.reread import ExchangeReader
from cgp_tui.checks import judge, judge_line, judge_remark, once
from cgp_tui.checks.types import Judged
from cgp_tui.protocol.attestation import TrustedKey
from cgp_tui.protocol.envelope import ErrorReply
from cgp_tui.protocol.requirements import Finding
from cgp_tui.protocol.timestamp import Instant
from cgp_tui.session import Exchange, Past, Remark, Session
from cgp_tui.session.exchange import ANSWERED, State
from cgp_tui.session.past import NOTHING
from cgp_tui.transcript.reader import Transcript
from cgp_tui.transcript.record import Damaged, Record
from cgp_tui.wire import spent
from cgp_tui.wire.decode import decode
from cgp_tui.wire.line import Line, Seen
from cgp_tui.wire.memo import FrameMemo
from cgp_tui.wire.note import AnsweredAfterRevoke, Dropped, Exit, GateNote, Poisoned, Refused, SendFailed
from cgp_tui.wire.slices import blank

_STRIDE: Final = 4
"""The number of records between two looks at the clock."""

_BATCH_BYTES: Final = 1024 * 1024
"""A batch of records ends at this many bytes; a longer record is a batch of its own."""


_FAILURES: Final = (AnsweredAfterRevoke, Dropped, Poisoned, Refused, SendFailed)


class RowFacts(msgspec.Struct, frozen=True):
    """What the pass found out about one record. `latency` is seconds from request to reply, on the reply; `delta` seconds
    since the record before, None where no times were recorded."""

    state: State | None
    latency: float | None
    delta: float | None
    violations: int
    advice: int
    exchange: int | None
    notes: int = 0


class Analysis:
    """One pass over `transcript`, in slices (`advance`). `keys` are the keys the person trusts, `now` the time their windows
    are judged by. `on_judged` is called with every exchange each time it is judged, `findings` holding only what is new, and
    `on_news` with every finding that comes or goes. At most `keep` findings are held in memory, None for all; those of any
    line can still be asked for. `when` gives the time to judge an exchange's keys by, where that is not `now` for all;
    `beside` adds findings to those of the checks, the same ones each time it is called for an exchange. `memo` holds frames
    that were read before, in other passes too.

    If the transcript turns out to be another file, the pass starts again by itself. At the end of a complete transcript
    unanswered requests have failed: in a bare file all that are in flight, in a recording those of a connection that was
    shut down. A reply that comes late withdraws the findings about its absence.
    """

    def __init__(
        self,
        transcript: Transcript,
        keys: Sequence[TrustedKey] = (),
        now: Instant | None = None,
        *,
        on_judged: Callable[[Judged], None] | None = None,
        keep: int | None = limits.FINDINGS_KEPT,
        on_news: Callable[[FindingsChange], None] | None = None,
        when: Callable[[Exchange], Instant | None] | None = None,
        beside: Callable[[Judged], Sequence[Finding]] | None = None,
        memo: FrameMemo | None = None,
    ) -> None:
        self.transcript = transcript
        self._keys = tuple(keys)
        self._now = now
        self._on_judged = on_judged
        self._keep = keep
        self._on_news = on_news
        self._when = when
        self._beside = beside
        self._memo = FrameMemo() if memo is None else memo
        self._restart()

    def _restart(self) -> None:
        self._generation = self.transcript.generation
        self._columns = Columns()
        self._pasts: dict[int, Past] = {}
        self.connections = Connections()
        """Where the transcript tells about each connection as such."""
        self._reader = ExchangeReader(self.transcript, self._columns, self.connections, self._pasts)
        self._pairing = Pairing(self.transcript.format == "bare", self.connections)
        self._open: dict[int, int] = {}
        self._findings = Findings(self._columns, self._keep)
        self._records: Iterator[Record] = iter(())
        self._waiting: list[Paired] = []
        """What was not judged yet."""
        self._ended_at = -1
        self._spent: list[msgspec.Struct] = []
        """The parts of long lines, to be released once they are judged."""

    @property
    def done(self) -> int:
        """The number of records that have been looked at."""
        return len(self._columns)

    @property
    def lines(self) -> int:
        """The wire lines so far; in a bare file its physical lines."""
        return self._pairing.lines

    @property
    def lost(self) -> int:
        """Wire lines whose numbers are missing."""
        return self._pairing.lost

    @property
    def damaged(self) -> int:
        """Records that cannot be read; a line in one of them counts as lost once a later line shows the gap."""
        return self._pairing.damaged

    @property
    def counts(self) -> tuple[int, int, int]:
        """The numbers of violations, advice and notes."""
        return self._findings.counts

    @property
    def findings(self) -> list[Finding]:
        """The first `keep` of the findings that still hold, in order of discovery."""
        return self._findings.findings

    @property
    def taken_back(self) -> int:
        """The number of findings taken out of `findings` again."""
        return self._findings.taken_back

    @property
    def sessions(self) -> tuple[Session, ...]:
        """The connections that are not over, or not known to be."""
        return tuple(self._pairing.sessions.values())

    def advance(self, seconds: float | None = None, long: int | None = None, *, stride: int = _STRIDE) -> bool:
        """Go on for about `seconds`, or to the end of what the transcript has counted. Returns whether there is more. The
        clock is looked at every `stride` records; a record of more than `long` bytes is a step of its own."""
        if self._generation != self.transcript.generation:
            self._restart()
        until = None if seconds is None else time.monotonic() + seconds
        begun = self.done
        while self.done < len(self.transcript):
            before = self.done
            steps = stride
            if long is not None and self.transcript.size(before, min(before + steps, len(self.transcript))) > long:
                if before > begun and self.transcript.size(before, before + 1) > long:
                    break
                steps = 1
            batch = self._next(steps)
            if batch:
                self._take(batch)
                while self._spent:
                    del self._spent[-spent.AT_ONCE :]
            else:  # it is exhausted: it only knew the records that were there when it began
                self._records = self.transcript.records(self.done)
            if until is not None and time.monotonic() >= until:
                break
        if self.done == len(self.transcript) and self.done != self._ended_at and self.transcript.complete:
            self._ended_at = self.done
            self._waiting += self._pairing.end(self.done - 1)
            self._judge()
        return self.done < len(self.transcript)

    def facts(self, at: int) -> RowFacts:
        """What is known about record `at`; an empty value for one not looked at yet."""
        if at >= self.done:
            return RowFacts(None, None, None, 0, 0, None)
        columns = self._columns
        standing = columns.standing(at)
        partner = columns.partner_of(at)
        timed = self.transcript.format != "bare"
        latency = columns.time[at] - columns.time[partner] if timed and partner is not None and partner < at else None
        delta = columns.time[at] - columns.time[at - 1] if timed and at else None
        return RowFacts(
            None if standing is None else standing[1],
            latency,
            delta,
            columns.violations[at],
            columns.advice[at],
            columns.exchange[at] or None,
            columns.notes[at],
        )

    def worst(self, first: int, after: int) -> Worst:
        """The worst that the pass found in the records from `first` up to `after`."""
        return self._columns.worst(first, after)

    def next_failed(self, at: int, forward: bool) -> int | None:
        """The next record after record `at`, or before it, of an exchange that came to nothing, or telling of something."""
        return self._columns.failed(at, forward)

    def next_charged(self, at: int, forward: bool) -> int | None:
        """The next record after record `at`, or before it, charged by a violation or advice, whether kept or not."""
        return self._columns.charged(at, forward)

    def next_slow(self, at: int, forward: bool, seconds: float) -> int | None:
        """The next reply after record `at`, or before it, that took longer than `seconds`."""
        return self._columns.slow(at, forward, seconds)

    def findings_at(self, n: int) -> tuple[Finding, ...]:
        """The findings that charge wire line `n`, judged again where they were not kept."""
        kept, at = self._findings.of_line(n), self._place(n)
        if kept is not None:
            return kept
        if at is not None and self._columns.is_sound(at):
            return ()
        judged = self.judged(n)
        if judged is not None:
            return tuple(finding for finding in judged.findings if finding.line == n)
        seen = self._reader.seen(at)
        return () if seen is None else judge_line(seen, None, self._pasts.get(n, NOTHING))

    def partner(self, at: int) -> int | None:
        """The record at the other end of the exchange of record `at`."""
        return self._columns.partner_of(at) if at < self.done else None

    def pair(self, n: int) -> int | None:
        """The wire line at the other end of line `n`'s exchange."""
        at = self._place(n)
        partner = None if at is None else self._columns.partner_of(at)
        return None if partner is None else self.transcript.row(partner).n

    def judged(self, n: int) -> Judged | None:
        """The exchange that wire line `n` belongs to, decoded and judged again; None where it belongs to none."""
        at = self._place(n)
        exchange = None if at is None else self._reader.exchange(at)
        return None if exchange is None else self._with(judge(exchange, self._keys, self._time(exchange)))

    def trust(self, keys: Sequence[TrustedKey]) -> None:
        """Judge by these keys from now on. Findings already made stay; a line that is asked for is judged anew."""
        self._keys = tuple(keys)

    def _time(self, exchange: Exchange) -> Instant | None:
        return self._now if self._when is None else self._when(exchange)

    def _with(self, judged: Judged) -> Judged:
        """What the checks say, with the findings of `beside` added."""
        more = () if self._beside is None else self._beside(judged)
        return msgspec.structs.replace(judged, findings=once((*judged.findings, *more))) if more else judged

    def _next(self, most: int) -> list[Record]:
        """The next records, at most `most`; none where the iterator is exhausted."""
        batch: list[Record] = []
        size = 0
        for record in itertools.islice(self._records, most):
            batch.append(record)
            size += len(record.raw) if isinstance(record, (Line, Damaged)) else 0
            if size > _BATCH_BYTES:
                break
        return batch

    def _take(self, batch: Sequence[Record]) -> None:
        """Process these records: all are decoded, then all paired, then all judged. One kind of work at a time stays in the
        processor's caches, which saves a quarter of the time."""
        bare, memo = self.transcript.format == "bare", self._memo
        seens = [
            None if not isinstance(record, Line) or (bare and blank(record.raw)) else Seen(record, decode(record.raw, memo))
            for record in batch
        ]
        for record, seen in zip(batch, seens, strict=True):
            if seen is not None and len(seen.line.raw) > limits.SHELL_AT_ONCE_BYTES:
                self._spent += spent.parts(seen.decoded.envelope)
            at = len(self._columns)
            self._columns.append(None if isinstance(record, Damaged) else record.t)
            if _tells_failure(record, seen):
                self._columns.fail(at)
            self._waiting += self._pairing.pair(at, record, seen)
        self._judge()
        memo.forget_answers()

    def _judge(self) -> None:
        """Judge what was paired, in order."""
        waiting, self._waiting = self._waiting, []
        for what, at, seen in waiting:
            if isinstance(what, Exchange):
                self._exchange_changed(what, at, seen)
            else:
                self._remarked(what, seen)

    def _remarked(self, remark: Remark, seen: Seen | None) -> None:
        """Judge a line without an exchange: `seen` itself, or one before it."""
        self._keep_past(remark.seen.line.n, remark.past)
        found = judge_line(remark.seen, None, remark.past) if remark.seen is seen else judge_remark(remark)
        self._findings.report(found, None, 0, self._place(remark.seen.line.n))
        if self._on_news is not None and found:
            self._on_news(FindingsChange(found))

    def _keep_past(self, n: int, past: Past) -> None:
        if past is not NOTHING and len(self._pasts) < limits.FINDINGS_KEPT:
            self._pasts[n] = past

    def _exchange_changed(self, exchange: Exchange, at: int, seen: Seen | None) -> None:
        number, state = exchange.number, exchange.state
        asked = self._entered(exchange, at, seen)
        first = exchange.request or exchange.reply
        if first is not None and exchange.past is not NOTHING:
            self._keep_past(first.line.n, exchange.past)
        judged = judge(
            exchange,
            self._keys,
            self._time(exchange),
            memo=self._memo,
            unsigned=self._on_judged is not None,
            asked_well=asked is not None and asked != at and self._asked_well(exchange),
        )
        if self._beside is not None:
            judged = self._with(judged)
        # A failed one may still be answered late, and a note may still refuse the answer to a handshake.
        over = state in ANSWERED and exchange.kind != "handshake"
        held, fresh, withdrawn = self._findings, judged.findings, NOTHING_WITHDRAWN
        if number is not None and (held.knows(number) or (fresh and not over)):
            line = None if exchange.request is None else exchange.request.line.n
            fresh, withdrawn = held.news(number, line, fresh)
        if withdrawn:
            held.withdraw(withdrawn, asked)
        if fresh:
            held.report(fresh, None if seen is None else seen.line.n, at, asked)
        if self._on_news is not None and (fresh or withdrawn):
            self._on_news(FindingsChange(fresh, withdrawn, state == "failed" and exchange.reply is None))
        if self._on_judged is not None:
            self._on_judged(msgspec.structs.replace(judged, findings=fresh))
        if over and number is not None:
            self._open.pop(number, None)
            held.forget(number)

    def _entered(self, exchange: Exchange, at: int, seen: Seen | None) -> int | None:
        """Note in the columns what became of an exchange with record `at`; the record of its request."""
        number, columns = exchange.number, self._columns
        if number is not None and seen is not None and exchange.request is seen:
            self._open[number] = at
        asked = None if number is None else self._open.get(number)
        if seen is not None and exchange.reply is seen:
            ends: tuple[int | None, ...] = (at, asked)
            if asked is not None:
                columns.pair(asked, at)
        else:
            ends = (asked, None if asked is None else columns.partner_of(asked))
        for end in ends:
            if end is not None:
                columns.set_exchange(end, number, exchange.kind, exchange.state, exchange.why)
        return asked

    def _asked_well(self, exchange: Exchange) -> bool:
        """Whether an open request was judged without a finding and need not be judged again, unlike a handshake, which its
        reply shows in another light."""
        return exchange.past is NOTHING and not self._findings.knows(exchange.number) and exchange.kind != "handshake"

    def _place(self, n: int) -> int | None:
        at = self.transcript.place(n)
        return at if at is not None and at < self.done else None


def _tells_failure(record: Record, seen: Seen | None) -> bool:
    """Whether a record says by itself that something came to nothing: an `error` reply, what the gate refused, a crash, a
    loss. A note that ends an exchange is no such record where that exchange fails."""
    if seen is not None:
        return isinstance(seen.decoded.envelope, ErrorReply)
    if isinstance(record, GateNote):
        return not record.allowed
    if isinstance(record, Exit):
        return not record.ours and bool(record.signal or record.code)
    return isinstance(record, _FAILURES)
