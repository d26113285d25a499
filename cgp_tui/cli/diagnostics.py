"""All of stderr, and what a failure means for the exit code."""

from __future__ import annotations

import contextlib
import os
import signal
import sys
import time
import traceback
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Final

import typer
from typer.exceptions import TyperException

from cgp_tui import limits
from cgp_tui.cli import complaint, output
from cgp_tui.errors import SCARCE, Error, InputError, OurError, PeerError, RefusedError, folder_gone
from cgp_tui.text import Shown, own, show

GOOD: Final = 0
FELL_SHORT: Final = 1
USAGE: Final = 2
REFUSED: Final = 3
PROVIDER: Final = 4
DEFECT: Final = 70
"""An error of our own program (EX_SOFTWARE): no promise of the command contract covers it."""
INTERRUPTED: Final = 130
_COMMAND: Final = "cgp-tui "
_DRAWN_EVERY: Final = 0.2
"""Seconds between two drawings of progress."""
SIGNALLED: Final = 128
"""Beyond it, an exit code says that a signal ended the run, and which."""

_BY_CLASS: Final = ((InputError, USAGE), (RefusedError, REFUSED), (PeerError, PROVIDER), (OurError, USAGE))
_BY_CODE: Final = {"unrecordable": REFUSED, "lock_timeout": REFUSED, "store_unsafe": REFUSED, "spawn_failed": PROVIDER}
"""Where the code says more than the class: what shuts the gate is a refusal, whoever raised it, and a program that is not
there is a provider that failed, not a line that was mistyped."""


def exit_code(error: Exception) -> int:
    """The exit code of a failure: by its code, else by whose fault it is."""
    if not isinstance(error, Error):
        return DEFECT
    if error.code in _BY_CODE:
        return _BY_CODE[error.code]
    return next(code for kind, code in _BY_CLASS if isinstance(error, kind))


def say(line: Shown) -> None:
    """One line of narration on stderr; a stderr that is gone is no reason to fail."""
    if sys.stderr is None:
        return
    with contextlib.suppress(OSError, ValueError):
        sys.stderr.buffer.write(output.encode(f"{line}\n", sys.stderr.encoding))
        sys.stderr.buffer.flush()


class Progress:
    """How far a long run has come, on one line of stderr that is rubbed out at the end of the `with` block. Nothing is drawn
    but where stderr is a terminal and stdout, whose lines would mix with it, is none."""

    def __init__(self, total: int) -> None:
        self._total = total
        self._drawn = 0.0
        self._width = 0
        self._wanted = bool(sys.stderr and sys.stderr.isatty() and not (sys.stdout and sys.stdout.isatty()))

    def __call__(self, done: int, findings: int) -> None:
        """So many of the total lines are done, and so many findings were told."""
        if not self._wanted or time.monotonic() < self._drawn + _DRAWN_EVERY:
            return
        self._drawn = time.monotonic()
        self._draw(f"{done:,} of {self._total:,} lines, {findings:,} findings")

    def __enter__(self) -> Progress:
        return self

    def __exit__(self, *failure: object) -> None:
        if self._width:
            self._draw("")

    def _draw(self, text: str) -> None:
        with contextlib.suppress(OSError, ValueError):
            sys.stderr.buffer.write(f"\r{text:<{self._width}}{'' if text else chr(13)}".encode("ascii"))
            sys.stderr.buffer.flush()
        self._width = max(self._width, len(text))


def problem(error: Exception) -> dict[str, str]:
    """The `error` member of a machine document. What a file says of itself can be of any size; what we say of it cannot."""
    known = _known(error)
    return {"code": known.code, "message": _bounded(known.message), "fix": _bounded(known.fix)}


def _bounded(text: str) -> str:
    more = len(text) - limits.SHOWN_CHARS
    return text if more <= 0 else f"{text[: limits.SHOWN_CHARS]}... [{more:,} more]"


