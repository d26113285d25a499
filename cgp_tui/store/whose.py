"""Where the head of the ledger at a path is, also for a file that can no longer say whose it is.

A head is found by the id that stands in the ledger. So a ledger that is gone would be one that never was, were its id not
kept apart from it, too. That leads to a head and to nothing else: where it is lost or changed, nothing more is permitted.
"""

from __future__ import annotations

import contextlib
import os
import re
from collections.abc import Callable
from pathlib import Path
from typing import Final

from cgp_tui.store import head
from cgp_tui.store.files import UnsafeStoreError, make_folder, open_safely, write_whole

FIRST_BYTES: Final = 4096
"""More than a ledger's first block ever takes."""

_LINE: Final = re.compile(rb"([0-9a-f]{32})\n")


class Heads:
    """`named` is the head, else `of_id` says where the one of an id is; `place` keeps whose ledger stood here last."""

    def __init__(self, named: Path | None, of_id: Callable[[str], Path], place: Callable[[], Path] | None = None) -> None:
        self.named = named
        self._of_id = of_id
        self._place = None if named is not None else place
        self._kept = ""

    def of(self, ledger_id: str) -> Path:
        """Where the head of this ledger is."""
        return self.named or self._of_id(ledger_id)

    def last(self) -> Path | None:
        """Where the head is by what is known without the file; None where no ledger is known to have stood here."""
        known = None if self._place is None else _read(self._place())
        return self._of_id(known) if known else self.named

    def spared(self, at: Path) -> str:
        """Why what stands at `at` is not removed as a head, as a sentence; empty where it is to be.

        Where our own folder keeps a head nothing else stands; a path that a person named may lead anywhere. The head of
        another ledger is removed: it is the ledger that may have been put in the place of its own.
        """
        data = b"" if self.named is None else _beginning(at, 2 * head.SLOT + 1)
        return "" if head.resembles(data) else f"{at} is no ledger's head, so it is left as it is."

    def keep(self, ledger_id: str) -> None:
        """Know from now on that this ledger stands here. Never raises: it does not matter to what was just written."""
        if self._place is None or self._kept == ledger_id:
            return
        self._kept, place = ledger_id, self._place()
        if _read(place) != ledger_id:
            with contextlib.suppress(OSError):
                make_folder(place.parent)
                write_whole(place, f"{ledger_id}\n".encode("ascii"))


def id_in(ledger: Path) -> str:
    """The id that a ledger's file gives itself, whatever else is wrong with it; empty where none is found."""
    found = re.search(rb'^ledger_id = "([0-9a-f]{32})"$', _beginning(ledger, FIRST_BYTES), re.MULTILINE)
    return found[1].decode() if found else ""


def _beginning(path: Path, most: int) -> bytes:
    """The first bytes of a file, with no trust in it at all; none where it cannot be read, or not at once."""
    with contextlib.suppress(OSError):
        fd = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0))
        try:
            return os.read(fd, most)
        finally:
            os.close(fd)
    return b""


def _read(place: Path) -> str | None:
    """The ledger_id that is kept at `place`, None where there is none that can be trusted."""
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
