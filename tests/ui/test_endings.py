"""The live app on a real terminal: nothing a provider sends reaches it as a control byte, and however the app ends, the
providers' trees end, the recording is whole and the terminal is itself again."""

from __future__ import annotations

import json
import os
import re
import signal
import sys
import termios
import time
from functools import partial
from pathlib import Path

import pytest

from tests.conftest import ROOT
from tests.terminal import Terminal
from tests.ui.hostile import BELL
from tests.ui.sessions import PROVIDER, alive

HOSTILE = [sys.executable, str(ROOT / "tests" / "ui" / "hostile.py")]
FORBIDDEN = (
    b"\x1b]52",
    b"\x1b]0;",
    b"\x1b]8;",
    b"\x1b[6n",
    b"\x1b[21t",
    b"\x1bc",
    BELL.encode(),
    *(char.encode() for char in "\x9b\x9d\x9c\u202e\u2066\u061c\u200b\u3164\U000e0041\ufff9"),
    b"\x08",
    b"\x7f",
    b"\x00",
    b"\x0b",
    b"\x0c",
)


def environment(folder: Path) -> dict[str, str]:
    kept = {name: os.environ[name] for name in ("PATH", "LANG") if name in os.environ}
    state = folder / "state"
    return {**kept, "HOME": str(folder), "CGP_TUI_STATE": str(state), "CGP_TUI_LEDGER": str(folder / "receipts.toml")}


def inspect(folder: Path, provider: list[str], rows: int = 40, columns: int = 120) -> Terminal:
    record = str(folder / "session.ndjson")
    argv = [sys.executable, "-m", "cgp_tui", "inspect", "--record", record, "--", *provider]
    return Terminal(argv, rows, columns, env=environment(folder), cwd=folder)


def records(folder: Path) -> list[dict[str, object]]:
    """The recording; every line of it must parse."""
    raw = (folder / "session.ndjson").read_bytes()
    assert raw.endswith(b"\n")
    return [json.loads(line) for line in raw.splitlines()]


def provider_pids(folder: Path) -> list[int]:
    return [int(str(record["pid"])) for record in records(folder) if record.get("note") == "spawn"]


def gone(pids: list[int], seconds: float = 30) -> bool:
    end = time.monotonic() + seconds
    while any(map(alive, pids)) and time.monotonic() < end:
        time.sleep(0.05)
    return not any(map(alive, pids))


def restored(screen: Terminal, since: int) -> bool:
    after = screen.raw[since:]
    return all(mode in after for mode in (b"\x1b[?1049l", b"\x1b[?1003l", b"\x1b[?25h"))


def reads_on(screen: Terminal, key: str) -> bool:
    """Whether a prompt goes on by a page at this key: before it has been seen for a moment it does not."""
    before = screen.text
    screen.press(key)
    return screen.text != before


def press(screen: Terminal, *keys: str) -> None:
    """One key after the other, each given time to be answered."""
    screen.press(*keys)


def leave(screen: Terminal) -> None:
    screen.send("q")
    screen.wait("still running")
    screen.send("\t")
    screen.read(0.2)
    screen.send("\r")
    assert screen.ended() == 0


@pytest.mark.parametrize("kind", ["local", "plain-scope", "loud-scope"])
def test_nothing_a_provider_sends_reaches_the_terminal_as_a_control(tmp_path: Path, kind: str) -> None:
    with inspect(tmp_path, [*HOSTILE, kind]) as screen:
        screen.wait("stderr")
        screen.read(0.5)
        press(screen, "G", "\r", "]", "]", "\x1b", "k", "\r", "\x1b")
        screen.send("a")
        screen.wait("esc Back")
        screen.send("what")
        screen.wait("what")
        press(screen, "\r")
        if kind == "local":
            screen.wait("orphan")
            for _ in range(4):
                press(screen, "k", "\r", "]", "\r", "]", "]", "\x1b", "\x1b")
        press(screen, "e", "c")
        screen.wait("enter on a need decides")
        press(screen, "\r")
        if kind == "plain-scope":
            screen.wait("Let hostile.py")
            assert "<U+202E>" in screen.text
            screen.wait(lambda seen: reads_on(seen, "\x1b[6~"))
            press(screen, *["\x1b[6~"] * 8)
            assert "␛" in screen.text
            press(screen, "w", "\x1b", "\r")
            screen.wait("Denied.")
            press(screen, "\t", "\r")
        press(screen, "\x1b", "\x1b", "\x1b", "?", "\x1b", ":")
        screen.wait("a command, a key")
        press(screen, "\x1b")
        screen.wait(lambda seen: "a command, a key" not in seen.text)
        assert screen.process.poll() is None, screen.text
        if kind == "loud-scope":
            assert "stopped: it declares a malformed scope" in screen.text
            press(screen, "q")
            assert screen.ended() == 0
        else:
            leave(screen)
        raw = re.sub(rb"\x1b\]22;[a-z-]*\x07", b"", screen.raw)  # the shape of the pointer: the toolkit's own
        assert [bad for bad in FORBIDDEN if bad in raw] == []
        assert b"mark" in raw
    assert gone(provider_pids(tmp_path))


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP, signal.SIGINT])
def test_a_signal_ends_the_app_as_leaving_does(tmp_path: Path, number: signal.Signals) -> None:
    with inspect(tmp_path, [sys.executable, str(PROVIDER), "hangs"]) as screen:
        screen.wait("handshake_ack")
        screen.send("a")
        screen.wait("esc Back")
        screen.send("why\r")
        screen.wait("q1 pending")
        pids, before = provider_pids(tmp_path), len(screen.raw)
        screen.process.send_signal(number)
        assert screen.ended() == 128 + number
        assert restored(screen, before)
        assert gone(pids)
        assert "gave_up" in [record.get("note") for record in records(tmp_path)]


