"""What the app outlives on a real terminal: a paste of a megabyte, a window of twenty by five cells, a multiplexer that
lets go of it and takes it up again. Nothing recorded is lost, and no key is pressed by any of it."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.terminal import Terminal
from tests.ui.sessions import PROVIDER
from tests.ui.test_endings import environment, gone, inspect, leave, provider_pids, records

pytestmark = pytest.mark.skipif(os.name == "nt", reason="a pty is needed")

MEGABYTE = 1_000_000


def paste(screen: Terminal, data: bytes) -> None:
    """Send a paste as terminals do, reading on while the app takes it in."""
    rest = memoryview(b"\x1b[200~" + data + b"\x1b[201~")
    while rest:
        screen.send(bytes(rest[:4096]))
        rest = rest[4096:]
        screen.read(0.0005)


def asked(folder: Path) -> list[str]:
    """The goals that were sent."""
    raw = (folder / "session.ndjson").read_bytes().splitlines()
    lines = [json.loads(line).get("line", {}) for line in raw]
    return [line["query"]["goal"] for line in lines if line.get("type") == "query"]


def test_a_megabyte_is_pasted_where_it_can_be_and_where_it_cannot(tmp_path: Path) -> None:
    with inspect(tmp_path, [sys.executable, str(PROVIDER), "plain"]) as screen:
        screen.wait("handshake_ack")
        paste(screen, b"q X\rx" * (MEGABYTE // 5))
        screen.press("?")
        screen.wait("Help: every key")
        screen.press("\x1b")
        screen.wait(lambda terminal: "Help: every key" not in terminal.text)
        screen.press("/")
        paste(screen, b"x" * MEGABYTE)
        screen.press(*"id:zz")
        screen.wait("id:zz")
        screen.press("\x1b", "\x1b", "a")
        screen.wait("esc Back")
        paste(screen, b"why." * (MEGABYTE // 4))
        screen.wait("Sends 1,000,079 bytes to 1 of 1 provider.", 120)
        screen.press("\r")
        screen.wait("← frames")
        assert "still running" not in screen.text and "Revoke" not in screen.text
        leave(screen)
    assert [len(goal) for goal in asked(tmp_path)] == [MEGABYTE]


def test_a_window_of_twenty_by_five_and_back(tmp_path: Path) -> None:
    with inspect(tmp_path, [sys.executable, str(PROVIDER), "slow"]) as screen:
        screen.wait("handshake_ack")
        screen.press("a")
        screen.wait("esc Back")
        screen.press("1 s", "\r")
        screen.wait("q1")
        for keys, seen, unseen in (
            ("", "LIVE", "[Query]"),
            ("?", "Help: every key", "[Query]"),
            ("\x1b", "LIVE", "Help: every key"),
            ("c", "Timeline: ", "[Query]"),
            ("\x1b", "LIVE", "Timeline: "),
            ("a", "[Query]", "Timeline: "),
        ):
            screen.resize(40, 120)
            screen.press(*keys)
            screen.wait(lambda terminal, seen=seen, unseen=unseen: seen in terminal.text and unseen not in terminal.text)  # type: ignore[misc]
            screen.resize(5, 20)
            screen.read(0.3)
            assert screen.process.poll() is None
        screen.resize(40, 120)
        screen.wait("goal")
        screen.press("\x1b")
        screen.wait(lambda terminal: "← frames" in terminal.text and "[Query]" not in terminal.text)
        leave(screen)
    assert asked(tmp_path) == ["1 s"]


@pytest.fixture
def tmux(tmp_path: Path) -> Iterator[list[str]]:
    """A multiplexer of this test's own."""
    program = shutil.which("tmux")
    if program is None:
        pytest.skip("there is no tmux to detach from")
    command = [program, "-S", str(tmp_path / "tmux"), "-f", os.devnull]
    yield command
    subprocess.run([*command, "kill-server"], capture_output=True, check=False)


def test_detached_it_goes_on_and_attached_again_it_is_drawn(tmp_path: Path, tmux: list[str]) -> None:
    record = str(tmp_path / "session.ndjson")
    app = [sys.executable, "-m", "cgp_tui", "inspect", "--record", record, "--", sys.executable, str(PROVIDER), "slow"]
    env = {**environment(tmp_path), "LC_ALL": "C.UTF-8"}
    start = [*tmux, "new-session", "-s", "walk", *(f"-e{name}={value}" for name, value in env.items()), *app]
    with Terminal(start, 40, 120, env=env, cwd=tmp_path) as screen:
        screen.wait("handshake_ack")
        pids = provider_pids(tmp_path)
        screen.press("a")
        screen.wait("esc Back")
        screen.press("2 s", "\r")
        screen.wait("pending")
        subprocess.run([*tmux, "detach-client", "-s", "walk"], check=True)
        assert screen.ended() == 0
    end = time.monotonic() + 60
    while b'"type": "frames"' not in Path(record).read_bytes() and time.monotonic() < end:
        time.sleep(0.1)
    with Terminal([*tmux, "attach", "-t", "walk"], 24, 80, env=env, cwd=tmp_path) as screen:
        screen.wait(lambda seen: "← frames" in seen.text and "enter Open" in seen.text)
        screen.send("q")
        screen.wait("still running")
        screen.press("\t", "\r")
        assert screen.ended() == 0
    assert gone(pids)
    assert asked(tmp_path) == ["2 s"]
    assert records(tmp_path)[-1]["note"] == "exit"


def test_a_multiplexer_that_ends_takes_the_session_with_it_in_order(tmp_path: Path, tmux: list[str]) -> None:
    record = str(tmp_path / "session.ndjson")
    app = [sys.executable, "-m", "cgp_tui", "inspect", "--record", record, "--", sys.executable, str(PROVIDER), "plain"]
    env = {**environment(tmp_path), "LC_ALL": "C.UTF-8"}
    start = [*tmux, "new-session", "-s", "walk", *(f"-e{name}={value}" for name, value in env.items()), *app]
    with Terminal(start, 40, 120, env=env, cwd=tmp_path) as screen:
        screen.wait("handshake_ack")
        pids = provider_pids(tmp_path)
        subprocess.run([*tmux, "kill-server"], check=True)
        screen.ended()
    assert gone(pids)
    end = time.monotonic() + 60
    while b'"exit"' not in Path(record).read_bytes() and time.monotonic() < end:
        time.sleep(0.1)
    assert {"type": "shutdown"} in [one.get("line") for one in records(tmp_path)]
    assert records(tmp_path)[-1]["note"] == "exit"
