"""Fixtures of the command tests."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.desk import Desk


@pytest.fixture
def desk(tmp_path: Path, cgp: list[str], monkeypatch: pytest.MonkeyPatch) -> Desk:
    made = Desk(tmp_path, cgp)
    monkeypatch.setenv("CGP_TUI_STATE", made.environment["CGP_TUI_STATE"])
    monkeypatch.setenv("CGP_TUI_LEDGER", made.environment["CGP_TUI_LEDGER"])
    return made
