"""The driver that survives its terminal."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
import tty
from typing import Any

import pytest
from textual import constants
from textual.app import App
from textual.drivers.headless_driver import HeadlessDriver
from textual.drivers.linux_driver import LinuxDriver
from textual.events import Paste
from textual.message import Message

from cgp_tui.ui import driver
from cgp_tui.ui.driver import Deaf, sturdy
from tests.terminal import Terminal

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="terminals are POSIX's here")


def test_what_a_lost_terminal_does_not_take_is_dropped() -> None:
    master, slave = os.openpty()
    stream = os.fdopen(slave, "w")
    deaf = Deaf(stream)
    assert deaf.write("seen") == 4
    deaf.flush()
    assert os.read(master, 10) == b"seen"
    assert (deaf.lost, deaf.fileno()) == (False, slave)
    os.close(master)
    deaf.write("unseen")
    deaf.flush()
    assert deaf.lost
    assert deaf.write("never tried") == 11
    with pytest.raises(OSError, match="Input/output"):
        stream.close()


def test_a_hung_up_terminal_is_known() -> None:
    script = (
        "import signal, sys, time; from cgp_tui.ui.driver import hung_up\n"
        "signal.signal(signal.SIGHUP, signal.SIG_IGN)\n"
        "assert not hung_up()\n"
        "print('up', flush=True)\n"
        "for _ in range(100):\n"
        "    if hung_up():\n"
        "        import os; os._exit(7)\n"
        "    time.sleep(0.05)\n"
    )
    with Terminal([sys.executable, "-c", script]) as screen:
        screen.wait("up")
        screen.hang_up()
        assert screen.ended() == 7


def test_only_the_terminal_s_driver_is_changed() -> None:
    assert sturdy(HeadlessDriver) is HeadlessDriver


def test_a_sequence_that_is_read_in_parts_is_no_escape(monkeypatch: pytest.MonkeyPatch) -> None:
    """A paste that ends across two reads, on a machine so busy that each byte is late: nothing of its end is a key."""
    monkeypatch.setattr(driver, "_CHUNK", 1)
    monkeypatch.setattr(constants, "ESCAPE_DELAY", 0.0)
    master, slave = os.openpty()
    tty.setraw(slave)
    stdin = os.fdopen(slave)
    monkeypatch.setattr(sys, "__stdin__", stdin)

    async def heard() -> list[str]:
        app: App[None] = App()
        terminal: Any = sturdy(LinuxDriver)(app)
        keys: list[str] = []

        def take(event: Message) -> None:
            keys.append(event.text if isinstance(event, Paste) else str(getattr(event, "key", event)))
            if keys[-1] == "z":
                terminal.exit_event.set()

        terminal.process_message = take
        os.write(master, b"\x1b[200~ab\x1b[201~\x1b[6~z")
        await asyncio.wait_for(asyncio.to_thread(terminal.run_input_thread), 60)
        return keys

    assert asyncio.run(heard()) == ["ab", "pagedown", "z"]
    os.close(master)
    stdin.close()


def test_a_closed_pipe_is_no_terminal_that_was_lost() -> None:
    """An app without a terminal, as in these tests, goes on although what stands on its stdin has hung up."""
    script = (
        "import asyncio, sys\n"
        "from cgp_tui.ui.crash import SafeApp\n"
        "async def main():\n"
        "    app = SafeApp()\n"
        "    async with app.run_test() as pilot:\n"
        "        app.watch_signals()\n"
        "        await pilot.pause(1.3)\n"
        "        sys.exit(0 if app.signalled is None and app.is_running else 1)\n"
        "asyncio.run(main())\n"
    )
    ran = subprocess.run([sys.executable, "-c", script], input=b"", capture_output=True, check=False)
    assert ran.returncode == 0, ran.stderr.decode()