def test_a_closed_terminal_ends_everything_even_where_no_signal_comes(tmp_path: Path) -> None:
    ignoring = "import os, signal, sys; signal.signal(signal.SIGHUP, signal.SIG_IGN); os.execvp(sys.argv[1], sys.argv[1:])"
    record = str(tmp_path / "session.ndjson")
    command = [sys.executable, "-m", "cgp_tui", "inspect", "--record", record, "--", sys.executable, str(PROVIDER), "plain"]
    with Terminal([sys.executable, "-c", ignoring, *command], 40, 120, env=environment(tmp_path), cwd=tmp_path) as screen:
        screen.wait("handshake_ack")
        pids = provider_pids(tmp_path)
        screen.hang_up()
        assert screen.ended() == 128 + signal.SIGHUP
        assert gone(pids)
        assert {"type": "shutdown"} in [record.get("line") for record in records(tmp_path)]


def test_a_killed_app_takes_its_providers_with_it(tmp_path: Path) -> None:
    with inspect(tmp_path, [sys.executable, str(PROVIDER), "leaves", f"pids={tmp_path / 'pids'}"]) as screen:
        screen.wait("handshake_ack")
        screen.read(0.5)
        pids = [*provider_pids(tmp_path), *map(int, (tmp_path / "pids").read_text().split())]
        screen.process.kill()
        screen.process.wait()
        assert gone(pids)
        records(tmp_path)


def test_a_provider_that_ignores_shutdown_is_gone_within_the_grace(tmp_path: Path) -> None:
    with inspect(tmp_path, [sys.executable, str(PROVIDER), "ignores-shutdown"]) as screen:
        screen.wait("handshake_ack")
        pids = provider_pids(tmp_path)
        leave(screen)
        assert gone(pids)


def test_a_defect_of_ours_restores_the_terminal_ends_the_providers_and_shows_no_secret(tmp_path: Path) -> None:
    """The app is broken from outside: the status line's words raise, with a secret in a local variable."""
    broken = (
        "import sys\n"
        "from cgp_tui.ui.live.session import Live\n"
        "state, calls = Live.state, []\n"
        "def fails(self):\n"
        "    secret = 'hunter2-in-a-local'\n"
        "    calls.append(secret)\n"
        "    if len(calls) > 10:\n"
        "        raise ZeroDivisionError\n"
        "    return state(self)\n"
        "Live.state = fails\n"
        "from cgp_tui.cli.main import main\n"
        "sys.exit(main())\n"
    )
    record = str(tmp_path / "session.ndjson")
    tail = ["inspect", "--record", record, "--", sys.executable, str(PROVIDER), "plain"]
    with Terminal([sys.executable, "-c", broken, *tail], 40, 120, env=environment(tmp_path), cwd=tmp_path) as screen:
        screen.wait("cgp-tui has a defect: ZeroDivisionError")
        assert screen.ended() == 70
        assert restored(screen, 0)
        assert b"hunter2" not in screen.raw
        assert gone(provider_pids(tmp_path))


def stopped(screen: Terminal) -> bool:
    return "T" in Path(f"/proc/{screen.process.pid}/stat").read_text().split(")")[1].split()[0]


def suspend(screen: Terminal, number: int = signal.SIGTSTP) -> None:
    """Stop it, and wait until it is stopped."""
    screen.process.send_signal(number)
    screen.wait(stopped)


