"""The toolkit's terminal driver, made to survive a terminal that goes away.

The stock driver's writer thread dies with the terminal; its queue then fills, and the app blocks for ever in a write that
nobody takes. Here what cannot be written is dropped, and the app looks at the terminal itself: not every lost terminal
comes with a signal.

It suspends and goes on in the event loop, not in the midst of what a signal interrupts: that may hold the lock of what is
to be written: the stock driver waits for ever. SIGCONT comes to programs that were not suspended, too; then the stock driver
reads the keyboard twice and leaves the terminal raw.

It also dies of bytes that are no UTF-8; here they are replaced. Who sends them may have forgotten the form of mouse reports
that was asked for, so it is asked for again.
"""

from __future__ import annotations

import contextlib
import os
import select
import selectors
import signal
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
        _writer_thread: Any

        def __init__(self, *args: Any, **options: Any) -> None:
            super().__init__(*args, **options)
            self._file = Deaf(self._file)
            self._held = False
            """Whether the terminal is ours: from the start of the application mode to its end."""

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
                    else:
                        # Only of a silent terminal: where the processor was another's, the rest of a sequence lies waiting.
                        for event in parser.tick():
                            self.process_message(event)

        def start_application_mode(self) -> None:
            # In the background the stock driver gives up here, and makes no writer.
            self._writer_thread = None
            super().start_application_mode()
            self._held = self._writer_thread is not None

        def stop_application_mode(self) -> None:
            super().stop_application_mode()
            self._held = False

        def close(self) -> None:
            super().close()
            self._writer_thread = None

        def write(self, data: str) -> None:
            # What is painted while the terminal is another's would wait for a writer that has ended.
            if self._writer_thread is not None:
                self._writer_thread.write(data)

        def _sigtstp_application(self, *args: object) -> None:
            if self._loop.is_closed():
                os.kill(os.getpid(), signal.SIGSTOP)
            else:
                self._loop.call_soon_threadsafe(self._suspend)

        def _sigcont_application(self, *args: object) -> None:
            if not self._loop.is_closed():
                self._loop.call_soon_threadsafe(self._continue)

        def _suspend(self) -> None:
            """Give the terminal back, then stop."""
            if self._held:
                # The stock driver publishes this only where the app suspends itself.
                self._app.app_suspend_signal.publish(self._app)
                self.suspend_application_mode()
                self._must_signal_resume = True
            os.kill(os.getpid(), signal.SIGSTOP)

        def _continue(self) -> None:
            """Take the terminal again. What stopped us without a word may have left it in any mode: then it is first given
            back as we found it."""
            if self._held:
                self.suspend_application_mode()
                self._must_signal_resume = True
            if self._must_signal_resume:
                self.resume_application_mode()
                # The stock driver tells the size, which is no other: of what was on the screen nothing would come back.
                self._app.call_later(self._app.refresh, layout=True)

    return SturdyDriver
