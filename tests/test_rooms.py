"""A room's front door tells where things are: its list of modules is whole, and names none that is gone."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

from tests.conftest import ROOT

MAPPED = {
    path.parent: listed
    for path in sorted((ROOT / "cgp_tui").rglob("__init__.py"))
    if (listed := (ast.get_docstring(ast.parse(path.read_text("utf-8"))) or "").partition("\n\nModules")[2])
}


def modules(room: Path) -> set[str]:
    files = {path.stem for path in room.glob("*.py")} - {"__init__"}
    return files | {path.parent.name for path in room.glob("*/__init__.py")}


MANY = 15
"""A room with more modules than this is searched by its list."""


def test_the_large_rooms_list_their_modules() -> None:
    rooms = {path.parent for path in (ROOT / "cgp_tui").rglob("__init__.py")}
    assert {room.name for room in rooms if len(modules(room)) > MANY and room.name != "cgp_tui"} <= {
        room.name for room in MAPPED
    }


@pytest.mark.parametrize("room", MAPPED, ids=lambda room: room.name)
def test_a_room_lists_each_of_its_modules_once(room: Path) -> None:
    named = re.findall(r"`([a-z0-9_]+)`", MAPPED[room].partition("\n\n")[0])
    assert sorted(set(named)) == sorted(modules(room))
