"""A disk that fails at a chosen moment."""

from __future__ import annotations

import errno
import os

import pytest


class Disk:
    """Fails the `at`-th call of the system calls that bring a record to the disk, and every later one for `lasting`."""

    NAMES = ("write", "fsync", "fdatasync", "ftruncate", "unlink")

    def __init__(self, monkeypatch: pytest.MonkeyPatch, at: int, *, lasting: bool) -> None:
        self.calls: list[str] = []
        self._at, self._lasting = at, lasting
        for name in self.NAMES:
            monkeypatch.setattr(os, name, self._failing(name, getattr(os, name)))

    def _failing(self, name: str, real: object) -> object:
        def call(*arguments: object) -> object:
            self.calls.append(name)
            number = len(self.calls)
            if number == self._at or (self._lasting and number > self._at):
                raise OSError(errno.EIO, "Input/output error")
            return real(*arguments)  # type: ignore[operator]

        return call