def fail(error: Exception, *, machine: bool = False, document: Callable[[dict[str, str]], object] | None = None) -> int:
    """Report one failure where the caller looks for it and return the exit code.

    On a machine's run stdout carries the one document: `document(problem)` where a command has a shape of its own, else
    `{"error": ...}`. On a person's run stderr carries one line.
    """
    known = _known(error)
    if machine and known.code != "unwritable":
        made = problem(error)
        output.document(document(made) if document is not None else {"error": made})
    else:
        say(_one_line(known))
    return told(error)


def told(error: Exception) -> int:
    """The exit code of a failure that its caller knows of already; where the defect is ours, its traceback on stderr."""
    known = _known(error)
    if known.code == "defect":
        for entry in traceback.format_exception(error, limit=-6):
            for line in entry.splitlines():
                say(show(line))
    return DEFECT if known.code == "defect" else exit_code(known)


_held_back: list[set[int | signal.Signals]] = []
"""What was blocked before each act that is not to be interrupted."""


@contextlib.contextmanager
def undisturbed() -> Iterator[None]:
    """Around an act and the telling of it: an interruption that comes meanwhile counts when `stands` begins, so that nobody
    takes for broken off what was written down."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    _held_back.append(signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT}))
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, _held_back.pop())


@contextlib.contextmanager
def stands(done: Sequence[Shown], fault: Error | None = None) -> Iterator[None]:
    """Around telling what was done: where that fails, as when nobody reads stdout any more, it is told on stderr instead,
    for it stands all the same. `fault` is what a person has to know of it beside that."""
    try:
        if _held_back:
            signal.pthread_sigmask(signal.SIG_SETMASK, _held_back[-1])
        yield
    except BaseException:
        if done:
            say(own("The output was cut short, but this was done:"))
        for line in done:
            say(line)
        if fault is not None:
            say(_one_line(fault))
        raise


@contextlib.contextmanager
def machine(wanted: bool, document: Callable[[dict[str, str]], object]) -> Iterator[None]:
    """Around a command's work: a failure becomes `document(problem)` on stdout, or one line on stderr."""
    try:
        yield
    except (typer.Exit, KeyboardInterrupt):
        raise
    except Exception as error:
        raise typer.Exit(fail(error, machine=wanted, document=document)) from None


def _known(error: Exception) -> Error:
    """Any exception as one of ours: a parser's complaint is a usage error; a current folder that was removed, or what the
    system has no more of, is no fault of anybody's program; anything else is our defect."""
    if isinstance(error, Error):
        return error
    if isinstance(error, TyperException):
        return complaint.known(error)
    if isinstance(error, FileNotFoundError) and _has_no_folder():
        return folder_gone()
    short = _short_of(error)
    if short:
        fix = "Close something, or raise the limit (ulimit -a shows it), and try again."
        return OurError("exhausted", f"The system is out of resources: {short}.", fix)
    return OurError(
        "defect",
        f"cgp-tui has a defect: {type(error).__name__}: {str(error).rstrip('.')}.",
        "Please report it with the lines below.",
    )


def _has_no_folder() -> bool:
    """Whether the current folder was removed, so that no relative path means anything."""
    try:
        Path.cwd()
    except FileNotFoundError:
        return True
    return False


def _short_of(error: Exception) -> str:
    """What the system ran out of when it raised this, empty where it is about something else."""
    if isinstance(error, MemoryError):
        return "out of memory"
    if isinstance(error, OSError) and error.errno in SCARCE:
        return (error.strerror or os.strerror(error.errno)).lower()
    # The one way in which Python says that there is no thread to be had.
    return "no new thread" if isinstance(error, RuntimeError) and "start new thread" in str(error) else ""


def _one_line(error: Error) -> Shown:
    return advice(error.message, error.fix)


def advice(message: str, fix: str) -> Shown:
    """What is wrong and the way out, on one line; a way out that is a command line is said to be one."""
    lead = own("Next: ") if fix.startswith(_COMMAND) else own("")
    return own(" ".join(part for part in (show(message), own(f"{lead}{show(fix)}")) if part))
