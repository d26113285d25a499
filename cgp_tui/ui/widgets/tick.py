"""A line that can be ticked: `[x] third-party-index`, by the space bar."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from textual import events
from textual.binding import BindingType
from textual.message import Message
from textual.reactive import var

from cgp_tui.present.layout import within
from cgp_tui.present.spans import Span, span
from cgp_tui.present.symbols import Symbols
from cgp_tui.ui.keys import bindings
from cgp_tui.ui.widgets.bars import Bar


class Tick(Bar, can_focus=True):
    """`name` tells ticks apart. With `by_mouse` a click ticks too; without, it only takes the focus."""

    BINDINGS: ClassVar[list[BindingType]] = [*bindings("tick")]

    value = var(False)

    class Changed(Message):
        def __init__(self, tick: Tick) -> None:
            super().__init__()
            self.tick = tick

    def __init__(self, symbols: Symbols, name: str, *, value: bool = False, by_mouse: bool = True) -> None:
        super().__init__(symbols)
        self.set_reactive(Tick.value, value)
        self.meaning = name
        self.said: tuple[Span, ...] = ()
        self._by_mouse = by_mouse

    def say(self, spans: tuple[Span, ...]) -> None:
        if spans != self.said:
            self.said = spans
            self.refresh()

    def line(self, width: int) -> Sequence[Span]:
        sign = self.symbols.cursor if self.has_focus else " "
        box = span(f"{sign}[{'x' if self.value else ' '}] ", "strong" if self.has_focus else None)
        return within((box, *self.said), width, self.symbols)

    def watch_value(self) -> None:
        self.refresh()
        self.post_message(self.Changed(self))

    def action_item_tick(self) -> None:
        self.value = not self.value

    def on_click(self, event: events.Click) -> None:
        if self._by_mouse:
            self.action_item_tick()

    def on_focus(self) -> None:
        self.refresh()

    def on_blur(self) -> None:
        self.refresh()
