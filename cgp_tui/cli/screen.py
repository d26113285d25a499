"""What a command does before it opens a screen."""

from __future__ import annotations

import gc


def open_screen() -> None:
    """Make the way to the first paint short, and refuse where there is no terminal to paint on.

    Nothing that is made before the first paint is garbage, and looking for some would take a fifth of the start: the
    collector rests until the app runs, which turns it on again. Raises InputError no_terminal.
    """
    gc.disable()
    try:
        from cgp_tui.ui.crash import need_terminal

        need_terminal()
    except BaseException:
        gc.enable()
        raise
