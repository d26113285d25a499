"""The filters that the person saved under a name: wherever a filter is written, `@slow` stands for the saved one."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Final

import msgspec

from cgp_tui import limits
from cgp_tui.store.keepsake import Keepsake

FORMAT: Final = "cgp-filters/1"
MOST: Final = 100
NAME_CHARS: Final = 40
_BYTES: Final = 1024 * 1024
_NAME: Final = re.compile(r"[A-Za-z0-9_-]+")


class _File(msgspec.Struct, frozen=True):
    format: str = FORMAT
    filters: dict[str, str] = {}


class Filters:
    """The filters in the file at `path`, or, with None, in memory only. They are read when first needed. `problem` says why
    they are not kept and is empty where they are. Another session may write the file too, so each change starts from what
    it holds at that moment."""

    def __init__(self, path: Path | None = None) -> None:
        self._kept = Keepsake(path, _File, "filters", _fits, _BYTES)
        self._file: _File | None = None

    @property
    def problem(self) -> str:
        return self._kept.problem

    @property
    def texts(self) -> Mapping[str, str]:
        """The saved filters by name, in the order of their names."""
        return dict(sorted((self._file or self._read()).filters.items()))

    def save(self, name: str, text: str) -> bool:
        """Keep a filter under a name, replacing one with that name. False where the name has other characters than letters,
        digits, `-` and `_`, the filter is too long, or there are too many."""
        others = self._read().filters
        if not (is_name(name) and _short(text)) or (name not in others and len(others) >= MOST):
            return False
        self._put({**others, name: text})
        return True

    def forget(self, name: str) -> None:
        """Remove a saved filter."""
        self._put({other: text for other, text in self._read().filters.items() if other != name})

    def _read(self) -> _File:
        """Take what the file holds now."""
        self._file = self._kept.read() or self._file or _File()
        return self._file

    def _put(self, filters: dict[str, str]) -> None:
        self._file = _File(filters=filters)
        self._kept.write(self._file)


def is_name(name: str) -> bool:
    """Whether a filter can be saved under this name."""
    return len(name) <= NAME_CHARS and _NAME.fullmatch(name) is not None


def _short(text: str) -> bool:
    return len(text.strip()) > 0 and len(text) <= limits.FILTER_CHARS


def _fits(file: _File) -> bool:
    named = all(is_name(name) and _short(text) for name, text in file.filters.items())
    return file.format == FORMAT and len(file.filters) <= MOST and named
