"""The inputs that people's reports left us, and our own command run on them as a process."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pytest


class Ran(NamedTuple):
    code: int
    out: bytes
    err: bytes

    @property
    def document(self) -> Any:
        """stdout as the one JSON document it has to be."""
        return json.loads(self.out)


Runner = Callable[..., Ran]


@pytest.fixture
def inputs(shared: Path) -> Path:
    return shared / "field" / "inputs"


@pytest.fixture
def home(tmp_path: Path) -> dict[str, str]:
    """An environment of its own: nothing is read from, or left in, the real home."""
    kept = {name: os.environ[name] for name in ("PATH", "LANG", "CGP_REFERENCE_BIN") if name in os.environ}
    return {**kept, "HOME": str(tmp_path / "home"), "CGP_TUI_STATE": str(tmp_path / "state")}


@pytest.fixture
def run(cgp: list[str], home: dict[str, str], tmp_path: Path) -> Runner:
    """Run `cgp-tui` with arguments; keyword arguments are more environment."""

    def runner(*arguments: str | Path, stdin: bytes = b"", **more: str) -> Ran:
        ran = subprocess.run(
            [*cgp, *map(str, arguments)],
            input=stdin,
            capture_output=True,
            timeout=120,
            env={**home, **more},
            cwd=tmp_path,
            check=False,
        )
        return Ran(ran.returncode, ran.stdout, ran.stderr)

    return runner


def provider(script: Path, *arguments: str) -> list[str]:
    """The end of a command line that runs one of the stand-in providers."""
    return ["--", sys.executable, str(script), *arguments]
