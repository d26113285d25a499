"""A file that the command line names and that is read whole: never more of it than such a file can hold."""

from __future__ import annotations

import errno
import os
from pathlib import Path

from cgp_tui.errors import InputError, os_reason


def read_named(path: Path, most: int, fix: str) -> bytes:
    """The bytes of a file of at most `most`; a pipe will do. Raises InputError unreadable, which says `fix`."""
    try:
        data = read_up_to(path, most + 1)
    except (OSError, ValueError) as error:
        reason = os_reason(error)
        raise InputError("unreadable", f"{path} cannot be read: {reason}.", fix) from None
    if len(data) > most:
        raise InputError("unreadable", f"{path} holds more than {most:,} bytes.", fix)
    return data


def read_up_to(path: Path, most: int) -> bytes:
    """The first `most` bytes of a file: a device may never end. Raises OSError, BlockingIOError where there is nothing yet
    and it was opened so that nobody waits, and ValueError for what is no path."""
    data = b""
    with path.open("rb", buffering=0) as file:
        while len(data) < most:
            piece = file.read(most - len(data))
            if piece is None:
                # What came so far would pass for all there is.
                raise BlockingIOError(errno.EAGAIN, os.strerror(errno.EAGAIN))
            if not piece:
                break
            data += piece
    return data
