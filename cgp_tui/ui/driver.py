"""The toolkit's terminal driver, made to survive a terminal that goes away.

The stock driver's writer thread dies with the terminal; its queue then fills, and the app blocks for ever in a write that
nobody takes. Here what cannot be written is dropped, and the app watches the terminal itself, since not every lost terminal
comes with a signal.

This driver suspends and resumes in the event loop, not inside the signal handler: the interrupted code may hold the lock of
the output, for which the stock driver would wait for ever. Programs that were not suspended may get SIGCONT too; the stock
driver then reads the keyboard twice and leaves the terminal raw.

The stock driver also dies of bytes that are not UTF-8; here they are replaced. A terminal that sends them may have lost the
requested form of mouse reports, so that is requested again.
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
"""The most bytes read from the terminal at once."""

_LOOK_SECONDS: Final = 0.1
"""How often, while the terminal is silent, to check whether the app still wants it and whether a lone escape was a key."""


class Deaf:
    """A stream that drops what its terminal no longer takes."""

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
    """Whether the terminal on stdin is gone. Only meaningful if stdin was a terminal: a closed pipe hangs up too."""
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
            """Whether the terminal is ours, as it is from the start of the application mode to its end."""

        def run_input_thread(self) -> None:
            """The stock loop with a decoder that survives any input; it ends when the terminal is gone."""
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
                        # Only if the terminal is really silent: on a busy machine the rest of a sequence may be waiting.
                        for event in parser.tick():
                            self.process_message(event)

        def start_application_mode(self) -> None:
            # In the background the stock driver would give up here and make no writer.
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
            # While the terminal is not ours, output would wait for a writer that has ended.
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
            """Take the terminal again. If we were stopped without notice it may be in any mode, so first restore it to what
            we found."""
            if self._held:
                self.suspend_application_mode()
                self._must_signal_resume = True
            if self._must_signal_resume:
                self.resume_application_mode()
                # The stock driver reports the size, which has not changed, so nothing on the screen would be redrawn.
                self._app.call_later(self._app.refresh, layout=True)

    return SturdyDriver
