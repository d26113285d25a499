"""How long until a command has answered, and until the app has painted."""

from __future__ import annotations

import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from tests.benchmarks.measure import Row, by_turns, seconds
from tests.benchmarks.transcript import MAKER
from tests.terminal import Terminal

CGP = [str(Path(sys.executable).with_name("cgp-tui"))]

_TYPER = """
import typer

app = typer.Typer(add_completion=False{more})


@app.command()
def check(file: str, format: str = "text") -> None:
    "Every finding of a transcript."


@app.command()
def other() -> None:
    "Another one."


app()
"""

_BLANK = """
from textual.app import App
from textual.widgets import Static


class Blank(App):
    def compose(self):
        yield Static("blank-app")


Blank().run()
"""

_ROUNDS = 15
_PEERS = {"lsp-devtools": ["inspect"], "mitmproxy": ["--listen-port", "0"]}


def help_text() -> Iterator[Row]:
    """`cgp-tui check --help` against a Typer program of two commands, as it comes and with its plain help."""
    with tempfile.TemporaryDirectory() as folder:
        for name, more in (("a bare Typer program", ""), ("the same without Rich", ", rich_markup_mode=None")):
            program = Path(folder) / "bare.py"
            program.write_text(_TYPER.format(more=more))
            ours, floor = by_turns(
                lambda: _whole([*CGP, "check", "--help"]),
                lambda program=program: _whole([sys.executable, str(program), "check", "--help"]),  # type: ignore[misc]
                15,
            )
            yield Row(f"check --help / {name}", ours, floor, None if more else 1.3)


def first_paint() -> Iterator[Row]:
    """Our starts against a blank Textual app's and, where they are on the path, those of the inspectors next door."""
    with tempfile.TemporaryDirectory() as folder:
        blank = Path(folder) / "blank.py"
        blank.write_text(_BLANK)
        env = settled_env(Path(folder))
        bare = [sys.executable, str(blank)]
        yield from _opened(bare, env)
        if MAKER.is_file():
            yield from _replayed(Path(folder), bare, env)


def _opened(bare: list[str], env: dict[str, str]) -> Iterator[Row]:
    """`cgp-tui demo` until its first screen stands, and until traffic stands on it."""
    programs: dict[str, Program] = {
        "demo": ([*CGP, "demo"], ""),
        "demo's traffic": ([*CGP, "demo"], "handshake_ack"),
        "blank": (bare, ""),
        "blank's text": (bare, "blank-app"),
    }
    for name, arguments in _PEERS.items():
        if (peer := shutil.which(name)) is None:
            print(f"{name} is not on the path: its first paint is not compared")
        else:
            programs[name] = ([peer, *arguments], "")
    starts = _in_turn(programs, env)
    yield starts.row("demo, first paint / a blank Textual app", "demo", "blank", 1.4)
    for name in _PEERS.keys() & programs.keys():
        yield starts.row(f"demo, first paint / {name}'s", "demo", name, 1 / 2.5)
    yield starts.row("demo, first traffic on screen / a blank Textual app", "demo's traffic", "blank's text", None)


def _replayed(folder: Path, bare: list[str], env: dict[str, str]) -> Iterator[Row]:
    """A large recording until its first lines stand on the screen."""
    programs: dict[str, Program] = {"blank": (bare, "blank-app")}
    for name in ("10k", "1g"):
        subprocess.run([sys.executable, str(MAKER), str(folder), name], check=True, stdout=subprocess.DEVNULL)
        programs[name] = ([*CGP, "replay", f"{folder}/cgp-{name}.ndjson"], "handshake_ack")
    if (lnav := shutil.which("lnav")) is not None:
        programs["lnav"] = ([lnav, f"{folder}/cgp-1g.ndjson"], '"type":')
    starts = _in_turn(programs, env)
    yield starts.row("replay of 45 MB, first lines / a blank Textual app", "10k", "blank", 1.4)
    yield starts.row("replay of 1 GB, first lines / a blank Textual app", "1g", "blank", 1.6)
    if lnav is not None:
        yield starts.row("replay of 1 GB, first lines / lnav's", "1g", "lnav", 1 / 5)


def _whole(argv: list[str]) -> float:
    return seconds(lambda: subprocess.run(argv, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, env=_env(), check=True))


def settled_env(folder: Path) -> dict[str, str]:
    """The environment of a person who has nothing settled, with everything that is kept in `folder`."""
    return {**_env(), "HOME": str(folder), "CGP_TUI_STATE": f"{folder}/state", "CGP_TUI_LEDGER": f"{folder}/ledger"}


def _env() -> dict[str, str]:
    """This environment, with modules compiled once and not at each start, as an installed program has them."""
    return {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}


Program = tuple[list[str], str]
"""A command and the text that it is to paint, or "" for anything at all."""


class Starts(NamedTuple):
    """What the starts of several programs took, in seconds, with what the pty itself takes."""

    took: dict[str, list[float]]
    pty: float

    def row(self, what: str, ours: str, other: str, target: float | None) -> Row:
        """The fastest start of each of two, and the medians as a note.

        A start is the work of one processor, to which its clock and whoever else uses the machine only ever add: half as
        much again from one minute to the next, which the median of a few starts follows.
        """
        mine, theirs = ([took - self.pty for took in self.took[name]] for name in (ours, other))
        middle, middle_of_other = (statistics.median(times) * 1000 for times in (mine, theirs))
        note = f"pty {self.pty * 1000:.0f} ms taken off both; medians {middle:.0f} and {middle_of_other:.0f}"
        return Row(what, min(mine), min(theirs), target, note)


def _in_turn(programs: dict[str, Program], env: dict[str, str]) -> Starts:
    """One start of each program after the other, in rounds, so that a slow minute falls on all."""
    pty = min(_painted(["sh", "-c", "printf up; sleep 5"], "up", env) for _ in range(5))
    took: dict[str, list[float]] = {name: [] for name in programs}
    for _ in range(_ROUNDS):
        for name, (argv, text) in programs.items():
            took[name].append(_painted(argv, text, env))
    return Starts(took, pty)


def _painted(argv: list[str], text: str, env: dict[str, str]) -> float:
    """From the start of the process to the bytes that say `text`, or anything at all where it is empty."""
    start = time.perf_counter()
    with Terminal(argv, 40, 120, env=env) as screen:
        return screen.moment(text, 30) - start
