"""Opens a file to be read as a transcript: it must be a regular one, whatever its name leads to."""

from __future__ import annotations

import contextlib
import os
import stat
from pathlib import Path
from typing import Final

from cgp_tui.errors import InputError, os_reason
from cgp_tui.text import show

_NO_PIPE: Final = "A transcript is read from a file: write what comes through a pipe into one first."


def opened(path: Path) -> int:
    """A descriptor for reading the regular file at `path`. Raises InputError unreadable for anything else."""
    shown = show(str(path))
    try:
        fd = os.open(
            path, os.O_RDONLY | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
        )
    except FileNotFoundError:
        fix = _NO_PIPE if str(path) == "-" else "Check the path."
        raise InputError("unreadable", f"{shown} does not exist.", fix) from None
    except IsADirectoryError:
        raise InputError("unreadable", f"{shown} is a folder.", "Name a file in it.") from None
    except (OSError, ValueError) as error:
        reason = os_reason(error)
        raise InputError(
            "unreadable", f"{shown} cannot be opened: {show(reason)}.", "Check the path and its permissions."
        ) from None
    kind = os.fstat(fd).st_mode
    if stat.S_ISREG(kind):
        return fd
    with contextlib.suppress(OSError):
        os.close(fd)
    if stat.S_ISDIR(kind):
        raise InputError("unreadable", f"{shown} is a folder.", "Name a file that a recording was written to.")
    raise InputError("unreadable", f"{shown} is not a regular file.", _NO_PIPE)


def failing(path: Path, error: OSError) -> InputError:
    """Why a file that was opened cannot be read: its disk fails, or the folder of another machine has gone."""
    reason = os_reason(error)
    return InputError(
        "unreadable", f"{show(str(path))} cannot be read: {show(reason)}.", "Copy it to another disk, and open the copy."
    )
