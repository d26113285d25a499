"""Small private files of one kind in a folder, one for each provider, or whatever else they are about. They help a person
and permit nothing.

So a file that cannot be read is named and left out, and one that cannot be written does no harm.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final, Generic, TypeVar

import msgspec

from cgp_tui.errors import OurError
from cgp_tui.store.files import make_folder, open_safely, write_whole

KEPT: Final = 256
"""How many files are kept; the one written longest ago is dropped first."""

BYTES: Final = 64 * 1024
"""A larger file cannot have been written here."""

_SUFFIX: Final = ".json"

Kept = TypeVar("Kept", bound=msgspec.Struct)


class Stock(msgspec.Struct, Generic[Kept], frozen=True):
    """The values that were read, by what they are about, and the files that could not be read, each with the reason."""

    by_id: dict[str, Kept] = {}
    unread: tuple[tuple[Path, str], ...] = ()


class Shelf(Generic[Kept]):
    """Values of `kind`, a Struct whose field `about` says what each is about, in `folder`. `fault` says what is wrong with a
    value that was read and gives an empty text where nothing is."""

    def __init__(self, folder: Path, kind: type[Kept], fault: Callable[[Kept], str], about: str = "provider_id") -> None:
        self._about = about
        self._folder = folder
        self._kind = kind
        self._fault = fault

    def put(self, one: Kept) -> bool:
        """Keep `one` in place of what was kept under its id. Returns whether that worked. Never raises."""
        name: Any = getattr(one, self._about)
        data = msgspec.json.encode(one)
        if len(data) > BYTES:
            return False
        try:
            make_folder(self._folder)
            write_whole(self._folder / (name + _SUFFIX), data)
        except (OSError, OurError):
            return False
        with contextlib.suppress(OSError):
            for path in sorted(self._folder.glob("*" + _SUFFIX), key=lambda path: path.stat().st_mtime_ns)[:-KEPT]:
                path.unlink(missing_ok=True)
        return True

    @property
    def mark(self) -> int:
        """A number that changes whenever something is put, here or by another process; 0 where there is no folder."""
        try:
            return self._folder.stat().st_mtime_ns
        except OSError:
            return 0

    def read(self) -> Stock[Kept]:
        """All that is kept. Never raises."""
        known: dict[str, Kept] = {}
        unread: list[tuple[Path, str]] = []
        try:
            files = sorted(self._folder.glob("*" + _SUFFIX))
        except OSError:
            return Stock()
        for path in files:
            try:
                known[path.name.removesuffix(_SUFFIX)] = self._read(path)
            except FileNotFoundError:
                continue
            except OurError as error:
                unread.append((path, error.message))
            except (OSError, ValueError) as error:
                unread.append((path, str(error)))
        return Stock(known, tuple(unread))

    def get(self, name: str) -> tuple[Kept | None, str]:
        """What is kept about `name`, or None and why it cannot be read (empty where nothing is kept). Never raises."""
        try:
            return self._read(self._folder / (name + _SUFFIX)), ""
        except FileNotFoundError:
            return None, ""
        except OurError as error:
            return None, error.message
        except (OSError, ValueError) as error:
            return None, str(error)

    def _read(self, path: Path) -> Kept:
        """Raises UnsafeStoreError, OSError, or ValueError for a file that cannot have been written here."""
        fd = open_safely(path, os.O_RDONLY)
        try:
            data = os.read(fd, BYTES + 1)
        finally:
            os.close(fd)
        if len(data) > BYTES:
            raise ValueError("it is larger than what is written here")
        one = msgspec.json.decode(data, type=self._kind)
        other = getattr(one, self._about) + _SUFFIX != path.name
        fault = f"it is about another {self._about.removesuffix('_id')}" if other else self._fault(one)
        if fault:
            raise ValueError(fault)
        return one
