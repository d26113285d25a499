"""A replay to press keys in; and what a pilot takes for idle on a machine whose processors have other things to do too."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncIterator
from pathlib import Path
from time import monotonic
from typing import Any, Final

import pytest_asyncio
from textual import app, pilot
from textual._wait import wait_for_idle

from tests.ui.pilots import Replay, app_over, opened, write_bare

IN_A_ROW: Final = 3
MOST_SECONDS: Final = 20.0


async def rested(min_sleep: float = 1 / 50, max_sleep: float = 1) -> None:
    """Until nothing is left to be run. The toolkit takes a process for idle that used no processor for a moment; one that
    was given none looks the same, and has its messages still before it."""
    await wait_for_idle(min_sleep, max_sleep)
    ready: deque[Any] = asyncio.get_running_loop()._ready  # type: ignore[attr-defined]
    end, quiet = monotonic() + MOST_SECONDS, 0
    while quiet < IN_A_ROW and monotonic() < end:
        await asyncio.sleep(0)
        quiet = 0 if ready else quiet + 1


app.wait_for_idle = rested  # type: ignore[attr-defined]
pilot.wait_for_idle = rested  # type: ignore[attr-defined]


@pytest_asyncio.fixture
async def replay(tmp_path: Path) -> AsyncIterator[Replay]:
    async with opened(app_over(write_bare(tmp_path / "session.ndjson"))) as pilot:
        yield Replay(pilot)
