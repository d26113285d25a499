"""A part of a bare file, read as if it were a whole file that begins with its connection's greeting."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator
from itertools import islice
from typing import Final

from cgp_tui.transcript.reader import Transcript
from cgp_tui.transcript.record import Record
from cgp_tui.transcript.row import Peeked

_LOOK: Final = 256
"""How many records after the intended place are searched for a better place to cut."""

_GREETING: Final = 2
"""Records of a greeting: the handshake and its ack."""


class Excerpt(Transcript):
    """The records `first` to `after` of `whole`, a bare file that is counted to its end, preceded by the first two records
    of the connection of `first`, unless that opens one. Lines and connections keep their numbers. Until `open_all` there is
    only the greeting.

    It reads through the descriptor of `whole`, and cannot be used once that is closed.
    """

    def __init__(self, whole: Transcript, first: int, after: int) -> None:
        self.__dict__.update(whole.__dict__)
        self._whole = whole
        self._begin = first
        self._end = after
        opened = self._opening(first)
        self.lead = range(0) if opened is None or first in (0, opened) else range(opened, min(opened + _GREETING, first))
        """The records of the greeting."""
        self.begun = first == 0 or opened is not None
        """Whether this begins with a handshake or with the file itself; otherwise nobody knows what came before."""
        self._shown = len(self.lead)

    def open_all(self) -> None:
        """Show the records behind the greeting."""
        self._shown = len(self.lead) + self._end - self._begin

    @property
    def last(self) -> bool:
        """Whether the file ends where this does."""
        return self._end >= len(self._whole)

    @property
    def ends(self) -> bool:
        """Whether no later record belongs to the connection of the last one here."""
        return self.last or self._opening(self._end) == self._end

    def __len__(self) -> int:
        return self._shown

    @property
    def complete(self) -> bool:
        return self.ends and self._shown > len(self.lead)

    def record(self, at: int) -> Record:
        return self._whole.record(self._there(at))

    def records(self, first: int = 0) -> Iterator[Record]:
        for at in range(first, min(len(self.lead), self._shown)):
            yield self.record(at)
        begin = max(first, len(self.lead))
        if begin < self._shown:
            yield from islice(self._whole.records(self._there(begin)), self._shown - begin)

    def row(self, at: int) -> Peeked:
        return self._whole.row(self._there(at))

    def place(self, n: int) -> int | None:
        at = n - 1
        if self._begin <= at < self._end:
            return at - self._begin + len(self.lead)
        return at - self.lead.start if at in self.lead else None

    def close(self) -> None:
        """Nothing to close: the descriptor belongs to `whole`."""

    def _there(self, at: int) -> int:
        return self.lead[at] if at < len(self.lead) else at - len(self.lead) + self._begin

    def _opening(self, at: int) -> int | None:
        """The handshake that opened the connection of record `at`; None where other records came before it."""
        connection = self._whole.connection(at)
        opened = self._others[connection - 1] if connection <= len(self._others) else None
        return None if connection == 1 and opened != 0 else opened


def cuts(whole: Transcript, size: int) -> Iterator[int]:
    """Where to cut a bare file into parts of about `size` bytes: at a request that follows a reply, or not at all where
    there is none nearby. The first cut is before the first record."""
    last = len(whole)
    before = 0
    yield before
    for aim in range(size, whole.size(0, last), size):
        at = bisect_left(range(last), aim, key=lambda place: whole.size(0, place))
        near = range(max(at, before + 1), min(at + _LOOK, last))
        found = next((place for place in near if _begins(whole, place)), None)
        if found is not None:
            yield found
            before = found


def _begins(whole: Transcript, at: int) -> bool:
    return whole.row(at).sender == "host" and whole.row(at - 1).sender == "provider"
