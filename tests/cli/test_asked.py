"""A question at a terminal: what is taken for an answer, whatever becomes of the terminal meanwhile."""

from __future__ import annotations

import os
import pty
import select
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from cgp_tui.cli.asked import at_terminal
from tests.cli.desk import READS

ROOT = Path(__file__).resolve().parent.parent.parent

ASKS = """
import os, sys
from cgp_tui.cli.asked import at_terminal, typed
os.write(1, b"asked" if at_terminal() else b"nobody")
os.read(int(sys.argv[1]), 1)
os.write(1, os.fsencode(ascii(typed())))
"""


class Asking:
    """A process that asks at a terminal of its own when `go` is called; `fd` is our end of the terminal."""

    def __init__(self, *, waits: bool = True) -> None:
        self.fd, theirs = pty.openpty()
        os.set_blocking(theirs, waits)
        begin, self._begin = os.pipe()
        self._process = subprocess.Popen(
            [sys.executable, "-c", ASKS, str(begin)],
            stdin=theirs,
            stdout=subprocess.PIPE,
            stderr=theirs,
            pass_fds=(begin,),
            start_new_session=True,
            env={"PYTHONPATH": str(ROOT), "LANG": "C.UTF-8"},
        )
        os.close(theirs)
        os.close(begin)
        assert self._process.stdout is not None
        assert os.read(self._process.stdout.fileno(), 9) == b"asked"

    def go(self) -> None:
        os.write(self._begin, b"g")

    def hang_up(self) -> None:
        os.close(self.fd)
        self.fd = -1

    def heard(self) -> bytes:
        """What it took for the answer, as Python spells it; empty where it did not end by itself."""
        out, _ = self._process.communicate(timeout=120)
        return out if self._process.returncode == 0 else b""

    def end(self) -> None:
        self._process.kill()
        self._process.communicate()
        os.close(self._begin)
        if self.fd >= 0:
            self.hang_up()

    def settles(self) -> None:
        """Wait until it sleeps in a call that waits for the terminal."""
        call = Path(f"/proc/{self._process.pid}/syscall")
        while (words := call.read_text().split())[0] not in SELECTS and not (words[0] in READS and words[1] == "0x0"):
            select.select([], [], [], 0.01)


SELECTS = ("23", "270", "72")
"""The numbers of select(2) and pselect(2), by the kinds of machines."""


@pytest.fixture
def asking() -> Iterator[Asking]:
    made = Asking()
    yield made
    made.end()


@pytest.mark.parametrize(
    ("keys", "heard"),
    [
        (b"docs\n", b"'docs'"),
        (b"  docs \n", b"'  docs '"),
        (b"\n", b"''"),
        (b"\x04", b"''"),
        (b"do\x04cs\n", b"'docs'"),
        (b"docs\x04\x04", b"'docs'"),
        (b"\xe9t\xff\n", b"'\\udce9t\\udcff'"),
        (b"docs\nmore\n", b"'docs'"),
    ],
)
def test_one_line_is_the_answer(keys: bytes, heard: bytes, asking: Asking) -> None:
    asking.go()
    if Path("/proc/self/syscall").exists():
        asking.settles()
    else:
        select.select([], [], [], 0.5)
    os.write(asking.fd, keys)
    assert asking.heard() == heard


def test_a_terminal_that_goes_before_the_question_answers_nothing(asking: Asking) -> None:
    asking.hang_up()
    asking.go()
    assert asking.heard() == b"''"


@pytest.mark.skipif(not Path("/proc/self/syscall").exists(), reason="here nobody tells what a process waits for")
def test_a_terminal_that_goes_after_the_question_answers_nothing(asking: Asking) -> None:
    asking.go()
    asking.settles()
    os.write(asking.fd, b"doc")
    asking.hang_up()
    assert asking.heard() == b"''"


@pytest.mark.skipif(not Path("/proc/self/syscall").exists(), reason="here nobody tells what a process waits for")
def test_a_terminal_that_another_program_set_not_to_wait_is_waited_for() -> None:
    asking = Asking(waits=False)
    try:
        asking.go()
        asking.settles()
        os.write(asking.fd, b"docs\n")
        assert asking.heard() == b"'docs'"
    finally:
        asking.end()


def test_without_a_terminal_nobody_is_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    with Path(os.devnull).open() as null:
        monkeypatch.setattr(sys, "stdin", null)
        assert not at_terminal()
    monkeypatch.setattr(sys, "stdin", None)
    assert not at_terminal()
