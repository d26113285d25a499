"""`cgp-tui check`: every finding of a transcript, and what a requirement is about."""

from __future__ import annotations

import itertools
import operator
import os
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final, Literal

import typer

from cgp_tui.cli import diagnostics, output
from cgp_tui.cli.lookups import HistoryFiles, Lookups, RootFolders, ShowDigests, Wanted, looking
from cgp_tui.text import Page, Shown, compose, own, page, show

if TYPE_CHECKING:
    from cgp_tui.analysis.filter import Filter
    from cgp_tui.analysis.full_pass import FullPass
    from cgp_tui.cli.choice import Choice
    from cgp_tui.cli.parts import Parts
    from cgp_tui.protocol.requirements import Finding
    from cgp_tui.transcript.reader import Transcript

_FORMATS: Final = {"cgp-transcript/1": "recording", "bare": "bare envelopes"}

Format = Literal["text", "json", "junit", "sarif"]


def check(
    file: Annotated[
        Path | None, typer.Argument(metavar="FILE", help="A recording, or bare envelopes, one per line; .gz and .zst too.")
    ] = None,
    *,
    format: Annotated[
        Format, typer.Option("--format", metavar="text|json|junit|sarif", help="For people, programs, CI or code scanning.")
    ] = "text",
    only: Annotated[
        list[str] | None, typer.Option("--only", metavar="ANCHORS", help="Only these requirements: B3,F5; repeatable.")
    ] = None,
    level: Annotated[
        Literal["violation", "advice", "note"],
        typer.Option("--level", metavar="violation|advice|note", help="Only this level and above; note shows all."),
    ] = "note",
    where: Annotated[
        str, typer.Option("--where", metavar="EXPR", help="Only on lines that match a filter: type:frames & size>64K")
    ] = "",
    jobs: Annotated[
        int, typer.Option("--jobs", metavar="N", min=1, max=64, help="Number of processes for a file of bare envelopes.")
    ] = 1,
    root: RootFolders = None,
    show_digests: ShowDigests = False,
    history: HistoryFiles = None,
    explain: Annotated[
        str | None, typer.Option("--explain", metavar="ANCHOR", help="Explain one requirement instead; takes no FILE.")
    ] = None,
) -> int:
    """Name every finding of a transcript, with its requirement, evidence and fix; exit 1 on a violation, of the ones that
    --only names where it is given."""
    if explain is not None:
        from cgp_tui.cli.explain import explanation

        return explanation(explain, format, alone=file is None and only is None and level == "note" and not where)
    from cgp_tui.cli.choice import choice
    from cgp_tui.cli.preferences import compiled
    from cgp_tui.cli.shapes import check_failure
    from cgp_tui.transcript.reader import Transcript

    name = None if file is None else str(file)
    with diagnostics.machine(format != "text", lambda problem: check_failure(format, name, problem)):
        if file is None:
            from cgp_tui.cli.complaint import no_transcript

            raise no_transcript("cgp-tui check")
        chosen = choice(only or (), level)
        lines = None if not where else compiled(where)
        wanted = Wanted(root or (), show_digests, history or ())
        with Transcript.counted(file) as transcript, looking(wanted, transcript, format) as beside:
            return _check(transcript, chosen, format, beside, jobs=jobs, lines=lines)


def _check(
    transcript: Transcript, chosen: Choice, format: Format, beside: Lookups, *, jobs: int, lines: Filter | None
) -> int:
    progress = diagnostics.Progress(len(transcript))
    passed: FullPass | Parts
    if lines is None and _shared(transcript, beside, jobs):
        from cgp_tui.cli.parts import Parts

        render = _told if format == "text" else None
        passed = Parts(transcript, chosen.takes, beside, jobs, render=render, on_step=progress)
    else:
        passed = beside.full_pass(transcript, chosen.takes, on_step=progress)
        if lines is not None:
            from cgp_tui.analysis.filtering import Lines

            passed.where = Lines(lines, passed.analysis).takes
    with progress:
        if format == "text":
            output.pages(_report(transcript, passed, beside))
            return _verdict(passed) if transcript.trouble is None else diagnostics.fail(transcript.trouble)
        run = _Run(passed, transcript)
        output.document(_document(format, transcript, run, chosen, beside))
    return _verdict(passed) if run.failure is None else diagnostics.told(run.failure)


