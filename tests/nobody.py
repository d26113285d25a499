"""An ordinary user, for tests that run as root: of root's processes root may see everything."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterable
from pathlib import Path

import pytest

NOBODY = 65534


def becoming_nobody(paths: Iterable[Path]) -> list[str]:
    """The command before a command that runs as an ordinary user, to whom `paths` belong from now on; none where we are one.
    Skips the test where there is no such command."""
    if os.geteuid() != 0:
        return []
    setpriv = shutil.which("setpriv")
    if setpriv is None:
        pytest.skip("there is no setpriv to become an ordinary user with")
    for path in paths:
        os.chown(path, NOBODY, NOBODY)
    # The interpreter may stand in root's home: the right to search folders is kept, and it opens none of the doors.
    caps = ["--inh-caps=+dac_read_search", "--ambient-caps=+dac_read_search"]
    return [setpriv, f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups", *caps]
