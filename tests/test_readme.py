"""README.md says what the code says."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_args

import pytest

from cgp_tui.analysis.language import FIELDS, OPERATORS
from cgp_tui.cli.check import Format
from cgp_tui.cli.main import COMMANDS, load
from cgp_tui.protocol.requirements import REQUIREMENTS
from cgp_tui.store.settings import SETTINGS, parse
from cgp_tui.ui.jump import FORMS
from cgp_tui.ui.keymap import resolve
from cgp_tui.ui.keys import by_id
from cgp_tui.ui.themes import DEFAULT
from tests.readme import HEADING, README, renewed, section

if TYPE_CHECKING:
    from typer.core import TyperCommand, TyperGroup


def test_the_table_of_requirements_is_the_one_in_the_code() -> None:
    text = README.read_text("utf-8")
    assert section() in text, "`python -m tests.readme` writes it anew"
    assert renewed(text) == text


def test_the_table_has_a_row_for_each_requirement() -> None:
    rows = [line for line in section().splitlines() if line.startswith("| ")][1:]
    assert [row.split(" | ")[0].removeprefix("| ") for row in rows] == list(REQUIREMENTS)
    for line, row in zip(rows, REQUIREMENTS.values(), strict=True):
        assert line.count(" | ") == 4
        assert row.meaning in line


def test_a_stale_section_is_written_anew_and_nothing_else() -> None:
    stale = f"# t\n\nbefore\n\n{HEADING}\n\nold\n\n## Next\n\nafter\n"
    assert renewed(stale) == f"# t\n\nbefore\n\n{section()}## Next\n\nafter\n"
    for text in ("# t\n", f"{HEADING}\n\n{HEADING}\n\n## Next\n"):
        with pytest.raises(ValueError, match="sections"):
            renewed(text.replace(f"{HEADING}\n\n{HEADING}", f"{HEADING}\n\n## A\n\n{HEADING}"))


def test_the_formats_of_check_are_named() -> None:
    (row,) = [line for line in README.read_text("utf-8").splitlines() if line.startswith("| `cgp-tui check FILE` |")]
    for format in get_args(Format):
        assert f"`{format}`" in row


def _options(command: TyperCommand | TyperGroup) -> set[str]:
    below = (_options(one) for one in getattr(command, "commands", {}).values())
    ours = (one for option in command.params for one in option.opts if one.startswith("-"))
    return set(ours).union(*below)


def test_every_option_of_every_command_is_told() -> None:
    text = README.read_text("utf-8")
    known = set().union(*(_options(load(row)) for row in COMMANDS)) - {"--output"}  # it is told as -o
    assert len(known) > 40
    assert {one for one in known if not re.search(rf"{one}\b", text)} == set()


def _program(using: str) -> str:
    """The Python program of the README that uses a function."""
    blocks = re.findall(r"```python\n(.*?)```", README.read_text("utf-8"), re.DOTALL)
    (program,) = (str(block) for block in blocks if f"{using}(" in block)
    return program


def test_the_host_that_is_shown_gets_what_the_provider_that_is_shown_has(tmp_path: Path) -> None:
    provider, host = tmp_path / "my-provider", tmp_path / "host.py"
    provider.write_text(f"#!{sys.executable}\n{_program('run_stdio')}")
    provider.chmod(0o700)
    host.write_text(_program("stdio_target"))
    home = {**os.environ, "HOME": str(tmp_path), "CGP_TUI_LEDGER": str(tmp_path / "ledger" / "receipts.toml")}
    path = os.pathsep.join([str(tmp_path), home["PATH"]])
    ran = subprocess.run(
        [sys.executable, host.name],
        cwd=tmp_path,
        env={**home, "PATH": path},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert ran.stdout == "Retries\nA retry waits twice as long as the one before it.\n", ran.stderr


def test_the_provider_that_is_shown_keeps_the_rules(cgp: list[str], tmp_path: Path) -> None:
    (tmp_path / "notes.py").write_text(_program("run_stdio"))
    home = {**os.environ, "HOME": str(tmp_path), "CGP_TUI_LEDGER": str(tmp_path / "ledger" / "receipts.toml")}

    def run(*words: str) -> Any:
        ran = subprocess.run(
            [*cgp, *words], cwd=tmp_path, env=home, stdin=subprocess.DEVNULL, capture_output=True, timeout=300, check=False
        )
        assert ran.returncode == 0, ran.stderr + ran.stdout
        return json.loads(ran.stdout)

    asked = run("query", "--json", "--record", "r.ndjson", "how do retries wait", "--", sys.executable, "notes.py")
    assert [frame["id"] for frame in asked["frames"]] == ["retry"]
    assert run("check", "--format", "json", "r.ndjson")["findings"] == []


def test_every_field_of_a_filter_is_told_with_what_compares_it() -> None:
    text = README.read_text("utf-8")
    for field in FIELDS.values():
        signs = " ".join(f"`{one.sign}`" for one in OPERATORS if field.kind in one.kinds)
        assert f"| `{field.name}` | {field.help} | {signs} |" in text


def test_every_setting_and_every_target_of_a_jump_is_told() -> None:
    text = README.read_text("utf-8")
    for one in SETTINGS:
        default = "none" if one.default == () else f"`{one.default or DEFAULT}`"
        assert f"| `{one.id}` | {one.sentence} | {default} |" in text
    for form in FORMS:
        assert f"| `{form.example}` | {form.sentence} |" in text


def test_the_settings_that_are_shown_can_be_used() -> None:
    (example,) = re.findall(r"```toml\n(theme = .*?)```", README.read_text("utf-8"), re.DOTALL)
    settings = parse(tomllib.loads(example))
    assert settings.complaints == () and resolve(settings.keys).complaints == ()
    assert set(resolve(settings.keys).changed) == {"nav.down", "session.verify"}


def test_the_keys_of_the_panes_are_told() -> None:
    text = README.read_text("utf-8")
    for name in ("pane.zoom", "pane.turn", "pane.shrink", "pane.grow", "connection.next", "time.mode", "app.jump"):
        assert f"`{by_id(name).shown}`" in text
