"""The ledgers that were set aside before this one: each names the last hash of the one before it, and so vouches for it.

They no longer permit anything. The audit compares with them what left while they were in force.
"""

from __future__ import annotations

import contextlib
import os
from pathlib import Path

import msgspec

from cgp_tui import limits
from cgp_tui.consent import receipt
from cgp_tui.consent.ledger import Ledger, Opened
from cgp_tui.consent.receipt import Receipt
from cgp_tui.store import chain, files, head, paths
from cgp_tui.store.chain import Chain
from cgp_tui.store.files import UnsafeStoreError
from cgp_tui.wire.note import LedgerMark


class Volume(msgspec.Struct, frozen=True):
    """A ledger as evidence: its id, its records, oldest first, and the hash (hex) of its last whole block, empty where there
    is none. `aside` says that it was set aside."""

    ledger_id: str
    receipts: tuple[Receipt, ...]
    last: str
    aside: bool = False

    def agrees(self, mark: LedgerMark) -> bool:
        """Whether a head that was remembered elsewhere is one of this ledger's."""
        if mark.seq < len(self.receipts):
            return self.receipts[mark.seq].prev == mark.hash
        return mark.seq == len(self.receipts) and bool(self.last) and self.last == mark.hash


def present(opened: Opened) -> Volume:
    """The ledger in force. The hash of its last record identifies it, whether or not a head remembers it."""
    return Volume(opened.ledger_id, opened.receipts, opened.end.hash if opened.end is not None else "")


def set_aside(ledger: Ledger) -> tuple[Volume, ...]:
    """The ledgers before this one, newest first, as long as each is vouched for by the one after it. Only reads; a file that
    cannot be read or trusted is not among them."""
    header = ledger.log.view().header
    kept = {one.hashes[-1]: one for one in map(_read, _files(ledger.path)) if one is not None and one.header is not None}
    volumes = []
    while header is not None and (before := kept.pop(header.previous, None)) is not None:
        header = before.header
        assert header is not None  # noqa: S101 -- only these were kept
        volumes.append(Volume(header.ledger_id, before.records, before.hashes[-1], aside=True))
    return tuple(volumes)


def _files(path: Path) -> list[Path]:
    with contextlib.suppress(OSError):
        return [one for one in paths.archive_dir(path).iterdir() if one.name.startswith(f"{path.name}.")]
    return []


def _covered(path: Path) -> int:
    """How many bytes of a ledger were covered by the head that was set aside with it."""
    with contextlib.suppress(OSError, UnsafeStoreError):
        remembered = head.load(path.with_name(path.name + ".head"))
        return remembered.size if remembered else 0
    return 0


def _read(path: Path) -> Chain[Receipt] | None:
    """The good blocks of a file, None where it is not safely ours."""
    with contextlib.suppress(OSError, UnsafeStoreError):
        fd = files.open_safely(path, os.O_RDONLY)
        try:
            return chain.read(files.read_whole(fd, limits.LEDGER_UNCOVERED_BYTES + _covered(path)), receipt.parse)
        finally:
            os.close(fd)
    return None
