"""A question with its answers below it: a text that scrolls where it is longer than the terminal, and what the keys do."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Horizontal, Vertical
from textual.geometry import Size
from textual.screen import ScreenResultType
from textual.widget import Widget
from textual.widgets import Button

from cgp_tui.present.spans import Row
from cgp_tui.present.symbols import Symbols
from cgp_tui.ui.keys import QUESTION, SIDEWAYS, Key, bindings, by_id
from cgp_tui.ui.ours import our_app
from cgp_tui.ui.screens.modal import Modal
from cgp_tui.ui.stylesheets import stylesheet
from cgp_tui.ui.widgets.bars import KeyLine
from cgp_tui.ui.widgets.folded import Folded
from cgp_tui.ui.widgets.scrolled import Scrolled


class Question(Modal[ScreenResultType]):
    """Rows to read, then what `above` has, then the buttons of `answers`. `no` is what esc answers, in a word."""

    CSS = stylesheet("question")
    SCOPED_CSS = False
    """The sheet's rules name this class and are there for those made from it."""
    BINDINGS: ClassVar[list[BindingType]] = [
        *[binding for binding in bindings("screen", "list", "prompt") if binding.id in QUESTION],
        *SIDEWAYS,
    ]
    no: str = ""
    goes_on: ClassVar[tuple[str, str]] = ("Answer", "Give the answer that has the focus.")
    """What enter does, in a word and in a sentence."""
    goes_to: ClassVar[tuple[str, str]] = ("Next answer", "To the next answer.")
    """The same of tab."""

    def __init__(self, symbols: Symbols) -> None:
        super().__init__()
        self.symbols = symbols
        self.text = Scrolled(id="text")
        self._rows = Folded(symbols, id="rows")
        self._keys = KeyLine(symbols)

    def compose(self) -> ComposeResult:
        with Vertical():
            yield from self.title_bar()
            with self.text:
                yield self._rows
                yield from self.fields()
            yield from self.above()
            with Horizontal(id="answers"):
                yield from self.answers()
            yield self._keys

    def title_bar(self) -> Sequence[Widget]:
        """What stands on top."""
        return ()

    def fields(self) -> Sequence[Widget]:
        """What there is to fill in, below the rows; it scrolls with them."""
        return ()

    def above(self) -> Sequence[Widget]:
        """What stands above the answers, always in view."""
        return ()

    def answers(self) -> Sequence[Button]:
        """The buttons; `AUTO_FOCUS` names the safe one."""
        return ()

    def fit_to(self, size: Size) -> None:
        super().fit_to(size)
        below = 2 + len(self.above())  # the answers and the key line
        around = 0 if self.has_class("-low") else len(self.title_bar()) + 4  # the frame, a blank line above and below
        self.text.styles.max_height = max(size.height - below - around, 1)

    def ask(self, *rows: Row) -> None:
        """Put other rows up to be read."""
        self._rows.say_rows(*rows)

    def on_mount(self) -> None:
        self.watch(self.text, "show_vertical_scrollbar", self._say_keys)

    def _say_keys(self) -> None:
        """What the keys do; where everything is in view there is nothing to read on."""
        reads = [by_id("prompt.on")] if self.text.show_vertical_scrollbar else []
        self._keys.say(
            [
                *reads,
                _called(by_id("pane.next"), self.goes_to),
                _called(by_id("nav.open"), self.goes_on),
                _called(by_id("app.back"), (self.no, f"{self.no}: nothing is done.")),
            ]
        )

    @on(KeyLine.Pressed)
    async def _key_pressed(self, event: KeyLine.Pressed) -> None:
        event.stop()
        await our_app(self).run_row(event.key)

    def action_nav_open(self) -> None:
        if isinstance(self.focused, Button):
            self.focused.press()

    def action_pane_next(self) -> None:
        self.focus_next()

    def action_pane_next_back(self) -> None:
        self.focus_previous()

    def action_prompt_on(self) -> None:
        self._scroll(1)

    def action_prompt_back(self) -> None:
        self._scroll(-1)

    def _scroll(self, way: int) -> None:
        """A view on or back, with a line of what stood there."""
        self.text.scroll_relative(y=way * max(self.text.size.height - 1, 1), animate=False, immediate=True)


def _called(row: Key, words: tuple[str, str]) -> Key:
    return row._replace(label=words[0], sentence=words[1])
