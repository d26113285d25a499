"""What the detail pane holds for a record: its title, its tabs, and the rows of each.

The module that makes the rows of a tab is imported when the first of them is taken: an empty pane does not need it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

import msgspec

from cgp_tui.present import envelope as raw_view
from cgp_tui.present.member_findings import MemberFindings, marked
from cgp_tui.present.note import kind as note_kind
from cgp_tui.present.note import note_json, note_rows
from cgp_tui.present.numbers import exact_bytes
from cgp_tui.present.spans import Row, Rows, Span, row, span
from cgp_tui.present.subject import Place, Subject
from cgp_tui.present.symbols import Look
from cgp_tui.present.tree import Tree
from cgp_tui.text import Shown, compose, own, show
from cgp_tui.transcript.record import Damaged
from cgp_tui.wire.line import BadFrame
from cgp_tui.wire.note import AnyNote

FIRST_TABS: Final = {
    "handshake": "Handshake",
    "handshake_ack": "Provider",
    "query": "Query",
    "frames": "Answer",
    "verify": "Verify",
    "verified": "Verdicts",
    "error": "Error",
    "shutdown": "Shutdown",
}
"""The name of a line's first tab, by its wire type."""

Record = Subject | AnyNote | Damaged | None
"""What can be selected."""

FRAME_TABS: Final = ("Frame", "Chain", "Proof", "JSON", "Raw")


def tabs(subject: Subject, place: Place) -> tuple[str, ...]:
    """The tabs of a line, or of a frame of it."""
    if place.frame is not None:
        if isinstance(subject.frame(place.frame), BadFrame):
            return ("Frame", "JSON", "Raw")
        return FRAME_TABS
    first = FIRST_TABS.get(subject.decoded.type or "", "Line")
    findings = ("Findings",) if subject.findings else ()
    return (first, *findings, "JSON", "Raw")


TAB_SENTENCES: Final = {
    "Handshake": "What the host asks for.",
    "Provider": "Who the provider says it is, where data goes, what it can do.",
    "Query": "What was asked, and within which limits.",
    "Answer": "What is wrong, what became of the answer, its budget and its frames.",
    "Verify": "Which frames the host asks about.",
    "Verdicts": "Whether each of them is still valid.",
    "Error": "What the provider could not do, and why.",
    "Shutdown": "The end of the connection.",
    "Line": "What is known of a line of unknown type.",
    "Findings": "Every finding on this line, with its evidence and its fix.",
    "Frame": "Where the frame ended up, who vouches for it, what it cost, its content.",
    "Chain": "Where it came from, link by link, and the hash over them.",
    "Proof": "Every hash up to the signature, given and computed.",
    "Note": "What happened outside the wire.",
    "JSON": "Member by member, each with its findings.",
    "Raw": "The bytes as they came, hidden codes made visible.",
}
"""What each tab shows."""


def tab_span(tab: str, subject: Subject | None = None) -> Span:
    """A tab's name as drawn; findings carry their number."""
    label = f"Findings {len(subject.findings)}" if subject is not None and tab == "Findings" else tab
    return Span(own(label), tip=own(TAB_SENTENCES.get(tab, "")))


def title(subject: Subject, place: Place, look: Look) -> Shown:
    """`6 ← frames q2`, followed by the frame's id."""
    line, decoded = subject.line, subject.decoded
    arrow = {"host": look.symbols.sent, "provider": look.symbols.received, None: look.symbols.question}[line.sender]
    name = show(decoded.type, 40) if decoded.type is not None else own("no type")
    text = compose("{n} {arrow} {name}", n=line.n, arrow=own(arrow), name=name)
    if decoded.id is not None:
        text = compose("{text} {id}", text=text, id=show(decoded.id, 40))
    if place.frame is not None:
        frame = subject.frame(place.frame)
        frame_id = frame.frame_id if isinstance(frame, BadFrame) else None if frame is None else frame.id
        text = compose("{text} > {id}", text=text, id=show(frame_id, 80) if frame_id else own("frame without an id"))
    return text


def aside(subject: Subject, place: Place, look: Look) -> Shown:
    """The right end of the title: size and pair of a line, place of a frame."""
    if place.frame is not None:
        return own(f"{place.frame + 1} of {len(subject.places)}")
    words = {"host": "answered by", "provider": "reply to", None: "with"}[subject.line.sender]
    size = exact_bytes(len(subject.line.raw))
    if subject.pair is None:
        return size
    return look.say("{size}, {words} {pair} ({hop.pair})", size=size, words=own(words), pair=subject.pair)


