"""Finds the head of the ledger at a path, even when the file can no longer say which ledger it is.

A head is found by the id in the ledger. If that id were not kept elsewhere too, a ledger that is gone would look as if it
had never been. The kept id only leads to a head: losing or changing it permits nothing more.
"""

from __future__ import annotations

import contextlib
import os
import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final

from cgp_tui.errors import InputError
from cgp_tui.store import head, locks
from cgp_tui.store.files import UnsafeStoreError, make_folder, open_safely, write_whole

FIRST_BYTES: Final = 4096
"""More than a ledger's first block can ever take."""

_LINE: Final = re.compile(rb"([0-9a-f]{32})\n")


class Heads:
    """Where heads are: at `named` if that is given, else where `of_id` puts the head of an id. The file that `place` gives
    keeps the id of the ledger that was here last."""

    def __init__(self, named: Path | None, of_id: Callable[[str], Path], place: Callable[[], Path] | None = None) -> None:
        self.named = named
        self._of_id = of_id
        self._place = None if named is not None else place
        self._kept = ""

    def of(self, ledger_id: str) -> Path:
        """Where the head of this ledger is."""
        return self.named or self._of_id(ledger_id)

    def usual(self, ledger_id: str) -> Path | None:
        """Where the head of this ledger is for whoever names no place; None where that cannot be known."""
        try:
            return self._of_id(ledger_id)
        except InputError:
            return None

    def last(self) -> Path | None:
        """Where the head is, as far as is known without the ledger; None where no ledger is known to have been here."""
        known = None if self._place is None else _read(self._place())
        return self._of_id(known) if known else self.named

    def spared(self, at: Path) -> str:
        """Why the file at `at` is not removed as a head, as a sentence; empty where it is to be removed.

        Our own folder holds nothing but heads there, while a path that a person named may lead anywhere. The head of
        another ledger is removed all the same: it may be the ledger that was exchanged.
        """
        data = b"" if self.named is None else _beginning(at, 2 * head.SLOT + 1)
        return "" if head.resembles(data) else f"{at} is not a ledger's head, so it is left alone."

    def keep(self, ledger_id: str) -> None:
        """Remember that this ledger is here. Never raises: a failure does not matter to what was just written."""
        if self._place is None or self._kept == ledger_id:
            return
        self._kept, place = ledger_id, self._place()
        if _read(place) != ledger_id:
            with contextlib.suppress(OSError):
                make_folder(place.parent)
                write_whole(place, f"{ledger_id}\n".encode("ascii"))


def must_be_apart(named: Path, others: Sequence[Path]) -> None:
    """Raises InputError usage where a head would be written over the ledger or a lock, its own or another's."""
    for other in others:
        if os.path.realpath(named) == os.path.realpath(other):
            raise InputError(
                "usage", f"The head cannot be kept in {other}: the ledger uses that file itself.", "Name a file of its own."
            )
    locks.must_be_none(named)


def id_in(ledger: Path) -> str:
    """The id that a ledger file gives for itself, whatever else is wrong with it; empty where none is found."""
    found = re.search(rb'^ledger_id = "([0-9a-f]{32})"$', _beginning(ledger, FIRST_BYTES), re.MULTILINE)
    return found[1].decode() if found else ""


def _beginning(path: Path, most: int) -> bytes:
    """The first bytes of a file that is not trusted at all; none where it cannot be read, or not without waiting."""
    with contextlib.suppress(OSError):
        fd = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0))
        try:
            return os.read(fd, most)
        finally:
            os.close(fd)
    return b""


def _read(place: Path) -> str | None:
    """The ledger id kept at `place`, None where there is none that can be trusted."""
    try:
        fd = open_safely(place, os.O_RDONLY)
    except (OSError, UnsafeStoreError):
        return None
    try:
        found = _LINE.fullmatch(os.read(fd, 64))
    except OSError:
        return None
    finally:
        os.close(fd)
    return found[1].decode() if found else None
