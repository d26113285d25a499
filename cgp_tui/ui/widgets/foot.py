"""The bars at the foot of the inspector: warnings, consent, the replay, the status, the keys."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from textual.app import ComposeResult
from textual.timer import Timer
from textual.widget import Widget

from cgp_tui.present.spans import Span, span
from cgp_tui.present.symbols import Symbols
from cgp_tui.text import Shown
from cgp_tui.ui.keys import Key
from cgp_tui.ui.widgets.bars import Either, KeyLine, Line
from cgp_tui.ui.widgets.folded import Folded
from cgp_tui.ui.widgets.ground import Ground

TOLD_SECONDS: Final = 3.0


class Foot(Ground):
    """Bars of one line, and warnings on as many lines as they need. A bar without anything to say takes no room, and is not
    mounted before it says something: each would cost the first paint as much as a visible one."""

    def __init__(self, symbols: Symbols) -> None:
        super().__init__(id="foot")
        self.symbols = symbols
        self.warning = Folded(symbols, id="warning")
        self.hang = Folded(symbols, id="hang")
        self.consent = Line(symbols, id="consent")
        self.hint = Line(symbols, id="hint")
        self.replay = Either(symbols, id="replay")
        self.status = Line(symbols, id="status")
        self.keys = KeyLine(symbols, id="keys")
        self._bars = (self.warning, self.hang, self.consent, self.hint, self.replay, self.status, self.keys)
        self._there: set[Widget] = {self.status, self.keys}
        self._stands = False
        self._hint: Shown | None = None
        self._told: Timer | None = None

    def compose(self) -> ComposeResult:
        self._stands = True
        yield from (bar for bar in self._bars if bar in self._there)

    def _let_show(self, bar: Widget, shown: bool) -> None:
        """Show or hide a bar."""
        bar.set_class(shown, "-shown", update=self._stands and bar in self._there)
        if shown and bar not in self._there:
            self._there.add(bar)
            if self._stands and self.is_attached:
                below = self._bars[self._bars.index(bar) + 1 :]
                self.mount(bar, before=next(one for one in below if one in self._there))

    def _show(self, bar: Line, spans: tuple[Span, ...]) -> None:
        if spans:
            bar.say(spans)
        self._let_show(bar, bool(spans))

    def _say_whole(self, bar: Folded, text: Shown | None) -> None:
        if text is not None:
            bar.say(Span(text, "doubt"))
        self._let_show(bar, text is not None)

    def warn(self, text: Shown | None) -> None:
        """Show what has to stay in view, None for nothing."""
        self._say_whole(self.warning, text)

    def report(self, text: Shown | None) -> None:
        """Show all that is known about a provider that keeps a request waiting, on as many lines as it needs."""
        self._say_whole(self.hang, text)

    def ask(self, text: Shown | None) -> None:
        """Say that a provider waits for consent, without covering the traffic."""
        self._show(self.consent, () if text is None else (span(f" {self.symbols.doubt} ", "doubt"), Span(text, "doubt")))

    def suggest(self, text: Shown | None) -> None:
        """Say what to press next; hidden while `tell` says something."""
        self._hint = text
        if self._told is None:
            self._show(self.hint, () if text is None else (span("   "), Span(text, "muted")))

    def tell(self, text: Shown) -> None:
        """Say a word about what was just pressed; it disappears by itself and covers nothing."""
        if self._told is not None:
            self._told.stop()
        self._show(self.hint, (span("   "), Span(text, "strong")))
        self._told = self.set_timer(TOLD_SECONDS, self._untell)

    def _untell(self) -> None:
        self._told = None
        self.suggest(self._hint)

    def play(self, ways: tuple[tuple[Span, ...], ...]) -> None:
        """Show where the replay stands, in the first of several wordings that fits."""
        self.replay.say_either(ways)
        self._let_show(self.replay, bool(ways))

    def offer(self, keys: Sequence[Key]) -> None:
        """Show the keys that do something here."""
        self.keys.say(keys)
