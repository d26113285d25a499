"""The history of queries across sessions, and the queries that the person saved under a name: one small private file.

It helps and permits nothing. So a file that cannot be read is named and left alone, and nothing is kept beyond this run.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Final

import msgspec

from cgp_tui.protocol.query import ContextQuery
from cgp_tui.store.keepsake import Keepsake

FORMAT: Final = "cgp-queries/1"
MOST: Final = 200
"""The most queries in the history; the oldest are dropped first."""
PRESETS: Final = 100
NAME_CHARS: Final = 60
QUERY_BYTES: Final = 8 * 1024
"""A larger query is not kept."""
_BYTES: Final = 4 * 1024 * 1024


class _File(msgspec.Struct, frozen=True):
    format: str = FORMAT
    history: tuple[ContextQuery, ...] = ()
    presets: dict[str, ContextQuery] = {}


class Queries:
    """The queries in the file at `path`, or, with None, in memory only. `problem` says why they are not kept and is empty
    where they are. Another session may write the file too, so each change starts from what it holds at that moment."""

    def __init__(self, path: Path | None = None) -> None:
        self._kept = Keepsake(path, _File, "queries", _fits, _BYTES)
        self._file = _File()
        self._read()

    @property
    def problem(self) -> str:
        return self._kept.problem

    @property
    def history(self) -> tuple[ContextQuery, ...]:
        """The queries that were asked, oldest first; one that was asked again is listed once, at its latest place."""
        return self._file.history

    @property
    def presets(self) -> Mapping[str, ContextQuery]:
        """The saved queries by name, in the order of their names."""
        return dict(sorted(self._file.presets.items()))

    def asked(self, query: ContextQuery) -> None:
        """Put a query at the end of the history."""
        if not _small(query):
            return
        self._read()
        history = (*(one for one in self._file.history if one != query), query)[-MOST:]
        self._write(_File(history=history, presets=self._file.presets))

    def save(self, name: str, query: ContextQuery) -> bool:
        """Keep a query under a name, replacing one with that name; False where it is too large or there are too many."""
        self._read()
        fits = name in self._file.presets or len(self._file.presets) < PRESETS
        if not (fits and _named(name) and _small(query)):
            return False
        self._write(_File(history=self._file.history, presets={**self._file.presets, name: query}))
        return True

    def forget(self, name: str) -> None:
        """Remove a saved query."""
        self._read()
        kept = {other: query for other, query in self._file.presets.items() if other != name}
        self._write(_File(history=self._file.history, presets=kept))

    def _write(self, file: _File) -> None:
        self._file = file
        self._kept.write(file)

    def _read(self) -> None:
        """Take what the file holds now."""
        found = self._kept.read()
        if found is not None:
            presets = dict(list(found.presets.items())[:PRESETS])
            self._file = _File(history=found.history[-MOST:], presets=presets)


def _fits(file: _File) -> bool:
    return file.format == FORMAT and all(map(_named, file.presets))


def _named(name: str) -> bool:
    return 0 < len(name) <= NAME_CHARS


def _small(query: ContextQuery) -> bool:
    try:
        return len(msgspec.json.encode(query)) <= QUERY_BYTES
    except UnicodeEncodeError:
        return False
