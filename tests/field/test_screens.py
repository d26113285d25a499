"""The app on a pty, with what once broke others: markup in every string, a closed window, a file that is no recording."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.terminal import Terminal

LITERALS = ('{"booleans": [true, false]}', "ZLEXCOUNT z [b + should reply 3", "[@click=app.quit]go[/]", "[link=http://e]x")


def test_markup_in_a_transcript_is_text(cgp: list[str], home: dict[str, str], inputs: Path) -> None:
    with Terminal([*cgp, "replay", str(inputs / "F44_markup.ndjson")], 40, 160, env=home) as screen:
        screen.wait("handshake_ack")
        seen = screen.text
        for _ in range(7):
            for key in ("\r", "j", "j", "\r", "]", "]", "]", "]", "\x1b", "\x1b", "\x1b"):
                screen.send(key)
                screen.read(0.15)
                seen += screen.text
            screen.send("j")
            screen.read(0.3)
            seen += screen.text
        assert screen.process.poll() is None, screen.text
        assert [literal for literal in LITERALS if literal not in seen] == []
        assert b"\x1b]8;" not in screen.raw, "a link was made of it"
        screen.send("q")
        assert screen.ended() == 0


def test_a_closed_window_and_a_signal_end_the_app_and_its_provider(
    home: dict[str, str], inputs: Path, cgp: list[str]
) -> None:
    for _ in range(5):
        ran = subprocess.run(
            [sys.executable, str(inputs / "F43_hangup.py")],
            capture_output=True,
            text=True,
            timeout=120,
            env={**home, "CGP": " ".join(cgp)},
            check=False,
        )
        # It reads the command line of every process there is, and trips over one that ends meanwhile.
        if "No such process" not in ran.stderr and "No such file" not in ran.stderr:
            break
    assert ran.stdout.splitlines() == ["PASS close", "PASS TERM", "PASS HUP"], ran.stderr


@pytest.mark.parametrize("name", ["F21_array.bin", "F21_empty.bin", "F21_jsonrpc.bin", "F21_png.bin", "F21_script.bin", "."])
def test_replay_tells_what_is_no_transcript_without_touching_the_screen(
    cgp: list[str], home: dict[str, str], inputs: Path, name: str
) -> None:
    with Terminal([*cgp, "replay", str(inputs / name)], 24, 300, env=home) as screen:
        assert screen.ended() == 2
        (line,) = screen.text.strip().splitlines()
        assert (inputs / name).name in line
        assert b"\x1b" not in screen.raw
