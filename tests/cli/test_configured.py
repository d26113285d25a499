"""Which provider a line means: CMD before everything, else the entry that `--id` names."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from cgp_tui.cli.configured import chosen, entry_target, waiting
from cgp_tui.errors import Error, InputError
from cgp_tui.host.deadlines import Deadlines
from cgp_tui.target import default_id, stdio_target

COMMAND = [sys.executable, "-c", "pass"]
USAGE = "cgp-tui query GOAL -- CMD..."


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("CGP_TUI_CONFIG", str(tmp_path / "config"))
    monkeypatch.setenv("CGP_TUI_STATE", str(tmp_path / "state"))
    (tmp_path / "config").mkdir()
    (tmp_path / "work").mkdir()
    monkeypatch.chdir(tmp_path / "work")
    words = "', '".join(COMMAND)
    (tmp_path / "config" / "cgp-tui.toml").write_text(
        f"[providers.docs]\ncommand = ['{words}']\nenv = ['HOME']\nsandbox = 'processes'\nroots = ['src']\n"
        "timeouts.exchange = 3\n"
        f"[providers.plain]\ncommand = ['{words}']\n[providers.gone]\ncommand = ['no-such-program']\n"
    )
    return tmp_path


def test_a_command_needs_no_file(home: Path) -> None:
    (home / "config" / "cgp-tui.toml").write_bytes(b"\xff")
    made = chosen(COMMAND, None, ["HOME"], USAGE)
    assert made.target == stdio_target(COMMAND, env=["HOME"])
    assert (made.id, made.deadlines, made.sandbox) == (default_id(made.target), None, "none")
    assert chosen(COMMAND, "mine", None, USAGE, "no-network").id == "mine"
    assert chosen(COMMAND, "mine", None, USAGE, "no-network").sandbox == "no-network"


def test_an_entry_says_the_rest(home: Path) -> None:
    made = chosen([], "docs", [], USAGE)
    assert (made.id, made.deadlines, made.sandbox) == ("docs", Deadlines(exchange=3), "processes")
    assert made.roots == (home / "config" / "src",)
    assert (made.target.env_names, made.target.cwd, made.target.named) == (("HOME",), home / "config", True)
    assert made.target.digest == stdio_target(COMMAND, env=["HOME"]).digest
    assert chosen([], "docs", ["PATH"], USAGE).target.env_names == ("PATH",)
    assert chosen([], "docs", [], USAGE, "none").sandbox == "none"
    assert chosen([], "plain", [], USAGE).deadlines is None


def test_a_time_to_wait_replaces_that_of_the_entry(home: Path) -> None:
    made = chosen([], "docs", [], USAGE)
    assert waiting(made) == made
    assert waiting(made, handshake=0.5).deadlines == Deadlines(handshake=0.5, exchange=3)
    assert waiting(made, exchange=60).deadlines == Deadlines(exchange=60)
    assert waiting(chosen(COMMAND, None, None, USAGE), exchange=60).deadlines == Deadlines(exchange=60)
    assert waiting(made, exchange=60).sandbox == "processes"


@pytest.mark.parametrize("seconds", [0.0, -1.0, 3600.1, float("nan"), float("inf")])
def test_a_time_that_is_no_time_is_refused(home: Path, seconds: float) -> None:
    with pytest.raises(InputError, match=r"--timeout-exchange .* is not a valid timeout"):
        waiting(chosen([], "docs", [], USAGE), exchange=seconds)


@pytest.mark.parametrize(
    ("id", "code", "said"),
    [
        (None, "usage", "No provider is named."),
        ("", "usage", "'' cannot be an id."),
        ("a/b", "usage", "'a/b' cannot be an id."),
        ("else", "usage", "No providers file has an entry 'else'"),
        ("gone", "spawn_failed", "no-such-program"),
    ],
)
def test_what_names_nothing(home: Path, id: str | None, code: str, said: str) -> None:
    with pytest.raises(InputError) as caught:
        chosen([], id, [], USAGE)
    assert caught.value.code == code and said in caught.value.message


def test_a_target_to_ask_about_is_only_that_of_an_entry_that_could_be_started(home: Path) -> None:
    assert entry_target("docs") == chosen([], "docs", [], USAGE).target
    (home / "work" / "cgp-tui.toml").write_text("[providers.local]\ncommand = ['true']\n")
    assert [entry_target(id) for id in ("gone", "else", "local")] == [None, None, None]
    with pytest.raises(Error) as caught:
        chosen([], "local", [], USAGE)
    assert caught.value.code == "project_untrusted"
