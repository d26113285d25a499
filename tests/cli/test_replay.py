"""`cgp-tui replay`: needs a terminal and a transcript, and never reaches a process or a network."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from cgp_tui.cli.main import main
from cgp_tui.store import paths
from cgp_tui.store.filters import Filters
from tests.terminal import Terminal
from tests.ui.pilots import write_bare, write_recording

WATCHED = """
import os, sys
LOG = os.open(sys.argv.pop(1), os.O_WRONLY | os.O_CREAT | os.O_APPEND)
SEEN = ("subprocess.", "os.fork", "os.exec", "os.spawn", "os.posix_spawn", "os.system", "socket.connect", "socket.bind",
        "socket.getaddrinfo", "socket.sendto", "webbrowser.")
sys.addaudithook(lambda event, args: event.startswith(SEEN) and os.write(LOG, (event + "\\n").encode()))
from cgp_tui.cli.main import main
sys.exit(main())
"""


def run(cgp: list[str], *args: str) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run([*cgp, "replay", *args], capture_output=True, stdin=subprocess.DEVNULL, timeout=300, check=False)


def test_without_a_terminal_it_is_one_line_and_no_escape(tmp_path: Path, cgp: list[str]) -> None:
    done = run(cgp, str(write_bare(tmp_path / "s.ndjson")))
    assert done.returncode == 2
    assert done.stdout == b""
    assert done.stderr.count(b"\n") == 1
    assert b"terminal" in done.stderr
    assert b"\x1b" not in done.stderr


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("empty", b""),
        ("png", b"\x89PNG\r\n\x1a\n\x00\x00"),
        ("rpc", b'{"jsonrpc":"2.0","id":1,"method":"initialize"}\n'),
        ("\x1b[2Jname", b"hello\n"),
    ],
)
def test_what_is_no_transcript_is_one_line_that_names_the_file(
    tmp_path: Path, cgp: list[str], name: str, content: bytes
) -> None:
    path = tmp_path / name
    path.write_bytes(content)
    done = run(cgp, str(path))
    assert done.returncode == 2
    assert done.stderr.count(b"\n") == 1
    assert b"\x1b" not in done.stderr
    assert name.replace("\x1b", "␛").encode() in done.stderr


def test_a_missing_file_and_a_folder_are_input_errors(tmp_path: Path, cgp: list[str]) -> None:
    assert run(cgp, str(tmp_path / "none")).returncode == 2
    assert run(cgp, str(tmp_path)).returncode == 2


def test_a_line_is_stood_on_and_q_leaves_with_zero(tmp_path: Path, cgp: list[str]) -> None:
    with Terminal([*cgp, "replay", str(write_recording(tmp_path / "s.ndjson")), "--at", "6"], rows=24) as terminal:
        terminal.wait("line 6 of 11")
        terminal.wait("no gate")
        terminal.send("q")
        assert terminal.ended() == 0
        assert b"\x1b[?1049l" in terminal.raw


def test_a_pace_to_begin_with(tmp_path: Path, cgp: list[str]) -> None:
    path = str(write_recording(tmp_path / "s.ndjson"))
    with Terminal([*cgp, "replay", path, "--speed", "0.1"]) as terminal:
        terminal.wait("speed 0.1 x")
        terminal.send("+")
        terminal.wait("speed 0.25 x")
        terminal.send("q")
        assert terminal.ended() == 0
    for wrong in ("0", "-1", "nan", "inf"):
        assert run(cgp, path, "--speed", wrong).returncode == 2


def test_nothing_is_started_and_nothing_is_connected(tmp_path: Path) -> None:
    log = tmp_path / "events"
    argv = [sys.executable, "-c", WATCHED, str(log), "replay", str(write_recording(tmp_path / "s.ndjson"))]
    with Terminal(argv) as terminal:
        terminal.wait("REPLAY offline")
        for key in (" ", "e", "\r", "\r", "]", "]", ".", ",", "a", "c", "r", "x", "z", "?", "q", ":", "\x1b", "j"):
            terminal.send(key)
            terminal.read(0.15)
        terminal.send("\x1b")
        terminal.read(0.4)
        terminal.send("q")
        assert terminal.ended() == 0
    assert log.read_text() == ""


def test_the_watch_sees_a_process_that_is_started(tmp_path: Path) -> None:
    log = tmp_path / "events"
    watch = WATCHED.partition("from cgp_tui")[0] + "import subprocess; subprocess.run(['true'])"
    subprocess.run([sys.executable, "-c", watch, str(log)], check=True)
    assert "subprocess.Popen" in log.read_text()


def test_what_a_replay_loads_can_reach_no_provider() -> None:
    loads = (
        "import sys, cgp_tui.analysis, cgp_tui.ui.app, cgp_tui.ui.source, cgp_tui.ui.themes\n"
        "acting = ('cgp_tui.host', 'cgp_tui.ui.live', 'cgp_tui.consent.ledger', 'httpx', 'tomlkit')\n"
        "print([name for name in sys.modules if name.startswith(acting)])"
    )
    done = subprocess.run([sys.executable, "-c", loads], capture_output=True, check=True)
    assert done.stdout.strip() == b"[]"


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_a_signal_ends_it_with_the_terminal_restored(tmp_path: Path, cgp: list[str], number: signal.Signals) -> None:
    with Terminal([*cgp, "replay", str(write_recording(tmp_path / "s.ndjson"))]) as terminal:
        terminal.wait("REPLAY offline")
        terminal.process.send_signal(number)
        assert terminal.ended(8) == 128 + number
        for restored in (b"\x1b[?1049l", b"\x1b[?1003l", b"\x1b[?25h"):
            assert restored in terminal.raw


def test_a_closed_window_ends_it(tmp_path: Path, cgp: list[str]) -> None:
    with Terminal([*cgp, "replay", str(write_recording(tmp_path / "s.ndjson"))]) as terminal:
        terminal.wait("REPLAY offline")
        terminal.hang_up()
        assert terminal.ended(8) != 0


def test_a_defect_exits_seventy_restores_the_terminal_and_shows_no_locals(tmp_path: Path) -> None:
    broken = (
        "import sys\n"
        "from cgp_tui.ui.widgets.detail import Detail\n"
        "def show(self, *what):\n"
        "    token = 'canary-4711'\n"
        "    raise ValueError('broken on purpose \\x1b[2J')\n"
        "Detail.show = show\n"
        "from cgp_tui.cli.main import main\n"
        "sys.exit(main())\n"
    )
    env = dict(os.environ, PYTHONPATH=str(Path.cwd()))
    with Terminal([sys.executable, "-c", broken, "replay", str(write_bare(tmp_path / "s.ndjson"))], env=env) as terminal:
        assert terminal.ended() == 70
        after = terminal.raw.rpartition(b"\x1b[?1049l")[2]
        assert b"broken on purpose" in after
        assert b"canary-4711" not in terminal.raw.replace(b"token = 'canary-4711'", b"")
        assert b"\x1b[2J" not in after


def test_a_filter_to_begin_with(
    tmp_path: Path, cgp: list[str], capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    path = str(write_recording(tmp_path / "s.ndjson"))
    with Terminal([*cgp, "replay", path, "--where", "type:frames"]) as terminal:
        terminal.wait("2 of 17")
        terminal.send("q")
        assert terminal.ended() == 0
    monkeypatch.setenv("CGP_TUI_STATE", str(tmp_path / "state"))
    assert Filters(paths.filters_path()).save("answers", "type:frames")
    with Terminal([*cgp, "replay", path, "--where", "@answers"]) as terminal:
        terminal.wait("2 of 17")
        terminal.send("q")
        assert terminal.ended() == 0
    assert main(["replay", path, "--where", "@answer"]) == 2
    assert "There is no saved filter @answer. There are: @answers." in capsys.readouterr().err
    assert main(["replay", path, "--where", "typ:frames"]) == 2
    assert "There is no field typ. There are: type," in capsys.readouterr().err
