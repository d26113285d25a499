"""No other way out: text reaches a terminal through `text.py` and the two or three modules that draw or print.

A lint over the syntax trees of the package. Each rule names what it bans and where alone that stands; each has a line of
code that must trip it, so that a rule which has gone blind is seen.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from typing import NamedTuple

import pytest

from tests.conftest import ROOT

PACKAGE = ROOT / "cgp_tui"

WIDGETS = {"Static", "Label", "Button", "Checkbox", "RadioButton", "Option", "Link", "Collapsible", "Markdown", "Digits"}
DRAWERS = {"notify", "update", "set_label", "write_line"}
RENDERABLES = ("rich.text", "rich.markup", "rich.console", "rich.panel", "rich.table", "rich.pretty", "rich.markdown")


class Rule(NamedTuple):
    """`allowed` are the modules and rooms where it may stand, as paths in the package."""

    name: str
    banned: Callable[[ast.AST], bool]
    allowed: frozenset[str]
    sample: str


def call_of(node: ast.AST) -> str:
    """The last name of what is called: `notify` for `self.app.notify(…)`; empty for anything else."""
    if not isinstance(node, ast.Call):
        return ""
    if isinstance(node.func, ast.Name):
        return node.func.id
    return node.func.attr if isinstance(node.func, ast.Attribute) else ""


def keyword(node: ast.AST, name: str) -> object:
    """The constant given for a keyword of a call; None where there is none."""
    found = [word.value for word in node.keywords if word.arg == name] if isinstance(node, ast.Call) else []
    return found[0].value if found and isinstance(found[0], ast.Constant) else None


def imports(node: ast.AST) -> list[str]:
    if isinstance(node, ast.Import):
        return [alias.name for alias in node.names]
    if isinstance(node, ast.ImportFrom) and node.level == 0 and node.module:
        return [node.module, *(f"{node.module}.{alias.name}" for alias in node.names)]
    return []


def made_up(node: ast.expr) -> bool:
    """Whether an expression puts a string together: an f-string, `+`, `%`, `.format`, `.join`, `str(…)`."""
    if isinstance(node, ast.JoinedStr):
        return True
    if isinstance(node, ast.BinOp):
        return any(isinstance(side, (ast.JoinedStr, ast.Constant)) for side in (node.left, node.right))
    return call_of(node) in {"format", "join", "str", "repr"}


def is_stream(node: ast.AST | None) -> bool:
    names = {"stdout", "stderr", "__stdout__", "__stderr__"}
    return (
        isinstance(node, ast.Attribute)
        and isinstance(node.value, ast.Name)
        and node.value.id == "sys"
        and node.attr in names
    )


def writes(node: ast.AST) -> bool:
    """Whether a standard stream is written to, or handed to somebody who could; asking it what it is, is no matter."""
    if isinstance(node, ast.Attribute):
        return is_stream(node.value) and node.attr in {"write", "writelines", "buffer"}
    if isinstance(node, ast.Call):
        return any(is_stream(value) for value in (*node.args, *(word.value for word in node.keywords)))
    if isinstance(node, ast.Assign | ast.AnnAssign | ast.NamedExpr | ast.Return):
        return is_stream(node.value)
    return isinstance(node, ast.ImportFrom) and node.module == "sys" and any("std" in one.name for one in node.names)


RULES = (
    Rule("print", lambda node: call_of(node) in {"print", "pprint", "echo", "secho"}, frozenset(), "print(x)"),
    Rule(
        "sys.stdout and sys.stderr",
        writes,
        frozenset({"cli/output.py", "cli/diagnostics.py"}),
        "sys.stdout.write(x)",
    ),
    Rule(
        "Shown made without looking at the text",
        lambda node: call_of(node) in {"Shown", "cast"} and "Shown" in ast.dump(node),
        frozenset({"text.py", "present/"}),
        "Shown(name)",
    ),
    Rule(
        "renderables that read markup",
        lambda node: any(name.startswith((*RENDERABLES, "textual.markup")) for name in imports(node)),
        frozenset(),
        "from rich.text import Text",
    ),
    Rule(
        "markup and terminal sequences parsed",
        lambda node: call_of(node) in {"from_markup", "from_ansi", "from_rich_text", "render_markup"},
        frozenset(),
        "Content.from_markup(title)",
    ),
    Rule("markup switched on", lambda node: keyword(node, "markup") is True, frozenset(), "Static(x, markup=True)"),
    Rule(
        "a toast that reads markup",
        lambda node: call_of(node) == "notify" and keyword(node, "markup") is not False,
        frozenset(),
        "self.notify(title)",
    ),
    Rule(
        "a string put together on its way to a widget",
        lambda node: (
            call_of(node) in WIDGETS | DRAWERS and isinstance(node, ast.Call) and any(made_up(one) for one in node.args)
        ),
        frozenset(),
        'Static(f"{name} waits")',
    ),
    Rule(
        "terminal sequences of our own",
        lambda node: (
            isinstance(node, ast.Constant)
            and isinstance(node.value, (str, bytes))
            and "1b" in ascii(node.value)
            and ("\x1b" in node.value if isinstance(node.value, str) else b"\x1b" in node.value)
        ),
        frozenset(),
        'x = "\\x1b[0m"',
    ),
    Rule(
        "the terminal opened by name",
        lambda node: isinstance(node, ast.Constant) and node.value in {"/dev/tty", "/dev/stdout", "/dev/stderr", "CON"},
        frozenset({"host/protect.py"}),
        'open("/dev/tty")',
    ),
)


def broken(rule: Rule, nodes: Iterable[ast.AST]) -> Iterator[int]:
    """The lines on which `rule` is broken."""
    return (getattr(node, "lineno", 0) for node in nodes if rule.banned(node))


@cache
def places() -> dict[str, dict[str, list[int]]]:
    """Where what a rule bans stands in the package, allowed or not: rule, module, lines."""
    found: dict[str, dict[str, list[int]]] = {rule.name: {} for rule in RULES}
    for path in sorted(PACKAGE.rglob("*.py")):
        nodes = list(ast.walk(ast.parse(path.read_text())))
        for rule in RULES:
            if lines := list(broken(rule, nodes)):
                found[rule.name][path.relative_to(PACKAGE).as_posix()] = lines
    return found


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.name)
def test_the_package_keeps_the_rule(rule: Rule) -> None:
    found = [
        f"cgp_tui/{place}:{line}"
        for place, lines in places()[rule.name].items()
        if not place.startswith(tuple(rule.allowed))
        for line in lines
    ]
    assert found == []


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.name)
def test_the_rule_sees_what_it_bans(rule: Rule) -> None:
    assert list(broken(rule, ast.walk(ast.parse(rule.sample)))) == [1]


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.name)
def test_an_exception_stands_only_as_long_as_it_is_needed(rule: Rule) -> None:
    used = places()[rule.name]
    assert [allowed for allowed in rule.allowed if not any(place.startswith(allowed) for place in used)] == []
