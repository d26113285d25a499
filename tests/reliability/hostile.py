"""A provider that will not end: `hostile.py TAG HABIT...`, each habit in turn. Run without `site`, like any program.

TAG does nothing: everything that this program starts carries it in its command line, so that it can be found again.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import time
from typing import NoReturn

ACK = {
    "type": "handshake_ack",
    "protocol_version": "contextgraph/1.0",
    "provider": {"name": "hostile", "version": "1", "data_flow": {"reads": True, "writes": False, "egress": False}},
    "capabilities": {"query": {"kinds": []}, "correlation": True},
}
SIGNALS = (signal.SIGTERM, signal.SIGHUP, signal.SIGINT, signal.SIGPIPE)
STORM, HOPS = 40, 300


def forever() -> NoReturn:
    while True:
        time.sleep(60)


def say(message: object) -> None:
    os.write(1, json.dumps(message).encode() + b"\n")


def greets() -> None:
    sys.stdin.readline()
    say(ACK)


def ignores() -> None:
    for number in SIGNALS:
        signal.signal(number, signal.SIG_IGN)


def forks_twice() -> None:
    """A grandchild in a session of its own keeps the pipes; its parent has gone."""
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            ignores()
            forever()
        os._exit(0)


def leaves() -> None:
    """The same, and the program itself goes: with nothing said, or in the middle of a line."""
    forks_twice()
    os._exit(3)


def storms() -> None:
    for number in range(STORM):
        if os.fork() == 0:
            if number % 2:
                os.setsid()
            if number % 3 and os.fork():
                os._exit(0)
            forever()


def hops() -> None:
    """Every moment the work moves to a new process: no number is good for long."""
    if os.fork() == 0:
        os.setsid()
        for _ in range(HOPS):
            if os.fork():
                os._exit(0)
        forever()


def closes() -> None:
    for descriptor in (0, 1, 2):
        os.close(descriptor)


def writes_on() -> NoReturn:
    """Into a pipe that nobody reads any more, too."""
    ignores()
    while True:
        try:
            os.write(1, b'{"type":"frames","result":{"frames":[],"truncated":false}}\n')
        except OSError:
            time.sleep(0.01)


def stops() -> None:
    for _ in range(3):
        if os.fork() == 0:
            os.kill(os.getpid(), signal.SIGSTOP)
            forever()
    os.kill(os.getpid(), signal.SIGSTOP)


def dies_in_a_line() -> None:
    os.write(1, b'{"type":"fra')
    os.kill(os.getpid(), signal.SIGKILL)


def complains() -> None:
    for _ in range(100):
        os.write(2, b"\x1b]52;c;aGk=\x07" + b"n" * 9_000 + b"\n")


def traces() -> None:
    """Gets in its own way, as a debugger would: its child stops and starts it again and again."""
    parent = os.getpid()
    if os.fork() == 0:
        try:
            while True:
                os.kill(parent, signal.SIGSTOP)
                time.sleep(0.001)
                os.kill(parent, signal.SIGCONT)
                time.sleep(0.001)
        except ProcessLookupError:
            forever()


HABITS = {
    "greets": greets,
    "ignores": ignores,
    "forks-twice": forks_twice,
    "leaves": leaves,
    "storms": storms,
    "hops": hops,
    "closes": closes,
    "writes-on": writes_on,
    "stops": stops,
    "dies-in-a-line": dies_in_a_line,
    "complains": complains,
    "traces": traces,
}

if __name__ == "__main__":
    for habit in sys.argv[2:]:
        HABITS[habit]()
    forever()
