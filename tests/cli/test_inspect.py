"""`inspect` and `demo` on a terminal, and what they refuse before anything is drawn."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

import pytest

from tests.terminal import Terminal
from tests.ui.sessions import PROVIDER


def environment(folder: Path) -> dict[str, str]:
    kept = {name: os.environ[name] for name in ("PATH", "LANG") if name in os.environ}
    return {**kept, "HOME": str(folder), "CGP_TUI_STATE": str(folder / "state"), "CGP_TUI_LEDGER": str(folder / "l.toml")}


def run(folder: Path, *arguments: str, rows: int = 24, columns: int = 120) -> Terminal:
    return Terminal([sys.executable, "-m", "cgp_tui", *arguments], rows, columns, env=environment(folder), cwd=folder)


PLAIN = ["--", sys.executable, "-I", "-S", str(PROVIDER), "plain"]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["inspect"], "End the line with -- and the program to run: cgp-tui inspect -- CMD..."),
        (["inspect", "python", "x.py"], "Try: cgp-tui inspect -- python x.py"),
        (["inspect", "--id", "../x", *PLAIN], "'../x' cannot be an id."),
        (["inspect", "--env", "NO_SUCH_VARIABLE", *PLAIN], "--env NO_SUCH_VARIABLE: this variable is not set."),
        (["inspect", "--record", "there", *PLAIN], "there already exists; a recording never writes to an existing file."),
        (["inspect", "--record", "no/folder/r", *PLAIN], "to record in."),
        (["demo", "--record", "there"], "there already exists"),
        (["inspect", "--no-record", "--record", "new", *PLAIN], "--no-record and --record contradict each other."),
    ],
)
def test_what_cannot_be_done_is_one_line_and_exit_2(tmp_path: Path, arguments: list[str], said: str) -> None:
    (tmp_path / "there").write_text("mine")
    with run(tmp_path, *arguments, columns=400) as screen:
        assert screen.ended() == 2
        assert said in screen.text
        assert len(screen.text.strip().splitlines()) == 1
        assert b"\x1b" not in screen.raw
    assert (tmp_path / "there").read_text() == "mine"


def test_a_provider_that_cannot_be_started_is_one_line_and_exit_4(tmp_path: Path) -> None:
    with run(tmp_path, "inspect", "--", "no-such-program", columns=400) as screen:
        assert screen.ended() == 4
        assert "There is no program to start as 'no-such-program'." in screen.text
        assert b"\x1b" not in screen.raw


def test_a_dumb_terminal_is_named(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "cgp_tui", "inspect", *PLAIN]
    with Terminal(command, 24, 200, env={**environment(tmp_path), "TERM": "dumb"}, cwd=tmp_path) as screen:
        assert screen.ended() == 2
        assert "TERM is dumb" in screen.text
        assert b"\x1b" not in screen.raw


def test_a_session_is_recorded_in_a_file_of_its_own(tmp_path: Path) -> None:
    with run(tmp_path, "inspect", "--id", "mine", *PLAIN) as screen:
        screen.wait("handshake_ack")
        screen.send("q")
        screen.wait("still running")
        screen.send("\t")
        screen.read(0.2)
        screen.send("\r")
        assert screen.ended() == 0
    (made,) = (tmp_path / "state" / "transcripts").iterdir()
    assert made.name.endswith(".ndjson") and "-mine-" in made.name
    assert made.stat().st_mode & 0o777 == 0o600 and made.parent.stat().st_mode & 0o777 == 0o700
    records = [json.loads(line) for line in made.read_bytes().splitlines()]
    assert (records[0]["format"], records[0]["recorder"]) == ("cgp-transcript/1", "inspect")
    assert records[1]["provider_id"] == "mine"
    assert not (tmp_path / "l.toml").exists(), "who only looks makes no ledger"


def test_a_session_that_is_not_recorded_leaves_nothing_of_what_was_asked(tmp_path: Path) -> None:
    with run(tmp_path, "inspect", "--id", "mine", "--no-record", *PLAIN, columns=140) as screen:
        screen.wait("not recorded  gate on")
        screen.wait("not recorded  2 lines, 2 notes")
        screen.press("a")
        screen.wait("words to search for")
        screen.send("canary-4711\r")
        screen.wait("1 fr 3/2,000 tok")
        screen.press("y")
        screen.wait("to the terminal's clipboard")
        assert " envelope " in screen.text and "/dev/fd" not in screen.text
        screen.press("\x1b")
        leave(screen)
    holders = [path for path in tmp_path.rglob("*") if path.is_file() and b"canary-4711" in path.read_bytes()]
    assert holders == []
    assert not list(tmp_path.rglob("*.ndjson"))
    assert b"Recorded in" not in screen.raw


def test_without_payload_the_screen_has_it_and_the_recording_does_not(tmp_path: Path) -> None:
    with run(tmp_path, "inspect", "--id", "mine", "--no-payload", *PLAIN, columns=140) as screen:
        screen.wait("payload not recorded  2 lines, 2 notes")
        screen.wait(" recording ")
        screen.press("a")
        screen.wait("words to search for")
        screen.send("canary-4711\r")
        screen.wait("1 fr 3/2,000 tok")
        assert "canary-4711" in screen.text
        leave(screen)
    (made,) = (tmp_path / "state" / "transcripts").iterdir()
    records = [json.loads(line) for line in made.read_bytes().splitlines()]
    assert [(r["line"]["of"], r["line"]["bytes"]) for r in records if r.get("line", {}).get("of")] == [
        ("query", 90),
        ("frames", 197),
    ]
    assert [path for path in tmp_path.rglob("*") if path.is_file() and b"canary-4711" in path.read_bytes()] == []


ENTRY = f'[providers.mine]\ncommand = ["{sys.executable}", "-I", "-S", "{PROVIDER}", "plain"]\n'


def configured(folder: Path, *arguments: str, columns: int = 80, seconds: float = 99.5) -> Terminal:
    """`inspect` with a providers file of the person's and one in the project's folder, which we are in; `seconds` are what
    the entry `slow` is given to answer the handshake, which it never does."""
    (folder / "config").mkdir()
    slow = f'[providers.slow]\ncommand = ["sleep", "600"]\ntimeouts.handshake = {seconds}\n'
    rooted = '[providers.rooted]\ncommand = ["sleep", "60"]\nroots = ["no-such-folder"]\n'
    (folder / "config" / "cgp-tui.toml").write_text(ENTRY + slow + rooted)
    (folder / "cgp-tui.toml").write_text(ENTRY.replace("mine", "local"))
    command = [sys.executable, "-m", "cgp_tui", "inspect", *arguments]
    return Terminal(command, 24, columns, env={**environment(folder), "CGP_TUI_CONFIG": str(folder / "config")}, cwd=folder)


def leave(screen: Terminal) -> None:
    screen.send("q")
    screen.wait("still running")
    screen.send("\t")
    screen.read(0.2)
    screen.send("\r")
    assert screen.ended() == 0


def test_an_entry_is_named_in_place_of_a_command(tmp_path: Path) -> None:
    with configured(tmp_path, "--id", "mine") as screen:
        screen.wait("handshake_ack")
        leave(screen)
    (made,) = (tmp_path / "state" / "transcripts").iterdir()
    assert json.loads(made.read_bytes().splitlines()[1])["provider_id"] == "mine"


def test_an_entry_is_picked_from_a_list(tmp_path: Path) -> None:
    with configured(tmp_path) as screen:
        screen.wait("4 configured")
        screen.wait("local   project, not trusted")
        screen.send("jjj\r")
        screen.wait("Not trusted: look at what it runs, leave, then cgp-tui providers trust")
        screen.send("g\r")
        screen.wait("handshake_ack")
        leave(screen)
    assert [path.name.split("-")[1] for path in (tmp_path / "state" / "transcripts").iterdir()] == ["mine"]


def test_the_time_limit_of_an_entry_is_shown(tmp_path: Path) -> None:
    with configured(tmp_path, "--id", "slow") as screen:
        screen.wait("of 99.5 s")


def test_the_time_limit_of_an_entry_holds(tmp_path: Path) -> None:
    with configured(tmp_path, "--id", "slow", seconds=0.5) as screen:
        screen.wait("No reply came within")
        screen.send("q")
        assert screen.ended() == 0


def test_the_roots_of_an_entry_are_opened(tmp_path: Path) -> None:
    with configured(tmp_path, "--id", "rooted", columns=400) as screen:
        assert screen.ended() == 2
        assert str(tmp_path / "config" / "no-such-folder") in screen.text


def test_leaving_the_list_starts_nothing(tmp_path: Path) -> None:
    with configured(tmp_path) as screen:
        screen.wait("4 configured")
        screen.send("q")
        assert screen.ended() == 0
    assert not (tmp_path / "state").exists()


def test_a_projects_entry_does_not_run_untrusted(tmp_path: Path) -> None:
    with configured(tmp_path, "--id", "local", columns=400) as screen:
        assert screen.ended() == 3
        assert "is not trusted as it is now" in screen.text and "cgp-tui providers trust" in screen.text
        assert b"\x1b" not in screen.raw
    assert not (tmp_path / "state").exists()


@pytest.mark.parametrize(("rows", "columns"), [(24, 80), (40, 120)])
def test_the_demo_is_alive_at_once_and_says_what_to_press(tmp_path: Path, rows: int, columns: int) -> None:
    with run(tmp_path, "demo", rows=rows, columns=columns) as screen:
        screen.wait("← verified")
        text = screen.text
        assert "example-index waits for your consent: 1 need. c decides" in text
        assert "Try: enter opens a line, a asks, c shows what may leave, ? every key" in text
        screen.wait("demo's ledger empty")
        assert "→ verify " in text, "types are shown in full"
        screen.send("c")
        screen.wait("The demo has a ledger of its own")
        screen.wait("not decided")
        screen.send("q")
        screen.wait("Traffic")
        screen.send("q")
        screen.wait("still running")
        screen.send("\t")
        screen.read(0.2)
        screen.send("\r")
        assert screen.ended() == 0
    (made,) = (tmp_path / "state" / "transcripts").iterdir()
    records = [json.loads(line) for line in made.read_bytes().splitlines()]
    sent = [record for record in records if record.get("from") == "host"]
    asked = [record["line"]["query"]["goal"] for record in sent if record["line"]["type"] == "query"]
    assert len(set(asked)) == 3
    by_connection = {
        number: [record["line"]["type"] for record in sent if record["connection"] == number] for number in (1, 2)
    }
    assert by_connection == {1: ["handshake", *["query"] * 3, "verify", "shutdown"], 2: ["handshake", "shutdown"]}
    assert not (tmp_path / "l.toml").exists(), "the person's ledger is untouched"
