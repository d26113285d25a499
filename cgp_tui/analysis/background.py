"""What is known about a transcript's frames beyond their own lines: whom the person trusts, when a line was received, the
files that provenance cites, earlier sightings, changed keys. One object gives all of it to an analysis and to a screen."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from cgp_tui import limits
from cgp_tui.analysis.analysis import Analysis
from cgp_tui.analysis.cited_files import CitedFiles, Reread
from cgp_tui.analysis.history import Again, History
from cgp_tui.analysis.keywatch import KeyWatch, Memory
from cgp_tui.analysis.targets import At, Targets
from cgp_tui.checks.types import Judged
from cgp_tui.protocol.attestation import TrustedKey
from cgp_tui.protocol.frame import ContextFrame, Provenance
from cgp_tui.protocol.requirements import Finding
from cgp_tui.protocol.timestamp import Instant, epoch, parse, utc_text
from cgp_tui.session import Exchange
from cgp_tui.text import Shown
from cgp_tui.transcript.reader import Transcript
from cgp_tui.wire.memo import FrameMemo

When = Callable[[Exchange], Instant | None]


def received(transcript: Transcript, now: Instant | None, *, ours: bool) -> When:
    """The time at which a key's window is judged: when the reply was received, if this installation recorded it (`ours`) and
    so nobody else can have written that time; else now, whatever the file says."""
    header = transcript.header
    start = None if header is None or not ours else parse(header.started_at)
    if start is None:
        return lambda _: now
    began = epoch(start)

    def when(exchange: Exchange) -> Instant | None:
        seen = exchange.reply or exchange.request
        try:
            return now if seen is None else parse(utc_text(began + seen.line.t))
        except (ValueError, OverflowError):
            return None

    return when


class Background:
    """The surroundings of one transcript. `memory` holds the keys of earlier runs, None where none are to be kept; `at` is
    the time to remember for a new one. `warning` is what a person must know about all this."""

    def __init__(
        self,
        transcript: Transcript,
        keys: Sequence[TrustedKey] = (),
        when: When | None = None,
        *,
        cited_files: CitedFiles | None = None,
        memory: Memory | None = None,
        at: str = "",
        warning: Shown | None = None,
    ) -> None:
        self.transcript = transcript
        self.keys = tuple(keys)
        self._when = when
        self._cited_files = cited_files
        self._memory = memory
        self._at = at
        self.warning = warning
        self._analyses: list[Analysis] = []
        self._start()

    def _start(self) -> None:
        self._generation = self.transcript.generation
        self._history = History()
        self._targets = Targets()
        self._watch = None if self._memory is None else KeyWatch(self.transcript, self._memory, self.keys, self._at)

    def analysis(self) -> Analysis:
        """An analysis of the transcript that uses all of this, and reports every answer back to it."""
        made = Analysis(
            self.transcript,
            self.keys,
            when=self._when,
            on_judged=self._meet,
            beside=self._judge,
            memo=FrameMemo(size=limits.FRAMES_SHOWN_BYTES),
        )
        self._analyses.append(made)
        return made

    def moment(self, exchange: Exchange) -> Instant | None:
        """The time at which windows of keys are judged for an exchange."""
        return None if self._when is None else self._when(exchange)

    def trust(self, key: TrustedKey) -> None:
        """Judge by one more key from now on."""
        self.keys = (*self.keys, key)
        for analysis in self._analyses:
            analysis.trust(self.keys)

    def _meet(self, judged: Judged) -> None:
        if self._generation != self.transcript.generation:
            self._start()
        self._history.meet(judged)
        self._targets.meet(judged)

    def _judge(self, judged: Judged) -> Sequence[Finding]:
        if self._generation != self.transcript.generation:
            self._start()
        return () if self._watch is None else self._watch.judge(judged)

    def reread(self, link: Provenance, content: str | None) -> Reread | None:
        """What became of the bytes that a link cites; None where no folder is open, or the link cites no bytes."""
        return None if self._cited_files is None else self._cited_files.reread(link, content)

    def again(self, provider: str, frame: ContextFrame, line: int) -> Again | None:
        """Where else the frame was met; None where it was not."""
        return self._history.again(provider, frame, line)

    def target(self, uri: str, line: int) -> At | None:
        """The frame with the URI `uri` in another answer, the one nearest to `line`; None where none was met."""
        return self._targets.find(uri, line)

    def changed_keys(self, connection: int) -> frozenset[str]:
        """The ids of the connection's keys that had other bytes before, in this transcript or an earlier run."""
        return frozenset() if self._watch is None else self._watch.changed(connection)

    def key_changed(self, connection: int, key_id: str) -> bool:
        """Whether the connection's key of this id is one of those."""
        return key_id in self.changed_keys(connection)
