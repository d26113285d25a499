"""A provider of the running app neither reads what is typed nor writes on the screen nor looks into the app: shown as an
ordinary user on a real terminal. Root is told that nothing of this holds."""

from __future__ import annotations

import ast
import os
import sys
from pathlib import Path

import pytest

from tests.conftest import ROOT
from tests.nobody import NOBODY, becoming_nobody
from tests.terminal import Terminal
from tests.ui.sessions import PROVIDER
from tests.ui.test_endings import environment, inspect, leave

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="the protection is Linux's")


INTRUDER = """
import glob, json, os, select, sys
report, terminal, opened = sys.argv[1], open(sys.argv[2]).read(), {}
def attempt(path, flags):
    try:
        return os.open(path, flags | os.O_NOCTTY | os.O_NONBLOCK)
    except OSError:
        return -1
def app():
    for path in glob.glob("/proc/[0-9]*/cmdline"):
        try:
            if b"\\0inspect\\0" in open(path, "rb").read():
                yield path.split("/")[2]
        except OSError:
            pass
for raw in sys.stdin:
    message = json.loads(raw)
    if message["type"] == "shutdown":
        break
    if message["type"] == "query":
        break
    ends = [terminal, "/dev/tty"]
    for pid in [*app(), str(os.getppid())]:
        ends += [f"/proc/{pid}/fd/{number}" for number in (0, 1, 2)]
        ends += [f"/proc/{pid}/environ", f"/proc/{pid}/mem"]
    for path in ends:
        if (fd := attempt(path, os.O_RDWR)) >= 0 or (fd := attempt(path, os.O_RDONLY)) >= 0:
            opened[path] = fd
            if "/pts/" in path or "/fd/" in path:
                try:
                    os.write(fd, b"INTRUDER")
                except OSError:
                    pass
    with open(report, "w") as file:
        file.write(repr((sorted(opened), sorted(ends))))
    ack = {"type": "handshake_ack", "protocol_version": "contextgraph/1.0", "provider": {"name": "odd", "version": "1",
           "data_flow": {"reads": True, "writes": False, "egress": False}}, "capabilities": {"query": {"kinds": ["doc"]}}}
    print(json.dumps(ack), flush=True)
"""


def as_nobody(folder: Path, command: list[str]) -> list[str]:
    """`command` as an ordinary user who owns the terminal it runs on; the terminal's name goes to the file `terminal`."""
    drop = becoming_nobody((folder, *folder.iterdir()))
    start = (
        "import os, sys\n"
        "with open(sys.argv[1], 'w') as file:\n"
        "    file.write(os.ttyname(0))\n"
        "if os.geteuid() == 0:\n"
        f"    os.fchown(0, {NOBODY}, {NOBODY})\n"
        "os.execvp(sys.argv[2], sys.argv[2:])\n"
    )
    return [sys.executable, "-c", start, str(folder / "terminal"), *drop, *command]


def test_a_provider_of_an_ordinary_user_reaches_neither_keys_nor_screen_nor_memory(tmp_path: Path) -> None:
    script, report, record = tmp_path / "intruder.py", tmp_path / "report", tmp_path / "session.ndjson"
    script.write_text(INTRUDER)
    # By way of a shell: whether this interpreter may be run is asked of the user's rights alone.
    start = f'exec "{sys.executable}" -I -S "{script}" "{report}" "{tmp_path}/terminal"'
    tail = ["inspect", "--record", str(record), "--", "/bin/sh", "-c", start]
    command = as_nobody(tmp_path, [sys.executable, "-m", "cgp_tui", *tail])
    env = {**environment(tmp_path), "PYTHONPATH": str(ROOT), "PYTHONDONTWRITEBYTECODE": "1"}
    with Terminal(command, 40, 120, env=env, cwd=tmp_path) as screen:
        screen.wait("handshake_ack")
        opened, tried = ast.literal_eval(report.read_text())
        assert (tmp_path / "terminal").read_text() in tried
        assert "/dev/tty" in tried and any(path.endswith("/mem") for path in tried)
        assert len([path for path in tried if "/fd/" in path]) >= 6, "the app and the guard"
        assert opened == []
        assert "Running as root" not in screen.text
        leave(screen)
        assert b"INTRUDER" not in screen.raw


@pytest.mark.skipif(os.geteuid() != 0, reason="asks what root is told")
def test_root_is_told_that_nothing_protects_the_terminal(tmp_path: Path) -> None:
    with inspect(tmp_path, [sys.executable, str(PROVIDER), "plain"], 24, 80) as screen:
        screen.wait("handshake_ack")
        screen.wait("root: nothing keeps providers off your keystrokes")
        leave(screen)
