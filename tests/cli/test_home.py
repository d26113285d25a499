"""`cgp-tui` alone: home, a recording, home again, and out."""

from __future__ import annotations

from pathlib import Path

from cgp_tui.cli.main import main
from tests.cli.test_inspect import environment, run
from tests.terminal import Terminal
from tests.transcript.test_recent import closed


def test_without_a_terminal_it_is_one_line_and_exit_2(cgp: list[str], tmp_path: Path) -> None:
    import subprocess

    done = subprocess.run(cgp, env=environment(tmp_path), stdin=subprocess.DEVNULL, capture_output=True, check=False)
    assert done.returncode == 2 and not done.stdout
    assert len(done.stderr.splitlines()) == 1 and b"terminal" in done.stderr and b"\x1b" not in done.stderr


def test_from_home_into_a_recording_and_back(tmp_path: Path) -> None:
    folder = tmp_path / "state" / "transcripts"
    closed(folder / "a.ndjson", "docs", lines=7)
    with run(tmp_path, columns=100) as screen:
        for word in ("7 lines", "unchecked", "None configured", "No receipt yet"):
            screen.wait(word)
        screen.send("\r")
        screen.wait("REPLAY")
        screen.send("q")
        screen.wait("See, prove and consent")
        screen.wait("✗8 !0")
        screen.send("q")
        assert screen.ended() == 0


def test_a_recording_that_went_away_is_told_and_home_comes_back(tmp_path: Path) -> None:
    folder = tmp_path / "state" / "transcripts"
    closed(folder / "a.ndjson", "docs")
    with run(tmp_path, columns=100) as screen:
        screen.wait("3 lines")
        (folder / "a.ndjson").unlink()
        screen.send("\r")
        screen.wait("Enter goes home")
        screen.send("\r")
        screen.wait("None yet")
        screen.send("q")
        assert screen.ended() == 0


def test_a_configured_provider_is_started_from_home(tmp_path: Path, cgp: list[str]) -> None:
    config = tmp_path / "config"
    config.mkdir(mode=0o700)
    env = {**environment(tmp_path), "CGP_TUI_CONFIG": str(config)}
    import json

    command = json.dumps([*cgp, "serve", "example-docs"])
    (config / "cgp-tui.toml").write_text(f"[providers.docs]\ncommand = {command}\n")
    with Terminal([*cgp], 24, 100, env=env, cwd=tmp_path) as screen:
        screen.wait("docs  yours")
        screen.send("\r")
        screen.wait("LIVE")
        screen.wait("handshake_ack")
        screen.send("q")
        screen.wait(lambda one: "Stay" in one.text)
        screen.send("\t\r")
        screen.wait("1 recording")
        screen.send("q")
        assert screen.ended() == 0


def test_help_is_still_to_be_had(capsys: object) -> None:
    assert main(["--help"]) == 0
