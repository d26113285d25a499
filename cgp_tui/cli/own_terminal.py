"""This program and its terminal, kept from a provider that a command starts."""

from __future__ import annotations

import asyncio
import contextlib
import signal
from collections.abc import Iterator

from cgp_tui.host.protect import Terminal, seal


@contextlib.contextmanager
def kept() -> Iterator[Terminal]:
    """The terminal for `Host`, within an event loop: nobody else may open it while a provider runs, nor look into this
    process from now on. Ctrl-Z gives it back before it stops us, or no program could open it meanwhile."""
    seal()
    terminal = Terminal.open()
    if terminal.descriptor >= 0 and signal.getsignal(signal.SIGTSTP) is not signal.SIG_IGN:
        asyncio.get_running_loop().add_signal_handler(signal.SIGTSTP, terminal.suspend)
    try:
        yield terminal
    finally:
        terminal.close()
