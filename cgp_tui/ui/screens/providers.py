"""What is configured: each entry of the providers files, what it would run, and whether that was ever looked at."""

from __future__ import annotations

from functools import partial
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Vertical
from textual.message import Message
from textual.screen import Screen

from cgp_tui.present.providers import Offer, advice, offer_rows
from cgp_tui.present.spans import Span, span
from cgp_tui.present.symbols import Symbols
from cgp_tui.text import own
from cgp_tui.ui.keys import Where, bindings, by_id, hints
from cgp_tui.ui.stylesheets import stylesheet
from cgp_tui.ui.widgets.bars import KeyLine, Line, PaneTitle
from cgp_tui.ui.widgets.rows import RowsView, leads


class EntriesView(RowsView):
    """Rows of which those that lead somewhere are hopped to, from entry to entry."""

    def action_nav_down(self) -> None:
        after = next((at for at in range(self.cursor + 1, len(self.rows)) if leads(self.rows[at])), None)
        super().action_nav_down() if after is None else self.move_to(after)

    def action_nav_up(self) -> None:
        before = next((at for at in range(self.cursor - 1, -1, -1) if leads(self.rows[at])), None)
        super().action_nav_up() if before is None else self.move_to(before)


class ProvidersScreen(Screen[None]):
    """One list. An entry that may be started is picked by enter; of another it is said why not and what leads out."""

    CSS = stylesheet("providers")
    AUTO_FOCUS = "#entries"
    BINDINGS: ClassVar[list[BindingType]] = [*[binding for binding in bindings("screen") if binding.id == "app.back"]]
    answers: ClassVar[tuple[Where, ...]] = ("list", "app")

    class Picked(Message):
        """The person picked an entry to start."""

        def __init__(self, provider_id: str) -> None:
            super().__init__()
            self.provider_id = provider_id

    def __init__(self, offer: Offer, symbols: Symbols) -> None:
        super().__init__()
        self._offer = offer
        self._title = PaneTitle(symbols, "Providers")
        self.view = EntriesView(symbols=symbols, id="entries")
        self.said = Line(symbols, id="said")
        self._keys = KeyLine(symbols, id="provider-keys")

    def compose(self) -> ComposeResult:
        with Vertical():
            yield self._title
            yield self.view
        yield self.said
        yield self._keys

    def on_mount(self) -> None:
        count = len(self._offer.entries)
        self._title.say(own("Providers"), own(f"{count} configured"))
        self._title.focused(True)
        self.said.say((span("Enter starts an entry. Nothing is sent by that.", "muted"),))
        self._keys.say([*hints(("list",)), by_id("app.back"), *hints(("app",))])
        self.view.show(partial(offer_rows, self._offer), leads)

    @on(RowsView.Opened)
    def _opened(self, event: RowsView.Opened) -> None:
        event.stop()
        place = event.jump.place
        if place is None:
            return
        entry = self._offer.entries[place]
        why = advice(entry)
        if why is None:
            self.post_message(self.Picked(entry.spec.id))
        else:
            self.said.say((span("! ", "doubt"), Span(why, "doubt")))

    @on(KeyLine.Pressed)
    async def _key_pressed(self, event: KeyLine.Pressed) -> None:
        await self.app.run_row(event.key)  # type: ignore[attr-defined]

    async def action_app_back(self) -> None:
        await self.app.run_action("app_leave")
