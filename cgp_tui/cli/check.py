"""`cgp-tui check`: every finding of a transcript."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final, Literal

import typer

from cgp_tui.cli import diagnostics, output
from cgp_tui.text import Shown, compose, own, show

if TYPE_CHECKING:
    from cgp_tui.analysis import Analysis
    from cgp_tui.report.documents import Attested

_FORMATS: Final = {"cgp-transcript/1": "recording", "bare": "bare envelopes"}


def check(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A recording, or a file of bare envelopes, one a line.")],
    format: Annotated[
        Literal["text", "json"], typer.Option("--format", metavar="text|json", help="For people, or one JSON document.")
    ] = "text",
) -> int:
    """Name every finding of a transcript, with its requirement, evidence and fix; exit 1 on a violation."""
    from cgp_tui.report.documents import check_document

    machine = format == "json"
    with diagnostics.machine(machine, lambda problem: check_document(str(file), None, 0, problem=problem)):
        analysis, attestations = _analyse(file)
        if machine:
            kind = analysis.transcript.format
            output.document(check_document(str(file), kind, analysis.lines, analysis.findings, attestations))
        else:
            output.text(_report(analysis))
    return diagnostics.FELL_SHORT if analysis.counts[0] else diagnostics.GOOD


def _analyse(file: Path) -> tuple[Analysis, list[Attested]]:
    from cgp_tui.analysis import Analysis
    from cgp_tui.report.documents import attested
    from cgp_tui.transcript.reader import Transcript

    attestations: list[Attested] = []
    transcript = Transcript.open(file)
    analysis = Analysis(transcript, on_judged=lambda judged: attestations.extend(attested(judged)), keep=None)
    while analysis.advance() or not transcript.indexed:
        transcript.refresh()
    return analysis, attestations


def _report(analysis: Analysis) -> Iterator[Shown]:
    """The findings by line, then a line that counts them."""
    from cgp_tui.present.findings import brief
    from cgp_tui.present.symbols import Look

    look = Look()
    findings = sorted(analysis.findings, key=lambda finding: finding.line)
    for line, group in itertools.groupby(findings, key=lambda finding: finding.line):
        yield compose("line {n}", n=line)
        for finding in group:
            rows = brief(finding, look)
            yield compose("  {text}", text=next(rows).text)
            if finding.path:
                yield compose("      at {path}", path=show(finding.path))
            for row in rows:
                yield compose("  {text}", text=row.text)
        yield own("")
    violations, advice, notes = analysis.counts
    yield compose(
        "{file}: {format}, {lines} {noun}: {violations}, {advice}, {notes}",
        file=show(str(analysis.transcript.path)),
        format=own(_FORMATS[analysis.transcript.format]),
        lines=analysis.lines,
        noun=own("line" if analysis.lines == 1 else "lines"),
        violations=_count(violations, "violation", "violations"),
        advice=_count(advice, "advice", "advice"),
        notes=_count(notes, "note", "notes"),
    )
    if analysis.lost:
        yield compose("{lines} missing from the recording", lines=_count(analysis.lost, "line is", "lines are"))
    if analysis.damaged:
        yield compose("{records} be read", records=_count(analysis.damaged, "record cannot", "records cannot"))


def _count(number: int, one: str, many: str) -> Shown:
    return compose("{number} {noun}", number=number, noun=own(one if number == 1 else many))
