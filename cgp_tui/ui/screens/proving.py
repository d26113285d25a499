"""Exporting evidence: of the selected frame, or of its whole answer, as a bundle in a new file in the current folder."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from cgp_tui import limits
from cgp_tui.analysis.background import Background
from cgp_tui.checks.exhibit import agrees, exhibit
from cgp_tui.errors import os_reason
from cgp_tui.present.subject import Subject
from cgp_tui.text import Shown, compose, own, show

if TYPE_CHECKING:
    from cgp_tui.ui.screens.inspector import InspectorScreen


def export(inspector: InspectorScreen) -> None:
    """Write the bundle, and say where it is and how to verify it, or why there is none."""
    record, place = inspector.detail.record, inspector.detail.place.frame
    inspector.foot.tell(_exported(record if isinstance(record, Subject) else None, place, inspector.source.background))


def _exported(subject: Subject | None, place: int | None, background: Background) -> Shown:
    from cgp_tui.report.bundle import bundle_bytes
    from cgp_tui.store.files import write_new

    if subject is None or subject.judged is None or subject.frames is None:
        return own("Select an answer, or a frame of one: its evidence goes into a bundle.")
    try:
        shown = exhibit(subject.judged, place)
    except ValueError as error:
        return show(str(error))
    if not agrees(shown, subject.judged, place, background.keys, background.moment(subject.judged.exchange)):
        return own("Only the other frames of the answer show what is wrong: go to its line and bundle the whole answer.")
    # Only digits, so that no byte from a peer gets into the name of a file.
    frame = "" if place is None else f"-frame-{place + 1}"
    path = Path(f"bundle-line-{subject.line.n}{frame}.json")
    data = bundle_bytes(shown)
    if len(data) > limits.BUNDLE_BYTES:
        return compose("The bundle would be {count} bytes, larger than any that is read.", count=own(f"{len(data):,}"))
    try:
        write_new(path, data)
    except FileExistsError:
        return compose("{name} already exists: move it away first.", name=show(path.name))
    except OSError as error:
        return compose("{name} cannot be written: {why}.", name=show(path.name), why=show(os_reason(error)))
    return compose("{count} bytes: cgp-tui verify-bundle {name}", count=own(f"{len(data):,}"), name=show(path.name))
