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

from cgp_tui.store.files import UnsafeStoreError, make_folder, open_safely, write_whole

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

    def keep(self, ledger_id: str) -> None:
        """Know from now on that this ledger stands here. Never raises: it does not matter to what was just written."""
        if self._place is None or self._kept == ledger_id:
            return
        self._kept, place = ledger_id, self._place()
        if _read(place) != ledger_id:
            with contextlib.suppress(OSError):
                make_folder(place.parent)
                write_whole(place, f"{ledger_id}\n".encode("ascii"))


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
