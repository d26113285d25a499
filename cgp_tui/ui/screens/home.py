"""Home: go on with a recording, start a provider, see where consent stands."""

from __future__ import annotations

from functools import partial
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Vertical
from textual.message import Message
from textual.screen import Screen

from cgp_tui.present.home import Choice, Home, choices, home_rows, obstacle
from cgp_tui.present.spans import Span, span
from cgp_tui.present.symbols import Symbols
from cgp_tui.text import own
from cgp_tui.ui.keymap import spoken
from cgp_tui.ui.keys import Where, bindings, by_id, hints
from cgp_tui.ui.screens.providers import EntriesView
from cgp_tui.ui.stylesheets import stylesheet
from cgp_tui.ui.widgets.bars import KeyLine, Line, PaneTitle
from cgp_tui.ui.widgets.rows import RowsView, leads


class HomeScreen(Screen[None]):
    """One list; enter on a row chooses what it leads to."""

    CSS = stylesheet("home")
    AUTO_FOCUS = "#home"
    BINDINGS: ClassVar[list[BindingType]] = [*[binding for binding in bindings("screen") if binding.id == "app.back"]]
    answers: ClassVar[tuple[Where, ...]] = ("list", "app")

    class Chosen(Message):
        """The person chose what to do."""

        def __init__(self, choice: Choice) -> None:
            super().__init__()
            self.choice = choice

    def __init__(self, home: Home, symbols: Symbols) -> None:
        super().__init__()
        self._home = home
        self._title = PaneTitle(symbols, "cgp-tui")
        self.view = EntriesView(symbols=symbols, id="home")
        self.said = Line(symbols, id="said")
        self._keys = KeyLine(symbols, id="home-keys")

    def compose(self) -> ComposeResult:
        with Vertical():
            yield self._title
            yield self.view
        yield self.said
        yield self._keys

    def on_mount(self) -> None:
        self._title.say(own("cgp-tui"), own("home"))
        self._title.focused(True)
        complaint = self.app.complaint  # type: ignore[attr-defined]
        if complaint is None:
            self.said.say((span("See, prove and consent to every piece of context an agent is given.", "muted"),))
        else:
            self.said.say((span("! ", "doubt"), Span(complaint, "doubt")))
        self._keys.say([*hints(("list",)), by_id("app.back"), *hints(("app",))])
        self.view.show(partial(home_rows, self._home), leads)

    @on(RowsView.Opened)
    def _opened(self, event: RowsView.Opened) -> None:
        event.stop()
        place = event.jump.place
        if place is None:
            return
        why = obstacle(self._home, place)
        if why is None:
            self.post_message(self.Chosen(choices(self._home)[place]))
        else:
            self.said.say((span("! ", "doubt"), Span(why, "doubt")))

    @on(KeyLine.Pressed)
    async def _key_pressed(self, event: KeyLine.Pressed) -> None:
        await self.app.run_row(event.key)  # type: ignore[attr-defined]

    async def action_app_back(self) -> None:
        self.said.say((Span(spoken(self, "{app.leave} leaves"), "muted"),))
