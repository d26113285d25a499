"""The findings view: all that is wrong in the session, and what is under the cursor in full below or beside it."""

from __future__ import annotations

from typing import Final

from textual import events
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.widget import Widget

from cgp_tui.present.grouped import At, Tally, about_rows, about_title, beyond_words, nothing_words, tally_words
from cgp_tui.present.spans import Span
from cgp_tui.present.symbols import Symbols
from cgp_tui.text import compose, own
from cgp_tui.ui.source import Source
from cgp_tui.ui.widgets.bars import Line, PaneTitle
from cgp_tui.ui.widgets.findings import FindingsList
from cgp_tui.ui.widgets.halves import Halves
from cgp_tui.ui.widgets.rows import RowsView

_BOTH: Final = 8
"""Below this height there is no room for the list and for what is told of a finding."""
_WIDE: Final = 160
"""From this width on a finding is told beside the list: half of it holds a rule in one line."""


class FindingsPane(Vertical):
    """The list, what it leaves out, and below it, on a wide screen beside it, the row under the cursor in full."""

    def __init__(self, source: Source, symbols: Symbols) -> None:
        super().__init__(id="findings")
        self.source = source
        self.symbols = symbols
        self.list = FindingsList(source, symbols)
        self.about = RowsView(symbols=symbols, id="findings-about")
        self._title = PaneTitle(symbols, "Findings")
        self._beyond = Line(symbols, id="findings-beyond")
        self._below = PaneTitle(symbols, "Finding")
        self._shown: tuple[At | None, object] = (None, None)
        self._found = Vertical(id="findings-found")
        self._told = Vertical(id="findings-told")
        self.halves = Halves(self, self._found, self._told)

    def compose(self) -> ComposeResult:
        with self._found:
            yield self._title
            yield self.list
            yield self._beyond
        with self._told:
            yield self._below
            yield self.about

    def on_resize(self, event: events.Resize) -> None:
        wide = event.size.width >= _WIDE
        self.set_class(wide, "-wide")
        self.halves.place(cramped=event.size.height < _BOTH, beside=wide)

    @property
    def tally(self) -> Tally:
        """How much is known by now."""
        analysis, records = self.source.analysis, self.source.count
        share = 100 if not records else min(analysis.done * 100 // records, 100)
        return Tally(analysis.counts, len(analysis.findings), self.source.counts[1], analysis.done == records, share)

    def look_again(self) -> None:
        """What has come to light since, and how far the checks are."""
        tally = self.tally
        self.list.empty = nothing_words(tally)
        if self.list.look_again() or not len(self.list.grouped):
            self.list.refresh()
        if self.list.cursor is None:
            self.list.stand_on(self.list.grouped.first())
        self._title.say(own("Findings"), tally_words(tally, self.list.grouped.order, self.list.look))
        beyond = beyond_words(tally)
        self._beyond.display = beyond is not None
        if beyond is not None:
            self._beyond.say((Span(compose(" {sign} {said}", sign=own(self.symbols.doubt), said=beyond), "doubt"),))
        self.say_about()

    def say_about(self) -> None:
        """What is under the cursor, in full."""
        at, grouped = self.list.cursor, self.list.grouped
        size = None if at is None or at.finding is not None else len(grouped.group(at.key).findings)
        if (at, size) != self._shown or self._below.title == "Finding":
            self._shown = (at, size)
            self._below.say(about_title(grouped, at), own(""))
            self.about.show(lambda look: about_rows(grouped, at, look))

    def focused(self) -> None:
        """Mark the half that has the focus."""
        self._title.focused(not self.about.has_focus)
        self._below.focused(self.about.has_focus)

    def turn(self) -> None:
        """To the other half."""
        self.stand_in(self.list if self.about.has_focus else self.about)

    def on_descendant_focus(self) -> None:
        # By the mouse too.
        self.halves.bring(second=self.about.has_focus)

    def stand_in(self, half: Widget) -> None:
        """Give the focus to one half; where there is no room for both, it takes the place of the other."""
        self.halves.bring(second=half is self.about)
        half.focus(scroll_visible=False)
