"""Documents made while they are written, so that their content need not fit into memory."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import IO, Any

import msgspec

_IN_MEMORY = 1024 * 1024
"""The size in bytes at which a spool moves to a temporary file."""


class Items(msgspec.Struct, frozen=True):
    """A JSON array whose items are iterated once, when it is written."""

    items: Iterable[object]


class Members(msgspec.Struct, frozen=True):
    """A JSON object whose members are iterated once, when it is written: a later one may depend on an earlier one."""

    members: Iterable[tuple[str, object]]


class Spool:
    """Values put aside until their place in the document comes; on disk if there are many."""

    def __init__(self) -> None:
        self._file: IO[bytes] | None = None

    def add(self, value: object) -> None:
        """Put one Struct or builtin aside. Raises OSError where the disk is full."""
        import json

        if self._file is None:
            import tempfile

            self._file = tempfile.SpooledTemporaryFile(_IN_MEMORY)  # noqa: SIM115 -- closed by `items`
        self._file.write(json.dumps(msgspec.to_builtins(value)).encode("ascii") + b"\n")

    def items(self) -> Iterator[Any]:
        """All values put aside, in order, as builtins; the spool is empty afterwards."""
        import json

        if self._file is None:
            return
        with self._file as file:
            self._file = None
            file.seek(0)
            for line in file:
                yield json.loads(line)
