"""One small private file that helps a person and permits nothing.

So one that cannot be read is named and left alone, and nothing is then kept beyond this run.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Generic, TypeVar

import msgspec

from cgp_tui.errors import OurError
from cgp_tui.store.files import make_folder, open_safely, read_whole, write_whole

Kept = TypeVar("Kept", bound=msgspec.Struct)


class Keepsake(Generic[Kept]):
    """A value of `kind` in the file at `path`, or, with None, in memory only; `called` is its name in the plural. `fits`
    says whether a value that was read could have been written here, as a file of more than `most` bytes could not.
    `problem` says why it is not kept and is empty where it is."""

    def __init__(self, path: Path | None, kind: type[Kept], called: str, fits: Callable[[Kept], bool], most: int) -> None:
        self._path = path
        self._kind = kind
        self._called = called
        self._fits = fits
        self._most = most
        self.problem = ""

    def read(self) -> Kept | None:
        """What the file holds now, None where there is none or it cannot be read. Never raises."""
        if self._path is None or self.problem:
            return None
        try:
            fd = open_safely(self._path, os.O_RDONLY)
        except FileNotFoundError:
            return None
        except (OSError, OurError) as error:
            self.problem = f"{self._called} cannot be read: {error}"
            return None
        try:
            found = msgspec.json.decode(read_whole(fd) if os.fstat(fd).st_size <= self._most else b"", type=self._kind)
            if not self._fits(found):
                raise ValueError(f"no {self._called} of this version")
        except (OSError, ValueError) as error:
            self.problem = f"{self._called} cannot be read: {self._path}: {error}"
            return None
        finally:
            os.close(fd)
        return found

    def write(self, one: Kept) -> None:
        """Replace the file's content with `one`. Never raises."""
        if self._path is None or self.problem:
            return
        try:
            make_folder(self._path.parent)
            write_whole(self._path, msgspec.json.format(msgspec.json.encode(one), indent=2) + b"\n")
        except (OSError, OurError, UnicodeEncodeError) as error:
            self.problem = f"{self._called} cannot be kept: {error}"
