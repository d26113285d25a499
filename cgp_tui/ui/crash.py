"""How the app ends when it must: our own defects, signals, and a terminal that is gone.

Laws:
- A crash never exits 0, restores the terminal first, and shows no local variable: they may hold a credential (C8).
- TERM, HUP, INT and a closed terminal end the app the way `q` does, providers and recording included; the exit code
  says which.
"""

from __future__ import annotations

import asyncio
import contextlib
import gc
import os
import signal
import sys
import threading
from typing import Any, Final

from textual.app import App

from cgp_tui.errors import InputError, OurError
from cgp_tui.ui.driver import hung_up, sturdy

GRACE: Final = 4.0
"""Seconds that ending may take after a signal before the process stops regardless."""

_LOOK_SECONDS: Final = 1.0
"""How often the terminal is checked: if it were lost without a signal, the app would go on running for days."""

_UNCOLLECTED_SECONDS: Final = 0.5
"""By then the first screen is painted, and everything made for it will live as long as the app."""

_SIGNALS: Final = tuple(getattr(signal, name) for name in ("SIGTERM", "SIGHUP", "SIGINT") if hasattr(signal, name))


def need_terminal() -> None:
    """Raises InputError no_terminal unless keyboard and screen are a terminal that can be drawn on."""
    streams = (sys.stdin, sys.stdout, sys.stderr)
    if os.environ.get("TERM") == "dumb" and all(stream is not None and stream.isatty() for stream in streams):
        raise InputError(
            "no_terminal",
            "TERM is dumb, which says that nothing can be drawn on this terminal.",
            "Set TERM to what it is, as in TERM=xterm-256color; `cgp-tui check FILE` reads a transcript without drawing.",
        )
    if any(stream is None or not stream.isatty() for stream in streams):
        raise InputError(
            "no_terminal",
            "This screen needs a terminal for its input and output.",
            "Run it in a terminal; `cgp-tui check FILE` reads a transcript without one.",
        )


class SafeApp(App[object]):
    """An app whose failures leave through its caller, as exceptions, after the terminal is itself again."""

    def __init__(self) -> None:
        super().__init__()
        self.failure: Exception | None = None
        self.signalled: int | None = None
        self._on_terminal = sys.stdin is not None and sys.stdin.isatty()
        self._ending = False
        self._leaving: asyncio.Future[None] | None = None

    async def end_session(self) -> None:
        """Complete what must be whole before the app ends; apps with a session override this."""

    def get_driver_class(self) -> Any:
        return sturdy(super().get_driver_class())

    async def run_async(self, **options: Any) -> object:
        """Run to the end, however it comes: the session ends before the loop does."""
        asyncio.get_running_loop().call_later(_UNCOLLECTED_SECONDS, _collect_again)
        try:
            return await super().run_async(**options)
        finally:
            await self.end_session()

    async def leave(self, code: int = 0) -> None:
        """End the session, then the app. A second call does nothing."""
        if self._ending:
            return
        self._ending = True
        try:
            await self.end_session()
        finally:
            self.exit(code, return_code=code)

    def fail(self, error: Exception) -> None:
        """End because of a defect of ours, found outside the toolkit's own handlers."""
        self._handle_exception(error)

    def _handle_exception(self, error: Exception) -> None:
        self.failure = self.failure or error
        self._return_code = 70
        if self._exception is None:
            self._exception = error
            self._exception_event.set()
        self._close_messages_no_wait()

    def panic(self, *renderables: object) -> None:
        """The toolkit gave up on the terminal's input: end in the same way, without its traceback."""
        self.failure = self.failure or OurError(
            "terminal_lost", "The terminal's input can no longer be read.", "Start again in a working terminal."
        )
        self._return_code = 70
        self._close_messages_no_wait()

    def watch_signals(self) -> None:
        """From now on TERM, HUP, INT and the loss of the terminal end the session; called once, on the app's own loop."""
        loop = asyncio.get_running_loop()
        for number in _SIGNALS:
            with contextlib.suppress(NotImplementedError, RuntimeError, ValueError):
                loop.add_signal_handler(number, self._signalled, number)
        self.set_interval(_LOOK_SECONDS, self._look_at_terminal)

    @property
    def _terminal_is_lost(self) -> bool:
        return self._on_terminal and hung_up()

    def _look_at_terminal(self) -> None:
        if self._terminal_is_lost:
            self._signalled(signal.SIGHUP)

    def _signalled(self, number: int) -> None:
        if self.signalled is not None:
            return
        self.signalled = number
        if self._terminal_is_lost:
            self._forget_terminal()
        timer = threading.Timer(GRACE, os._exit, (128 + number,))
        timer.daemon = True
        timer.start()
        self._leaving = asyncio.ensure_future(self.leave(128 + number))

    def _forget_terminal(self) -> None:
        """Nobody looks at this terminal any more: writing to it would only block."""
        driver = self._driver
        if driver is not None:
            driver.write = _nowhere  # type: ignore[method-assign]


def _collect_again() -> None:
    gc.freeze()
    gc.enable()


def _nowhere(data: str) -> None:
    """Where the output of a closed terminal goes."""


def _drop_output() -> None:
    """Discard what is still buffered for a terminal that is gone, or the interpreter would fail at its very end."""
    null = os.open(os.devnull, os.O_WRONLY)
    for stream in (sys.stdout, sys.stderr):
        os.dup2(null, stream.fileno())
    os.close(null)


def run(app: SafeApp) -> int:
    """Run an app on this terminal and return its exit code; raises what made it fail, the terminal restored.

    Raises InputError no_terminal before anything is drawn.
    """
    need_terminal()
    app.run()
    if hung_up():
        _drop_output()
    if app.failure is not None:
        raise app.failure
    return app.return_code or 0
