"""What a command and a room load. The floors are proved by the import contracts; this proves what they cannot see: the
price of a start, and that a front door opens without dragging the house in."""

from __future__ import annotations

import ast
import importlib
import json
import subprocess
import sys
from pathlib import Path

import pytest

from cgp_tui.cli.main import COMMANDS as TABLE
from cgp_tui.cli.main import Row
from tests.conftest import ROOT

PACKAGE = ROOT / "cgp_tui"
HEAVY = {"textual", "rich", "httpx", "tomlkit", "cryptography", "typer", "psutil", "pyarrow", "jsonschema", "pydantic"}
"""Distributions that a start must not pay for unless it uses them."""

ROOMS = sorted(path.parent for path in PACKAGE.rglob("__init__.py") if path.parent != PACKAGE)

_PROBE = """
import json, os, sys
os.dup2(2, 1)
try:
    exec({code!r})
except SystemExit as end:
    assert not end.code, end.code
print("LOADED", json.dumps(sorted(set(sys.modules))), file=sys.__stderr__)
"""


def loaded(code: str, folder: Path) -> set[str]:
    """Top-level names and our own modules that are loaded once `code` has run in a process of its own."""
    environment = {"PATH": "/usr/bin:/bin", "HOME": str(folder), "CGP_TUI_STATE": str(folder), "COLUMNS": "100"}
    ran = subprocess.run(
        [sys.executable, "-c", _PROBE.format(code=code)],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=300,
        cwd=folder,
        env={**environment, "CGP_TUI_LEDGER": str(folder / "receipts.toml"), "PYTHONPATH": str(ROOT)},
        check=False,
    )
    line = next((line for line in ran.stderr.splitlines() if line.startswith("LOADED ")), None)
    assert line is not None, ran.stderr
    names = set(json.loads(line.removeprefix("LOADED ")))
    return {name.partition(".")[0] for name in names} | {name for name in names if name.startswith("cgp_tui.")}


def command(*arguments: str) -> str:
    return f"from cgp_tui.cli.main import main; raise SystemExit(main({list(arguments)!r}))"


COMMANDS: list[tuple[tuple[str, ...], set[str]]] = [
    (("--help",), {"typer"}),
    (("check", "--help"), {"typer"}),
    (("query", "--help"), {"typer"}),
    (("consent", "--help"), {"typer"}),
    (("consent", "list"), {"typer"}),
    (("providers", "--help"), {"typer"}),
    (("providers", "list"), {"typer"}),
    (("providers", "add", "docs", "--", "docs"), {"typer", "tomlkit"}),
    (("trust", "list"), {"typer"}),
    (("serve", "--help"), {"typer"}),
    (("serve", "example-docs"), {"typer"}),
    (("serve", "example-index"), {"typer"}),
    (("serve", "example-docs", "--sign"), {"typer", "cryptography"}),
]


@pytest.mark.parametrize(("arguments", "allowed"), COMMANDS, ids=[" ".join(row[0]) for row in COMMANDS])
def test_a_command_loads_only_what_it_uses(arguments: tuple[str, ...], allowed: set[str], tmp_path: Path) -> None:
    assert loaded(command(*arguments), tmp_path) & HEAVY == allowed


def test_the_probe_sees_what_is_loaded(tmp_path: Path) -> None:
    assert {"rich", "cryptography"} <= loaded("import rich, cryptography", tmp_path)


@pytest.mark.parametrize(
    "line",
    [
        "from cgp_tui.host import Host",
        "from cgp_tui.analysis import Analysis",
        "from cgp_tui.transcript import Transcript, Writer",
        "from cgp_tui.providers import Provider, Refusal, Signer, run_stdio",
        "from cgp_tui.consent import Denial, Gate, Ledger, Permit, Receipt, needs",
        "from cgp_tui.store import Log, ProviderSpec, Roots, Settings, TrustStore",
        "from cgp_tui.wire import Fault, Framer, Line, Note, decode, encode, peek",
        "from cgp_tui.analysis import compile_filter",
        "from cgp_tui.protocol import attestation",
    ],
)
def test_the_library_is_imported_without_an_app(line: str, tmp_path: Path) -> None:
    assert loaded(line, tmp_path) & HEAVY == set()


