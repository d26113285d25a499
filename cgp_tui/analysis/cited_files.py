"""Provenance compared with the cited_files: does a `file` link still name the bytes that it cites?

Only the digest of what was cited is known, so all that can be said of a file is that it differs. Where the frame's content
is the cited text itself, the two can be compared, and the first byte that differs is known too.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path
from typing import Final, Literal

import msgspec

from cgp_tui import limits
from cgp_tui.checks.types import Judged
from cgp_tui.protocol.digest import PREFIX, is_digest, sha256_digest
from cgp_tui.protocol.envelope import Frames
from cgp_tui.protocol.frame import ContextFrame, Provenance
from cgp_tui.protocol.linerange import Lines, parse_range
from cgp_tui.store.roots import Roots, Unread

Outcome = Literal["matches", "differs", "unverifiable", "outside roots"]

FILE: Final = "file"
"""The only kind of link that names bytes."""


class Reread(msgspec.Struct, frozen=True):
    """What came of one `file` link. `why` says what kept it from being compared. `size` is the number of bytes compared,
    found under `root`; `first_byte` the offset of the first that differs, where that can be known; `computed` the digest of
    what is there."""

    outcome: Outcome
    why: str = ""
    size: int | None = None
    first_byte: int | None = None
    root: Path | None = None
    computed: str | None = None


class Cited(msgspec.Struct, frozen=True):
    """A `file` link of a frame on a wire line, `place` counted from 1 among all links of the frame, and what came of it."""

    line: int
    frame_id: str
    place: int
    link: Provenance
    found: Reread


class CitedFiles:
    """The person's files, as far as `roots` opens them. Each is read once."""

    def __init__(self, roots: Roots) -> None:
        self._roots = roots
        self._lines: tuple[bytes, Lines] = (b"", Lines(b""))
        self._known: OrderedDict[tuple[str, str | None], Reread] = OrderedDict()
        self._line = 0

    def reread(self, link: Provenance, content: str | None = None) -> Reread | None:
        """Compare one link with what it names; `content` is that of its frame. None for a link that names no bytes."""
        if link.kind != FILE:
            return None
        if link.digest is None or not is_digest(link.digest):
            return Reread("unverifiable", "it carries no digest" if link.digest is None else "its digest is malformed")
        if link.uri is None:
            return Reread("unverifiable", "it carries no uri")
        found = self._found(link.uri, link.range)
        if found.computed is None:
            return found
        if found.computed == link.digest:
            return msgspec.structs.replace(found, outcome="matches")
        return msgspec.structs.replace(found, first_byte=self._first(link, content))

    def cited(self, judged: Judged) -> Iterator[Cited]:
        """Every `file` link of the answer that an exchange brought, in wire order; an answer is looked at once."""
        reply = judged.exchange.reply
        answer = None if reply is None else reply.decoded.envelope
        if reply is None or not isinstance(answer, Frames) or reply.line.n <= self._line:
            return
        self._line = reply.line.n
        for frame in answer.result.frames:
            for place, found in self.links(frame):
                yield Cited(reply.line.n, frame.id, place, frame.provenance[place - 1], found)

    def links(self, frame: ContextFrame) -> Iterator[tuple[int, Reread]]:
        """The result for each `file` link of a frame, with its place among all links, from 1."""
        for place, link in enumerate(frame.provenance, 1):
            found = self.reread(link, frame.content)
            if found is not None:
                yield place, found

    def _found(self, uri: str, lines: str | None) -> Reread:
        """The digest of a range, as the result of a link that differs until it is compared."""
        known = self._known.get((uri, lines))
        if known is None:
            known = self._known[uri, lines] = self._hashed(uri, lines)
            if len(self._known) > limits.REMEMBERED:
                self._known.popitem(last=False)
        return known

    def _hashed(self, uri: str, lines: str | None) -> Reread:
        cut = self._cut(uri, lines)
        if isinstance(cut, Unread):
            return Reread("outside roots" if cut.outside else "unverifiable", cut.why)
        root, part = cut
        if not self._roots.spend(len(part)):
            return Reread("unverifiable", "the limit for one run is reached")
        return Reread("differs", size=len(part), root=root, computed=PREFIX + sha256(part).hexdigest())

    def _cut(self, uri: str, lines: str | None) -> tuple[Path, memoryview] | Unread:
        """The bytes that a link names, and the folder they were found under."""
        wanted = None if lines is None else parse_range(lines)
        if lines is not None and wanted is None:
            return Unread("its range has an unknown form")
        read = self._roots.read(uri)
        if isinstance(read, Unread):
            return read
        if wanted is None:
            return read.root, memoryview(read.data)
        if self._lines[0] is not read.data:
            self._lines = read.data, Lines(read.data)
        part = self._lines[1].cut(wanted)
        return Unread("the file has fewer lines") if part is None else (read.root, part)

    def _first(self, link: Provenance, content: str | None) -> int | None:
        """Where the file begins to differ from the cited text; None where the frame does not hold that text."""
        if (
            content is None
            or link.uri is None
            or sha256_digest(said := content.encode("utf-8", "surrogatepass")) != link.digest
        ):
            return None
        cut = self._cut(link.uri, link.range)
        return None if isinstance(cut, Unread) else _departure(said, cut[1])


def _departure(left: bytes, right: memoryview) -> int:
    """The length of the common beginning of two different texts, in bytes."""
    low, high = 0, min(len(left), len(right))
    while low < high:
        middle = (low + high + 1) // 2
        if left[low:middle] == right[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low
