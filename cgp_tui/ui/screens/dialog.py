"""A titled frame in front of a screen. Esc leaves it, and whoever pushed it gets None."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Vertical
from textual.screen import ScreenResultType
from textual.widgets import Input

from cgp_tui.present.spans import Row, span
from cgp_tui.present.symbols import Symbols
from cgp_tui.text import Shown
from cgp_tui.ui.keymap import spoken
from cgp_tui.ui.keys import SEARCH, SEARCHES, Key, Where, bindings, by_id, hints
from cgp_tui.ui.ours import our_app
from cgp_tui.ui.screens.modal import Modal
from cgp_tui.ui.stylesheets import stylesheet
from cgp_tui.ui.widgets.bars import KeyLine, PaneTitle
from cgp_tui.ui.widgets.findbar import SearchBar, Searching
from cgp_tui.ui.widgets.fitted import Fitted
from cgp_tui.ui.widgets.folded import Folded
from cgp_tui.ui.widgets.rows import RowsView


class Dialog(Modal[ScreenResultType]):
    """The frame; what is in it is its `body`. `aside` is a sentence of ours, which may name keys by id."""

    CSS = stylesheet("dialog")
    SCOPED_CSS = False
    """The rules of the style sheet name this class and are meant for its subclasses too."""
    BINDINGS: ClassVar[list[BindingType]] = [*[binding for binding in bindings("screen") if binding.id == "app.back"]]

    def __init__(self, title: Shown, aside: str, symbols: Symbols) -> None:
        super().__init__()
        self.symbols = symbols
        self.heading = PaneTitle(symbols)
        self.heading.title = title
        self.heading.focused(True)
        self._aside = aside

    def compose(self) -> ComposeResult:
        self.heading.say(self.heading.title, spoken(self, self._aside))
        with self.frame():
            yield self.heading
            yield from self.body()

    def frame(self) -> Vertical:
        """What holds the title and the body."""
        return Vertical()

    def body(self) -> ComposeResult:
        """What is below the title."""
        return ()

    def action_app_back(self) -> None:
        self.dismiss(None)


class ListDialog(Dialog[ScreenResultType]):
    """A list, and below it what the keys do. `q` leaves too, and the key that revokes everything on the screen behind works
    here as well."""

    BINDINGS: ClassVar[list[BindingType]] = [
        *[binding for binding in bindings("app") if binding.id == "app.leave"],
        *[binding for binding in bindings("live") if binding.id == "consent.revoke-all"],
    ]
    answers: ClassVar[tuple[Where, ...]] = ()
    opens: ClassVar[str] = by_id("nav.open").label
    """What enter does with what the cursor is on, in a word."""

    def __init__(self, title: Shown, aside: str, symbols: Symbols) -> None:
        super().__init__(title, aside, symbols)
        self.view = RowsView(symbols=symbols)
        self.keys = KeyLine(symbols)

    def body(self) -> ComposeResult:
        yield self.view
        yield self.keys

    def on_mount(self) -> None:
        self.keys.say([*self.offers(), by_id("app.back")])
        self.view.focus()

    def offers(self) -> Sequence[Key]:
        """What the keys do here beside leading back."""
        return [row._replace(label=self.opens) if row.id == "nav.open" else row for row in hints(self.answers)]

    @on(KeyLine.Pressed)
    async def _key_pressed(self, event: KeyLine.Pressed) -> None:
        event.stop()
        await our_app(self).run_row(event.key)

    def action_app_leave(self) -> None:
        self.dismiss(None)

    async def action_live_act(self, key: str) -> None:
        """Leave it to the screen behind, which reports the result; this one closes first so as not to cover that."""
        behind = self.app.screen_stack[-2]
        if hasattr(behind, "action_live_act"):
            self.dismiss(None)
            await behind.run_action(f"live_act({key!r})")


class TextDialog(Searching, ListDialog[None]):
    """A text that can be searched, in a frame that fits it."""

    BINDINGS: ClassVar[list[BindingType]] = [*[binding for binding in bindings("screen") if binding.id in SEARCHES]]

    def __init__(self, title: Shown, aside: str, symbols: Symbols) -> None:
        super().__init__(title, aside, symbols)
        self.search = SearchBar(symbols, self.view)

    def body(self) -> ComposeResult:
        yield self.view
        yield self.search
        yield self.keys

    def frame(self) -> Vertical:
        return Fitted(self.view)

    def offers(self) -> Sequence[Key]:
        return [SEARCH]

    def action_app_back(self) -> None:
        if not self.search.leave():
            super().action_app_back()


class LineDialog(Dialog[str]):
    """A line to type in. The result is stripped of blanks, and may be empty."""

    takes_text: ClassVar = True

    def __init__(self, title: Shown, field: Input, hint: str, symbols: Symbols) -> None:
        super().__init__(title, "{app.back} leaves", symbols)
        self._field = field
        self._hint = Folded(symbols)
        self._hint.say_rows(Row((span(hint, "muted"),), lead=span(" "), rest=span(" ")))

    def body(self) -> ComposeResult:
        yield self._field
        yield self._hint

    @on(Input.Submitted)
    def _submitted(self, event: Input.Submitted) -> None:
        event.stop()
        self.dismiss(event.value.strip())
