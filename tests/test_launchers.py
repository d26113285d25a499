"""Programs that run other programs, as far as a command line tells: each way of writing it that once went unseen."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from cgp_tui import launchers
from cgp_tui.target import Target, stdio_target


def of(folder: Path, name: str, *arguments: str, env: tuple[str, ...] = ()) -> Target:
    program = folder / "bin" / name
    program.parent.mkdir(exist_ok=True)
    program.write_text("#!/bin/sh\nexit 0\n")
    program.chmod(0o755)
    return stdio_target([str(program), *arguments], env=env, cwd=folder)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A working folder with a script, a package, and scripts that node finds by less than their names."""
    (tmp_path / "pkg").mkdir()
    for name in ("server.py", "data.json", "pkg/__main__.py", "server.js", "table.json"):
        (tmp_path / name).write_text("")
    return tmp_path


@pytest.mark.parametrize(
    ("name", "arguments", "floating"),
    [
        ("python3", ("--check-hash-based-pycs", "never", "-m", "pkg"), "python3 -m"),
        ("python3", ("-BX", "dev", "-m", "pkg"), "python3 -m"),
        ("python3", ("-IW", "ignore", "-c", "code"), "python3 -c"),
        ("python3", ("-Xdev", "server.py", "-m"), ""),
        ("python3", ("-X", "dev", "server.py"), ""),
        ("python3.13t", ("-m", "pkg"), "python3.13t -m"),
        ("python3-dbg", ("-m", "pkg"), "python3-dbg -m"),
        ("python3", ("pkg",), "python3"),
        ("python3", ("-u", "pkg", "data.json"), "python3"),
        ("python3", ("server.py", "pkg"), ""),
        ("python3", ("absent.py",), ""),
        ("node", ("pkg",), "node"),
        ("node", ("server",), "node"),
        ("node", ("table",), "node"),
        ("node", ("server.js",), ""),
        ("node", ("absent",), ""),
        ("node", ("--title", "pkg", "server.js"), ""),
        ("node", ("--run", "start"), "node -e"),
        ("perl", ("-e", "do './x.pl'"), "perl"),
        ("ruby", ("server.py",), ""),
        ("bun", ("x", "package"), "bun"),
        ("java", ("-cp", "pkg", "Main"), "java"),
        ("java", ("-jar", "data.json"), ""),
        ("lua", (), ""),
        ("node", ("x\0y",), None),
        ("provider", ("pkg",), ""),
    ],
)
def test_code_that_is_no_file_of_the_command_line_floats(
    name: str, arguments: tuple[str, ...], floating: str | None, folder: Path
) -> None:
    if floating is None:
        assert launchers.floating((name,), arguments, folder) == ""
    else:
        assert of(folder, name, *arguments).floating == floating


@pytest.mark.parametrize(
    ("name", "arguments", "remote"),
    [
        ("nice", ("ssh", "host", "provider"), "ssh"),
        ("timeout", ("60", "/usr/bin/ssh", "host"), "ssh"),
        ("nohup", ("nc.openbsd", "host", "1"), "nc.openbsd"),
        ("uv", ("run", "ssh", "host"), "ssh"),
        ("python3", ("-c", "import os; os.execvp('ssh', ['ssh', 'host'])"), "ssh"),
        ("node", ("-e", 'spawn("nc", ["host"])'), "nc"),
        ("python3", ("server.py", "ssh"), ""),
        ("nice", ("provider",), ""),
        ("nc.traditional", ("host",), "nc.traditional"),
        ("autossh", ("host",), "autossh"),
        ("docker", ("-Htcp://host:2375", "run", "image"), "docker"),
        ("docker", ("--log-level", "debug", "-H", "tcp://host", "run", "image"), "docker"),
        ("docker", ("-l", "debug", "--context", "far", "run"), "docker"),
        ("docker", ("-DH", "tcp://host", "run"), "docker"),
        ("docker", ("--config", "folder", "run", "-c", "1"), ""),
        ("podman", ("--root", "folder", "-r", "run"), "podman"),
        ("docker", ("run", "image", "curl"), ""),
    ],
)
def test_what_reaches_another_machine_is_found_behind_others(
    name: str, arguments: tuple[str, ...], remote: str, folder: Path
) -> None:
    target = of(folder, name, *arguments)
    assert (target.remote, target.off_machine) == (remote, remote != "")


def test_every_name_that_a_program_is_reached_under_counts(folder: Path) -> None:
    of(folder, "npx-cli.js")
    (folder / "bin" / "npx").symlink_to("npx-cli.js")
    (folder / "tool").symlink_to(folder / "bin" / "npx")
    target = stdio_target([str(folder / "tool"), "package"])
    assert (target.floating, target.program) == ("npx", str(folder / "bin" / "npx-cli.js"))
    assert launchers.names_of("TOOL.exe", str(folder / "tool")) == ("tool", "npx", "npx-cli.js")
    (folder / "round").symlink_to("round")
    assert launchers.names_of("round", str(folder / "round")) == ("round",)
    assert launchers.names_of("a\0", "a\0") == ("a\0",)


def test_the_interpreter_that_runs_this_is_one() -> None:
    assert launchers.is_interpreter(launchers.base(str(Path(sys.executable).resolve())))
    assert not launchers.is_interpreter("pythonista")
