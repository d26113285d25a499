"""One-line widgets: a pane's title, a strip of tabs, the status, the keys."""

from __future__ import annotations

from collections.abc import Sequence

from textual import events
from textual.message import Message
from textual.strip import Strip
from textual.widget import Widget

from cgp_tui.present.layout import cell_width, cut, spans_width, tip_at, within
from cgp_tui.present.spans import Span, Token, span
from cgp_tui.present.symbols import Symbols
from cgp_tui.text import Shown, own
from cgp_tui.ui.content import plain, strip
from cgp_tui.ui.keymap import Keymap, keymap_of
from cgp_tui.ui.keys import Key
from cgp_tui.ui.tokens import tokens


class Bar(Widget):
    """One painted line."""

    ALLOW_SELECT = False

    def __init__(self, symbols: Symbols, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self.symbols = symbols

    def line(self, width: int) -> Sequence[Span]:
        """The spans of the line for a width in cells."""
        return ()

    def render_line(self, y: int) -> Strip:
        width = self.size.width
        if y:
            return Strip.blank(width, self.rich_style)
        return strip(self.line(width), tokens(self), width, self.rich_style)

    def tip_at(self, x: int) -> Shown | None:
        """The sentence shown while the pointer rests on a cell."""
        return tip_at(self.line(self.size.width), x)

    def on_mouse_move(self, event: events.MouseMove) -> None:
        tip = self.tip_at(event.x)
        self.tooltip = None if tip is None else plain(tip)


class PaneTitle(Bar):
    """A rule with a title at its left and an aside at its right, in the first of its wordings that fits; the last one is
    cut. A heavy rule and brackets mark the pane with the focus."""

    def __init__(self, symbols: Symbols, title: str = "", *, id: str | None = None) -> None:
        super().__init__(symbols, id=id)
        self.title = own(title)
        self.aside: Shown = own("")
        self.shorter: tuple[Shown, ...] = ()
        self.active = False

    def say(self, title: Shown, aside: Shown, *shorter: Shown) -> None:
        if (title, aside, shorter) != (self.title, self.aside, self.shorter):
            self.title, self.aside, self.shorter = title, aside, shorter
            self.refresh()

    def focused(self, active: bool) -> None:
        if active != self.active:
            self.active = active
            self.refresh()

    def line(self, width: int) -> Sequence[Span]:
        rule = self.symbols.heavy if self.active else self.symbols.rule
        token: Token | None = "strong" if self.active else "muted"
        title = cut(self.title, max(width - 6, 0), self.symbols)
        room = width - cell_width(title) - 8
        ways = (self.aside, *self.shorter)
        aside = next(
            (way for way in ways if cell_width(way) <= room), cut(ways[-1], room, self.symbols) if room >= 6 else own("")
        )
        right = [span(" "), Span(aside, "muted"), span(f" {rule}", token)] if aside else []
        fill = max(width - 4 - cell_width(title) - spans_width(right), 0)
        opened, closed = ("[", "]") if self.active else (" ", " ")
        return [
            span(f"{rule}{opened}", token),
            Span(title, "strong"),
            span(f"{closed}{rule}{rule * fill}", token),
            *right,
        ]


class TabStrip(Bar):
    """Names side by side, the open one in brackets. A click opens one."""

    class Chosen(Message):
        def __init__(self, index: int) -> None:
            super().__init__()
            self.index = index

    def __init__(self, symbols: Symbols, *, id: str | None = None) -> None:
        super().__init__(symbols, id=id)
        self.names: tuple[Span, ...] = ()
        self.open = 0

    def say(self, names: tuple[Span, ...], open_: int) -> None:
        if (names, open_) != (self.names, self.open):
            self.names, self.open = names, open_
            self.refresh()

    def line(self, width: int) -> Sequence[Span]:
        out: list[Span] = [span(" ")]
        for index, name in enumerate(self.names):
            chosen = index == self.open
            left, right = ("[", "]") if chosen else (" ", " ")
            token: Token = "strong" if chosen else "muted"
            out += [span(left, token), Span(name.text, token, name.tip), span(right, token)]
        return out

    def on_click(self, event: events.Click) -> None:
        at = 1
        for index, name in enumerate(self.names):
            end = at + cell_width(name.text) + 2
            if at <= event.x < end:
                self.post_message(self.Chosen(index))
                return
            at = end


class Line(Bar):
    """Any spans, cut where the width ends."""

    def __init__(self, symbols: Symbols, *, id: str | None = None) -> None:
        super().__init__(symbols, id=id)
        self.spans: tuple[Span, ...] = ()
        self.right: tuple[Span, ...] = ()

    def say(self, spans: tuple[Span, ...], right: tuple[Span, ...] = ()) -> None:
        if (spans, right) != (self.spans, self.right):
            self.spans, self.right = spans, right
            self.refresh()

    def line(self, width: int) -> Sequence[Span]:
        room = width - spans_width(self.right)
        out = within(self.spans, room, self.symbols)
        return [*out, span(" " * max(room - spans_width(out), 0)), *self.right]


class Either(Line):
    """The first of several wordings that fits; the last one is cut."""

    def __init__(self, symbols: Symbols, *, id: str | None = None) -> None:
        super().__init__(symbols, id=id)
        self.ways: tuple[tuple[Span, ...], ...] = ()

    def say_either(self, ways: tuple[tuple[Span, ...], ...]) -> None:
        if ways != self.ways:
            self.ways = ways
            self.refresh()

    def line(self, width: int) -> Sequence[Span]:
        self.spans = next((way for way in self.ways if spans_width(way) <= width), self.ways[-1] if self.ways else ())
        return super().line(width)


class KeyLine(Bar):
    """What the keys do here, from the key table, as many as fit; a click on one does the same."""

    class Pressed(Message):
        def __init__(self, key: Key) -> None:
            super().__init__()
            self.key = key

    def __init__(self, symbols: Symbols, *, id: str | None = None) -> None:
        super().__init__(symbols, id=id)
        self.keys: tuple[Key, ...] = ()
        self._keymap = Keymap()

    def on_mount(self) -> None:
        self._keymap = keymap_of(self)

    def say(self, keys: Sequence[Key]) -> None:
        if tuple(keys) != self.keys:
            self.keys = tuple(keys)
            self.refresh()

    def fitting(self, width: int) -> list[Key]:
        """The keys that fit, always with the last two of the table (commands, help); if not even these fit, the first."""
        kept = list(self.keys)
        while len(kept) > 1 and 1 + sum(map(self._room, kept)) > width + 2:
            if len(kept) == 2:
                return [self.keys[0]]
            kept.pop(-3)
        return kept

    def _room(self, key: Key) -> int:
        return len(self._keymap.shown(key)) + len(key.label) + 3

    def line(self, width: int) -> Sequence[Span]:
        out: list[Span] = [span(" ")]
        for key in self.fitting(width):
            out += [span(self._keymap.shown(key), "strong"), span(f" {key.label}  ", "muted")]
        return out

    def key_at(self, x: int) -> Key | None:
        """The key that stands at a column of the line."""
        at = 1
        for key in self.fitting(self.size.width):
            end = at + self._room(key)
            if at <= x < end:
                return key
            at = end
        return None

    def tip_at(self, x: int) -> Shown | None:
        key = self.key_at(x)
        return None if key is None else own(key.sentence)

    def on_click(self, event: events.Click) -> None:
        key = self.key_at(event.x)
        if key is not None:
            self.post_message(self.Pressed(key))