def go_on(screen: Terminal) -> None:
    """Let it go on, and wait until it has taken the terminal and drawn all of it."""
    before = len(screen.raw)
    screen.process.send_signal(signal.SIGCONT)
    screen.wait(lambda seen: b"handshake_ack" in seen.raw[before:].partition(b"\x1b[?1049h")[2])


def echoes(screen: Terminal) -> bool:
    return bool(termios.tcgetattr(screen._fd)[3] & termios.ECHO)


def test_suspended_it_gives_the_terminal_back_and_continues(tmp_path: Path) -> None:
    with inspect(tmp_path, [sys.executable, str(PROVIDER), "plain"]) as screen:
        screen.wait("handshake_ack")
        for _ in range(2):
            before = len(screen.raw)
            suspend(screen)
            screen.wait(partial(restored, since=before))
            assert echoes(screen)
            go_on(screen)
            assert not echoes(screen)
        leave(screen)
        assert echoes(screen)


def test_suspended_in_the_midst_of_a_write_it_stops_and_continues(tmp_path: Path) -> None:
    """The signal comes while the lock of what is to be written is held."""
    script = (
        "import os, queue, signal, sys\n"
        "put = queue.Queue._put\n"
        "def puts(self, item):\n"
        "    put(self, item)\n"
        "    if item and 'handshake_ack' in item:\n"
        "        queue.Queue._put = put\n"
        "        os.kill(os.getpid(), signal.SIGTSTP)\n"
        "queue.Queue._put = puts\n"
        "from cgp_tui.cli.main import main\n"
        "sys.exit(main())\n"
    )
    tail = ["inspect", "--record", str(tmp_path / "session.ndjson"), "--", sys.executable, str(PROVIDER), "plain"]
    with Terminal([sys.executable, "-c", script, *tail], 40, 120, env=environment(tmp_path), cwd=tmp_path) as screen:
        screen.wait(lambda seen: stopped(seen) and restored(seen, 0))
        go_on(screen)
        leave(screen)


def test_stopped_or_continued_without_a_word_it_takes_the_terminal_anew(tmp_path: Path) -> None:
    with inspect(tmp_path, [sys.executable, str(PROVIDER), "plain"]) as screen:
        screen.wait("handshake_ack")
        suspend(screen, signal.SIGSTOP)
        termios.tcsetattr(screen._fd, termios.TCSANOW, screen.modes)  # as a shell does
        go_on(screen)
        assert not echoes(screen)
        for _ in range(3):
            go_on(screen)
        screen.send("?")
        screen.wait("esc Back")
        press(screen, "\x1b")
        leave(screen)
        assert echoes(screen)


@pytest.mark.parametrize("command", [["demo"], ["inspect", "--", sys.executable]])
def test_without_a_terminal_one_line_and_exit_2(tmp_path: Path, command: list[str]) -> None:
    import subprocess

    ran = subprocess.run(
        [sys.executable, "-m", "cgp_tui", *command],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        env=environment(tmp_path),
        cwd=tmp_path,
        timeout=30,
        check=False,
    )
    assert (ran.returncode, ran.stdout) == (2, b"")
    assert ran.stderr.count(b"\n") == 1 and b"\x1b" not in ran.stderr
    assert not (tmp_path / "state").exists(), "nothing is recorded where nothing can be shown"


def test_bytes_that_are_no_text_end_nothing_and_press_no_key(tmp_path: Path) -> None:
    """A paste in Latin-1, and mouse reports in the old form, right of column 95: their bytes spell q, X and space."""
    with inspect(tmp_path, [sys.executable, str(PROVIDER), "plain"]) as screen:
        screen.wait("handshake_ack")
        asked = screen.raw.count(b"\x1b[?1006h")
        screen.send(b"\xff\xfe")
        screen.send(b"\x1b[M \xc8\xa0\x1b[M#\xf1q\x1b[M XX")
        screen.wait(lambda seen: seen.raw.count(b"\x1b[?1006h") > asked)
        screen.send("/")
        screen.wait("/ ")
        screen.send(b"\x1b[200~text~sch\xf6n\x1b[201~")
        screen.wait("text~sch")
        screen.send("\x1b\x1b")
        screen.wait(lambda seen: "text~sch" not in seen.text)
        assert "Revoke" not in screen.text and "still running" not in screen.text
        leave(screen)
        (kept,) = tmp_path.rglob("*.ndjson")
        assert screen.raw.endswith(f"Recorded in {kept}\r\n".encode()), "the way to it outlives the screen"
    assert {"type": "shutdown"} in [record.get("line") for record in records(tmp_path)]
