"""A provider that a command starts is kept off the terminal and out of the program, as long as it runs and no longer."""

from __future__ import annotations

import fcntl
import os
import pty
import signal
import subprocess
import sys
import termios
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.cli.desk import Desk
from tests.nobody import becoming_nobody

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="the protection is Linux's")

ACK = (
    '{"type":"handshake_ack","protocol_version":"contextgraph/1.0","provider":{"name":"example","version":"1","data_flow":'
    '{"reads":true,"writes":false,"egress":true,"egress_scopes":["third-party-index"]}},"capabilities":{"query":{"kinds":[]}}}'
)
WAITS = f"""
touch up
while [ ! -e go ]; do sleep 0.01; done
read handshake
echo '{ACK}'
"""


def _until(there: Callable[[], object]) -> None:
    last = time.monotonic() + 120
    while not there():
        assert time.monotonic() < last
        time.sleep(0.01)


def _exclusive(descriptor: int) -> bool:
    return fcntl.ioctl(descriptor, 0x80045440, b"\0\0\0\0") != b"\0\0\0\0"


@contextmanager
def _started(desk: Desk, *words: str) -> Iterator[tuple[subprocess.Popen[bytes], int, int]]:
    """A line on a terminal of its own, while its provider is starting: the program, and both ends of the terminal."""
    folder = desk.script.parent
    (folder / "provider.sh").write_text(WAITS)
    ours, theirs = pty.openpty()
    nobody = becoming_nobody((folder, *folder.rglob("*"), Path(os.ttyname(theirs))))
    line = [*nobody, *desk.cgp, *words, "--", "/bin/sh", "provider.sh"]
    environment = {**desk.environment, "TERM": "xterm", "PYTHONDONTWRITEBYTECODE": "1"}
    process = subprocess.Popen(
        line,
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        start_new_session=True,
        cwd=folder,
        env=environment,
        preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0),  # noqa: PLW1509
    )
    try:
        _until((folder / "up").exists)
        yield process, ours, theirs
    finally:
        process.kill()
        process.wait()
        os.close(ours)
        os.close(theirs)


def test_a_provider_that_is_met_before_a_grant_reaches_neither_terminal_nor_program(desk: Desk) -> None:
    words = ("consent", "grant", "--scope", "third-party-index")
    with _started(desk, *words) as (process, ours, theirs):
        assert _exclusive(theirs)
        assert Path(f"/proc/{process.pid}/environ").stat().st_uid == 0, "not to be looked into"
        process.send_signal(signal.SIGTSTP)
        _until(lambda: not _exclusive(theirs))
        process.send_signal(signal.SIGCONT)
        _until(lambda: _exclusive(theirs))
        (desk.script.parent / "go").touch()
        seen = b""
        while b"Anything else refuses." not in seen:
            seen += os.read(ours, 65536)
        assert not _exclusive(theirs), "nobody runs while the person decides"
