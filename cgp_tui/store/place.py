"""The place of the next record: a log and its head, open together at their end for one record after another.

Whoever has one holds the exclusive append lock. A record is written, flushed to the disk, and then remembered by the head:
only then is it acknowledged. A failure before that is undone, or stops everything.
"""

from __future__ import annotations

import contextlib
import errno
import os
from pathlib import Path
from types import TracebackType
from typing import Generic

from cgp_tui.errors import SCARCE, OurError, os_reason
from cgp_tui.store import chain, files, head
from cgp_tui.store.chain import R
from cgp_tui.store.files import UnsafeStoreError
from cgp_tui.store.head import Head, Slots


class NotWrittenError(OurError):
    """A record did not reach the disk and counts for nothing. Code `unrecordable`."""

    def __init__(self, cause: OSError) -> None:
        reason = os_reason(cause)
        where = f" ({os.fsdecode(cause.filename)})" if isinstance(cause.filename, str | bytes | os.PathLike) else ""
        what = "Close something" if cause.errno in SCARCE else "Fix the disk or its permissions"
        super().__init__("unrecordable", f"Not written: {reason}{where}.", f"{what}, then try again.")


class StoppedError(OurError):
    """A record could neither be written nor cleanly taken back, so the head was removed. Code `head_missing`; `doubt` is
    what `head.stop` says of it."""

    def __init__(self, cause: OSError, doubt: str = "") -> None:
        reason = os_reason(cause)
        message = f"The disk failed in the middle of a record: {reason}. The gate is shut. {doubt}".rstrip()
        super().__init__("head_missing", message, "Fix the disk, then recover the ledger: cgp-tui consent recover")


class LostError(OurError):
    """A record could neither be written, nor taken back, nor the head removed. Code `unrecordable`."""

    def __init__(self, cause: OSError) -> None:
        reason = os_reason(cause)
        message = f"The disk failed in the middle of a record: {reason}. Neither the record nor the head could be removed."
        super().__init__("unrecordable", message, "Stop every provider, fix the disk, then look at the history.")


class Place(Generic[R]):
    """The open end of the log at `path`, until the `with` block ends. It owns, and closes, the log's descriptor `fd` and its
    head's `slots`. `end` is the acknowledged end, `last` the record there (None where none is known), and `block` the bytes
    of that record (empty where they were not kept)."""

    __slots__ = ("_appended", "_path", "block", "end", "fd", "last", "slots")

    def __init__(self, path: Path, fd: int, slots: Slots, end: Head, *, last: R | None, block: bytes = b"") -> None:
        self._path = path
        self.fd = fd
        self.slots = slots
        self.end = end
        self.last = last
        self.block = block
        self._appended = False

    def append(self, body: bytes, record: R | None = None) -> Head:
        """Write one block, flush it, then remember it; returns the new end. `record` is what the body says.

        Raises NotWrittenError where that failed and nothing of the block is left, StoppedError where it is unknown what is
        left, so the head was removed, and LostError where not even that was possible.
        """
        end = self.end
        data, digest = chain.block(end.seq + 1, end.hash, body)
        new = Head(end.ledger_id, end.seq + 1, end.size + len(data), digest)
        begun = False
        before = self.slots.at(new.seq)
        self._must_be_the_end()
        try:
            files.write_at_once(self.fd, data)
            files.sync(self.fd)
            self.slots.must_stand()
            begun = True
            self.slots.put(new.seq, head.slot(new))
        except (OSError, UnsafeStoreError) as error:
            cause = error if isinstance(error, OSError) else OSError(error.message)
            self._take_back(before if begun else None, cause)
            raise NotWrittenError(cause) from error
        self.end, self.last, self.block, self._appended = new, record, data, True
        return new

    def _must_be_the_end(self) -> None:
        """Checked before every record but the first, which follows at once on the check of what was opened."""
        if self._appended:
            try:
                files.must_stand(self.fd, self._path)
                size = os.fstat(self.fd).st_size
            except (OSError, UnsafeStoreError) as error:
                raise NotWrittenError(error if isinstance(error, OSError) else OSError(error.message)) from error
            if size != self.end.size:
                raise changed()

    def _take_back(self, before: bytes | None, cause: OSError) -> None:
        """Undo an append. The file is cut first: a head ahead of the file denies, a record beyond its head may not."""
        try:
            os.ftruncate(self.fd, self.end.size)
            files.sync(self.fd)
            if before is not None:
                self.slots.put(self.end.seq + 1, before)
        except (OSError, UnsafeStoreError):
            try:
                doubt = head.stop(self.slots.path)
            except OSError as error:
                raise LostError(cause) from error
            raise StoppedError(cause, doubt) from cause

    def close(self) -> None:
        """Close both files."""
        # What was flushed is on the disk, whatever closing says.
        with contextlib.suppress(OSError):
            os.close(self.fd)
        with contextlib.suppress(OSError):
            self.slots.close()

    def __enter__(self) -> Place[R]:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()


def changed() -> NotWrittenError:
    """The error for an end that is no longer what was read."""
    return NotWrittenError(OSError(errno.EBUSY, "the ledger changed in the meantime"))
