"""A room's front door that loads nothing: a name is looked up in its module when somebody asks for it."""

from __future__ import annotations

import sys
from collections.abc import Callable
from importlib import import_module
from types import ModuleType


class _Room(ModuleType):
    """A package in which some modules have the name of what they define. `_own` are these names: loading the module, which
    would put it in the place of its function, leaves them to the door."""

    _own: frozenset[str]

    def __setattr__(self, name: str, value: object) -> None:
        if name not in self._own or not isinstance(value, ModuleType):
            super().__setattr__(name, value)


def door(room: str, **where: str) -> Callable[[str], object]:
    """The `__getattr__` of the package `room`: for each name, the module of the room that defines it.

    `from room import name` yields what the module defines, as it would after an import at the top of the package, also where
    the module is called `name` too and has been loaded before.
    """
    own = frozenset(name for name, module in where.items() if name == module)
    if own:
        package = sys.modules[room]
        package.__dict__["_own"] = own
        package.__class__ = _Room

    def named(name: str) -> object:
        if name not in where:
            raise AttributeError(f"module {room!r} has no attribute {name!r}")
        return getattr(import_module(f"{room}.{where[name]}"), name)

    return named