@pytest.mark.parametrize(
    ("room", "name", "module"),
    [
        ("analysis", "compile_filter", "filter"),
        ("consent", "Ledger", "ledger"),
        ("consent", "needs", "needs"),
        ("providers", "run_stdio", "stdio"),
        ("store", "TrustStore", "trust"),
        ("wire", "Framer", "framer"),
        ("wire", "decode", "decode"),
        ("wire", "encode", "encode"),
        ("wire", "peek", "peek"),
    ],
)
def test_a_front_door_leads_to_what_its_module_defines(room: str, name: str, module: str) -> None:
    front = importlib.import_module(f"cgp_tui.{room}")
    assert getattr(front, name) is getattr(importlib.import_module(f"cgp_tui.{room}.{module}"), name)
    assert all(hasattr(front, one) for one in front.__all__)


def test_a_name_that_is_behind_no_front_door() -> None:
    front = importlib.import_module("cgp_tui.consent")
    with pytest.raises(AttributeError, match=r"'cgp_tui\.consent' has no attribute 'Legder'"):
        _ = front.Legder


_ALL = """
import importlib, pkgutil, sys
for name in ("fcntl", "termios", "resource", "pwd"):
    sys.modules[name] = None
import cgp_tui
for module in pkgutil.walk_packages(cgp_tui.__path__, "cgp_tui."):
    if module.name != "cgp_tui.__main__":
        importlib.import_module(module.name)
from cgp_tui.cli.main import main
raise SystemExit(main(["check", {file!r}]))
"""


def test_transcripts_are_read_where_unix_modules_are_missing(tmp_path: Path) -> None:
    file = tmp_path / "session.ndjson"
    file.write_text('{"type":"handshake","protocol_version":"contextgraph/1.0"}\n')
    names = loaded(_ALL.format(file=str(file)), tmp_path)
    assert {"cgp_tui.host.process", "cgp_tui.store.locks", "cgp_tui.ui.app", "cgp_tui.analysis.full_pass"} <= names


def test_the_app_loads_its_toolkit_and_nothing_else_that_is_heavy(tmp_path: Path) -> None:
    code = "import cgp_tui.ui.app, cgp_tui.ui.live, cgp_tui.ui.screens.inspector, cgp_tui.cli.inspect, cgp_tui.cli.replay"
    assert loaded(code, tmp_path) & HEAVY <= {"textual", "rich", "typer"}


@pytest.mark.parametrize("row", [row for row in TABLE if row.bare], ids=lambda row: row.name)
def test_a_screen_stands_without_a_parser(row: Row, tmp_path: Path) -> None:
    """Typer would take a quarter of its start, for a line that has nothing to parse."""
    code = (
        f"import cgp_tui.cli.main, {row.bare.partition(':')[0]}, cgp_tui.cli.live, cgp_tui.ui.app, cgp_tui.ui.live.opening"
    )
    assert loaded(code, tmp_path) & HEAVY == {"textual", "rich"}


def test_the_commands_whose_start_is_waited_for_are_those() -> None:
    assert {row.name: row.words for row in TABLE if row.bare} == {"demo": 0, "replay": 1}


@pytest.mark.parametrize("room", ROOMS, ids=lambda room: str(room.relative_to(PACKAGE)))
def test_a_front_door_loads_nothing_heavy(room: Path, tmp_path: Path) -> None:
    name = ".".join(("cgp_tui", *room.relative_to(PACKAGE).parts))
    allowed = {"textual", "rich"} if room.relative_to(PACKAGE).parts[0] == "ui" else set()
    names = loaded(f"import {name}", tmp_path)
    assert name in names
    assert names & HEAVY <= allowed


@pytest.mark.parametrize("room", ROOMS, ids=lambda room: str(room.relative_to(PACKAGE)))
def test_a_room_says_its_question_and_its_laws(room: Path) -> None:
    text = ast.get_docstring(ast.parse((room / "__init__.py").read_text())) or ""
    assert text
    if room.parent == PACKAGE:
        assert "?" in text.partition("\n")[0], "the first line is the question the room answers"
        assert "Laws:" in text
        assert "call" in text.rpartition("\n\n")[2].lower(), "the last paragraph says who calls it"
