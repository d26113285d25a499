"""What a command does before it opens a screen."""

from __future__ import annotations

import gc
import sys
from typing import Final

_GIVES_WAY_SECONDS: Final = 0.001


def open_screen() -> None:
    """Shorten the way to the first paint, and refuse where there is no terminal to paint on.

    Nothing made before the first paint is garbage, and searching for some would take a fifth of the start: the collector is
    off until the app runs, which turns it on again. Background threads yield to a key within a millisecond. Raises
    InputError no_terminal.
    """
    gc.disable()
    sys.setswitchinterval(_GIVES_WAY_SECONDS)
    try:
        from cgp_tui.ui.crash import need_terminal

        need_terminal()
    except BaseException:
        gc.enable()
        raise
