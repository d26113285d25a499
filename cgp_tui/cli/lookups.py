"""What `check` looks up on request, beside the rules: files that provenance cites, and earlier transcripts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NamedTuple

import typer

from cgp_tui.cli.trusted import judging
from cgp_tui.errors import InputError
from cgp_tui.text import Shown, compose, join, own, show

if TYPE_CHECKING:
    from cgp_tui.analysis.cited_files import Cited, CitedFiles
    from cgp_tui.analysis.full_pass import FullPass
    from cgp_tui.analysis.history import Again, History
    from cgp_tui.checks.types import Judged
    from cgp_tui.cli.trusted import Judging
    from cgp_tui.protocol.requirements import Finding
    from cgp_tui.transcript.reader import Transcript
    from cgp_tui.wire.memo import FrameMemo

RootFolders = Annotated[
    list[Path] | None,
    typer.Option("--root", metavar="DIR", help="Compare file provenance with the files under this folder; repeatable."),
]
ShowDigests = Annotated[bool, typer.Option("--show-digests", help="With --root: also show digests of the files.")]
HistoryFiles = Annotated[
    list[Path] | None,
    typer.Option(
        "--history", metavar="FILE", help="Show where frames were seen before, in this transcript too; repeatable."
    ),
]


class Wanted(NamedTuple):
    """What is to be looked up; nothing by default."""

    roots: Sequence[Path] = ()
    show_digests: bool = False
    history: Sequence[Path] = ()


class Lookups:
    """Looks every answer up as it passes; the results are put aside until the findings are written. `machine` is for a JSON
    document instead of lines."""

    def __init__(
        self,
        by: Judging,
        cited_files: CitedFiles | None,
        history: History | None,
        *,
        digests: bool = False,
        machine: bool = False,
    ) -> None:
        from cgp_tui.report.lazy import Spool

        self._by = by
        self._cited_files = cited_files
        self._history = history
        self._digests = digests
        self._machine = machine
        self.attestations = Spool()
        self.provenance = Spool()
        self._again = Spool()
        self._lines = Spool()
        self._outcomes: Counter[str] = Counter()
        self._changed = 0
        self._met = 0

    def full_pass(
        self,
        transcript: Transcript,
        takes: Callable[[Finding], bool],
        *,
        hear: Callable[[Judged], None] | None = None,
        keep: Callable[[Judged], None] | None = None,
        memo: FrameMemo | None = None,
        on_step: Callable[[int, int], None] | None = None,
    ) -> FullPass:
        """The pass over the transcript, with the keys that the person trusts and those met before. `hear` is called with
        every exchange that is judged; `keep` replaces the function that puts aside the answers to look up."""
        from cgp_tui.analysis.full_pass import FullPass
        from cgp_tui.analysis.keywatch import KeyWatch

        by = self._by
        watch = KeyWatch(transcript, by.memory, by.trusted.keys, by.at)

        def heard(judged: Judged) -> Sequence[Finding]:
            if hear is not None:
                hear(judged)
            return watch.judge(judged)

        beside = watch.judge if hear is None else heard
        hook = None if self.hook is None else keep or self.hook
        keys = by.trusted.keys
        return FullPass(transcript, takes, keys, on_judged=hook, when=by.when, beside=beside, on_step=on_step, memo=memo)

    @property
    def alone(self) -> bool:
        """Whether nothing is looked up in the world or in other transcripts: findings and attestations are all."""
        return self._cited_files is None and self._history is None

    @property
    def hook(self) -> Callable[[Judged], None] | None:
        """The function to call with every exchange; None where nothing is to be looked up."""
        return self._keep if self._machine or self._cited_files is not None or self._history is not None else None

    def _keep(self, judged: Judged) -> None:
        if self._machine:
            from cgp_tui.report.documents import attested

            for entry in attested(judged):
                self.attestations.add(entry)
        if self._cited_files is not None:
            for cited in self._cited_files.cited(judged):
                self._cite(cited)
        if self._history is not None:
            for again in self._history.look(judged):
                self._meet(again)

    def members(self) -> Iterator[tuple[str, object]]:
        """The members of the document that only some runs have."""
        from cgp_tui.report.lazy import Items

        if self._history is not None:
            yield "history", Items(self._again.items())
        trusted = self._by.trusted
        problem = trusted.problem()
        if problem is not None:
            yield "trust_store", {"state": trusted.state, "message": problem.message, "fix": problem.fix}

    def _cite(self, cited: Cited) -> None:
        self._outcomes[cited.found.outcome] += 1
        if self._machine:
            from cgp_tui.report.lookups import cited_document

            self.provenance.add(cited_document(cited, digests=self._digests))
            return
        from cgp_tui.present.lookups import reread_words

        link = join(" ", [show(part, 200) for part in (cited.link.uri, cited.link.range) if part is not None])
        words = reread_words(cited.found)
        line = "line {n} {frame}, link {link}: {uri}: {words}"
        self._lines.add(
            compose(line, n=cited.line, frame=show(cited.frame_id, 200), link=cited.place, uri=link, words=words)
        )
        if self._digests and cited.found.computed is not None:
            self._lines.add(compose("  computed {digest}", digest=show(cited.found.computed)))

    def _meet(self, again: Again) -> None:
        self._met += 1
        self._changed += again.changed
        if self._machine:
            from cgp_tui.report.lookups import again_document

            self._again.add(again_document(again))
            return
        from cgp_tui.present.lookups import again_words

        line = "line {n} {frame}, seen before on {where}"
        self._lines.add(compose(line, n=again.line, frame=show(again.frame_id, 200), where=again_words(again)))

    def lines(self) -> Iterator[Shown]:
        """The results for people; to be iterated once, after the findings."""
        told = False
        for line in self._lines.items():
            told = True
            yield line
        if told:
            yield own("")

    def sums(self) -> Iterator[Shown]:
        """The counts, for people."""
        if self._cited_files is not None:
            parts = [compose("{n} {outcome}", n=number, outcome=own(name)) for name, number in self._outcomes.most_common()]
            yield compose("provenance: {parts}", parts=join(", ", parts) if parts else own("no file is cited"))
        if self._history is not None:
            line = "history: {met} {were} seen before, {changed} with different bytes"
            were = own("of the frames was" if self._met == 1 else "of the frames were")
            yield compose(line, met=self._met, were=were, changed=self._changed)
            if self._history.forgotten:
                yield compose("history: {n} frames were too many to remember", n=self._history.forgotten)


@contextmanager
def looking(wanted: Wanted, transcript: Transcript, format: str) -> Iterator[Lookups]:
    """What is to be looked up beside the findings of a transcript, opened for the duration of the check.

    Raises InputError for a folder or a transcript that cannot be opened, and for a request that cannot have a result.
    """
    if wanted.show_digests and not wanted.roots:
        raise InputError("usage", "--show-digests shows nothing without --root.", "Name the folder: --root DIR")
    if format in ("junit", "sarif") and (wanted.roots or wanted.history):
        raise InputError(
            "usage", f"{format} holds findings alone.", "For --root and --history choose --format text or json."
        )
    machine = format == "json"
    history = _learnt(wanted.history, transcript.path) if wanted.history else None
    with judging(transcript) as by:
        if not wanted.roots:
            yield Lookups(by, None, history, machine=machine)
            return
        from cgp_tui.analysis.cited_files import CitedFiles
        from cgp_tui.store.roots import Roots

        with Roots(wanted.roots) as roots:
            yield Lookups(by, CitedFiles(roots), history, digests=wanted.show_digests, machine=machine)


def _learnt(files: Sequence[Path], file: Path) -> History:
    """The frames of the other transcripts; the one being checked may be among them and is not read twice."""
    from cgp_tui.analysis.history import History
    from cgp_tui.transcript.reader import Transcript

    history = History()
    for other in files:
        with Transcript.counted(other) as transcript:
            if not (file.exists() and other.samefile(file)):
                history.learn(transcript, str(other))
    return history
