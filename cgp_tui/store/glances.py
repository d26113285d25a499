"""Which transcripts were looked at here and what was found in them, for the list to resume from. It permits nothing."""

from __future__ import annotations

import math
import os
import stat
from pathlib import Path
from typing import Final

import msgspec

from cgp_tui.store import views
from cgp_tui.store.shelf import Shelf

_PATH_CHARS: Final = 4096


class Glance(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One transcript as it was when it was left: `at` is in seconds since 1970, `size` in bytes, `changed` its modification
    time in nanoseconds; then its number of wire `lines`, `violations` and `advice`. `judged` says that those two count all
    lines of a file that has not changed since."""

    target: str
    path: str
    at: float
    size: int
    changed: int
    lines: int
    violations: int = 0
    advice: int = 0
    judged: bool = False


class Glances:
    """What is kept in `folder`."""

    def __init__(self, folder: Path) -> None:
        self._shelf = Shelf(folder, Glance, _fault, "target")

    def put(self, path: Path, at: float, lines: int, found: tuple[int, int] | None) -> bool:
        """Remember that the transcript at `path` was looked at; `found` are its violations and advice, None where not all
        of it was judged. Returns whether that worked: a file that is gone, or whose name is not valid Unicode, is not kept.
        Never raises."""
        try:
            name = str(path.absolute())
            name.encode()
            now = path.stat()
        except (OSError, ValueError):
            return False
        violations, advice = found or (0, 0)
        one = Glance(
            views.of_file(path),
            name,
            at,
            now.st_size,
            now.st_mtime_ns,
            lines,
            violations,
            advice,
            judged=found is not None,
        )
        return not _fault(one) and self._shelf.put(one)

    def read(self) -> tuple[Glance, ...]:
        """The transcripts whose file is still there, newest first; for one that has changed since, nothing is said of what
        was found. Never raises."""
        kept = sorted(self._shelf.read().by_id.values(), key=lambda one: one.at, reverse=True)
        return tuple(there for one in kept if (there := _there(one)) is not None)


def _there(one: Glance) -> Glance | None:
    try:
        now = os.stat(one.path)  # noqa: PTH116 -- a name with a NUL must raise ValueError here
    except (OSError, ValueError):
        return None
    if not stat.S_ISREG(now.st_mode):
        return None
    same = (now.st_size, now.st_mtime_ns) == (one.size, one.changed)
    return one if same else msgspec.structs.replace(one, size=now.st_size, judged=False)


def _fault(one: Glance) -> str:
    if not Path(one.path).is_absolute() or len(one.path) > _PATH_CHARS or views.of_file(Path(one.path)) != one.target:
        return "it names no transcript"
    sound = math.isfinite(one.at) and min(one.at, one.size, one.changed, one.lines, one.violations, one.advice) >= 0
    return "" if sound else "it counts from 0"
