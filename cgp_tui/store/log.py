"""An append-only file of chained blocks with its remembered head: in which state it is, and how a block gets into it.

Whoever calls a method that writes holds the exclusive append lock; `view` and `tip` are called under any append lock.
What is acknowledged (on disk, and covered by the head) is never changed here; only bytes after it may be cut.
"""

from __future__ import annotations

import contextlib
import errno
import hashlib
import os
import re
import secrets
from pathlib import Path
from typing import Final, Generic

import msgspec

from cgp_tui import limits
from cgp_tui.errors import OurError
from cgp_tui.store import chain, files, head, paths
from cgp_tui.store.chain import BLOCK_BYTES, Chain, Header, Known, Parse, R, Tip
from cgp_tui.store.files import ABSENT, Beside, Mark, UnsafeStoreError
from cgp_tui.store.head import Head
from cgp_tui.store.states import State, judge, where
from cgp_tui.store.whose import FIRST_BYTES, Heads, id_in


class View(msgspec.Struct, Generic[R], frozen=True, kw_only=True):
    """A log as it was read. `records` are those of the good blocks, `end` the last good block, `head` what is remembered,
    `size` the file's size in bytes, `marks` the marks of the file and its head. `detail` says what is wrong and where;
    `fix` is the step that leads out where only the file system knows it."""

    state: State
    detail: str = ""
    fix: str = ""
    header: Header | None = None
    records: tuple[R, ...] = ()
    end: Head | None = None
    head: Head | None = None
    head_path: Path | None = None
    size: int = 0
    marks: tuple[Mark, Mark] = (ABSENT, ABSENT)


class Tail(msgspec.Struct, frozen=True):
    """What was cut off and set aside: how many bytes, their SHA-256 in hex, and where they are kept."""

    size: int
    sha256: str
    kept: Path


class NotWrittenError(OurError):
    """A record could not be brought to the disk and counts for nothing. Code `unrecordable`."""

    def __init__(self, cause: OSError) -> None:
        reason = cause.strerror or str(cause)
        where = f" ({os.fsdecode(cause.filename)})" if isinstance(cause.filename, str | bytes | os.PathLike) else ""
        super().__init__(
            "unrecordable", f"Not written: {reason}{where}.", "Mend the disk or its permissions, then try again."
        )


class StoppedError(OurError):
    """A record could neither be written nor cleanly taken back, so the head was removed. Code `head_missing`."""

    def __init__(self, cause: OSError) -> None:
        reason = cause.strerror or str(cause)
        super().__init__("head_missing", f"The disk failed in the middle of a record: {reason}. The gate is shut.", "")


class LostError(OurError):
    """A record could neither be written, nor taken back, nor the head removed. Code `unrecordable`."""

    def __init__(self, cause: OSError) -> None:
        reason = cause.strerror or str(cause)
        message = f"The disk failed in the middle of a record: {reason}. Neither the record nor the head could be removed."
        super().__init__("unrecordable", message, "Stop every provider, mend the disk, then look at the history.")


