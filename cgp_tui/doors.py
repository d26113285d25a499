"""A room's front door that loads nothing: a name is looked up in its module when somebody asks for it."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module


def door(room: str, **where: str) -> Callable[[str], object]:
    """The `__getattr__` of the package `room`: for each name, the module of the room that defines it.

    A name that a module of the room has as well cannot stand here: once that module is loaded, the name is the module.
    """

    def named(name: str) -> object:
        if name not in where:
            raise AttributeError(f"module {room!r} has no attribute {name!r}")
        return getattr(import_module(f"{room}.{where[name]}"), name)

    return named
