"""A process that misbehaves as told: `children.py MODE [FILE]`. Run without `site`, like any stranger's program."""

from __future__ import annotations

import os
import signal
import sys
import time
from collections.abc import Callable
from typing import NoReturn


def note(path: str, *pids: int) -> None:
    with open(path, "a") as file:
        file.write(" ".join(map(str, pids)) + "\n")


def escapee(path: str, then: Callable[[], None]) -> None:
    """A grandchild that leaves the session and ignores everything it can; its middle parent goes at once."""
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT):
                signal.signal(number, signal.SIG_IGN)
            note(path, os.getpid())
            then()
        os._exit(0)
    os.wait()


def forever() -> NoReturn:
    while True:
        time.sleep(60)


def hops() -> None:
    """Every few microseconds the work moves to a new process and the old one ends: no pid is good for long."""
    if os.fork() == 0:
        os.setsid()
        last = time.monotonic() + 30
        while time.monotonic() < last:
            if os.fork():
                os._exit(0)
        os._exit(0)


def deep(path: str, depth: int) -> NoReturn:
    note(path, os.getpid())
    if depth and os.fork() == 0:
        deep(path, depth - 1)
    forever()


def main() -> None:
    mode, path = sys.argv[1], sys.argv[2] if len(sys.argv) > 2 else ""
    if mode == "escape":
        escapee(path, forever)
        note(path, os.getpid())
        forever()
    elif mode == "escape and end":
        escapee(path, forever)
        sys.exit(7)
    elif mode == "hop":
        hops()
        note(path, os.getpid())
        forever()
    elif mode == "deep":
        deep(path, 100)
    elif mode == "companion":
        child = os.fork()
        if child == 0:
            forever()
        note(path, child)
    elif mode == "litter":
        for _ in range(20):
            if os.fork() == 0:
                if os.fork() == 0:
                    os._exit(0)
                os._exit(0)
            os.wait()
        print("littered", flush=True)
        forever()
    elif mode == "end":
        sys.exit(int(path))
    elif mode == "kill":
        os.kill(os.getpid(), int(path))
        forever()
    elif mode == "facts":
        import resource

        ignored = [n for n in range(1, 32) if n not in (9, 19) and signal.getsignal(n) == signal.SIG_IGN]
        print(
            repr(
                {
                    "argv": sys.argv,
                    "executable": sys.executable,
                    "environment": dict(os.environ),
                    "descriptors": sorted(map(int, os.listdir("/proc/self/fd"))),  # noqa: PTH208
                    "leads": os.getsid(0) == os.getpid() == os.getpgrp(),
                    "core": resource.getrlimit(resource.RLIMIT_CORE),
                    "ignored": ignored,
                    "blocked": sorted(signal.pthread_sigmask(signal.SIG_BLOCK, [])),
                    "cwd": os.getcwd(),  # noqa: PTH109
                }
            ),
            flush=True,
        )
        forever()


main()
