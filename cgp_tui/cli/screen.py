"""What a command does before it opens a screen."""

from __future__ import annotations

import gc
import sys
from typing import Final

_GIVES_WAY_SECONDS: Final = 0.001


def open_screen() -> None:
    """Make the way to the first paint short, and refuse where there is no terminal to paint on.

    Nothing that is made before the first paint is garbage, and looking for some would take a fifth of the start: the
    collector rests until the app runs, which turns it on again. Threads that work beside the screen give way to a key
    within a millisecond. Raises InputError no_terminal.
    """
    gc.disable()
    sys.setswitchinterval(_GIVES_WAY_SECONDS)
    try:
        from cgp_tui.ui.crash import need_terminal

        need_terminal()
    except BaseException:
        gc.enable()
        raise
