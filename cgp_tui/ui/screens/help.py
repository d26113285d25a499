"""Help: every key with its sentence, what works here first."""

from __future__ import annotations

from collections.abc import Iterable
from typing import ClassVar, Final

from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Vertical
from textual.screen import ModalScreen

from cgp_tui.present.spans import EMPTY, Row, Rows, row, span
from cgp_tui.present.symbols import Look, Symbols
from cgp_tui.ui.keys import KEYS, Key, Where, bindings, key_name
from cgp_tui.ui.stylesheets import stylesheet
from cgp_tui.ui.widgets.bars import PaneTitle
from cgp_tui.ui.widgets.rows import RowsView

_COLUMN: Final = 18


class HelpScreen(ModalScreen[None]):
    """A list made from the key table; any key that leads back closes it."""

    CSS = stylesheet("help")
    BINDINGS: ClassVar[list[BindingType]] = [
        *[binding for binding in bindings("screen", "app") if binding.id in ("app.back", "app.help", "app.leave")]
    ]

    def __init__(self, symbols: Symbols, here: Iterable[Where]) -> None:
        super().__init__()
        self._symbols = symbols
        self._here = frozenset(here)
        self._title = PaneTitle(symbols, "Help: every key")
        self.view = RowsView(symbols=symbols)

    def compose(self) -> ComposeResult:
        with Vertical():
            yield self._title
            yield self.view

    def on_mount(self) -> None:
        self._title.focused(True)
        self.view.show(lambda look: help_rows(self._here, look))
        self.view.focus()

    def action_app_back(self) -> None:
        self.dismiss()

    def action_app_help(self) -> None:
        self.dismiss()

    def action_app_leave(self) -> None:
        self.dismiss()


def help_rows(here: frozenset[Where], look: Look) -> Rows:
    """What answers here, then what does not and why."""
    yield row(span("Here", "strong"))
    for key in KEYS:
        if key.where in here:
            yield _key_row(key)
    absent = [key for key in KEYS if key.where not in here]
    if absent:
        yield EMPTY
        yield row(span("Elsewhere", "strong"))
        for key in absent:
            yield _key_row(key, _ELSEWHERE.get(key.where, ""))
    yield EMPTY
    yield row(span("Signs", "strong"))
    symbols = look.symbols
    for sign, meaning in (
        (symbols.sent, "sent by the host"),
        (symbols.received, "sent by the provider"),
        (symbols.bad, "a violation, a mismatch, a refusal"),
        (symbols.doubt, "advice, a warning"),
        (symbols.quiet, "a note of the recording, or nothing to say"),
    ):
        yield Row((span(meaning),), lead=span(f"  {sign}".ljust(_COLUMN)), rest=span(" " * _COLUMN))


_ELSEWHERE: Final[dict[Where, str]] = {
    "list": "  In a list.",
    "live": "  In a live session.",
    "replay": "  In a replay.",
    "ask": "  In the question form.",
    "consent": "  On the consent screen.",
    "prompt": "  In a consent prompt.",
    "why": "  Where the consent screen says why.",
    "tick": "  On a line that can be ticked.",
    "choice": "  On a line of which one thing is chosen.",
}


def _key_row(key: Key, note: str = "") -> Row:
    names = "  " + " ".join(key_name(name) for name in key.keys) if key.keys else "  by name"
    return Row(
        (span(key.sentence), span(note, "muted")), lead=span(names.ljust(_COLUMN), "strong"), rest=span(" " * _COLUMN)
    )
