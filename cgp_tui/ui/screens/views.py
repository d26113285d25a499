"""The views of one session: traffic, findings, provider. They share one selection: whichever moves it, all show it.

A view keeps its number whether or not those beside it are there. Its pane is made when it is first opened, so that the
first paint does not wait for it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Literal

from textual import events, on
from textual.timer import Timer

from cgp_tui.ui.actor import Actor
from cgp_tui.ui.keymap import keymap_of, spoken
from cgp_tui.ui.keys import KEYS, SPLIT, Where
from cgp_tui.ui.ours import our_app
from cgp_tui.ui.screens.recall import Recalling
from cgp_tui.ui.screens.travel import Traveller
from cgp_tui.ui.source import Source
from cgp_tui.ui.widgets.traffic import TrafficList
from cgp_tui.ui.widgets.viewtabs import Tab, ViewTabs

if TYPE_CHECKING:
    from textual.widget import Widget

    from cgp_tui.ui.widgets.findings import FindingsList
    from cgp_tui.ui.widgets.findings_pane import FindingsPane
    from cgp_tui.ui.widgets.halves import Halves
    from cgp_tui.ui.widgets.provider import ProviderPane
    from cgp_tui.ui.widgets.searched import Searched

View = Literal["traffic", "findings", "provider"]

LOOK_SECONDS: Final = 0.25
"""How often a view that is open takes in what is new."""

_TRAFFIC_ONLY: Final = frozenset(
    {
        "tab.next",
        "tab.next-back",
        "pane.turn",
        *SPLIT,
        "step.on",
        "step.back",
        "step.more",
        "step.less",
        "trust.key",
        "proof.bundle",
        "traffic.follow",
        "session.run",
        "time.mode",
        "list.columns",
    }
)
"""Rows of the key table that are about the two panes of the traffic view."""

_BY_ACTION: Final = {row.action: row for row in KEYS if row.id in _TRAFFIC_ONLY}


class Viewer(Recalling):
    """What switches between the views; `panes` is the traffic."""

    def __init__(self, source: Source) -> None:
        super().__init__(source)
        self.actor: Actor | None = None
        """Who acts, None where nothing can be sent."""
        self.view: View = "traffic"
        self.strip = ViewTabs(self.symbols, id="title")
        self.findings: FindingsPane | None = None
        self.provider: ProviderPane | None = None
        self._looking: Timer | None = None

    # -- which is open

    def view_tabs(self, *, live: bool) -> tuple[Tab, ...]:
        """The views there are; consent stands behind a live session alone."""
        violations, advice, _ = self.source.found
        found = f"{violations + advice:,}" if violations + advice else ""
        tabs = [
            Tab("view.traffic", self.view == "traffic"),
            Tab("view.findings", self.view == "findings", found),
            Tab("view.provider", self.view == "provider"),
        ]
        if live:
            tabs.insert(2, Tab("view.consent"))
        return tuple(tabs)

    @property
    def idle(self) -> frozenset[str]:
        """The ids of rows that do nothing in the view that is open."""
        if self.view == "traffic":
            return frozenset()
        return _TRAFFIC_ONLY if self.halves is None else _TRAFFIC_ONLY.difference(SPLIT)

    @property
    def in_list(self) -> tuple[Where, ...]:
        """The kinds of keys that the open view's own list answers to."""
        return ("list", "group") if self.view == "findings" else ("list",)

    def on_key(self, event: events.Key) -> None:
        """A key that is about the panes of the traffic does nothing in another view, and says so."""
        keymap = keymap_of(self)
        row = next((row for row in _BY_ACTION.values() if event.key in keymap.keys(row)), None)
        if row is not None and row.id in self.idle:
            event.stop()
            self.foot.tell(spoken(self, f"{row.label} is for Traffic: {{view.traffic}} goes there."))

    async def action_view_traffic(self) -> None:
        await self.show_view("traffic")

    async def action_view_findings(self) -> None:
        await self.show_view("findings")

    async def action_view_provider(self) -> None:
        await self.show_view("provider")

    async def show_view(self, view: View) -> None:
        """Open a view on what is selected; the one that is open gets the focus back."""
        if view == "findings" and self.findings is None:
            from cgp_tui.ui.widgets.findings_pane import FindingsPane

            self.findings = FindingsPane(self.source, self.symbols)
            await self.mount(self.findings, after=self.panes)
        if view == "provider" and self.provider is None:
            from cgp_tui.ui.widgets.provider import ProviderPane

            self.provider = ProviderPane(self.source, self.symbols)
            await self.mount(self.provider, after=self.panes)
        self.view = view
        shown: dict[View, Widget | None] = {
            "traffic": self.panes,
            "findings": self.findings,
            "provider": self.provider,
        }
        for name, pane in shown.items():
            if pane is not None:
                pane.display = name == view
        self.look_at_view(entered=True)
        if view == "findings" and self.findings is not None:
            self.findings.stand_in(self.findings.list)
        elif view == "provider" and self.provider is not None:
            self.provider.rows.focus(scroll_visible=False)
        else:
            Traveller.focus_pane(self, detail=False)
        if self._looking is None and view != "traffic":
            self._looking = self.set_interval(LOOK_SECONDS, self.look_at_view)
        self.view_changed()

    @property
    def text(self) -> Searched | None:
        """What `/` searches: in the traffic the detail, where it has the focus; in another view the half that has it."""
        if self.view == "provider" and self.provider is not None:
            return self.provider.rows
        if self.view == "findings" and self.findings is not None:
            return self.findings.about if self.findings.about.has_focus else self.findings.list
        return super().text

    def view_changed(self) -> None:
        """Another view is open."""

    def look_at_view(self, *, entered: bool = False) -> None:
        """Let the open view take in what is new."""
        if self.view == "findings" and self.findings is not None:
            self.findings.look_again()
            if entered:
                self.findings.list.stand_on_line(self._line)
                self.findings.say_about()
        elif self.view == "provider" and self.provider is not None:
            self.provider.look_again(self._connection)
        if self._searched is not None:
            self.say_found()

    @property
    def _line(self) -> int:
        """The selected wire line, 0 for a note or where there is none."""
        source = self.source
        return (source.transcript.row(self.traffic.cursor).n or 0) if source.count else 0

    @property
    def _connection(self) -> int:
        """The connection of what is selected, else the first."""
        source = self.source
        return (source.transcript.row(self.traffic.cursor).connection or 1) if source.count else 1

    def leave_half(self) -> bool:
        """From the lower half of a view to its list; whether that was a step."""
        if self.findings is None or not self.findings.about.has_focus:
            return False
        self.findings.turn()
        return True

    async def leave_view(self) -> bool:
        """From another view to the traffic; whether that was a step."""
        if self.view == "traffic":
            return False
        await self.show_view("traffic")
        return True

    def turn_half(self) -> bool:
        """To the other half of a view that has two; whether a view beside the traffic is open."""
        if self.view == "findings" and self.findings is not None:
            self.findings.turn()
        return self.view != "traffic"

    def on_descendant_focus(self) -> None:
        if self.findings is not None:
            self.findings.focused()
        self.view_changed()

    def action_pane_next(self) -> None:
        if not self.turn_half():
            super().action_pane_next()

    @property
    def halves(self) -> Halves | None:
        """What shares the room of the open view; None in the traffic, whose panes do that, and where there is one list."""
        return self.findings.halves if self.view == "findings" and self.findings is not None else None

    def action_pane_zoom(self) -> None:
        if self.halves is None:
            super().action_pane_zoom()
        else:
            self.halves.zoom()

    def leave_zoom(self) -> bool:
        """Share the room of the open view again; whether that was a step."""
        halves = self.halves
        zoomed = self.view == "traffic" and self.zoomed if halves is None else halves.zoomed
        if zoomed:
            self.action_pane_zoom()
        return zoomed

    def resize_pane(self, by: int) -> None:
        if self.halves is None:
            super().resize_pane(by)
        elif (said := self.halves.give(by)) is not None:
            self.foot.tell(said)

    # -- the one selection

    def on_findings_list_moved(self, event: FindingsList.Moved) -> None:
        event.stop()
        if self.findings is None:
            return
        self.findings.look_again()
        at = self.findings.list.cursor
        place = None if at is None or at.finding is None else self.source.transcript.place(at.finding.line)
        if place is not None and (self.list_filter.taken is None or place in self.list_filter.taken):
            self.traffic.move_to(place)

    async def on_findings_list_opened(self, event: FindingsList.Opened) -> None:
        event.stop()
        at = None if self.findings is None else self.findings.list.cursor
        if at is not None and at.finding is not None and self.go_to_line(at.finding.line):
            await self.show_view("traffic")

    async def on_provider_pane_opened(self, event: ProviderPane.Opened) -> None:
        event.stop()
        self.go_to(event.record)
        await self.show_view("traffic")

    @on(TrafficList.Moved)
    def _selection_moved(self) -> None:
        """Something else moved the selection: a hop, a jump, the overview."""
        if self.view == "findings" and self.findings is not None and not self.traffic.following:
            self.findings.list.stand_on_line(self._line)
            self.findings.say_about()
        elif self.view == "provider":
            self.look_at_view()

    @on(ViewTabs.Chosen)
    async def _view_chosen(self, event: ViewTabs.Chosen) -> None:
        event.stop()
        await our_app(self).run_row(event.key)

    # -- why

    def action_app_why(self) -> None:
        from cgp_tui.ui.screens.explanation import explain

        explain(self)
