"""The toolkit's terminal driver, made to survive a terminal that goes away.

The stock driver's writer thread dies with the terminal; its queue then fills, and the app blocks for ever in a write that
nobody takes. Here what cannot be written is dropped, and the app looks at the terminal itself: not every lost terminal
comes with a signal.

It also dies of bytes that are no UTF-8; here they are replaced. Who sends them may have forgotten the form of mouse reports
that was asked for, so it is asked for again.
"""

from __future__ import annotations

import contextlib
import os
import select
import selectors
import sys
from collections.abc import Callable
from typing import IO, TYPE_CHECKING, Any, Final

from cgp_tui.ui.incoming import Incoming

if TYPE_CHECKING:
    from textual.driver import Driver


_CHUNK: Final = 65_536
"""Bytes taken from the terminal at once."""

_LOOK_SECONDS: Final = 0.1
"""How often a silent terminal is looked at: whether the app still wants it, and whether a lone escape was a key."""


class Deaf:
    """A stream that swallows what its terminal no longer takes."""

    def __init__(self, stream: IO[str]) -> None:
        self._stream = stream
        self.lost = False

    def _try(self, act: Callable[[], object]) -> None:
        if not self.lost:
            try:
                act()
            except (OSError, ValueError):
                self.lost = True

    def write(self, text: str) -> int:
        self._try(lambda: self._stream.write(text))
        return len(text)

    def flush(self) -> None:
        self._try(self._stream.flush)

    def fileno(self) -> int:
        return self._stream.fileno()


def hung_up() -> bool:
    """Whether the terminal on stdin is gone. To be asked only where stdin was a terminal: a closed pipe hangs up, too."""
    stream = sys.__stdin__
    if stream is None or not hasattr(select, "poll"):
        return False
    try:
        poll = select.poll()
        poll.register(stream.fileno(), 0)
        return any(mask & (select.POLLHUP | select.POLLERR) for _, mask in poll.poll(0))
    except (OSError, ValueError):
        return False


def sturdy(base: type[Driver]) -> type[Driver]:
    """`base` as a driver for our app: deaf to a lost terminal, and telling the app before the system suspends it."""
    if base.__name__ != "LinuxDriver":
        return base
    from textual._xterm_parser import XTermParser

    class SturdyDriver(base):  # type: ignore[valid-type, misc]
        _file: Any

        def __init__(self, *args: Any, **options: Any) -> None:
            super().__init__(*args, **options)
            self._file = Deaf(self._file)

        def run_input_thread(self) -> None:
            """The stock loop with a decoder that nothing ends; at the end of a terminal that is gone, this ends as well."""
            parser, incoming = XTermParser(self._debug), Incoming()
            # The oldest of the selectors: it knows terminals on every system.
            with selectors.SelectSelector() as selector, contextlib.suppress(OSError):
                selector.register(self.fileno, selectors.EVENT_READ)
                while not self.exit_event.is_set():
                    if selector.select(_LOOK_SECONDS):
                        data, strange = os.read(self.fileno, _CHUNK), incoming.strange
                        if not data:
                            return
                        text = incoming.text(data)
                        if incoming.strange > strange:
                            self._enable_mouse_support()
                        for event in parser.feed(text) if text else ():
                            self.process_message(event)
                    for event in parser.tick():
                        self.process_message(event)

        def _sigtstp_application(self, *args: object) -> None:
            # The stock driver publishes this only where the app suspends itself.
            self._app.app_suspend_signal.publish(self._app)
            super()._sigtstp_application(*args)

    return SturdyDriver