def _shared(transcript: Transcript, beside: Lookups, jobs: int) -> bool:
    """Whether several processes may judge it: a recording's notes, and what is looked up, need one that sees all."""
    return jobs > 1 and transcript.format == "bare" and len(transcript) > 0 and beside.alone and hasattr(os, "fork")


class _Run:
    """The findings for a document that is being written: what breaks on the way ends them, what ended the file early is
    missing behind them; either is told at its end."""

    def __init__(self, passed: FullPass | Parts, transcript: Transcript) -> None:
        self.failure: Exception | None = None
        self._passed = passed
        self._transcript = transcript

    def findings(self) -> Iterator[Finding]:
        try:
            yield from self._passed.findings()
            self.failure = self._transcript.trouble
        except Exception as error:
            self.failure = error

    def problem(self) -> dict[str, str] | None:
        return None if self.failure is None else diagnostics.problem(self.failure)


def _document(format: Format, transcript: Transcript, run: _Run, chosen: Choice, beside: Lookups) -> object:
    name = str(transcript.path)
    if format == "junit":
        from cgp_tui.report.junit import junit_document

        return junit_document(name, run.findings(), chosen.anchors, problem=run.problem)
    if format == "sarif":
        from cgp_tui.report.sarif import sarif_document

        return sarif_document(name, run.findings(), transcript.file_line, problem=run.problem)
    from cgp_tui.report.documents import check_document

    return check_document(
        name,
        transcript.format,
        transcript.lines,
        run.findings(),
        beside.attestations.items(),
        provenance=beside.provenance.items(),
        more=beside.members(),
        problem=run.problem,
    )


def _verdict(passed: FullPass | Parts) -> int:
    return diagnostics.FELL_SHORT if passed.counts["violation"] else diagnostics.GOOD


def _told(findings: Iterable[Finding]) -> Iterator[Page]:
    """Findings under their lines."""
    from cgp_tui.present.findings import told
    from cgp_tui.present.symbols import Look

    look = Look()
    for line, group in itertools.groupby(findings, key=operator.attrgetter("line")):
        yield Page(f"line {line}\n{''.join([told(finding, look, '  ') for finding in group])}\n")


def _report(transcript: Transcript, passed: FullPass | Parts, beside: Lookups) -> Iterator[Page]:
    """The findings by line, what was looked up beside them, then a line that counts them."""
    from cgp_tui.analysis.full_pass import FullPass

    yield from _told(passed.findings()) if isinstance(passed, FullPass) else passed.pages()
    for line in beside.lines():
        yield page([line])
    yield page(_sums(transcript, passed, beside))


def _sums(transcript: Transcript, passed: FullPass | Parts, beside: Lookups) -> Iterator[Shown]:
    from cgp_tui.analysis.full_pass import FullPass

    yield compose(
        "{file}: {format}, {lines} {noun}: {violations}, {advice}, {notes}",
        file=show(str(transcript.path)),
        format=own(_FORMATS[transcript.format]),
        lines=own(f"{transcript.lines:,}"),
        noun=own("line" if transcript.lines == 1 else "lines"),
        violations=_count(passed.counts["violation"], "violation", "violations"),
        advice=_count(passed.counts["advice"], "advice", "advice"),
        notes=_count(passed.counts["note"], "note", "notes"),
    )
    if passed.left_out:
        left = _count(passed.left_out, "finding", "findings")
        yield compose("{findings} left out by --only, --level or --where", findings=left)
    if isinstance(
        passed, FullPass
    ):  # a bare file, which alone is shared out, has no numbers to miss and no records to damage
        lost, damaged = passed.analysis.lost, passed.analysis.damaged
        if lost:
            yield compose("{lines} missing from the recording", lines=_count(lost, "line is", "lines are"))
        if damaged:
            yield compose("{records} be read", records=_count(damaged, "record cannot", "records cannot"))
    yield from beside.sums()


def _count(number: int, one: str, many: str) -> Shown:
    return compose("{number} {noun}", number=own(f"{number:,}"), noun=own(one if number == 1 else many))
