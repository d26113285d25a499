"""Keep providers away from this program's memory, descriptors, keystrokes and screen.

A provider runs as the same user. Its own session takes the controlling terminal from it, but not the right to open the
terminal's device, nor to look at this process through /proc. Two switches do: a process that cannot be dumped, and
exclusive use of the terminal. Root may open everything; then nothing here helps, and `Terminal.gap` says so.
"""

from __future__ import annotations

import atexit
import contextlib
import os
import signal
import sys
from typing import Final

from cgp_tui.text import Shown, own

AS_ROOT: Final = own("Running as root: nothing keeps providers off your keystrokes and this screen.")
GROUP_ONLY: Final = own(
    "On this system only a provider's process group is ended with it; a process that left the group lives on."
)


def seal() -> bool:
    """Make this process non-dumpable, so that no process of the same user opens its descriptors, memory or environment.
    A debugger of the same user cannot attach either. True where the system does that (Linux)."""
    if os.name != "posix":
        return False
    from cgp_tui.host.guard import be_private

    return be_private()


class Terminal:
    """Our terminal, used exclusively while at least one provider runs. `descriptor` is -1 where there is none.

    Exclusive use means that nobody but root can open the terminal anew, neither a provider nor a `sudo` that asks for a
    password: it ends with the last provider, and `pause` ends it while this program is suspended.
    """

    def __init__(self, descriptor: int) -> None:
        self.descriptor = descriptor
        self._holders = 0
        atexit.register(self.close)

    @classmethod
    def open(cls) -> Terminal:
        """The controlling terminal, else one that stands on a standard stream, else none."""
        if os.name != "posix":
            return cls(-1)
        with contextlib.suppress(OSError):
            return cls(os.open("/dev/tty", os.O_RDWR | os.O_NOCTTY | os.O_CLOEXEC))
        for stream in (0, 1, 2):
            with contextlib.suppress(OSError):
                if os.isatty(stream):
                    return cls(os.dup(stream))
        return cls(-1)

    @property
    def held(self) -> bool:
        return self._holders > 0

    @property
    def gap(self) -> Shown:
        """What a person must know where providers are not kept off this terminal; empty where they are."""
        if self.descriptor < 0:
            return own("")
        if os.geteuid() == 0:
            return AS_ROOT
        return own("")

    def hold(self) -> None:
        """One more provider runs."""
        self._holders += 1
        self._set("TIOCEXCL")

    def release(self) -> None:
        """One provider less; the last one gives the terminal back."""
        self._holders = max(self._holders - 1, 0)
        if not self._holders:
            self._set("TIOCNXCL")

    def pause(self) -> None:
        """Give the terminal back for a while, whoever runs: before this program is suspended."""
        self._set("TIOCNXCL")

    def resume(self) -> None:
        """After a suspension: exclusive again if a provider runs."""
        if self._holders:
            self._set("TIOCEXCL")

    def suspend(self) -> None:
        """Stop this process as Ctrl-Z does, the terminal given back meanwhile; returns when it is continued."""
        self.pause()
        os.kill(os.getpid(), signal.SIGSTOP)
        self.resume()

    def close(self) -> None:
        """Give the terminal back for good. Also runs when the interpreter ends."""
        atexit.unregister(self.close)
        if self.descriptor >= 0:
            if self._holders:
                self._set("TIOCNXCL")
            os.close(self.descriptor)
        self.descriptor, self._holders = -1, 0

    def _set(self, request: str) -> None:
        if self.descriptor < 0 or sys.platform == "win32":
            return
        import fcntl
        import termios

        with contextlib.suppress(OSError):  # a terminal that hung up has nothing to protect
            fcntl.ioctl(self.descriptor, getattr(termios, request))
