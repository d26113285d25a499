"""Typing ahead: what is typed or pasted while a line to type in opens belongs into that line.

The toolkit hands a key to whatever has the focus when the key is read, and gives the focus away a moment after it was asked
to. A quick hand, or a burst, is ahead of that: its letters would be lost, or be the keys of the list they were typed over.
"""

from __future__ import annotations

from typing import Final

from textual.command import CommandPalette
from textual.events import Event, Key, Paste
from textual.widgets import Input

from cgp_tui.ui.tokens import TokenApp

MOST_STEPS: Final = 100
"""How often it is looked, refresh by refresh, whether a line has opened; then the keys go to whatever there is."""

JOINS: Final = "joins"
"""The class of a field whose text may be pasted in several lines, which are joined by blanks."""

_AIM: Final = "_cgp_aim"


class AheadApp(TokenApp):
    """An app that hands keys on in the order in which they were typed. A screen that opens a line to type in says so with
    `takes_text`; one that is not all there when it is painted has a `begin`, which a key waits for. A key keeps the time at
    which it was typed."""

    def __init__(self) -> None:
        super().__init__()
        self._ahead: list[Key | Paste] = []
        self._steps = 0

    async def on_event(self, event: Event) -> None:
        if isinstance(event, Key | Paste) and not event.is_forwarded:
            begin = getattr(self.screen, "begin", None)
            if begin is not None:
                await begin()
            if self._ahead or self._line_opens:
                self._keep(event)
                return
            if isinstance(event, Paste):
                self._fit(event)
            setattr(event, _AIM, self.focused)
        await super().on_event(event)

    @property
    def _line_opens(self) -> bool:
        """Whether the screen in front is about to give the focus to a line."""
        screen = self.screen
        return (getattr(screen, "takes_text", False) or isinstance(screen, CommandPalette)) and screen.focused is None

    async def _on_key(self, event: Key) -> None:
        """A key that nothing has taken, on its way to the bindings: where a line has opened since it was typed elsewhere,
        it is of that line."""
        if self._is_of_the_line(event):
            again = Key(event.key, event.character)
            again.time = event.time
            self._keep(again)

    async def _on_paste(self, event: Paste) -> None:
        """The same of what was pasted."""
        if self._is_of_the_line(event):
            again = Paste(event.text)
            again.time = event.time
            self._keep(again)

    def _is_of_the_line(self, event: Key | Paste) -> bool:
        aim, now = getattr(event, _AIM, None), self.focused
        if aim is None or aim is now or isinstance(aim, Input) or not (self._line_opens or isinstance(now, Input)):
            return False
        event.prevent_default()
        event.stop()
        return True

    def _fit(self, event: Paste) -> None:
        """Make a paste one line where a line is typed."""
        if isinstance(self.focused, Input):
            # Few ever paste: the first paint does not wait for it.
            from cgp_tui.ui.pasting import fit

            fit(event, self.focused, self.screen)

    def _keep(self, event: Key | Paste) -> None:
        self._ahead.append(event)
        if len(self._ahead) == 1:
            self._steps = 0
            self._hand_on()

    def _hand_on(self) -> None:
        """Give what was typed ahead to the line, once it is there."""
        self._steps += 1
        if self._line_opens and self._steps < MOST_STEPS:
            self.screen.call_after_refresh(self._hand_on)
            return
        kept, self._ahead = self._ahead, []
        for event in kept:
            if isinstance(event, Paste):
                self._fit(event)
            (self.focused or self.screen)._forward_event(event)
