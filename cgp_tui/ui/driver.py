"""The toolkit's terminal driver, made to survive a terminal that goes away.

The stock driver's writer thread dies with the terminal; its queue then fills, and the app blocks for ever in a write that
nobody takes. Here what cannot be written is dropped, and the app looks at the terminal itself: not every lost terminal
comes with a signal.
"""

from __future__ import annotations

import select
import sys
from collections.abc import Callable
from typing import IO, TYPE_CHECKING, Any

if TYPE_CHECKING:
    from textual.driver import Driver


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

    class SturdyDriver(base):  # type: ignore[valid-type, misc]
        _file: Any

        def __init__(self, *args: Any, **options: Any) -> None:
            super().__init__(*args, **options)
            self._file = Deaf(self._file)

        def _sigtstp_application(self, *args: object) -> None:
            # The stock driver publishes this only where the app suspends itself.
            self._app.app_suspend_signal.publish(self._app)
            super()._sigtstp_application(*args)

    return SturdyDriver
