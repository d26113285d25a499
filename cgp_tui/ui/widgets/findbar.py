"""The line in which a filter or a text to search for is typed."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Horizontal
from textual.message import Message
from textual.widgets import Input

from cgp_tui import limits
from cgp_tui.present.filterbar import search_spans
from cgp_tui.present.spans import Span, span
from cgp_tui.present.symbols import Symbols
from cgp_tui.ui.keys import bindings
from cgp_tui.ui.pasting import JOINS
from cgp_tui.ui.widgets.bars import Line
from cgp_tui.ui.widgets.rows import RowsView


class FindBar(Horizontal):
    """Posts what is typed, and when typing is done; the listener reports the result (`say`)."""

    BINDINGS: ClassVar[list[BindingType]] = [*bindings("find")]

    class Typed(Message):
        """The text of the line has changed."""

        def __init__(self, text: str) -> None:
            super().__init__()
            self.text = text

    class Done(Message):
        """The person is done typing."""

    class Older(Message):
        """The person wants what was typed before (`by` 1), or after it (-1)."""

        def __init__(self, by: int) -> None:
            super().__init__()
            self.by = by

    class Saved(Message):
        """The person wants the list of the saved filters."""

    class Keep(Message):
        """The person wants to save the text of the line under a name."""

    def __init__(self, symbols: Symbols) -> None:
        super().__init__()
        self.symbols = symbols
        self._sign = Line(symbols)
        self._sign.add_class("sign")
        self.field = Input(compact=True)
        self._said = Line(symbols)
        self._said.add_class("said")
        self.completes = False
        """Whether a filter is typed, whose words can be completed."""
        self.saved: Callable[[], Mapping[str, str]] = dict
        """The filters that were saved under a name."""

    def compose(self) -> ComposeResult:
        yield self._sign
        yield self.field
        yield self._said

    def on_mount(self) -> None:
        self.field.max_length = limits.FILTER_CHARS

    def open(self, text: str, *, filters: bool) -> None:
        """Let something be typed, beginning with `text`."""
        self.completes = filters
        self.field.set_class(filters, JOINS, update=False)
        self.show(text)
        # At once: what is typed next is of the line.
        self.screen.set_focus(self.field, scroll_visible=False)

    def show(self, text: str) -> None:
        """Show the line with this text, without going into it."""
        self._sign.say((span(" / ", "strong"),))
        self.set(text)
        self.add_class("-shown")

    def set(self, text: str) -> None:
        """Put another text into the line."""
        self.field.value = text
        self.field.cursor_position = len(text)

    def close(self) -> None:
        self.remove_class("-shown")

    @property
    def shown(self) -> bool:
        return self.has_class("-shown")

    def say(self, spans: tuple[Span, ...]) -> None:
        """Show the result at the right; an error gets more of the room."""
        self._said.set_class("bad" in {part.token for part in spans}, "-bad")
        self._said.say(spans)

    @on(Input.Changed)
    def _changed(self, event: Input.Changed) -> None:
        event.stop()
        self.post_message(self.Typed(event.value))

    @on(Input.Submitted)
    def _submitted(self, event: Input.Submitted) -> None:
        event.stop()
        self.post_message(self.Done())

    def action_find_complete(self) -> None:
        """Complete the text with the first possible word; each further time with the next one."""
        from cgp_tui.analysis.filter import complete

        if not self.completes:
            return
        text = self.field.value
        found = complete(text, self.saved())
        known = [one for one in found if text[: one.start] + one.text != text]
        if known:
            self.set(text[: known[0].start] + known[0].text)

    def action_find_saved(self) -> None:
        self.post_message(self.Saved())

    def action_find_keep(self) -> None:
        self.post_message(self.Keep())

    def action_find_older(self) -> None:
        self.post_message(self.Older(1))

    def action_find_newer(self) -> None:
        self.post_message(self.Older(-1))


class SearchBar(FindBar):
    """The line in which a text to search for is typed, on a screen beside the text it is about, `view`."""

    def __init__(self, symbols: Symbols, view: RowsView) -> None:
        super().__init__(symbols)
        self._view = view

    def turn_to(self, view: RowsView) -> None:
        """Of several texts, search this one from now on."""
        self._view = view

    def ask(self) -> None:
        """Let a text be typed."""
        self.open(self._view.wanted, filters=False)
        self._say()

    def leave(self) -> bool:
        """One step back: first out of the line, then the line closes. Returns whether there was a step."""
        if self.field.has_focus:
            self._view.focus(scroll_visible=False)
            if self._view.wanted:
                return True
        elif not self.shown:
            return False
        self._view.search("")
        self.close()
        return True

    def step(self, forward: bool) -> None:
        """To the next place that holds the text, or the one before."""
        if self._view.wanted:
            self._view.step_match(forward)
            self._say()

    def _say(self) -> None:
        view = self._view
        self.say(search_spans(view.match_place, len(view.matches), self.symbols) if view.wanted else ())

    @on(FindBar.Typed)
    def _search(self, event: FindBar.Typed) -> None:
        event.stop()
        self._view.search(event.text)
        self._say()

    @on(FindBar.Done)
    def _searched(self, event: FindBar.Done) -> None:
        event.stop()
        self._view.focus(scroll_visible=False)


class Searching:
    """The keys of a screen that has a line of its own to search with, `search`."""

    search: SearchBar

    def action_find_open(self) -> None:
        self.search.ask()

    def action_find_next(self) -> None:
        self.search.step(True)

    def action_find_next_back(self) -> None:
        self.search.step(False)
