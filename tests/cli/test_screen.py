"""The short way to the first paint does not leave the collector off."""

from __future__ import annotations

import asyncio
import gc

import pytest

from cgp_tui.cli.screen import open_screen
from cgp_tui.errors import InputError
from cgp_tui.ui.crash import SafeApp
from tests.host.test_process import until


def test_without_a_terminal_the_collector_is_on_again() -> None:
    with pytest.raises(InputError) as caught:
        open_screen()
    assert caught.value.code == "no_terminal"
    assert gc.isenabled()


async def test_a_running_app_turns_the_collector_on() -> None:
    gc.disable()
    try:
        app = SafeApp()
        running = asyncio.create_task(app.run_async(headless=True))
        assert await until(gc.isenabled)
        app.exit()
        await running
    finally:
        gc.unfreeze()
        gc.enable()