class Log(Generic[R]):
    """The log at `path`, with its head where `heads` says."""

    def __init__(self, path: Path, parse: Parse[R], heads: Heads) -> None:
        self.path = path
        self._parse = parse
        self._heads = heads
        self._begins: tuple[bytes, Header] | None = None
        self._known: Known[R] | None = None

    def marks(self, head_path: Path | None) -> tuple[Mark, Mark]:
        """The present marks of the file and of its head. Raises OSError where they cannot be looked at."""
        at = head_path or self._heads.named
        return files.mark(self.path), ABSENT if at is None else files.mark(at)

    def view(self) -> View[R]:
        """Read and judge everything. Never writes; what cannot be read or trusted is a state, not an error."""
        try:
            return self._view()
        except UnsafeStoreError as error:
            return View(state="store_unsafe", detail=error.message, fix=error.fix, head_path=self.head_to_stop())
        except OSError as error:
            detail = f"{error.filename or self.path} cannot be read: {error.strerror or error}."
            return View(state="store_unsafe", detail=detail, fix="Make it readable for you.")

    def _view(self) -> View[R]:
        try:
            fd = files.open_safely(self.path, os.O_RDONLY)
        except FileNotFoundError:
            return self._without_file()
        try:
            mark = files.mark_of(os.fstat(fd))
            data = files.read_whole(fd, self._worth_reading(mark.size))
        finally:
            os.close(fd)
        read, self._known = chain.reread(data, self._parse, self._known)
        if read.header is None:
            return self._headless(read, mark)
        head_path = self._heads.of(read.header.ledger_id)
        head_mark = files.mark(head_path)
        remembered = head.load(head_path) if head_mark != ABSENT else None
        state, detail = judge(read, remembered, head_mark != ABSENT, mark.size)
        return View(
            state=state,
            detail=detail,
            header=read.header,
            records=read.records,
            end=Head(read.header.ledger_id, read.last, read.good, read.hashes[-1]),
            head=remembered,
            head_path=head_path,
            size=mark.size,
            marks=(mark, head_mark),
        )

    def _worth_reading(self, size: int) -> int:
        """How many bytes of a file of this size are read: what its head covers, and more than ever waits to be covered. A
        file that grew beyond that, as by a hole, shuts the gate without filling the memory."""
        if size <= limits.LEDGER_UNCOVERED_BYTES:
            return size
        with contextlib.suppress(OSError, UnsafeStoreError):
            remembered = head.load(self._heads.of(id_in(self.path)))
            return limits.LEDGER_UNCOVERED_BYTES + (remembered.size if remembered else 0)
        return limits.LEDGER_UNCOVERED_BYTES

    def _without_file(self) -> View[R]:
        """No file: nothing was ever recorded, unless its head says otherwise."""
        at = self._heads.last()
        mark = files.mark(at) if at is not None else ABSENT
        if at is None or mark == ABSENT:
            return View(state="fresh", detail="Nothing was ever recorded.")
        remembered = head.load(at)
        if remembered is None:
            return View(state="head_damaged", detail="No slot of its head is whole.", head_path=at, marks=(ABSENT, mark))
        detail = f"The ledger is gone; its head remembers record {remembered.seq}."
        return View(state="shortened", detail=detail, head=remembered, head_path=at, marks=(ABSENT, mark))

    def _headless(self, read: Chain[R], mark: Mark) -> View[R]:
        """A file without a first block of ours, which does not say whose head goes with it."""
        at = self._heads.last()
        marks = (mark, ABSENT if at is None else files.mark(at))
        if read.fault is None:
            return View(state="damaged", detail="Record 0, byte 0: the file is empty.", marks=marks, head_path=at)
        state: State = "newer_format" if read.fault.newer else "tampered" if read.fault.whole else "damaged"
        return View(state=state, detail=where(read.fault), marks=marks, head_path=at, size=mark.size)

    def tip(self) -> View[R] | None:
        """The acknowledged end, by checking the first and the last block only; None where that is not enough to say `ok`.

        Takes the same time whatever the size. `records` holds the last record alone.
        """
        try:
            fd, mark = files.open_marked(self.path, os.O_RDONLY)
        except (OSError, UnsafeStoreError):
            return None
        try:
            header = self._first_header(os.pread(fd, FIRST_BYTES, 0))
            if header is None:
                return None
            head_path = self._heads.of(header.ledger_id)
            remembered, head_mark = head.load_marked(head_path)
            if remembered is None or remembered.ledger_id != header.ledger_id or remembered.size != mark.size:
                return None
            # Most blocks are short; only for one that is not, as much is read as a block can be.
            last = self._last(fd, mark.size, _LAST_BYTES, remembered) or self._last(fd, mark.size, BLOCK_BYTES, remembered)
            if last is None:
                return None
        except (OSError, UnsafeStoreError):
            return None
        finally:
            os.close(fd)
        return View(
            state="ok",
            header=header,
            records=() if last.record is None else (last.record,),
            end=remembered,
            head=remembered,
            head_path=head_path,
            size=mark.size,
            marks=(mark, head_mark),
        )

    def _last(self, fd: int, size: int, most: int, remembered: Head) -> Tip[R] | None:
        """The last block as the head remembers it, looked for in the last `most` bytes."""
        start = max(0, size - most)
        return chain.read_last(os.pread(fd, size - start, start), remembered.seq, remembered.hash, self._parse)

    def _first_header(self, piece: bytes) -> Header | None:
        """The header of a file that begins with `piece`; None where that holds no whole first block."""
        if self._begins is None or not piece.startswith(self._begins[0]):
            block = piece[: piece.find(b"\n[[receipt]]\n") % (len(piece) + 1)]
            first = chain.read(block, self._parse)
            if first.header is None:
                return None
            self._begins = block, first.header
        return self._begins[1]

    def create(self, created_at: str) -> None:
        """A new log with its first block alone, and its head. Raises OSError, UnsafeStoreError."""
        data, end = _first(created_at)
        files.make_folder(self.path.parent)
        files.write_whole(self.path, data)
        self.remember(end)

    def remember(self, end: Head) -> None:
        """A new head file. Raises OSError."""
        head.create(self._heads.of(end.ledger_id), end)
        self._heads.keep(end.ledger_id)

    def head_to_stop(self) -> Path | None:
        """Where the head is, read with no trust in the file at all: only to remove the head. None where no id is found."""
        if self._heads.named is not None:
            return self._heads.named
        found = id_in(self.path)
        return self._heads.of(found) if found else self._heads.last()

    def spared(self, at: Path) -> str:
        """Why what stands at `at` is not removed as the head of this log, as a sentence; empty where it is to be."""
        return self._heads.spared(at)

    def append(self, end: Head, head_path: Path, body: bytes) -> Head:
        """Write one block after `end`, bring it to the disk, then remember it: only then is it acknowledged.

        Raises NotWrittenError when it failed and nothing of it is left, StoppedError when what is left is unknown and so
        the head was removed, LostError where not even that was possible, and UnsafeStoreError.
        """
        data, digest = chain.block(end.seq + 1, end.hash, body)
        new = Head(end.ledger_id, end.seq + 1, end.size + len(data), digest)
        before: bytes | None = None
        try:
            fd, mark = files.open_marked(self.path, os.O_RDWR | os.O_APPEND)
        except UnsafeStoreError:
            raise
        except OSError as error:
            raise NotWrittenError(error) from error
        try:
            if mark.size != end.size:
                raise NotWrittenError(OSError(errno.EBUSY, "the ledger changed meanwhile"))
            try:
                files.write_at_once(fd, data)
                files.sync(fd)
                with head.Slot(head_path, new.seq) as place:
                    before = place.before
                    place.put(head.slot(new))
            except (OSError, UnsafeStoreError) as error:
                cause = error if isinstance(error, OSError) else OSError(error.message)
                self._take_back(fd, end, head_path, before, cause)
                raise NotWrittenError(cause) from error
        finally:
            # What was brought to the disk is there, whatever is said at the close.
            with contextlib.suppress(OSError):
                os.close(fd)
        self._heads.keep(end.ledger_id)
        return new

    def _take_back(self, fd: int, end: Head, head_path: Path, before: bytes | None, cause: OSError) -> None:
        """Undo an append. The file goes first: a head that is ahead of it denies, a record without a head may not."""
        try:
            os.ftruncate(fd, end.size)
            files.sync(fd)
            if before is not None:
                head.retreat(head_path, end.seq + 1, before)
        except (OSError, UnsafeStoreError):
            try:
                head.stop(head_path)
            except OSError as error:
                raise LostError(cause) from error
            raise StoppedError(cause) from cause

    def adopt(self, view: View[R]) -> None:
        """Bring whole records that the head does not cover to the disk, then remember them. Raises OSError."""
        assert view.end is not None and view.head_path is not None  # noqa: S101 -- a state of a file with a first block
        fd = files.open_safely(self.path, os.O_RDWR)
        try:
            files.sync(fd)
        finally:
            os.close(fd)
        head.advance(view.head_path, view.end)

    def cut(self, view: View[R]) -> Tail:
        """Set the bytes after the last good block aside, in `quarantine/` beside the file, and cut them. Raises OSError."""
        assert view.end is not None  # noqa: S101 -- a state of a file with a first block
        fd = files.open_safely(self.path, os.O_RDWR)
        try:
            tail = files.read_whole(fd)[view.end.size :]
            digest = hashlib.sha256(tail).hexdigest()
            kept = self.path.parent / "quarantine" / f"{self.path.name}.{view.end.seq + 1}.{digest[:16]}"
            files.make_folder(kept.parent)
            files.write_whole(kept, tail)
            os.ftruncate(fd, view.end.size)
            files.sync(fd)
        finally:
            os.close(fd)
        return Tail(len(tail), digest, kept)

    def succeed(self, view: View[R], created_at: str, reason: str) -> Path:
        """Move the file, as it is, and its head to `archive/` beside it, and begin a new one that names its last good hash.

        Returns where the file went. Raises OSError; all that takes room is on the disk before anything is moved.
        """
        data, end = _first(created_at, view.end.hash if view.end else "", reason)
        folder = paths.archive_dir(self.path)
        files.make_folder(folder)
        kept = folder / f"{self.path.name}.{re.sub('[-:]', '', created_at)}.{secrets.token_hex(4)}"
        with Beside(self.path, data) as new, head.beside(self._heads.of(end.ledger_id), end) as its_head:
            if files.mark(self.path) != ABSENT:
                self.path.rename(kept)
                files.sync_folder(self.path.parent)
                files.sync_folder(folder)
            if view.head_path is not None and files.mark(view.head_path) != ABSENT:
                files.copy_if_possible(view.head_path, kept.with_name(kept.name + ".head"))
                head.stop(view.head_path)
            new.take_place()
            its_head.take_place()
        self._heads.keep(end.ledger_id)
        return kept


_LAST_BYTES: Final = 4096
"""As much as most blocks take."""


def _first(created_at: str, previous: str = "", reason: str = "") -> tuple[bytes, Head]:
    """The first block of a new log, and its head."""
    header = Header(secrets.token_hex(16), created_at, previous, reason)
    data, digest = chain.first_block(header)
    return data, Head(header.ledger_id, 0, len(data), digest)
