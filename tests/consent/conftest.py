from __future__ import annotations

import time
from pathlib import Path

import pytest

from tests.consent.people import Books


@pytest.fixture
def books(tmp_path: Path) -> Books:
    """A ledger that nobody has written to, its clock set by hand."""
    return Books(tmp_path)


@pytest.fixture
def pauses(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The seconds of every sleep from now on: how long was meant to be waited, which a busy machine makes longer."""
    asked: list[float] = []
    sleep = time.sleep

    def pause(seconds: float) -> None:
        asked.append(seconds)
        sleep(seconds)

    monkeypatch.setattr(time, "sleep", pause)
    return asked