def tree(subject: Subject, place: Place) -> Tree:
    """The JSON of a line or of a frame of it, with the findings in it at their members."""
    marks, under = tree_marks(subject, place.frame), _path(place.frame)
    if place.frame is None:
        return Tree(subject.line.raw, marks)
    frame = subject.frame(place.frame)
    if isinstance(frame, BadFrame):
        return Tree(frame.raw, marks, under)
    raw = raw_view.frame_bytes(subject.line.raw, place.frame)
    return Tree(raw or msgspec.json.encode(frame), marks, under)


def tree_marks(subject: Subject, frame: int | None) -> MemberFindings:
    """The findings at the members of a line, or of a frame of it."""
    return marked(subject.findings, _path(frame))


def _path(frame: int | None) -> str:
    return "" if frame is None else f"/result/frames/{frame}"


def rows(subject: Subject, place: Place, tab: str, look: Look, json: Tree | None = None) -> Rows:
    """The rows of one tab, made as they are taken. `json` is the tree of the JSON tab with its folds; without it that tab
    shows what is unfolded at first."""
    from cgp_tui.present.answer import answer_rows
    from cgp_tui.present.findings import finding_rows
    from cgp_tui.present.message import message_rows

    if tab == "JSON":
        yield from (json or tree(subject, place)).rows(look)
    elif place.frame is not None:
        yield from _frame_rows(subject, place, tab, look)
    elif tab == "Raw":
        yield from raw_view.raw_rows(subject.line.raw, look)
    elif tab == "Findings":
        yield from finding_rows(subject, look)
    elif subject.frames is not None:
        yield from answer_rows(subject, subject.frames, look)
    else:
        yield from message_rows(subject, look)


def _frame_rows(subject: Subject, place: Place, tab: str, look: Look) -> Rows:
    from cgp_tui.present.evidence import chain_rows
    from cgp_tui.present.frame import bad_frame_rows, frame_rows

    frame = None if place.frame is None else subject.frame(place.frame)
    if frame is None or place.frame is None:
        yield row(span("This answer has no such frame."))
        return
    if isinstance(frame, BadFrame):
        views: dict[str, Callable[[], Rows]] = {
            "Frame": lambda: bad_frame_rows(frame, subject, look),
            "Raw": lambda: raw_view.raw_rows(frame.raw, look),
        }
    else:
        at = place.frame
        raw = raw_view.frame_bytes(subject.line.raw, at) or msgspec.json.encode(frame)
        views = {
            "Frame": lambda: frame_rows(frame, subject, at, look),
            "Chain": lambda: chain_rows(frame, look, None if subject.background is None else subject.background.reread),
            "Proof": lambda: _proof(subject, place, look),
            "Raw": lambda: raw_view.raw_rows(raw, look),
        }
    yield from views[tab]()


def _proof(subject: Subject, place: Place, look: Look) -> Rows:
    from cgp_tui.present.evidence import proof_rows, walk

    appraisal = None if place.frame is None else subject.appraisal(place.frame)
    if appraisal is None:
        yield row(span("The evidence of this answer has not been appraised yet.", "muted"))
        return
    yield from proof_rows(appraisal, min(place.step, max(len(walk(appraisal)) - 1, 0)), look)


def last_step(subject: Subject, frame: int) -> int:
    """The step where a proof ends: the first that fails, else the last, from 0."""
    from cgp_tui.present.evidence import walk

    appraisal = subject.appraisal(frame)
    steps = () if appraisal is None else walk(appraisal)
    failed = next((number for number, step in enumerate(steps) if step.ok is False), None)
    return failed if failed is not None else max(len(steps) - 1, 0)


def note_title(note: AnyNote | Damaged) -> Shown:
    return own("damaged record") if isinstance(note, Damaged) else compose("note {kind}", kind=note_kind(note))


def note_tab(note: AnyNote | Damaged, tab: str, look: Look, asked_by: str | None = None) -> Rows:
    """The rows of a tab of a record that is no line; `asked_by` is the id of the request that it speaks of."""
    if isinstance(note, Damaged):
        lead = span(f"{look.symbols.bad} ", "bad")
        yield Row((span("This record cannot be read: "), Span(show(note.why))), lead=lead, rest=span("  "))
        yield from raw_view.raw_rows(note.raw, look)
    elif tab == "JSON":
        yield from raw_view.json_rows(note_json(note), look)
    else:
        yield from note_rows(note, look, asked_by)


def note_tabs(note: AnyNote | Damaged) -> tuple[str, ...]:
    return ("Raw",) if isinstance(note, Damaged) else ("Note", "JSON")
