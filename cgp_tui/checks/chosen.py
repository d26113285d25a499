"""Which rows of a table are worth asking.

A row may name a `part` that must be present for its test to find anything. Which parts are present, in the order of the
table's own list, is called a look; the rows for each look are picked once and kept.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Generic, Protocol, TypeVar


class _HasPart(Protocol):
    @property
    def part(self) -> str | None: ...


RowT = TypeVar("RowT", bound=_HasPart)

Look = tuple[bool, ...]


class Chosen(dict[Look, tuple[RowT, ...]], Generic[RowT]):
    """The rows to ask for each look, in their order; a look says which of `parts` are there."""

    def __init__(self, rows: Iterable[RowT], parts: Iterable[str]) -> None:
        super().__init__()
        self._rows = tuple(rows)
        self._parts = tuple(parts)

    def __missing__(self, look: Look) -> tuple[RowT, ...]:
        there = {part for part, has in zip(self._parts, look, strict=True) if has}
        self[look] = picked = tuple(row for row in self._rows if row.part is None or row.part in there)
        return picked
