"""The detail pane: the selected record in tabs, and one step deeper a frame of it."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from textual import on
from textual.app import ComposeResult

from cgp_tui.present.spans import Jump, Row, Rows, row, span
from cgp_tui.present.subject import Place, Subject
from cgp_tui.present.symbols import Look, Symbols
from cgp_tui.text import Shown, own
from cgp_tui.ui.keymap import look_of
from cgp_tui.ui.widgets.bars import PaneTitle, TabStrip
from cgp_tui.ui.widgets.ground import Ground
from cgp_tui.ui.widgets.rows import RowsView, Stand, leads

if TYPE_CHECKING:
    from cgp_tui.present.detail import Record
    from cgp_tui.present.tree import Tree


class Detail(Ground):
    """Title, tabs and rows. The open tab stays open from line to line for as long as the line has it."""

    def __init__(self, symbols: Symbols, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self.symbols = symbols
        self.record: Record = None
        self.asked_by: str | None = None
        self.place = Place()
        self.tab = ""
        self._line_tab = ""
        self._trees: dict[int | None, Tree] = {}
        self._begin = 0
        """The offset from which the JSON is searched."""
        self._title = PaneTitle(symbols, "Detail")
        self._tabs = TabStrip(symbols)
        self.view = RowsView(symbols=symbols, id="detail-rows")

    def compose(self) -> ComposeResult:
        yield self._title
        yield self._tabs
        yield self.view

    def focused(self, active: bool) -> None:
        self._title.focused(active)

    def show(self, record: Record, asked_by: str | None = None) -> None:
        """Show another record, on the same tab if it has that. Of a note, `asked_by` is the id of the request that it speaks
        of."""
        self.record, self.asked_by = record, asked_by
        self.place = Place()
        self._trees.clear()
        names = self.names
        self.tab = self._line_tab if self._line_tab in names else names[0]
        self._draw(leads)

    def renew(self, record: Record) -> None:
        """Show the same record with more known about it; nothing moves."""
        from cgp_tui.present import detail

        self.record = record
        for frame, tree in self._trees.items():
            if isinstance(record, Subject):
                tree.marks = detail.tree_marks(record, frame)
        self.tab = self.tab if self.tab in self.names else self.names[0]
        self._draw(self.view.cursor, hold=True)

    def wait(self, title: Shown, rows: Callable[[Look], Rows]) -> None:
        """Show this while a long line is being read."""
        self.record = None
        self.place = Place()
        self._title.say(title, own(""))
        self._tabs.say((), 0)
        self.view.show(rows)

    @property
    def names(self) -> tuple[str, ...]:
        if self.record is None:
            return ("",)
        # Loaded for the first record: the first paint shows none.
        from cgp_tui.present import detail

        return detail.tabs(self.record, self.place) if isinstance(self.record, Subject) else detail.note_tabs(self.record)

    def _tree(self) -> Tree | None:
        """The JSON tree that is shown, with its folds; None where another tab is shown."""
        if self.tab != "JSON" or not isinstance(self.record, Subject):
            return None
        if self.place.frame not in self._trees:
            from cgp_tui.present import detail

            tree = self._trees[self.place.frame] = detail.tree(self.record, self.place)
            if self.view.wanted:
                tree.seek(self.view.wanted)
        return self._trees[self.place.frame]

    def member(self) -> tuple[str | None, bytes | None]:
        """The member of the JSON under the cursor: its JSON Pointer into the line and its value as it came; None where the
        cursor is on no member, or on one that is not there."""
        tree, rows = self._tree(), self.view.rows
        one = rows[self.view.cursor].member if tree is not None and rows else None
        if tree is None or one is None:
            return None, None
        return one.path, None if one.at is None else tree.text_of(one.at)

    def _draw(self, stand: Stand, *, hold: bool = False) -> None:
        from cgp_tui.present import detail

        record, place, tab = self.record, self.place, self.tab
        names = self.names
        if isinstance(record, Subject):
            look = look_of(self, self.symbols, self.size.width)
            self._title.say(detail.title(record, place, look), detail.aside(record, place, look))
            self._tabs.say(tuple(detail.tab_span(name, record) for name in names), names.index(tab))
            tree = self._tree()
            self.view.show(lambda look: detail.rows(record, place, tab, look, tree), stand, whole=self.in_proof, hold=hold)
        elif record is None:
            self._title.say(own("Detail"), own(""))
            self._tabs.say((), 0)
            self.view.show(_nothing, 0)
        else:
            self._title.say(detail.note_title(record), own(""))
            self._tabs.say(tuple(detail.tab_span(name) for name in names), names.index(tab))
            asked_by = self.asked_by
            self.view.show(lambda look: detail.note_tab(record, tab, look, asked_by), stand)

    def open_tab(self, index: int) -> None:
        """Show this tab. While a long line is being read there is none."""
        if self.record is None:
            return
        names = self.names
        self.tab = names[index % len(names)]
        if self.place.frame is None:
            self._line_tab = self.tab
        self._draw(_at_step(self.place.step) if self.tab == "Proof" else leads)

    def turn(self, by: int) -> None:
        """The next tab, or the one before; from the last to the first."""
        if self.record is not None:
            self.open_tab(self.names.index(self.tab) + by)

    def follow(self, jump: Jump) -> None:
        """Go where a row leads inside this record."""
        if not isinstance(self.record, Subject):
            return
        if jump.path is not None:
            self._reveal(self.record, jump.path)
        elif jump.about is not None:
            self._tell(jump.about)
        elif jump.fold is not None or jump.more is not None:
            self._turn(jump, None)
        elif jump.step is not None:
            self._walk_to(jump.step)
        elif jump.place is not None:
            from cgp_tui.present import detail

            self.place = Place(jump.place, detail.last_step(self.record, jump.place))
            self.tab = self.names[0]
            self._draw(0)

    def go_into_finding(self) -> None:
        """Open the frame that the line's first finding is about, if it is about one."""
        if isinstance(self.record, Subject) and self.record.findings and self.place.frame is None:
            place = self.record.place_of(self.record.findings[0])
            if place is not None:
                self.follow(Jump(place=place))

    def _reveal(self, subject: Subject, path: str) -> None:
        """Open the JSON at a member: of the frame that is shown where the member is part of it, else of the line."""
        self.place = Place(self.place.frame)
        for frame in (self.place.frame, None):
            self.place, self.tab = Place(frame), "JSON"
            tree = self._tree()
            if tree is not None and tree.reveal(path):
                if frame is None:
                    self._line_tab = "JSON"
                self._draw(tree.is_found)
                return

    def _tell(self, path: str) -> None:
        """Show the findings about a member: in the list of findings, or on the card of the frame."""
        self.tab = "Findings" if "Findings" in self.names else self.names[0]
        self._draw(lambda row: row.jump is not None and row.jump.path == path)

    def _turn(self, jump: Jump, opens: bool | None) -> None:
        """Fold or unfold a member of the JSON, or draw more of it; the row stays where it is on the screen."""
        tree = self._tree()
        if tree is None:
            return
        if jump.more is not None:
            at = self.view.cursor
            tree.more(jump.more)
            self._draw(at, hold=True)
        elif jump.fold is not None and tree.turn(jump.fold, opens):
            self._draw(lambda row: row.jump is not None and row.jump.fold == jump.fold, hold=True)

    @on(RowsView.Sought)
    def _sought(self, event: RowsView.Sought) -> None:
        """Unfold whatever holds the text searched for, and put the cursor on its next place."""
        event.stop()
        tree, rows = self._tree(), self.view.rows
        if self.in_proof and self.view.wanted and not self.view.matches:
            self._seek_step()
        if tree is None or not rows:
            return
        if self.view.stands:
            member = rows[self.view.cursor].member
            self._begin = 0 if member is None or member.at is None else member.at
        last = tree.seek(self.view.wanted, self._begin)
        if last < 0:
            return
        self._draw(_holding(self.view.wanted, self._begin if self._begin <= last else 0))

    def _seek_step(self) -> None:
        """Go to the next step of the proof whose full hashes hold the text searched for, wrapping around."""
        record, frame, look = self.record, self.place.frame, self.view.look
        appraisal = record.appraisal(frame) if isinstance(record, Subject) and frame is not None else None
        if appraisal is None or not isinstance(record, Subject):
            return
        from cgp_tui.present.evidence import proof_rows, walk

        holds = _holding(self.view.wanted, 0)
        count = len(walk(appraisal))
        for step in ((self.place.step + by) % count for by in range(1, count)):
            if any(map(holds, proof_rows(appraisal, step, look))):
                self.place = Place(frame, step)
                self._draw(holds)
                return

    @on(RowsView.Turned)
    def _turned(self, event: RowsView.Turned) -> None:
        """`h` folds a member or, if it is folded, goes to the one around it; `l` unfolds."""
        event.stop()
        tree, jump = self._tree(), event.row.jump
        if tree is None:
            return
        if jump is not None and (jump.fold is None) != (jump.more is None) and (event.opens or tree.is_open(jump.fold)):
            self._turn(jump, event.opens)
        elif not event.opens:
            self.view.move_to(_outside(self.view.rows, self.view.cursor))

    @property
    def in_proof(self) -> bool:
        return self.tab == "Proof" and self.place.frame is not None

    def step(self, by: int) -> None:
        """The next step of the proof, or the one before."""
        self._walk_to(self.place.step + by)

    def _walk_to(self, step: int) -> None:
        if isinstance(self.record, Subject) and self.place.frame is not None:
            from cgp_tui.present.evidence import walk

            appraisal = self.record.appraisal(self.place.frame)
            last = max(len(walk(appraisal)) - 1, 0) if appraisal is not None else 0
            at = max(0, min(step, last))
            self.place = Place(self.place.frame, at)
            self._draw(_at_step(at))

    def up(self) -> bool:
        """Go from a frame back to its line; False where there is nothing to go back to."""
        if self.place.frame is None or not isinstance(self.record, Subject):
            return False
        left = self.place.frame
        self.place = Place()
        names = self.names
        self.tab = self._line_tab if self._line_tab in names else names[0]
        self._draw(lambda row: row.jump is not None and row.jump.place == left)
        return True


def _holding(text: str, begin: int) -> Callable[[Row], bool]:
    """A test for the rows of a JSON text, in order: true for the first row from `begin` on that holds the text."""
    wanted, begun = text.casefold(), begin == 0

    def is_it(row: Row) -> bool:
        nonlocal begun
        begun = begun or (row.member is not None and row.member.at is not None and row.member.at >= begin)
        return begun and wanted in row.text.casefold()

    return is_it


def _at_step(step: int) -> Callable[[Row], bool]:
    return lambda row: row.jump is not None and row.jump.step == step


def _outside(rows: list[Row], at: int) -> int:
    """The row of the member around a row, found by its indentation."""
    depth = _indent(rows[at])
    return next((above for above in range(at - 1, -1, -1) if _indent(rows[above]) < depth), at)


def _indent(row: Row) -> int:
    return 0 if row.lead is None else len(row.lead.text)


def _nothing(_look: Look) -> Rows:
    yield row(span("Nothing is selected.", "muted"))
