"""Ways through a session: from finding to finding, to the other end of an exchange, to the matches of a filter or a text."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from time import monotonic
from typing import TYPE_CHECKING, Final

from textual import on

from cgp_tui.text import Shown, compose, join, own, show
from cgp_tui.ui import pace
from cgp_tui.ui.keymap import look_of, spoken
from cgp_tui.ui.list_filter import ListFilter
from cgp_tui.ui.source import Source
from cgp_tui.ui.toolkit import RestingScreen
from cgp_tui.ui.widgets.detail import Detail
from cgp_tui.ui.widgets.foot import Foot
from cgp_tui.ui.widgets.overview import Overview
from cgp_tui.ui.widgets.traffic import TrafficList

if TYPE_CHECKING:
    from cgp_tui.ui.widgets.findbar import FindBar
    from cgp_tui.ui.widgets.searched import Searched

SLOW_SECONDS: Final = 1.0
"""A reply that took longer is slow."""

FINDING: Final = "hop.finding"
_SOUGHT: Final = {FINDING: "finding", "hop.failed": "failure", "hop.slow": "slow reply"}
"""What the hops look for, in a word for the person, by the id of the key that leads on."""

Seek = Callable[[int, bool], int | None]
"""The next record after a record, or before it; None where there is none."""


class Traveller(RestingScreen[None]):
    """How the inspector moves about. A hop stays among the records that the filter accepts."""

    def __init__(self, source: Source) -> None:
        super().__init__()
        self.source = source
        self.symbols = source.look.symbols
        self.traffic = TrafficList(source, symbols=self.symbols, id="traffic")
        self.detail = Detail(self.symbols, id="detail")
        self.overview = Overview(source, self.symbols)
        self.foot = Foot(self.symbols)
        self.list_filter = ListFilter(source)
        self._searched: Searched | None = None
        """The text that is searched; None where the traffic is filtered."""
        self._found: int | None = None

    @cached_property
    def find(self) -> FindBar:
        """The line in which a filter or a text to search for is typed; not needed for the first paint."""
        from cgp_tui.ui.widgets.findbar import FindBar

        bar = FindBar(self.symbols)
        bar.saved = lambda: self.list_filter.saved.texts
        return bar

    @property
    def in_find(self) -> bool:
        """Whether that line has the focus."""
        return "find" in vars(self) and self.find.field.has_focus

    @property
    def slice_seconds(self) -> float:
        """How long work may go on before keys are looked at again."""
        touched: float = getattr(self.app, "touched", 0.0)
        return pace.BRIEF_SECONDS if monotonic() - touched < pace.TOUCHED_SECONDS else pace.SLICE_SECONDS

    def focus_pane(self, *, detail: bool) -> None:
        """Show one of the two panes and give it the focus."""
        (self.detail.view if detail else self.traffic).focus(scroll_visible=False)

    def go_into_line(self) -> None:
        """Give the focus to the detail; after a hop to a finding, go on into the frame that it is about."""
        self.focus_pane(detail=True)
        if self._found == self.traffic.cursor:
            self.detail.go_into_finding()

    @on(TrafficList.Moved)
    def _moved_on(self) -> None:
        if self.traffic.cursor != self._found:
            self._found = None

    # -- hops

    def go_to_line(self, line: int) -> bool:
        """Put the cursor on a wire line; if the filter hides it, the filter is suspended."""
        place = self.source.transcript.place(line)
        if place is None:
            self.foot.tell(own(f"There is no line {line:,}."))
            return False
        self.go_to(place)
        return True

    def go_to(self, place: int) -> None:
        """Put the cursor on a record, as soon as the filter comes to it; if the filter hides it, or may, it is suspended."""
        taken = self.list_filter.taken
        takes = True if taken is None else taken.takes(place)
        if not takes:
            self.list_filter.suspend()
            self.sift_anew()
            hides = "The filter hides that line" if takes is False else "Whether the filter hides that line is not known yet"
            self.foot.tell(spoken(self, f"{hides}, so it is off. {{find.suspend}} turns it on again."))
        elif taken is not None and place not in taken:
            self.foot.tell(own("The filter is still looking; the cursor goes to that line once it gets there."))
            self.traffic.aim(place)
            return
        self.traffic.move_to(place)

    def _hop(self, seek: Seek, forward: bool, key: str) -> None:
        at = self._sought(seek, forward)
        taken = self.list_filter.taken
        if at is not None:
            self.traffic.move_to(at)
            self._found = at if key == FINDING else None
        elif self.source.done < self.source.count:
            self.foot.tell(own(f"No {_SOUGHT[key]} so far: the checks have not come to the end yet."))
        elif taken is not None and taken.seen < taken.known:
            self.foot.tell(own(f"No {_SOUGHT[key]} so far: the filter has not come to the end yet."))
        else:
            none = own(f"No further {_SOUGHT[key]}." if forward else f"No {_SOUGHT[key]} before this line.")
            self.foot.tell(join(" ", (none, *self._elsewhere(seek, forward, key))))

    def _sought(self, seek: Seek, forward: bool) -> int | None:
        """The record that a hop from the cursor comes to, among those that the filter accepts."""
        at: int | None = self.traffic.cursor
        taken = self.list_filter.taken
        while at is not None:
            at = seek(at, forward)
            if at is not None and (taken is None or at in taken):
                return at
        return None

    def _elsewhere(self, seek: Seek, forward: bool, key: str) -> tuple[Shown, ...]:
        """Where there is something to see all the same: behind the cursor, which follows the end of a live session, or, with
        no finding anywhere, at an exchange that came to nothing."""
        if self._sought(seek, not forward) is not None:
            return (spoken(self, f"{{{key}-back}} leads back to one." if forward else f"{{{key}}} leads on to one."),)
        for ahead in (forward, not forward) if key == FINDING else ():
            if self._sought(self.source.analysis.next_failed, ahead) is not None:
                hop = "hop.failed" if ahead else "hop.failed-back"
                return (spoken(self, f"{{{hop}}} leads to a failure."),)
        return ()

    def _slow(self, at: int, forward: bool) -> int | None:
        return self.source.analysis.next_slow(at, forward, SLOW_SECONDS)

    def action_hop_finding(self) -> None:
        self._hop(self.source.analysis.next_charged, True, FINDING)

    def action_hop_finding_back(self) -> None:
        self._hop(self.source.analysis.next_charged, False, FINDING)

    def action_hop_failed(self) -> None:
        self._hop(self.source.analysis.next_failed, True, "hop.failed")

    def action_hop_failed_back(self) -> None:
        self._hop(self.source.analysis.next_failed, False, "hop.failed")

    def action_hop_slow(self) -> None:
        self._hop(self._slow, True, "hop.slow")

    def action_hop_slow_back(self) -> None:
        self._hop(self._slow, False, "hop.slow")

    def action_hop_pair(self) -> None:
        line = self.source.transcript.row(self.traffic.cursor).n if self.source.count else None
        pair = None if line is None else self.source.analysis.pair(line)
        if pair is None:
            self.foot.tell(own("This line has no pair."))
        else:
            self.go_to_line(pair)

    def action_overview_next(self) -> None:
        self._stretch(1)

    def action_overview_next_back(self) -> None:
        self._stretch(-1)

    def _stretch(self, by: int) -> None:
        """Go to another cell of the overview, among the records that the filter accepts."""
        at = self.overview.beside(self.traffic.cursor, by)
        if at is None:
            self.foot.tell(own("This is the last cell." if by > 0 else "This is the first cell."))
            return
        self.traffic.move_to(at)
        words = self.overview.words_at(at)
        if words is not None:
            self.foot.tell(words)

    # -- marks

    def action_mark_toggle(self) -> None:
        from cgp_tui.ui.screens import marking

        marking.toggle(self)

    def action_mark_note(self) -> None:
        from cgp_tui.ui.screens import marking

        marking.write(self)

    def action_hop_mark(self) -> None:
        from cgp_tui.ui.screens import marking

        marking.hop(self)

    @on(Overview.Chosen)
    def _overview_chosen(self, event: Overview.Chosen) -> None:
        event.stop()
        self.go_to(event.at)

    # -- filter and search

    @property
    def text(self) -> Searched | None:
        """The text that has the focus; None where the traffic has it."""
        return self.detail.view if self.detail.view.has_focus else None

    def action_find_open(self) -> None:
        """Filter the traffic, or search the text that has the focus."""
        self._searched = self.text
        text = self.list_filter.text if self._searched is None else self._searched.wanted
        self.find.open(text, filters=self._searched is None)
        self.say_found()

    def on_find_bar_typed(self, event: FindBar.Typed) -> None:
        event.stop()
        if self._searched is not None:
            self._searched.search(event.text)
        elif self.list_filter.type(event.text):
            self.sift_anew()
        self.say_found()

    def on_find_bar_done(self, event: FindBar.Done) -> None:
        event.stop()
        self.leave_find()

    def on_find_bar_older(self, event: FindBar.Older) -> None:
        event.stop()
        text = None if self._searched is not None else self.list_filter.older(event.by)
        if text is not None:
            self.find.set(text)

    def on_find_bar_saved(self, event: FindBar.Saved) -> None:
        event.stop()
        from cgp_tui.ui.screens import naming

        naming.recall(self)

    def on_find_bar_keep(self, event: FindBar.Keep) -> None:
        event.stop()
        from cgp_tui.ui.screens import naming

        naming.keep(self)

    def filter_by(self, text: str) -> None:
        """Start with a filter, as if it had been typed."""
        self.list_filter.type(text)
        self.list_filter.keep()
        self.sift_anew()
        self.find.show(text)
        self.say_found()

    def leave_find(self) -> None:
        """Go back from the line to the pane it is about; what was typed stays in force."""
        self.list_filter.keep()
        searched = self._searched
        if self.list_filter.filter is None:
            self.find.close()
        elif searched is not None:
            self._searched = None
            self.find.show(self.list_filter.text)
            self.say_found()
        if searched is None or searched is self.detail.view:
            self.focus_pane(detail=searched is not None)
        else:
            searched.focus(scroll_visible=False)

    def drop_filter(self) -> bool:
        """Show everything again. Returns whether there was a filter."""
        self.find.close()
        changed = self.list_filter.clear()
        if changed:
            self.sift_anew()
        return changed

    def action_find_suspend(self) -> None:
        if self.list_filter.suspend():
            self.sift_anew()
            self.say_found()
        else:
            self.foot.tell(spoken(self, "There is no filter. {find.open} makes one."))

    def action_find_next(self) -> None:
        self._match(True)

    def action_find_next_back(self) -> None:
        self._match(False)

    def _match(self, forward: bool) -> None:
        view = self.text or self.detail.view
        if not view.wanted:
            self.foot.tell(spoken(self, "There is no search. {find.open} in a text, as the detail pane, searches it."))
            return
        if view.step_match(forward) is None:
            self.foot.tell(own("The text is not found here."))
        else:
            self.foot.tell(own(f"{(view.match_place or 0) + 1:,} of {len(view.matches):,}"))

    def sift_anew(self) -> None:
        """Show what the filter lets through now."""
        self.list_filter.advance(self.slice_seconds)
        self.traffic.say_empty(self._nothing())
        self.traffic.sift(self.list_filter.taken)

    def _nothing(self) -> Shown:
        from cgp_tui.analysis.filter import by_column

        meant = by_column(self.list_filter.text)
        all_of_them = spoken(self, "No line matches. {find.suspend} shows all of them.")
        return all_of_them if meant is None else compose("{all} Did you mean {it}?", all=all_of_them, it=own(meant))

    def sift_on(self) -> None:
        """Let the filter look at more of the transcript, and say how far it has got."""
        if self.list_filter.taken is not None:
            self.list_filter.advance(self.slice_seconds)
            if self._searched is None:
                self.say_found()

    def say_found(self) -> None:
        """Say in the line what the typed text has found."""
        from cgp_tui.present.filterbar import filter_spans, search_spans

        view, list_filter, sift = self._searched, self.list_filter, self.list_filter.sift
        if view is not None:
            self.find.say(search_spans(view.match_place, len(view.matches), self.symbols) if view.wanted else ())
            return
        error: Shown | None = None if list_filter.error is None else show(list_filter.error.message.rstrip("."), 120)
        if sift is None and error is None:
            self.find.say(())
            return
        count = self.source.count
        taken, seen = (count, count) if sift is None else (len(sift.matches), sift.seen)
        look = look_of(self, self.symbols)
        self.find.say(filter_spans(taken, seen, count, look, error=error, suspended=list_filter.suspended))
