"""The calls by which the store reaches the disk, met one by one: to count them, to let one fail, or to die at one."""

from __future__ import annotations

import os
import signal
import sys
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any

_ALL = ("open", "write", "read", "pread", "fsync", "fdatasync", "ftruncate", "replace", "rename", "unlink", "mkdir")
NAMES = tuple(name for name in _ALL if hasattr(os, name))
CHANGES = frozenset(NAMES) - {"read", "pread"}
"""The calls that may change something."""

Meet = Callable[[str, Callable[..., Any], tuple[Any, ...]], Any]
"""Gets the name of a call, the call itself and its arguments, and makes it or not."""

tell = os.write
"""os.write as it was: for what a test itself has to say."""


@contextmanager
def met(meet: Meet) -> Iterator[None]:
    """While it lasts, each of the calls goes through `meet`."""

    def stand_in(name: str, call: Callable[..., Any], *arguments: Any, **named: Any) -> Any:
        return meet(name, partial(call, **named), arguments)

    kept = {name: getattr(os, name) for name in NAMES}
    for name, call in kept.items():
        setattr(os, name, partial(stand_in, name, call))
    try:
        yield
    finally:
        for name, call in kept.items():
            setattr(os, name, call)


def writes(arguments: tuple[Any, ...]) -> bool:
    """Whether the arguments of an `open` ask for more than reading."""
    return bool(arguments[1] & (os.O_WRONLY | os.O_RDWR | os.O_CREAT))


class Counted:
    """The names of the calls, in order."""

    def __init__(self) -> None:
        self.names: list[str] = []

    def __call__(self, name: str, call: Callable[..., Any], arguments: tuple[Any, ...]) -> Any:
        self.names.append(name)
        return call(*arguments)


class Dies:
    """SIGKILL to ourselves `before` call number `at` (from 0), `half`-way through its bytes, or `after` it."""

    def __init__(self, at: int, how: str) -> None:
        self._left, self._how = at, how

    def __call__(self, name: str, call: Callable[..., Any], arguments: tuple[Any, ...]) -> Any:
        self._left -= 1
        if self._left >= 0:
            return call(*arguments)
        if self._how == "half" and name == "write":
            call(arguments[0], arguments[1][: len(arguments[1]) // 2])
        elif self._how == "after":
            call(*arguments)
        os.kill(os.getpid(), signal.SIGKILL)
        raise AssertionError("we are dead")


class Fails:
    """Call number `at` (from 0) fails with `error`; with `lasting` so does every later one that would change something.
    `error` 0 is a write that takes half of its bytes."""

    def __init__(self, at: int, error: int, *, lasting: bool) -> None:
        self._left, self._error, self._lasting = at, error, lasting

    def __call__(self, name: str, call: Callable[..., Any], arguments: tuple[Any, ...]) -> Any:
        self._left -= 1
        changes = name in CHANGES and (name != "open" or writes(arguments))
        if self._left == -1 or (self._lasting and self._left < 0 and changes):
            if self._error == 0 and name == "write":
                return call(arguments[0], arguments[1][: len(arguments[1]) // 2])
            if self._error:
                raise OSError(self._error, os.strerror(self._error))
        return call(*arguments)


def forked(work: Callable[[], object]) -> int:
    """A copy of this process that does `work` and ends, with exit code 0 if nothing was raised; its pid."""
    pid = os.fork()
    if pid == 0:
        code = 1
        try:
            work()
            code = 0
        except BaseException:
            traceback.print_exc(file=sys.stderr)
            sys.stderr.flush()
        finally:
            os._exit(code)
    return pid
