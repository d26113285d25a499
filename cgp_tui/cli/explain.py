"""`cgp-tui check --explain ANCHOR`: one requirement."""

from __future__ import annotations

from cgp_tui.cli import diagnostics, output
from cgp_tui.cli.choice import requirement
from cgp_tui.errors import InputError
from cgp_tui.present.requirement import requirement_lines
from cgp_tui.report.documents import requirement_document


def explanation(anchor: str, format: str, alone: bool) -> int:
    """Print a requirement, as text or JSON. `alone`: the line asks for nothing else, as it has to."""
    with diagnostics.machine(format == "json", lambda problem: requirement_document(None, problem)):
        if not alone:
            raise InputError("usage", "--explain takes nothing else but --format.", f"Try: cgp-tui check --explain {anchor}")
        if format not in ("text", "json"):
            raise InputError("usage", f"--explain knows no format {format}.", "It has --format text and --format json.")
        row = requirement(anchor)
        if format == "json":
            output.document(requirement_document(row))
        else:
            output.text(requirement_lines(row))
    return diagnostics.GOOD
