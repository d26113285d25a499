"""The command line as a process: commands found by name, named failures, no traceback, quiet pipes."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from cgp_tui.cli import options
from cgp_tui.cli.main import COMMANDS, load, main
from tests.cli.desk import within
from tests.conftest import ROOT
from tests.ui.pilots import write_recording


def run(cgp: list[str], *arguments: str, **more: str) -> subprocess.CompletedProcess[bytes]:
    environment = {"PATH": os.environ["PATH"], "HOME": "/nonexistent", "COLUMNS": "100", **more}
    return subprocess.run([*cgp, *arguments], capture_output=True, timeout=300, env=environment, check=False)


def told(*arguments: str, **more: str) -> subprocess.CompletedProcess[bytes]:
    """The same within this process, which is quicker to start."""
    return within([*arguments], {"PATH": os.environ["PATH"], "HOME": "/nonexistent", "COLUMNS": "100", **more})


def test_help_lists_every_command(cgp: list[str]) -> None:
    for arguments in (["--help"], ["-h"]):
        ran = run(cgp, *arguments)
        assert (ran.returncode, ran.stderr) == (0, b"")
        for row in COMMANDS:
            assert f"  {row.name} ".encode() in ran.stdout


def test_the_version(cgp: list[str]) -> None:
    ran = run(cgp, "--version")
    assert ran.returncode == 0
    assert ran.stdout.startswith(b"cgp-tui ")


@pytest.mark.parametrize("row", COMMANDS, ids=lambda row: row.name)
def test_every_command_loads_and_its_help_is_plain_ascii(
    row: tuple[str, str, str], capsysbinary: pytest.CaptureFixture[bytes]
) -> None:
    command = next(one for one in COMMANDS if one.name == row[0])
    assert command.help.isascii()
    assert load(command).name == command.name
    assert main([command.name, "--help"]) == 0
    out = capsysbinary.readouterr().out
    assert out.isascii()
    assert out.startswith(f"Usage: cgp-tui {command.name}".encode())


@pytest.mark.parametrize(
    "arguments", [["demo"], ["demo", "--record", "x"], ["replay", "FILE"], ["replay", "--at", "1", "FILE"]], ids=" ".join
)
def test_words_alone_run_what_their_parsed_line_runs(cgp: list[str], arguments: list[str], tmp_path: Path) -> None:
    file = write_recording(tmp_path / "s.ndjson")
    ran = run(cgp, *(str(file) if word == "FILE" else word for word in arguments))
    assert (ran.returncode, ran.stdout) == (2, b"")
    assert ran.stderr.startswith(b"This screen needs a terminal")
    assert ran.stderr.count(b"\n") == 1


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no /dev/full")
@pytest.mark.parametrize("arguments", [["--help"], ["check", "--help"], ["consent", "-h"], ["consent", "list", "-h"]])
def test_help_on_a_full_disk_is_one_named_line(cgp: list[str], arguments: list[str]) -> None:
    with open("/dev/full", "wb") as full:
        ran = subprocess.run([*cgp, *arguments], stdout=full, stderr=subprocess.PIPE, timeout=300, check=False)
    assert (ran.returncode, ran.stderr.count(b"\n")) == (2, 1)
    assert b"could not be written: No space left on device." in ran.stderr


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["chek"], "There is no command 'chek'. Did you mean `cgp-tui check`?"),
        (["zzz"], "There is no command 'zzz'. `cgp-tui --help` lists the commands."),
        (["\x1b[31mx"], "There is no command '␛[31mx'."),
        (["--bogus"], "cgp-tui has no option --bogus. `cgp-tui --help` shows"),
        (["check"], "Missing argument 'FILE'"),
        (["check", "a", "b"], 'takes one FILE. For several: for file in FILES; do cgp-tui check "$file"; done'),
        (["check", *(f"recording-{number}.ndjson" for number in range(3))], "cgp-tui check takes one FILE. For"),
        (["replay"], "Missing argument 'FILE'"),
        (["replay", "a", "b"], "cgp-tui replay takes one FILE. `cgp-tui replay --help` shows"),
        (["consent", "grnt"], "There is no command 'grnt'. Did you mean `cgp-tui consent grant`?\n"),
        (["replay", "-x"], "cgp-tui replay has no option -x."),
        (["check", "a", "--format", "xml"], "'xml' is not one of 'text', 'json'"),
        (["check", "--formt", "json"], "--format"),
    ],
    ids=repr,
)
def test_a_wrong_line_is_told_in_one_line(arguments: list[str], words: str) -> None:
    ran = told(*arguments)
    assert (ran.returncode, ran.stdout) == (2, b"")
    assert words in ran.stderr.decode()
    assert ran.stderr.count(b"\n") == 1


@pytest.mark.parametrize("arguments", [["check"], ["replay"], ["prove", "--frame", "f"]], ids=lambda one: one[0])
def test_a_line_without_its_transcript_names_the_newest_recording(tmp_path: Path, arguments: list[str]) -> None:
    folder = tmp_path / "transcripts"
    folder.mkdir()
    name = f"Name a transcript: cgp-tui {arguments[0]} FILE"
    assert told(*arguments, CGP_TUI_STATE=str(tmp_path)).stderr.decode().endswith(f" {name}\n")
    for number, when in enumerate((2000, 3000, 1000)):
        path = folder / f"{number}.ndjson"
        path.write_bytes(b'{"format":"cgp-transcript/1","started_at":"2026-07-01T00:00:00Z","recorder":"query"}\n')
        os.utime(path, (when, when))
    ran = told(*arguments, CGP_TUI_STATE=str(tmp_path))
    assert (ran.returncode, ran.stdout) == (2, b"")
    assert ran.stderr.decode().endswith(f" {name}. The newest recording: {folder / '1.ndjson'}\n")


def test_a_wrong_line_that_asks_for_json_gets_json() -> None:
    for arguments in (["chek", "--json"], ["check", "a", "b", "--format", "json"], ["check", "--format=json"]):
        ran = told(*arguments)
        assert (ran.returncode, ran.stderr) == (2, b"")
        error = json.loads(ran.stdout)["error"]
        assert error["code"] == "usage"
        assert error["message"]
        assert error["fix"]


def test_a_defect_is_told_without_control_bytes_or_locals(tmp_path: Path) -> None:
    """A command that breaks: the traceback is shown, made visible, and no value of a local variable with it."""
    (tmp_path / "broken.py").write_text("def run() -> int:\n    token = 'canary'\n    raise ValueError('\\x1b[31mred')\n")
    code = (
        "from cgp_tui.cli import main as m; import sys;"
        "m.COMMANDS = (m.Row('run', 'Breaks.', 'broken:run'),); sys.exit(m.main(['run']))"
    )
    environment = {**os.environ, "PYTHONPATH": f"{tmp_path}:{ROOT}"}
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, timeout=300, env=environment, check=False)
    assert ran.returncode == 70
    assert b"cgp-tui has a defect: ValueError" in ran.stderr
    assert b"broken.py" in ran.stderr
    assert b"\x1b" not in ran.stderr
    assert ran.stdout == b""


def test_an_interrupt_ends_without_a_traceback(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("cgp_tui.transcript.reader.Transcript.counted", interrupted)
    assert main(["check", "x"]) == 130
    assert capsys.readouterr().err == ""


def test_a_format_is_asked_for_before_the_providers_own_words() -> None:
    asked = [["--json"], ["a", "--format", "json"], ["--format=json"], ["--json", "--", "x"], ["--format=text", "--json"]]
    not_asked: list[list[str]] = [
        [],
        ["json"],
        ["--format", "text", "json"],
        ["--", "x", "--json"],
        ["--", "--format", "json"],
        ["--format", "xml"],
    ]
    assert {options.machine_format(args) for args in asked} == {"json"}
    assert {options.machine_format(args) for args in not_asked} == {""}
    assert options.machine_format(["check", "--format", "junit"]) == "junit"
    assert options.machine_format(["check", "--format=sarif"]) == "sarif"


@pytest.mark.parametrize("name", ["consent", "trust", "providers", "serve"])
def test_what_each_subcommand_does_is_told_to_the_end(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([name, "--help"]) == 0
    told = capsys.readouterr().out
    assert "Commands:" in told
    assert "..." not in told.partition("Commands:")[2]
