"""The remembered head: how far a ledger had got when its last record was acknowledged.

It lives apart from the ledger, so that an older copy put in the ledger's place is noticed. Two slots of 512 bytes are
written in turn; an interrupted write spoils one of them and leaves the other.
"""

from __future__ import annotations

import hashlib
import os
import re
from pathlib import Path
from types import TracebackType
from typing import Final

import msgspec

from cgp_tui.errors import os_reason
from cgp_tui.store import files
from cgp_tui.store.files import Mark, StagedFile
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
        """The head as a gate note carries it."""
        return LedgerMark(self.ledger_id, self.seq, self.hash)


def slot(head: Head) -> bytes:
    """The 512 bytes of one slot."""
    line = f"cgp-tui-head/1 {head.ledger_id} {head.seq} {head.size} {head.hash} ".encode("ascii")
    return (line + hashlib.sha256(line).hexdigest().encode("ascii") + b"\n").ljust(SLOT, b"#")


def read(data: bytes) -> Head | None:
    """The head in the two slots: the valid one with the higher number, None where neither is valid."""
    found = []
    for start in (0, SLOT):
        part = data[start : start + SLOT]
        match = _LINE.fullmatch(part)
        if match and len(part) == SLOT and hashlib.sha256(match[1]).hexdigest().encode("ascii") == match[6]:
            found.append(Head(match[2].decode(), int(match[3]), int(match[4]), match[5].decode()))
    return max(found, key=lambda head: head.seq, default=None)


def resembles(data: bytes) -> bool:
    """Whether these bytes may be a head, whole or spoilt, rather than somebody's file of another kind."""
    return not data or len(data) == 2 * SLOT or data.startswith((b"cgp-tui-head/", b"#" * 16))


def load(path: Path) -> Head | None:
    """The head in a file; None where no slot is valid. Raises FileNotFoundError, OSError, UnsafeStoreError."""
    return load_marked(path)[0]


def load_marked(path: Path) -> tuple[Head | None, Mark]:
    """Like `load`; also returns the mark of the file that was read."""
    fd, mark = files.open_marked(path, os.O_RDONLY)
    try:
        return read(os.read(fd, 2 * SLOT)), mark
    finally:
        os.close(fd)


def create(path: Path, head: Head) -> None:
    """Write a head file, new or in place of a spoilt one. Raises OSError."""
    with beside(path, head) as new:
        new.take_place()


def beside(path: Path, head: Head) -> StagedFile:
    """A new head file on the disk, not in its place yet. Raises OSError."""
    files.make_folder(path.parent)
    at = SLOT * (head.seq % 2)
    return StagedFile(path, (b"#" * at + slot(head)).ljust(2 * SLOT, b"#"))


class Slots:
    """The two slots of an open head file; `data` is its content. Raises OSError and UnsafeStoreError, as its methods do."""

    __slots__ = ("_fd", "data", "path")

    def __init__(self, path: Path) -> None:
        self.path = path
        self._fd = files.open_safely(path, os.O_RDWR)
        try:
            self.data = os.read(self._fd, 2 * SLOT).ljust(2 * SLOT, b"#")
        except BaseException:
            os.close(self._fd)
            raise

    def at(self, seq: int) -> bytes:
        """The content of the slot where the head with number `seq` belongs."""
        return self.data[:SLOT] if seq % 2 == 0 else self.data[SLOT:]

    def must_stand(self) -> None:
        """Raises FileNotFoundError where the file has been removed since it was opened (a head that nobody can find
        acknowledges nothing), UnsafeStoreError where others may write to it by now."""
        files.must_stand(self._fd, self.path)

    def put(self, seq: int, data: bytes) -> None:
        """Write the slot of number `seq` in place, and flush it to the disk."""
        os.lseek(self._fd, SLOT * (seq % 2), os.SEEK_SET)
        files.write_at_once(self._fd, data)
        # The size never changes, so there is only content to sync.
        files.sync(self._fd, data_only=True)
        self.data = data + self.data[SLOT:] if seq % 2 == 0 else self.data[:SLOT] + data

    def close(self) -> None:
        os.close(self._fd)

    def __enter__(self) -> Slots:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()


def advance(path: Path, head: Head) -> None:
    """Write the slot of the new end in place and flush it to the disk. Raises OSError, UnsafeStoreError."""
    with Slots(path) as slots:
        slots.put(head.seq, slot(head))


def stop(path: Path) -> str:
    """Remove the head: every gate that reads it stays shut until the ledger is recovered. Returns the sentence that says so
    where the disk did not confirm it, else nothing. Raises OSError where the head is still there."""
    path.unlink(missing_ok=True)
    try:
        files.sync_folder(path.parent)
    except OSError as error:
        reason = os_reason(error)
        return (
            f"Its head is removed, but the disk did not confirm it ({reason}): after a power failure it may be there again."
        )
    return ""
