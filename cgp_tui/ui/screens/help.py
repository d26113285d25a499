"""Help: every key with its sentence, what works here first."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import ClassVar, Final

from textual.binding import BindingType

from cgp_tui.present.spans import EMPTY, Row, Rows, Span, row, span
from cgp_tui.present.symbols import Look, Symbols
from cgp_tui.store.settings import Complaint
from cgp_tui.text import compose, own, show
from cgp_tui.ui.keymap import Keymap
from cgp_tui.ui.keys import KEYS, Key, Where, bindings, key_name, within
from cgp_tui.ui.screens.dialog import TextDialog

_COLUMN: Final = 21


class HelpScreen(TextDialog):
    """A list made from the key table and the person's own keys; any key that leads back closes it. `complaints` are the
    settings that are not used."""

    BINDINGS: ClassVar[list[BindingType]] = [*[binding for binding in bindings("app") if binding.id == "app.help"]]

    def __init__(
        self, symbols: Symbols, here: Iterable[str], keymap: Keymap | None = None, complaints: Sequence[Complaint] = ()
    ) -> None:
        super().__init__(own("Help: every key"), own(""), symbols)
        self._keymap = Keymap() if keymap is None else keymap
        self._complaints = complaints
        self._here = frozenset(here)

    def on_mount(self) -> None:
        self.view.show(lambda look: help_rows(self._here, look, self._keymap, self._complaints))

    def action_app_help(self) -> None:
        self.dismiss()


def help_rows(here: frozenset[str], look: Look, keymap: Keymap | None = None, complaints: Sequence[Complaint] = ()) -> Rows:
    """What of the settings is not used, what answers here, then what does not and why."""
    keymap = Keymap() if keymap is None else keymap
    if complaints:
        yield row(span("Ignored in settings.toml", "strong"))
        for one in complaints:
            said = compose("{name}: {why} {fix}", name=show(one.name, 80), why=show(one.why, 300), fix=show(one.fix, 300))
            yield Row((Span(said, "doubt"),), lead=span(f"  {look.symbols.doubt} ", "doubt"), rest=span("    "))
        yield EMPTY
    yield row(span("Here", "strong"))
    for key in KEYS:
        if within(key, here):
            yield _key_row(key, keymap)
    absent = [key for key in KEYS if not within(key, here)]
    if absent:
        yield EMPTY
        yield row(span("Elsewhere", "strong"))
        for key in absent:
            yield _key_row(key, keymap, _ELSEWHERE.get(key.where, ""))
    yield EMPTY
    yield row(span("Signs", "strong"))
    symbols = look.symbols
    for sign, meaning in (
        (symbols.cursor, "the row that the keys are about"),
        (symbols.sent, "sent by the host; between two values, what became of the first"),
        (symbols.received, "sent by the provider"),
        (symbols.bad, "a violation, a mismatch, a refusal"),
        (symbols.question, "an exchange that failed; a sender or a signature of which nothing can be said"),
        (symbols.doubt, "advice, a warning"),
        (symbols.good, "it agrees, holds, is granted"),
        (symbols.similar, "a signature that fits, by a signer you do not trust for it, or over less than the frame"),
        (symbols.unequal, "not what was signed, or not the same bytes"),
        (symbols.quiet, "a note of the recording, something not judged yet, or nothing to say"),
        (f"{symbols.heights[0]} {symbols.heights[-1]}", "few and many bytes, in the strip below the traffic"),
        (f"{symbols.folded} {symbols.unfolded}", "folded, and unfolded"),
        (symbols.mark, "a line that you marked"),
        (symbols.cut, "more than there is room for"),
    ):
        yield Row((span(meaning),), lead=span(f"  {sign}".ljust(_COLUMN)), rest=span(" " * _COLUMN))


_ELSEWHERE: Final[dict[Where, str]] = {
    "list": "  In a list.",
    "group": "  In the findings view.",
    "screen": "  In the inspector.",
    "live": "  In a live session.",
    "replay": "  In a replay.",
    "find": "  Where a filter is typed.",
    "jump": "  Where a target to jump to is typed.",
    "ask": "  In the query form.",
    "consent": "  On the consent screen.",
    "prompt": "  In a consent prompt.",
    "why": "  Where the consent screen says why.",
    "tick": "  On a line that can be ticked.",
    "choice": "  On a line of which one thing is chosen.",
}


def _key_row(key: Key, keymap: Keymap, note: str = "") -> Row:
    keys = keymap.keys(key)
    names = "  " + " ".join(map(key_name, keys)) if keys else "  by name"
    said = (span(key.sentence), span(note, "muted"), span(f"  {key.id}", "muted"))
    return Row(said, lead=span(names.ljust(_COLUMN), "strong"), rest=span(" " * _COLUMN))
