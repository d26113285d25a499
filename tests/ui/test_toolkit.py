"""What this app uses of the toolkit without being promised it: each name, where it comes from, and why."""

from __future__ import annotations

import ast
from importlib import import_module
from typing import Final, NamedTuple

import pytest
from rich.style import Style
from textual._xterm_parser import XTermParser
from textual.app import App
from textual.command import CommandPalette
from textual.drivers.linux_driver import LinuxDriver
from textual.screen import Screen
from textual.widget import Widget

from tests.conftest import ROOT


class Borrowed(NamedTuple):
    """A private name; `made` marks one that an object gets when it is made, so that it stands in the class's code alone."""

    holder: type
    name: str
    why: str
    made: bool = False


BORROWED: Final = (
    Borrowed(Screen, "_compositor_refresh", "a screen behind another one would repaint for ever"),
    Borrowed(Screen, "_repaint_required", "the same", made=True),
    Borrowed(Screen, "_screen_resized", "the only notice of a size before the layout, on screens behind others too"),
    Borrowed(Screen, "_compositor", "the lines as they are drawn, to copy them", made=True),
    Borrowed(Screen, "_dirty_widgets", "a key is answered before the next sixtieth of a second", made=True),
    Borrowed(Screen, "_on_timer_update", "the same"),
    Borrowed(Screen, "_css_type_name", "the first screen's style sheet is read with the app's own"),
    Borrowed(Widget, "_has_relative_children_height", "a frame around what takes the rest would be as tall as the screen"),
    Borrowed(Widget, "_scroll_update", "the scrollbar of a list that grows, without a layout for each line"),
    Borrowed(App, "_refresh_truecolor_filter", "a theme set without reading every style sheet twice"),
    Borrowed(App, "_handle_exception", "a failure leaves through the caller, without locals on the terminal"),
    Borrowed(App, "_exception", "the same", made=True),
    Borrowed(App, "_exception_event", "the same", made=True),
    Borrowed(App, "_return_code", "the same", made=True),
    Borrowed(App, "_close_messages_no_wait", "the same"),
    Borrowed(App, "_driver", "a lost terminal is not written to", made=True),
    Borrowed(LinuxDriver, "_file", "the same", made=True),
    Borrowed(LinuxDriver, "_writer_thread", "the same", made=True),
    Borrowed(LinuxDriver, "_debug", "the parser of the keyboard is made as the driver makes it", made=True),
    Borrowed(LinuxDriver, "_enable_mouse_support", "asked for again after bytes that are not UTF-8"),
    Borrowed(LinuxDriver, "_sigtstp_application", "the terminal is given back in the event loop, not in the handler"),
    Borrowed(LinuxDriver, "_sigcont_application", "the same"),
    Borrowed(LinuxDriver, "_must_signal_resume", "the same", made=True),
    Borrowed(LinuxDriver, "_loop", "the same", made=True),
    Borrowed(LinuxDriver, "_app", "the same", made=True),
    Borrowed(XTermParser, "feed", "bytes that are not UTF-8 would end the app"),
    Borrowed(XTermParser, "tick", "the same"),
    Borrowed(CommandPalette, "_GATHER_COMMANDS_GROUP", "a key waits for the list that belongs to the text"),
    Borrowed(CommandPalette, "_action_command_list", "the same"),
    Borrowed(CommandPalette, "_action_cursor_down", "the same"),
    Borrowed(CommandPalette, "_select_or_command", "the same"),
    Borrowed(Style, "_meta", "looked at for every segment that is painted; reading it in full takes too long"),
)

NOT_PRIVATE: Final = {"_replace", "_exit"}
"""Names that begin so and are promised: of named tuples and of `os`."""


HANDLERS: Final = {"_on_key"}
"""Handlers of messages: the toolkit calls its own as well."""


def _code_names(*kinds: type) -> set[str]:
    """Every name that the code of these classes uses."""
    functions = [one for kind in kinds for one in vars(kind).values() if hasattr(one, "__code__")]
    return {name for function in functions for name in function.__code__.co_names}


@pytest.mark.parametrize("row", BORROWED, ids=lambda row: f"{row.holder.__name__}.{row.name}")
def test_the_toolkit_has_what_is_borrowed(row: Borrowed) -> None:
    assert hasattr(row.holder, row.name) or (row.made and row.name in _code_names(*row.holder.__mro__)), row.why


def _is_private(name: str) -> bool:
    return name.startswith("_") and not name.startswith("__")


TREES: Final = {path: ast.parse(path.read_text("utf-8")) for path in sorted((ROOT / "cgp_tui" / "ui").rglob("*.py"))}


def _defined(tree: ast.AST) -> set[str]:
    """The private names that code gives a meaning, as functions, names or attributes of `self`."""
    found = set()
    for node in ast.walk(tree):
        match node:
            case ast.Attribute(value=ast.Name("self"), attr=name, ctx=ast.Store()) | ast.Name(name, ctx=ast.Store()):
                found.add(name)
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
                found.add(name)
    return {name for name in found if _is_private(name)}


USED: Final = {one.attr for tree in TREES.values() for one in ast.walk(tree) if isinstance(one, ast.Attribute)}
OURS: Final = set().union(*map(_defined, TREES.values()))


def test_this_and_nothing_else_is_borrowed() -> None:
    names = {row.name for row in BORROWED}
    assert set(filter(_is_private, USED)) - OURS - NOT_PRIVATE <= names <= USED | OURS


def test_no_private_name_of_ours_is_one_of_the_toolkit() -> None:
    """It would be overridden unseen."""
    known = {row.name for row in BORROWED} | HANDLERS
    for path, tree in TREES.items():
        module = import_module(".".join(path.relative_to(ROOT).with_suffix("").parts))
        for node in (one for one in tree.body if isinstance(one, ast.ClassDef)):
            theirs = [kind for kind in getattr(module, node.name).__mro__ if kind.__module__.startswith("textual.")]
            names = {name for kind in theirs for name in vars(kind)} | _code_names(*theirs)
            assert _defined(node) & names <= known, f"{path.name}: {node.name}"
