"""An append-only file of chained blocks with its remembered head: the state it is in, and how a block gets into it.

The caller of a method that writes, and of `tip` and `place`, holds the exclusive append lock; for `view` any lock will do.
What is acknowledged (on the disk, and covered by the head) is never changed here; only bytes after it may be cut.

Reading and checking a long file takes longer than a revocation may have to wait. So the bytes are read before the lock is
taken, and judged without it; under the lock is only checked whether they are still the file's, and what the head says.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import re
import secrets
from pathlib import Path
from typing import Any, Final, Generic, NamedTuple

import msgspec

from cgp_tui import limits
from cgp_tui.errors import SCARCE, os_reason
from cgp_tui.store import chain, files, head, paths
from cgp_tui.store.chain import BLOCK_BYTES, Chain, Header, Known, Parse, R, Tip
from cgp_tui.store.files import ABSENT, Mark, StagedFile, UnsafeStoreError
from cgp_tui.store.head import Head, Slots
from cgp_tui.store.heads import FIRST_BYTES, Heads, id_in
from cgp_tui.store.place import NotWrittenError, Place, changed
from cgp_tui.store.states import State, judge, where


class View(msgspec.Struct, Generic[R], frozen=True, kw_only=True):
    """A log as it was read. `records` are those of the good blocks, `end` is the last good block, `head` the remembered end,
    `size` the file's size in bytes, `marks` those of the file and its head. `detail` says what is wrong and where; `fix` is
    the step that leads out where only the file system knows it."""

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


class Taken(NamedTuple):
    """Both files as of one moment, not judged yet. `data` is None where there is no log; `head` is None where none can be
    read, or the first block does not say whose it is."""

    data: bytes | None
    mark: Mark
    head_path: Path | None
    head_mark: Mark
    head: Head | None


class _End(NamedTuple, Generic[R]):
    """The end as this process knows it: all bytes of the head, those of the last block, and what both say."""

    slots: bytes
    block: bytes
    end: Head
    record: R | None


class Tail(msgspec.Struct, frozen=True):
    """A tail that was cut off and set aside: its number of bytes, their SHA-256 in hex, and where they are kept."""

    size: int
    sha256: str
    kept: Path


class Log(Generic[R]):
    """The log at `path`, with its head where `heads` says."""

    def __init__(self, path: Path, parse: Parse[R], heads: Heads) -> None:
        self.path = path
        self._parse = parse
        self._heads = heads
        self._begins: tuple[bytes, Header] | None = None
        self._end: _End[R] | None = None
        self._known: Known[R] | None = None
        self._foreseen: tuple[Taken | View[R], View[R]] | None = None

    def marks(self, head_path: Path | None) -> tuple[Mark, Mark]:
        """The present marks of the file and of its head. Raises OSError where they cannot be looked at."""
        at = head_path or self._heads.named
        return files.mark(self.path), ABSENT if at is None else files.mark(at)

    def is_marked(self, head_path: Path | None, marks: tuple[Mark, Mark]) -> bool:
        """Whether these are the present marks. Raises OSError as `marks`."""
        at = head_path or self._heads.named
        return files.is_marked(self.path, marks[0]) and (marks[1] == ABSENT if at is None else files.is_marked(at, marks[1]))

    def view(self) -> View[R]:
        """Read and judge everything. Never writes; what cannot be read or trusted is a state, not an error."""
        before, self._foreseen = self._foreseen, None
        if before is None:
            return self.judged(self.take())
        taken = self.take(before[0])
        return before[1] if taken == before[0] else self.judged(taken)

    def foresee(self) -> None:
        """Read and judge everything before a writer asks for the lock, so that nobody waits for that: the next view, under
        the lock, only checks whether everything is unchanged."""
        taken = self.take()
        self._foreseen = taken, self.judged(taken)

    def take(self, before: Taken | View[R] | None = None) -> Taken | View[R]:
        """The bytes of both files or, where they cannot be read, the view that says so. What was taken `before` and is
        unchanged is not read again."""
        try:
            return self._take(before if isinstance(before, Taken) else None)
        except UnsafeStoreError as error:
            return View(state="store_unsafe", detail=error.message, fix=error.fix, head_path=self.head_to_stop())
        except OSError as error:
            detail = f"{error.filename or self.path} cannot be read: {os_reason(error)}."
            fix = "Close something and try again." if error.errno in SCARCE else "Make it readable for you."
            return View(state="store_unsafe", detail=detail, fix=fix)

    def _take(self, before: Taken | None) -> Taken:
        data, mark = self._bytes(before)
        header = None if data is None else self._first_header(data)
        at = self._heads.last() if header is None else self._heads.of(header.ledger_id)
        head_mark = ABSENT if at is None else files.mark(at)
        asked = at is not None and head_mark != ABSENT and (header is not None or data is None)
        return Taken(data, mark, at, head_mark, head.load(at) if at is not None and asked else None)

    def _bytes(self, before: Taken | None) -> tuple[bytes | None, Mark]:
        try:
            fd, mark = files.open_marked(self.path, os.O_RDONLY)
        except FileNotFoundError:
            return None, ABSENT
        try:
            if before is not None and before.data is not None and before.mark == mark and len(before.data) == mark.size:
                return before.data, mark
            files.must_share_its_folder(fd, self.path)
            return files.read_whole(fd, self._worth_reading(mark.size)), mark
        finally:
            os.close(fd)

    def judged(self, taken: Taken | View[R]) -> View[R]:
        """The state of the log when these bytes were taken. Nothing is read here."""
        if isinstance(taken, View):
            return taken
        marks = taken.mark, taken.head_mark
        if taken.data is None:
            return _without_file(taken)
        read, self._known = chain.reread(taken.data, self._parse, self._known)
        if read.header is None:
            state, detail = _headless(read)
            return View(state=state, detail=detail, marks=marks, head_path=taken.head_path, size=taken.mark.size)
        state, detail = judge(read, taken.head, taken.head_mark != ABSENT, taken.mark.size)
        return View(
            state=state,
            detail=detail,
            header=read.header,
            records=read.records,
            end=Head(read.header.ledger_id, read.last, read.good, read.hashes[-1]),
            head=taken.head,
            head_path=taken.head_path,
            size=taken.mark.size,
            marks=marks,
        )

    def _worth_reading(self, size: int) -> int:
        """How many bytes of a file of this size are read: what its head covers, and more than can ever wait to be covered. A
        file that grew beyond that, as by a hole, shuts the gate without filling the memory."""
        if size <= limits.LEDGER_UNCOVERED_BYTES:
            return size
        with contextlib.suppress(OSError, UnsafeStoreError):
            remembered = head.load(self._heads.of(id_in(self.path)))
            return limits.LEDGER_UNCOVERED_BYTES + (remembered.size if remembered else 0)
        return limits.LEDGER_UNCOVERED_BYTES

    def tip(self) -> Place[R] | None:
        """The acknowledged end, open for the next record, after checking only the first and the last block. None where that
        is not enough to say `ok`, or one of the two files cannot be written to.

        The time does not depend on the size. An end that was checked before and is the same, byte for byte, is not parsed
        again.
        """
        try:
            # The append lock that is held is in the same folder, which was checked for it.
            fd, status = files.open_looked(self.path, os.O_RDWR | os.O_APPEND, sheltered=True)
        except (OSError, UnsafeStoreError):
            return None
        slots = place = None
        try:
            header = self._first_header(os.pread(fd, FIRST_BYTES, 0))
            if header is not None:
                files.must_share_its_folder(fd, self.path)
                slots = Slots(self._heads.of(header.ledger_id))
                place = self._at_end(fd, status.st_size, header, slots)
            return place
        except (OSError, UnsafeStoreError):
            return None
        finally:
            if place is None:
                os.close(fd)
                if slots is not None:
                    slots.close()

    def _at_end(self, fd: int, size: int, header: Header, slots: Slots) -> Place[R] | None:
        known = self._end
        if known is not None and known.slots == slots.data:
            piece = os.pread(fd, len(known.block), size - len(known.block)) if size == known.end.size else b""
            if piece == known.block and known.end.ledger_id == header.ledger_id:
                return Place(self.path, fd, slots, known.end, last=known.record, block=known.block)
        remembered = head.read(slots.data)
        if remembered is None or remembered.ledger_id != header.ledger_id or remembered.size != size:
            return None
        # Most blocks are short; only for a longer one, as much is read as a block can take.
        last = self._last(fd, size, _LAST_BYTES, remembered) or self._last(fd, size, BLOCK_BYTES, remembered)
        return None if last is None else Place(self.path, fd, slots, remembered, last=last.record)

    def _last(self, fd: int, size: int, most: int, remembered: Head) -> Tip[R] | None:
        """The last block as the head remembers it, searched for in the last `most` bytes."""
        start = max(0, size - most)
        return chain.read_last(os.pread(fd, size - start, start), remembered.seq, remembered.hash, self._parse)

    def _first_header(self, beginning: bytes) -> Header | None:
        """The header of a file that begins with these bytes; None where they do not begin with a whole first block."""
        known = self._begins
        if known is None or not beginning.startswith(known[0]):
            # Whatever follows the first block, in whatever form, is none of its business.
            first = chain.read(beginning[:FIRST_BYTES], self._parse)
            if first.header is None:
                return None
            known = self._begins = beginning[: first.ends[0]], first.header
        return known[1]

    def place(self, view: View[R]) -> Place[R]:
        """The end of a log that was just read, open for the next record.

        Raises UnsafeStoreError, and NotWrittenError where the log cannot be opened or is no longer what was read.
        """
        end, head_path = view.end, view.head_path
        assert end is not None and head_path is not None  # noqa: S101 -- a state of a file with a first block
        try:
            fd, mark = files.open_marked(self.path, os.O_RDWR | os.O_APPEND)
        except OSError as error:
            raise NotWrittenError(error) from error
        try:
            if mark.size != end.size:
                raise changed()
            try:
                slots = Slots(head_path)
            except (OSError, UnsafeStoreError) as error:
                raise NotWrittenError(error if isinstance(error, OSError) else OSError(error.message)) from error
        except BaseException:
            os.close(fd)
            raise
        return Place(self.path, fd, slots, end, last=view.records[-1] if view.records else None)

    def keep(self, place: Place[R]) -> None:
        """Remember what was acknowledged at this place, and that this log is here."""
        if place.block:
            self._end = _End(place.slots.data, place.block, place.end, place.last)
        self._heads.keep(place.end.ledger_id)

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
        """Where the head is, according to a file that is not trusted at all: only used to remove the head. None where no id
        is found."""
        if self._heads.named is not None:
            return self._heads.named
        found = id_in(self.path)
        at = self._heads.of(found) if found else self._heads.last()
        # Where no file can be opened any more, this process may still know what it read here before.
        return self._heads.of(self._begins[1].ledger_id) if at is None and self._begins is not None else at

    def usual_head(self) -> Path | None:
        """Where whoever names no place looks for the head, with as little trust in the file as `head_to_stop`; None where
        that is no other place, or no id is found."""
        found = id_in(self.path) if self._heads.named is not None else ""
        usual = self._heads.usual(found) if found else None
        return None if usual == self._heads.named else usual

    def spared(self, at: Path) -> str:
        """Why the file at `at` is not removed as the head of this log, as a sentence; empty where it is to be removed."""
        return self._heads.spared(at)

    def adopt(self, view: View[R]) -> None:
        """Flush whole records that the head does not cover to the disk, then remember them. Raises OSError."""
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
        """Move the file, unchanged, and its head to `archive/` beside it, and begin a new one that names its last good hash.

        Returns where the file went. Raises OSError; everything that takes room is on the disk before anything is moved.
        """
        data, end = _first(created_at, view.end.hash if view.end else "", reason)
        folder = paths.archive_dir(self.path)
        files.make_folder(folder)
        kept = folder / f"{self.path.name}.{re.sub('[-:]', '', created_at)}.{secrets.token_hex(4)}"
        with StagedFile(self.path, data) as new, head.beside(self._heads.of(end.ledger_id), end) as its_head:
            if files.mark(self.path) != ABSENT:
                self.path.rename(kept)
                files.sync_folder(self.path.parent)
                files.sync_folder(folder)
            if view.head_path is not None and files.mark(view.head_path) != ABSENT:
                files.copy_if_possible(view.head_path, kept.with_name(kept.name + ".head"))
                view.head_path.unlink(missing_ok=True)
                files.sync_folder(view.head_path.parent)
            new.take_place()
            its_head.take_place()
        self._heads.keep(end.ledger_id)
        return kept


_LAST_BYTES: Final = 4096
"""As many bytes as most blocks take."""


def _without_file(taken: Taken) -> View[Any]:
    """The view without a file: nothing was ever recorded, unless a head says otherwise."""
    marks = taken.mark, taken.head_mark
    if taken.head_mark == ABSENT:
        return View(state="fresh", detail="Nothing was ever recorded.")
    if taken.head is None:
        return View(state="head_damaged", detail="No slot of its head is whole.", head_path=taken.head_path, marks=marks)
    detail = f"The ledger is gone; its head remembers record {taken.head.seq}."
    return View(state="shortened", detail=detail, head=taken.head, head_path=taken.head_path, marks=marks)


def _headless(read: Chain[Any]) -> tuple[State, str]:
    """The state of a file without a first block of ours, so that nobody knows which head belongs to it."""
    if read.fault is None:
        return "damaged", "Record 0, byte 0: the file is empty."
    return "newer_format" if read.fault.newer else "tampered" if read.fault.whole else "damaged", where(read.fault)


def _first(created_at: str, previous: str = "", reason: str = "") -> tuple[bytes, Head]:
    """The first block of a new log, and its head."""
    header = Header(secrets.token_hex(16), created_at, previous, reason)
    data, digest = chain.first_block(header)
    return data, Head(header.ledger_id, 0, len(data), digest)
