"""What the kernel says was written when: strace on running processes, where there is one that may look at them."""

from __future__ import annotations

import re
import shutil
import subprocess
import time
from collections.abc import Sequence
from pathlib import Path

_LINE = re.compile(r'(?:\d+ +)?(\d+\.\d+) write\(\d+, "(.*?)"\.*, \d+\) += (\d+) <(\d+\.\d+)>')
_ATTACHED_SECONDS = 60.0


class Traced:
    """Every write(2) of some processes, from `attach` to their end, which `end` waits for. Nobody is let go before: strace
    and a process that is just starting another one can wait for each other for ever."""

    def __init__(self, place: Path) -> None:
        self._place = place
        self._running: list[subprocess.Popen[bytes]] = []
        self._files: list[Path] = []

    def attach(self, pids: Sequence[int]) -> bool:
        """Whether all of them can be looked at; asks strace to, and waits until it does."""
        if shutil.which("strace") is None:
            return False
        for pid in pids:
            out = self._place / f"{pid}.strace"
            line = ["strace", "-f", "-ttt", "-T", "-s", "24", "-e", "trace=write", "-p", str(pid), "-o", str(out)]
            self._running.append(subprocess.Popen(line, stderr=subprocess.DEVNULL))
            self._files.append(out)
        end = time.monotonic() + _ATTACHED_SECONDS
        while not all(_looked_at(pid) for pid in pids):
            if time.monotonic() > end or any(one.poll() is not None for one in self._running):
                return False
            time.sleep(0.01)
        return True

    def end(self) -> None:
        for one in self._running:
            one.wait()

    def writes(self, beginning: str) -> list[tuple[float, float]]:
        """When each write began and ended whose bytes begin so, in seconds of the clock on the wall."""
        found = []
        for file in self._files:
            for line in file.read_text("utf-8", "replace").splitlines():
                told = _LINE.match(line)
                if told and re.match(beginning, told[2]):
                    found.append((float(told[1]), float(told[1]) + float(told[4])))
        return found


def _looked_at(pid: int) -> bool:
    return "TracerPid:\t0\n" not in Path(f"/proc/{pid}/status").read_text()
