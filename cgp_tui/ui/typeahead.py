"""Typing ahead: what is typed or pasted while an input line opens belongs to that line, and what is typed after leaving a
line does not.

The toolkit gives a key to whatever has the focus when the key is read, and moves the focus a moment after it was asked to. A
quick hand, a burst, or anybody on a busy machine is faster than that: letters would be lost, act as keys of the list they
were typed over, or end up in a line that the key before had left.
"""

from __future__ import annotations

from bisect import insort
from collections.abc import Callable
from typing import Final

from textual.command import CommandPalette
from textual.events import Event, Key, Paste
from textual.message import Message
from textual.widget import Widget
from textual.widgets import Input

from cgp_tui.ui.tokens import TokenApp

LOOK_SECONDS: Final = 0.02
"""How soon to look again whether a line has opened or was left."""
MOST_LOOKS: Final = 250
"""After this many looks the keys go to whatever there is. Looks are counted, not seconds, because a busy machine makes few
of them."""

_AIM: Final = "_cgp_aim"
_ORDER: Final = "_cgp_order"

_ROUNDS: Final = 2
"""What a line says is heard by what holds it, and that says something of its own."""


def _order(event: Key | Paste) -> int:
    return int(getattr(event, _ORDER))


class Behind(Message):
    """Goes the way that a line's own messages go: where it arrives, those before it have arrived."""

    def __init__(self, rounds: int) -> None:
        super().__init__()
        self.rounds = rounds


class Landed(Message):
    """Goes the way of a key that was handed to something else than a line: where it arrives, the key has been taken or has
    come to the bindings."""


class TypeAheadApp(TokenApp):
    """An app that hands keys on in the order in which they were typed. A screen that opens an input line says so with
    `takes_text`; one that is not complete when it is painted has a `begin`, for which keys wait; one that was left for
    something still being searched for `waits`. A key keeps the time at which it was typed."""

    def __init__(self) -> None:
        super().__init__()
        self._ahead: list[Key | Paste] = []
        self._typed = 0
        self._times = 0
        self._looks = False
        self._line: Input | None = None
        """The line that may be left by a key that was handed to it."""
        self._leaves: Key | Behind | None = None
        """That key, or what is said behind it."""
        self._behind: Behind | None = None
        self._aloft: Landed | None = None
        """Goes behind the last key that was handed to something else than a line."""
        self._aimed: Widget | None = None
        """What that key was handed to."""

    async def on_event(self, event: Event) -> None:
        if isinstance(event, Key | Paste) and not event.is_forwarded:
            begin = getattr(self.screen, "begin", None)
            if begin is not None:
                await begin()
            self._typed += 1
            if self._ahead or self._waits:
                self._keep(event, self._typed)
            else:
                setattr(event, _ORDER, self._typed)
                await self._hand(event)
            return
        await super().on_event(event)
        if event is self._leaves:
            await self._answered(_ROUNDS if isinstance(event, Key) and event.key == "enter" else 0)

    async def _hand(self, event: Key | Paste) -> None:
        """Give a key to what has the focus now."""
        focused = self.focused
        taken = self._fit(event) if isinstance(event, Paste) else None
        setattr(event, _AIM, focused)
        if isinstance(event, Key) and not event.is_printable and isinstance(focused, Input):
            self._line, self._leaves = focused, event
        await super().on_event(event)
        if event is self._leaves:
            self._behind = Behind(0)
            if not event.is_forwarded or focused is None or not focused.post_message(self._behind):
                self._leaves = self._behind = None
        if taken is not None and focused is not None:
            focused.call_later(taken)
        if focused is not None and not isinstance(focused, Input):
            landed = Landed()
            self._aloft, self._aimed = (landed, focused) if focused.post_message(landed) else (None, None)

    @property
    def _waits(self) -> bool:
        """Whether it is still unknown what the next key is for."""
        return self._line_opens or self._may_be_left or self._would_overtake or getattr(self.screen, "waits", False)

    @property
    def _would_overtake(self) -> bool:
        """Whether a line has opened while a key typed before is still on its way: that key may be of the line."""
        return (
            self._aloft is not None
            and self._aimed is not None
            and self._aimed.is_attached
            and isinstance(self.focused, Input)
        )

    async def on_landed(self, message: Landed) -> None:
        message.stop()
        if message is self._aloft:
            self._aloft = self._aimed = None
            await self._hand_kept()

    @property
    def _may_be_left(self) -> bool:
        """Whether a key that may lead out of a line is still on its way, and the line stands."""
        return self._leaves is not None and self._line is not None and self._line.is_attached

    async def on_behind(self, message: Behind) -> None:
        if message is self._leaves:
            await self._answered(message.rounds - 1)
        elif message is self._behind:
            # The key was stopped on its way.
            await self._answered(0)

    async def _answered(self, rounds: int) -> None:
        """A key has led out of its line, or has not; what the line said is heard first, in so many rounds."""
        self._leaves = self._behind = None
        if rounds and self._line is not None:
            behind = Behind(rounds)
            if self._line.post_message(behind):
                self._leaves = behind
        await self._hand_kept()

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
            self._keep(again, _order(event))

    async def _on_paste(self, event: Paste) -> None:
        """The same for a paste."""
        if self._is_of_the_line(event):
            again = Paste(event.text)
            again.time = event.time
            self._keep(again, _order(event))

    def _is_of_the_line(self, event: Key | Paste) -> bool:
        aim, now = getattr(event, _AIM, None), self.focused
        if aim is None or aim is now or isinstance(aim, Input) or not (self._line_opens or isinstance(now, Input)):
            return False
        event.prevent_default()
        event.stop()
        return True

    def _fit(self, event: Paste) -> Callable[[], None] | None:
        """Make a paste one line where a line is typed; what tells, once it is taken, what was left out."""
        if not isinstance(self.focused, Input):
            return None
        # Imported here, as few people ever paste and the first paint should not wait for it.
        from cgp_tui.ui.pasting import fit

        return fit(event, self.focused, self.screen)

    def _keep(self, event: Key | Paste, order: int) -> None:
        setattr(event, _ORDER, order)
        insort(self._ahead, event, key=_order)
        if not self._looks:
            self._times, self._looks = 0, True
            self._look()

    def _look(self) -> None:
        """Check now and then whether what was typed ahead can be handed on."""
        self._times += 1
        if self._ahead and self._waits and self._times < MOST_LOOKS:
            self.set_timer(LOOK_SECONDS, self._look)
            return
        self._looks = False
        if self._ahead:
            # In the app's own turn, where a key may end it.
            self.call_later(self._hand_kept, self._waits)

    async def _hand_kept(self, anyway: bool = False) -> None:
        """Hand on what was typed ahead, as far as its target is known; or all of it `anyway`."""
        if anyway:
            self._leaves = self._behind = self._aloft = None
        while self._ahead and (anyway or not self._waits):
            self._times = 0
            await self._hand(self._ahead.pop(0))
        if self._ahead and not self._looks:
            self._times, self._looks = 0, True
            self._look()
