"""A question to a person at a terminal: whether one can be asked, and what was typed."""

from __future__ import annotations

import os
import select
import sys


def at_terminal() -> bool:
    """Whether a person can be asked, and can see the question."""
    streams = (sys.stdin, sys.stderr)
    return os.name == "posix" and all(stream is not None and stream.isatty() for stream in streams)


def typed() -> str:
    """The line that is typed from now on, without its end; empty where the terminal goes before there is one.

    A terminal can be lost, closed or set not to wait by another program at any moment: that answers nothing, and is no
    defect of ours.
    """
    import termios

    terminal, line = sys.stdin.fileno(), b""
    try:
        # What was typed before the question was there answers nothing.
        termios.tcflush(terminal, termios.TCIFLUSH)
        while not line.endswith(b"\n") and (piece := _piece(terminal)):
            line += piece
    except (OSError, termios.error):
        return ""
    return os.fsdecode(line).rstrip("\n")


def _piece(terminal: int) -> bytes:
    """What a terminal gives next, waited for; nothing at its end."""
    while True:
        try:
            return os.read(terminal, 4096)
        except BlockingIOError:
            select.select([terminal], [], [])
