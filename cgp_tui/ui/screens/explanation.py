"""Why what is selected is judged as it is: the answer in front of everything, from any view."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cgp_tui.present.spans import Rows
from cgp_tui.present.subject import Subject
from cgp_tui.present.symbols import Look
from cgp_tui.present.why import Because, because_rows, explain_command, of_line, of_note, of_one
from cgp_tui.text import own
from cgp_tui.transcript.record import Damaged
from cgp_tui.ui.keymap import look_of
from cgp_tui.ui.keys import by_id
from cgp_tui.ui.ours import our_app
from cgp_tui.ui.screens.why import Why
from cgp_tui.wire.note import Connect

if TYPE_CHECKING:
    from cgp_tui.ui.screens.views import Viewer


def because(viewer: Viewer, look: Look, *, live: bool) -> Because | None:
    """The judgement of the selection: the finding under the cursor in the findings view, the frame that the detail pane is
    on or in, or else the line or note as a whole."""
    if viewer.view == "findings" and viewer.findings is not None:
        at = viewer.findings.list.cursor
        if at is not None and at.finding is not None:
            return of_one(at.finding, look)
    if not viewer.source.count:
        return None
    record = viewer.source.records.at(viewer.traffic.cursor)
    if isinstance(record, Subject):
        return of_line(record, _frame(viewer), look)
    if record is None or isinstance(record, Damaged):
        return None
    return of_note(record, provider_id(viewer, record.connection), look, live=live)


def _frame(viewer: Viewer) -> int | None:
    """The frame that the detail pane is about, where it has the focus."""
    detail = viewer.detail
    if viewer.view != "traffic" or not detail.view.has_focus:
        return None
    if detail.place.frame is not None:
        return detail.place.frame
    rows = detail.view.rows
    jump = rows[detail.view.cursor].jump if rows else None
    return None if jump is None else jump.place


def provider_id(viewer: Viewer, connection: int) -> str:
    """Our name of a connection's provider, as the recording has it; empty where it has none."""
    at = viewer.source.analysis.connections.of(connection).connect
    note = None if at is None else viewer.source.transcript.record(at)
    return note.provider_id if isinstance(note, Connect) else ""


def explain(viewer: Viewer) -> None:
    """Show why, or say at the foot that there is no judgement."""
    live = viewer.actor is not None
    found = because(viewer, look_of(viewer, viewer.symbols), live=live)
    if found is None:
        viewer.foot.tell(own("Nothing is judged here: no finding, no standing, no refusal."))
        return

    def decide() -> None:
        viewer.run_worker(our_app(viewer).run_row(by_id("consent.open")))

    command = explain_command(found.anchor) if found.anchor else own("")

    def make(look: Look) -> Rows:
        return because_rows(found, look)

    able = decide if live and found.decidable else None
    viewer.app.push_screen(Why(found.title, make, viewer.symbols, able, command))
