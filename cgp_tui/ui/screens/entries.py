"""One list of entries over the whole screen: enter continues to what an entry leads to, or says why that is not possible."""

from __future__ import annotations

from collections.abc import Callable
from typing import ClassVar, Generic, TypeVar

import msgspec
from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Vertical
from textual.message import Message

from cgp_tui.present.spans import GAP, Row, Rows, Span, row, span
from cgp_tui.present.symbols import Look, Symbols
from cgp_tui.text import Shown, own
from cgp_tui.ui.keymap import spoken
from cgp_tui.ui.keys import MENU, bindings, by_id, hints
from cgp_tui.ui.ours import our_app
from cgp_tui.ui.stylesheets import stylesheet
from cgp_tui.ui.toolkit import RestingScreen
from cgp_tui.ui.widgets.bars import KeyLine, PaneTitle
from cgp_tui.ui.widgets.folded import Folded
from cgp_tui.ui.widgets.rows import RowsView, leads

Answer = TypeVar("Answer")


class Menu(msgspec.Struct, Generic[Answer], frozen=True):
    """A titled list. An entry is identified by the place in its row's jump: `obstacle` says why it cannot be chosen, None
    where it can; `does` is the command of cgp-tui that does the same, and the name that it is given; `answer` is what it
    stands for. `greeting` is said at first. `home` means that nothing is behind, so that esc only says how to leave."""

    title: str
    aside: str
    greeting: str
    rows: Callable[[Look], Rows]
    obstacle: Callable[[int], Shown | None]
    does: Callable[[int], tuple[str, str]]
    answer: Callable[[int], Answer]
    home: bool = False


class EntriesView(RowsView):
    """Rows in which the cursor hops from entry to entry, over rows that lead nowhere."""

    def action_nav_down(self) -> None:
        after = next((at for at in range(self.cursor + 1, len(self.rows)) if leads(self.rows[at])), None)
        super().action_nav_down() if after is None else self.move_to(after)

    def action_nav_up(self) -> None:
        before = next((at for at in range(self.cursor - 1, -1, -1) if leads(self.rows[at])), None)
        super().action_nav_up() if before is None else self.move_to(before)


class EntriesScreen(RestingScreen[None], Generic[Answer]):
    """A menu, and below it what is said of the entry under the cursor."""

    CSS = stylesheet("entries")
    AUTO_FOCUS = "#entries"
    BINDINGS: ClassVar[list[BindingType]] = [*bindings("app.back", "app.copy", "app.save")]
    answers: ClassVar[tuple[str, ...]] = MENU

    class Chosen(Message):
        """The person chose the entry of a place."""

        def __init__(self, place: int) -> None:
            super().__init__()
            self.place = place

    def __init__(self, menu: Menu[Answer], symbols: Symbols) -> None:
        super().__init__()
        self._menu = menu
        self._title = PaneTitle(symbols)
        self.view = EntriesView(symbols=symbols, id="entries")
        self.said = Folded(symbols, id="said")
        self._keys = KeyLine(symbols, id="entry-keys")

    def compose(self) -> ComposeResult:
        with Vertical():
            yield self._title
            yield self.view
        yield self.said
        yield self._keys

    def on_mount(self) -> None:
        self._title.say(own(self._menu.title), own(self._menu.aside))
        self._title.focused(True)
        complaint = our_app(self).complaint
        if complaint is None:
            self.said.say_rows(row(span(self._menu.greeting, "muted")))
        else:
            self._doubt(complaint)
        # At home there is nothing behind that esc could lead back to.
        out = by_id("app.leave" if self._menu.home else "app.back")
        self._keys.say([*hints(("list",)), out, *hints(("app",))])
        self.view.show(self._menu.rows, leads)

    def _doubt(self, said: Shown) -> None:
        self.said.say_rows(Row((Span(said, "doubt"),), lead=span(f"{self._keys.symbols.doubt} ", "doubt"), rest=GAP))

    @on(RowsView.Opened)
    def _opened(self, event: RowsView.Opened) -> None:
        event.stop()
        place = event.jump.place
        if place is None:
            return
        why = self._menu.obstacle(place)
        if why is None:
            self.post_message(self.Chosen(place))
        else:
            self._doubt(why)

    def action_app_copy(self) -> None:
        from cgp_tui.ui.screens.copying import menu_items, offer

        jump = self.view.rows[self.view.cursor].jump if self.view.rows else None
        place = None if jump is None else jump.place
        does = None if place is None or self._menu.obstacle(place) is not None else self._menu.does(place)
        offer(self, self.view.symbols, menu_items(self, self.view, does), self._tell)

    def action_app_save(self) -> None:
        from cgp_tui.ui.screens.copying import save_picture

        self._tell(save_picture(self.app))

    def _tell(self, said: Shown) -> None:
        self.said.say_rows(row(Span(said, "strong")))

    @on(KeyLine.Pressed)
    async def _key_pressed(self, event: KeyLine.Pressed) -> None:
        await our_app(self).run_row(event.key)

    async def action_app_back(self) -> None:
        if self._menu.home:
            self.said.say_rows(row(Span(spoken(self, "{app.leave} leaves"), "muted")))
        else:
            await self.app.run_action("app_leave")
