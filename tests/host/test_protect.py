"""A provider neither reads our keystrokes nor writes on our terminal nor looks into this process: shown as an ordinary user
on a real terminal, each attempt beside the same attempt without protection, where it succeeds."""

from __future__ import annotations

import ast
import fcntl
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from cgp_tui.host.protect import AS_ROOT, Terminal

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="the protection is Linux's")

ROOT = Path(__file__).resolve().parents[2]
NOBODY = 65534

INTRUDER = """
import os, sys
app, tty = sys.argv[1:]
guard = os.getppid()
found = {}
for name, path, flags in (
    ("keys", tty, os.O_RDWR | os.O_NOCTTY),
    ("tty", "/dev/tty", os.O_RDWR | os.O_NOCTTY),
    ("screen", f"/proc/{app}/fd/1", os.O_WRONLY | os.O_NOCTTY),
    ("environment", f"/proc/{app}/environ", os.O_RDONLY),
    ("memory", f"/proc/{app}/mem", os.O_RDWR),
    ("guard's environment", f"/proc/{guard}/environ", os.O_RDONLY),
    ("guard's memory", f"/proc/{guard}/mem", os.O_RDWR),
):
    try:
        os.close(os.open(path, flags))
        found[name] = True
    except OSError:
        found[name] = False
print(repr(found), flush=True)
"""

APP = """
import asyncio, os, sys
from cgp_tui.host.process import child_environment, spawn
from cgp_tui.host.protect import Terminal, seal
async def main():
    argv = [sys.executable, "-I", "-S", "-c", sys.argv[2], str(os.getpid()), os.ttyname(0)]
    terminal = Terminal.open()
    assert terminal.descriptor >= 0
    if sys.argv[1] != "open":
        assert seal()
        terminal.hold()
    process = await spawn(argv[0], argv, child_environment(), terminal=terminal.descriptor)
    print(f"gap {terminal.gap!r}", flush=True)
    await process.exited
    print(os.read(process.stdout, 65536).decode(), flush=True)
    if sys.argv[1] == "wait":
        print("up", flush=True)
        await asyncio.sleep(60)
    await process.end()
    process.close()
    terminal.release()
asyncio.run(main())
"""

SHELL = """
import os, signal, subprocess, sys, time
app = subprocess.Popen([sys.executable, "-c", *sys.argv[1:]], stdout=subprocess.PIPE)
for line in app.stdout:
    print(line.decode(), end="", flush=True)
    if line == b"up\\n":
        break
def opens():
    try:
        os.close(os.open(os.ttyname(0), os.O_RDWR | os.O_NOCTTY))
        return True
    except OSError:
        return False
print("before", opens(), flush=True)
if app.poll() is None:
    app.send_signal(signal.SIGKILL)
app.wait()
last = time.monotonic() + 120
while not opens() and time.monotonic() < last:
    time.sleep(0.01)
print("after", opens(), flush=True)
"""


def _on_a_terminal(mode: str) -> list[str]:
    """What the program in `mode` prints, run by an ordinary user who owns its terminal; the lines of a shell around it."""
    drop: list[str] = []
    master, slave = os.openpty()
    if os.geteuid() == 0:
        setpriv = shutil.which("setpriv")
        if setpriv is None:
            pytest.skip("there is no setpriv to become an ordinary user with")
        # The interpreter may stand in root's home: the right to search folders is kept, and it opens none of the doors.
        caps = ["--inh-caps=+dac_read_search", "--ambient-caps=+dac_read_search"]
        drop = [setpriv, f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups", *caps]
        os.chown(os.ttyname(slave), NOBODY, NOBODY)

    argv = [*drop, sys.executable, "-c", SHELL, APP, mode, INTRUDER]
    launcher = "import fcntl, os, sys, termios; fcntl.ioctl(0, termios.TIOCSCTTY, 0); os.execv(sys.argv[1], sys.argv[1:])"
    child = subprocess.Popen(
        [sys.executable, "-c", launcher, *argv],
        stdin=slave,
        stdout=slave,
        stderr=slave,
        start_new_session=True,
        cwd=ROOT,
        env={"PATH": os.environ["PATH"], "PYTHONPATH": str(ROOT), "HOME": "/", "PYTHONDONTWRITEBYTECODE": "1"},
    )
    os.close(slave)
    out = b""
    while True:
        try:
            piece = os.read(master, 65536)
        except OSError:
            break
        if not piece:
            break
        out += piece
    os.close(master)
    assert child.wait(120) == 0, out.decode()
    return out.decode().replace("\r", "").splitlines()


def _found(lines: list[str]) -> dict[str, bool]:
    found: dict[str, bool] = ast.literal_eval(next(line for line in lines if line.startswith("{")))
    return found


def test_an_ordinary_user_s_provider_reaches_nothing_of_ours() -> None:
    lines = _on_a_terminal("shut")
    assert "gap ''" in lines
    assert [name for name, opened in _found(lines).items() if opened] == []
    assert "after True" in lines


def test_without_protection_it_would_reach_all_but_the_guard() -> None:
    found = _found(_on_a_terminal("open"))
    assert found == {
        "keys": True,
        "tty": False,  # its own session has no terminal
        "screen": True,
        "environment": True,
        "memory": True,
        "guard's environment": False,
        "guard's memory": False,
    }


def test_a_killed_program_leaves_an_open_terminal() -> None:
    lines = _on_a_terminal("wait")
    assert lines[-2:] == ["before False", "after True"]


@pytest.mark.skipif(os.geteuid() != 0, reason="asks what root is told")
def test_root_is_told_that_there_is_no_protection() -> None:
    master, slave = os.openpty()
    terminal = Terminal(slave)
    assert terminal.gap == AS_ROOT
    terminal.close()
    os.close(master)
    assert Terminal(-1).gap == ""


def _exclusive(descriptor: int) -> bool:
    """Whether the terminal is in exclusive use (TIOCGEXCL)."""
    answer = fcntl.ioctl(descriptor, 0x80045440, b"\0\0\0\0")
    return answer != b"\0\0\0\0"


def test_the_last_provider_gives_the_terminal_back() -> None:
    master, slave = os.openpty()
    terminal = Terminal(os.dup(slave))
    terminal.hold()
    terminal.hold()
    terminal.release()
    assert terminal.held
    assert _exclusive(slave)
    terminal.pause()
    assert not _exclusive(slave)
    terminal.resume()
    assert _exclusive(slave)
    terminal.release()
    assert not _exclusive(slave)
    terminal.resume()
    assert not _exclusive(slave)
    terminal.hold()
    terminal.close()
    assert not _exclusive(slave)
    terminal.hold()  # nothing left to hold
    os.close(slave)
    os.close(master)


def test_a_terminal_that_hung_up_is_no_failure() -> None:
    master, slave = os.openpty()
    terminal = Terminal(slave)
    terminal.hold()
    os.close(master)
    terminal.release()
    terminal.close()
