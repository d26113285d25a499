"""The remembered head: how far a ledger had got when its last record was acknowledged.

It lives apart from the ledger, so that an older copy put in the ledger's place is noticed. Two slots of 512 bytes are
written in turn; a write that was cut spoils one of them and the other still stands.
"""

from __future__ import annotations

import hashlib
import os
import re
from pathlib import Path
from typing import Final

import msgspec

from cgp_tui.store import files
from cgp_tui.wire.note import LedgerMark

SLOT: Final = 512

_LINE: Final = re.compile(
    rb"(cgp-tui-head/1 ([0-9a-f]{32}) (0|[1-9][0-9]{0,15}) (0|[1-9][0-9]{0,15}) ([0-9a-f]{64}) )([0-9a-f]{64})\n#*"
)


class Head(msgspec.Struct, frozen=True):
    """The acknowledged end of a ledger: number and hash (hex) of its last block, and the size up to there in bytes."""

    ledger_id: str
    seq: int
    size: int
    hash: str

    @property
    def mark(self) -> LedgerMark:
        """As receipts of a send carry it."""
        return LedgerMark(self.ledger_id, self.seq, self.hash)


def slot(head: Head) -> bytes:
    """The 512 bytes of one slot."""
    line = f"cgp-tui-head/1 {head.ledger_id} {head.seq} {head.size} {head.hash} ".encode("ascii")
    return (line + hashlib.sha256(line).hexdigest().encode("ascii") + b"\n").ljust(SLOT, b"#")


def read(data: bytes) -> Head | None:
    """The head that the two slots hold: the valid one with the higher number, None where neither is valid."""
    found = []
    for start in (0, SLOT):
        part = data[start : start + SLOT]
        match = _LINE.fullmatch(part)
        if match and len(part) == SLOT and hashlib.sha256(match[1]).hexdigest().encode("ascii") == match[6]:
            found.append(Head(match[2].decode(), int(match[3]), int(match[4]), match[5].decode()))
    return max(found, key=lambda head: head.seq, default=None)


def load(path: Path) -> Head | None:
    """The head in a file; None where no slot is valid. Raises FileNotFoundError, OSError, UnsafeStoreError."""
    fd = files.open_safely(path, os.O_RDONLY)
    try:
        return read(files.read_whole(fd))
    finally:
        os.close(fd)


def create(path: Path, head: Head) -> None:
    """A new head file, or a new one in place of a spoilt one. Raises OSError."""
    files.make_folder(path.parent)
    at = SLOT * (head.seq % 2)
    files.write_whole(path, (b"#" * at + slot(head)).ljust(2 * SLOT, b"#"))


def peek(path: Path, seq: int) -> bytes:
    """What stands in the slot that number `seq` will take. Raises OSError, UnsafeStoreError."""
    fd = files.open_safely(path, os.O_RDONLY)
    try:
        os.lseek(fd, SLOT * (seq % 2), os.SEEK_SET)
        return os.read(fd, SLOT).ljust(SLOT, b"#")
    finally:
        os.close(fd)


def advance(path: Path, head: Head) -> None:
    """Write the slot of the new end in place and bring it to the disk. Raises OSError, UnsafeStoreError."""
    _put(path, head.seq, slot(head))


def retreat(path: Path, seq: int, before: bytes) -> None:
    """Put back what `advance` for number `seq` replaced. Raises OSError, UnsafeStoreError."""
    _put(path, seq, before)


def _put(path: Path, seq: int, data: bytes) -> None:
    fd = files.open_safely(path, os.O_WRONLY)
    try:
        os.lseek(fd, SLOT * (seq % 2), os.SEEK_SET)
        files.write_at_once(fd, data)
        # The size never changes, so the content is all there is to sync.
        files.sync(fd, data_only=True)
    finally:
        os.close(fd)


def stop(path: Path) -> None:
    """Remove the head, durably: every gate that reads it is shut until the ledger is recovered. Raises OSError."""
    path.unlink(missing_ok=True)
    files.sync_folder(path.parent)
