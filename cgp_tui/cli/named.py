"""A file that the command line names and that is read whole: never more of it than such a file can hold."""

from __future__ import annotations

from pathlib import Path

from cgp_tui.errors import InputError


def read_named(path: Path, most: int, fix: str) -> bytes:
    """The bytes of a file of at most `most`; a pipe will do. Raises InputError unreadable, which says `fix`."""
    try:
        with path.open("rb") as file:
            # A device may never end, and what it gives would all be kept.
            data = file.read(most + 1)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise InputError("unreadable", f"{path} cannot be read: {reason}.", fix) from None
    if len(data) > most:
        raise InputError("unreadable", f"{path} holds more than {most:,} bytes.", fix)
    return data
