"""Jumping: a line to type a target in, suggestions below it, and the way there."""

from __future__ import annotations

import asyncio
from functools import partial
from time import monotonic
from typing import TYPE_CHECKING, ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.widgets import Input
from textual.worker import Worker

from cgp_tui.present.spans import Row, Rows, Span, row, span
from cgp_tui.present.subject import Subject
from cgp_tui.present.symbols import Look
from cgp_tui.text import Shown, compose, join, own, show
from cgp_tui.ui import pace
from cgp_tui.ui.jump import LONGEST, Landing, NowhereError, Search, look_for
from cgp_tui.ui.keymap import spoken
from cgp_tui.ui.keys import bindings, by_id, hints
from cgp_tui.ui.offers import Offer, met, offers
from cgp_tui.ui.screens.dialog import Dialog
from cgp_tui.ui.widgets.bars import KeyLine, Line
from cgp_tui.ui.widgets.rows import RowsView

if TYPE_CHECKING:
    from cgp_tui.ui.screens.inspector import InspectorScreen

_COLUMN = 24


def open_jump(screen: InspectorScreen) -> None:
    """Ask for a target, and go there."""

    async def landed(landing: Landing | None) -> None:
        if landing is not None:
            await land(screen, landing)

    screen.app.push_screen(JumpScreen(screen), landed)


async def jump_to(screen: InspectorScreen, text: str) -> None:
    """Go to what a text names, or say that it is nowhere."""
    try:
        landing = await found(look_for(screen.source, text, screen.traffic.cursor))
    except NowhereError as error:
        screen.foot.tell(show(str(error), 300))
    else:
        await land(screen, landing)


async def found(search: Search) -> Landing:
    """The result of a search; keys are answered between its slices. Raises NowhereError."""
    while True:
        try:
            next(search)
        except StopIteration as end:
            landing: Landing = end.value
            return landing
        await asyncio.sleep(0)


def _frames_of(screen: InspectorScreen) -> tuple[tuple[str, Landing], ...]:
    """The frames of the selected answer by id."""
    record, at = screen.detail.record, screen.traffic.cursor
    frames = record.frames if isinstance(record, Subject) else None
    if frames is None or not isinstance(record, Subject):
        return ()
    served = enumerate(frames.result.frames)
    return tuple((frame.id, Landing(at, record.decoded.place(index))) for index, frame in served)


async def land(screen: InspectorScreen, landing: Landing) -> None:
    """Put the cursor on a record, and open a frame of it."""
    screen.go_to(landing.at)
    if landing.place is not None:
        await screen.show_view("traffic")
        screen.open_frame(landing.place)


class JumpScreen(Dialog[Landing]):
    """Its result is where to go, None where the person left."""

    takes_text: ClassVar = True
    BINDINGS: ClassVar[list[BindingType]] = [*bindings("jump")]

    def __init__(self, inspector: InspectorScreen) -> None:
        super().__init__(own("Jump to"), "enter goes there", inspector.symbols)
        self._source = inspector.source
        self._cursor = inspector.traffic.cursor
        self._frames = _frames_of(inspector)
        self._field = Input("", "a line, 50%, a time, a rule, a provider, a frame", compact=True, max_length=LONGEST)
        self._list = RowsView(symbols=inspector.symbols)
        self._list.can_focus = False
        self._said = Line(inspector.symbols)
        self._keys = KeyLine(inspector.symbols)
        self._offered: list[Offer] = []
        self._chosen = 0
        self._turned = False
        self._search: Worker[None] | None = None
        self._meeting: Worker[None] | None = None

    def body(self) -> ComposeResult:
        yield self._field
        yield self._list
        yield self._said
        yield self._keys

    def on_mount(self) -> None:
        self._keys.say([*hints(("jump",)), by_id("app.back")])
        self._offer()

    @property
    def said(self) -> Shown:
        """The sentence below the list."""
        return join("", [part.text for part in self._said.spans])

    @property
    def offered(self) -> list[str]:
        """The suggestions, as they would be typed."""
        return [offer.text for offer in self._offered]

    def _offer(self) -> None:
        self._offered = offers(self._source, self._field.value, self._frames)
        self._chosen, self._turned = 0, False
        self._list.show(self._rows)
        if self._meeting is not None:
            self._meeting.cancel()
        # Passed as a function, so that no coroutine is made for a search that is dropped before it begins.
        self._meeting = self.run_worker(partial(self._meet, self._field.value))

    async def _meet(self, text: str) -> None:
        """Add ids found by a search to the suggestions; keys are answered meanwhile."""
        known = {one.text for one in self._offered[1:]}
        end = monotonic() + pace.SLICE_SECONDS
        for offer in met(self._source, text, self._cursor):
            if offer is not None and offer.text not in known:
                self._offered.append(offer)
                self._list.show(self._rows, self._chosen, hold=True)
            if monotonic() >= end:
                await asyncio.sleep(0)
                end = monotonic() + pace.SLICE_SECONDS

    def _rows(self, _look: Look) -> Rows:
        for offer in self._offered:
            lead = Span(compose("{text}  ", text=show(offer.text, _COLUMN)), "strong")
            yield Row((lead, Span(offer.sentence, "muted")), rest=span("  "))
        if not self._offered:
            yield row(span("Nothing is called that so far.", "muted"))

    @on(Input.Changed)
    def _changed(self, event: Input.Changed) -> None:
        event.stop()
        self._stop()
        self._said.say(())
        self._offer()

    @on(Input.Submitted)
    def _submitted(self, event: Input.Submitted) -> None:
        event.stop()
        target = self._offered[self._chosen].target if self._turned else event.value
        self._stop()
        if isinstance(target, Landing):
            self.dismiss(target)
            return
        self._said.say((Span(spoken(self, "  looking… {app.back} leaves"), "muted"),))
        self._search = self.run_worker(self._go(target))

    async def _go(self, text: str) -> None:
        try:
            landing = await found(look_for(self._source, text, self._cursor))
        except NowhereError as error:
            self._said.say((span(f" {self._list.symbols.bad} ", "bad"), Span(show(str(error), 300), "bad")))
        else:
            self.dismiss(landing)

    def _stop(self) -> None:
        if self._search is not None:
            self._search.cancel()
            self._search = None

    def action_jump_next(self) -> None:
        self._turn(1)

    def action_jump_next_back(self) -> None:
        self._turn(-1)

    def _turn(self, by: int) -> None:
        self._chosen = max(0, min(self._chosen + by, len(self._offered) - 1))
        self._turned = bool(self._offered)
        self._list.move_to(self._chosen)

    def action_jump_complete(self) -> None:
        text = self._offered[self._chosen].typed if self._offered else None
        if text is not None:
            self._field.value = text
            self._field.cursor_position = len(text)

    @on(KeyLine.Pressed)
    async def _key_pressed(self, event: KeyLine.Pressed) -> None:
        event.stop()
        await self.run_action(event.key.action)

    def action_app_back(self) -> None:
        self._stop()
        self.dismiss(None)
