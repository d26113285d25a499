"""The two panes: beside or above each other, how the room is shared, which one has it all."""

from __future__ import annotations

from typing import Final

from textual import events
from textual.geometry import Region, Size
from textual.strip import Strip

from cgp_tui.store.settings import Settings, Turn
from cgp_tui.text import own
from cgp_tui.ui import pace
from cgp_tui.ui.screens.travel import Traveller
from cgp_tui.ui.source import Source
from cgp_tui.ui.widgets.bars import PaneTitle
from cgp_tui.ui.widgets.ground import Ground, alike
from cgp_tui.ui.widgets.halves import STEP, bounded, share_out, single_words

BESIDE_LEAST: Final = 70
"""Below this width panes beside each other hold no row that can be read, whatever was asked for."""


class Paned(Traveller):
    """`turned` is what the person asked for; `shares` are percent of the room for the traffic, where the panes are beside
    each other and where they are stacked. The room of a pane that is small stays what it was when the terminal is small."""

    def __init__(self, source: Source) -> None:
        super().__init__(source)
        self.zoomed = False
        self.turned: Turn = "auto"
        self.shares = {True: Settings().beside, False: Settings().stacked}
        self.panes = Ground(id="panes")
        self.left = Ground(id="traffic-pane")
        self.head = PaneTitle(self.symbols, "Traffic")
        self._drags = False
        self._stood = False

    async def on_event(self, event: events.Event) -> None:
        if isinstance(event, events.ScreenResume) and not self._stood:
            # Each widget has just been styled as it came: all of them once more would only put off the first paint.
            self._stood, event.refresh_styles = True, False
        await super().on_event(event)

    def render_lines(self, crop: Region) -> list[Strip]:
        # Its widgets cover all of it.
        return alike(super().render_lines, crop)

    # -- how they stand

    @property
    def beside(self) -> bool:
        """Whether the panes are beside each other."""
        return self.has_class("-beside")

    @property
    def single(self) -> bool:
        """Whether one pane has all the room."""
        return self.panes.has_class("-one")

    def on_resize(self, event: events.Resize) -> None:
        self.place_again()

    def on_descendant_focus(self) -> None:
        self.place_again()

    def place_again(self) -> None:
        # A text that is searched stays in view while the line is typed in.
        searched = self.in_find and self._searched is self.detail.view
        self.place_panes(self.size, in_detail=searched or self.detail.view.has_focus)

    def place_panes(self, room: Size, *, in_detail: bool, update: bool = True) -> None:
        """Beside or stacked, both panes or one; the pane with the focus is marked."""
        self.head.focused(not in_detail)
        self.detail.focused(in_detail)
        wide = room.width >= (pace.WIDE_CELLS if self.turned == "auto" else BESIDE_LEAST)
        beside = wide and self.turned != "stacked"
        self.set_class(beside, "-beside", update=update)
        self.panes.set_class(self.zoomed or room.height < pace.LOW_ROWS, "-one", update=update)
        self.set_class(room.height < pace.FEW_ROWS, "-low", update=update)
        self.left.set_class(not in_detail, "-kept", update=update)
        self.detail.set_class(in_detail, "-kept", update=update)
        self._share(beside)

    def _share(self, beside: bool) -> None:
        """Give both panes their room."""
        share_out(self.left, self.detail, self.shares[beside], beside=beside)

    def focus_pane(self, *, detail: bool) -> None:
        """Show the pane before it takes the focus: what is hidden cannot have it."""
        self.left.set_class(not detail, "-kept")
        self.detail.set_class(detail, "-kept")
        self.traffic.hold()
        super().focus_pane(detail=detail)

    # -- keys

    def action_pane_next(self) -> None:
        self.focus_pane(detail=not self.detail.view.has_focus)

    def action_pane_next_back(self) -> None:
        self.action_pane_next()

    def action_pane_zoom(self) -> None:
        self.zoomed = not self.zoomed
        self.place_again()

    def action_pane_turn(self) -> None:
        """The other way round, whatever the width would have had."""
        if not self.beside and self.size.width < BESIDE_LEAST:
            self.foot.tell(own(f"Panes beside each other need {BESIDE_LEAST} columns."))
            return
        self.turned = "stacked" if self.beside else "beside"
        self.place_again()
        self._say_single()

    def action_pane_grow(self) -> None:
        self.resize_pane(STEP)

    def action_pane_shrink(self) -> None:
        self.resize_pane(-STEP)

    def resize_pane(self, by: int) -> None:
        """Give the pane with the focus more room, or less."""
        beside = self.beside
        self.share_out(self.shares[beside] + (-by if self.detail.view.has_focus else by))
        self._say_single()

    def share_out(self, share: int) -> None:
        """Give the traffic so much of the room, in percent, as the panes stand now."""
        beside = self.beside
        self.shares[beside] = bounded(share)
        self._share(beside)

    def _say_single(self) -> None:
        if self.single:
            why = "zoomed" if self.zoomed else f"less than {pace.LOW_ROWS} rows"
            self.foot.tell(single_words(why))

    # -- the line between them, under the mouse

    def on_mouse_down(self, event: events.MouseDown) -> None:
        edge, at = self.detail.region, event.screen_x if self.beside else event.screen_y
        inside = edge.contains(event.screen_x, event.screen_y)
        self._drags = not self.single and inside and at == (edge.x if self.beside else edge.y)

    def on_mouse_move(self, event: events.MouseMove) -> None:
        if self._drags:
            room = self.panes.region
            share = (event.screen_x - room.x) / room.width if self.beside else (event.screen_y - room.y) / room.height
            self.share_out(round(share * 100))

    def on_mouse_up(self) -> None:
        self._drags = False
