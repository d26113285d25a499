"""Marks and comments on lines: setting them, writing them, hopping to them. They are kept beside the transcript."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.widgets import Input

from cgp_tui.present.symbols import Symbols
from cgp_tui.store.marks import COMMENT_CHARS, MOST, Marks
from cgp_tui.text import Shown, compose, own, show
from cgp_tui.ui.keymap import spoken
from cgp_tui.ui.pasting import JOINS
from cgp_tui.ui.screens.dialog import LineDialog

if TYPE_CHECKING:
    from cgp_tui.ui.screens.travel import Traveller


def recall(screen: Traveller) -> None:
    """Show the marks that were set in earlier runs."""
    if len(screen.source.marks_at_hand()):
        screen.traffic.marks_changed()


def toggle(screen: Traveller) -> None:
    """Mark the selected line, or remove its mark."""
    line = _line(screen)
    if line is None:
        return
    marks = screen.source.marks_at_hand()
    before = marks.comment(line)
    marked = marks.toggle(line)
    if before is None and not marked:
        screen.foot.tell(own(f"There are {MOST:,} marks already."))
    else:
        _told(screen, marks, own(f"Line {line:,} is marked." if marked else f"Line {line:,} is no longer marked."))


def write(screen: Traveller) -> None:
    """Let a comment be written on the selected line."""
    line = _line(screen)
    if line is None:
        return
    marks = screen.source.marks_at_hand()

    def written(comment: str | None) -> None:
        if comment is None:
            return
        if marks.write(line, comment):
            _told(screen, marks, own(f"Line {line:,} is marked with a comment."))
        else:
            screen.foot.tell(own(f"There are {MOST:,} marks already."))

    screen.app.push_screen(CommentScreen(line, marks.comment(line) or "", screen.symbols), written)


def hop(screen: Traveller) -> None:
    """Go to the next marked line, wrapping around, and say its comment."""
    marks, source = screen.source.marks_at_hand(), screen.source
    here = source.line_of(screen.traffic.cursor) if source.count else 0
    line = marks.next(here)
    if line is None:
        screen.foot.tell(spoken(screen, "No line is marked. {mark.toggle} marks one."))
    elif screen.go_to_line(line):
        comment = marks.comment(line)
        said = compose("line {line}: {comment}", line=line, comment=show(comment, 200)) if comment else own(f"line {line:,}")
        screen.foot.tell(said)


def _line(screen: Traveller) -> int | None:
    source = screen.source
    line = source.transcript.row(screen.traffic.cursor).n if source.count else None
    if line is None:
        screen.foot.tell(own("Only wire lines are marked."))
    return line


def _told(screen: Traveller, marks: Marks, words: Shown) -> None:
    screen.source.look_anew_at(screen.traffic.cursor)
    screen.traffic.marks_changed()
    problem = compose(" {why}", why=show(marks.problem, 120)) if marks.problem else own("")
    screen.foot.tell(compose("{words}{problem}", words=words, problem=problem))


class CommentScreen(LineDialog):
    """The comment on a line, which may have one."""

    def __init__(self, line: int, comment: str, symbols: Symbols) -> None:
        field = Input(comment, "your comment", compact=True, max_length=COMMENT_CHARS, classes=JOINS)
        hint = "enter saves it beside the transcript, which stays unchanged"
        super().__init__(own(f"Comment on line {line:,}"), field, hint, symbols)
