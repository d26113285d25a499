"""How long until a command has answered, and until the app has painted."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

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

_PEER_ROUNDS = 7
_REST_SECONDS = 1.0
"""Before each start beside a peer: one that has just kept every processor busy slows down whoever comes next."""
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
    """`cgp-tui demo` until its first screen stands, against a blank Textual app; the cost of the pty itself is taken off."""
    with tempfile.TemporaryDirectory() as folder:
        blank = Path(folder) / "blank.py"
        blank.write_text(_BLANK)
        env = settled_env(Path(folder))
        pty = min(_painted(["sh", "-c", "printf up; sleep 5"], "up", env) for _ in range(5))
        rounds = 9
        ours, floor = by_turns(
            lambda: _painted([*CGP, "demo"], "", env) - pty,
            lambda: _painted([sys.executable, str(blank)], "", env) - pty,
            rounds,
        )
        yield Row("demo, first paint / a blank Textual app", ours, floor, 1.4, f"pty {pty * 1000:.0f} ms taken off both")
        yield from _beside_peers(env, pty)
        yield from _replayed(Path(folder), blank, env, pty)
        alive, floor = by_turns(
            lambda: _painted([*CGP, "demo"], "handshake_ack", env) - pty,
            lambda: _painted([sys.executable, str(blank)], "blank-app", env) - pty,
            rounds,
        )
        yield Row("demo, first traffic on screen / a blank Textual app", alive, floor, None)


def _beside_peers(env: dict[str, str], pty: float) -> Iterator[Row]:
    """The same first paint against those of the inspectors next door that are on the path, each in turn with ours."""
    for name, arguments in _PEERS.items():
        if (peer := shutil.which(name)) is None:
            print(f"{name} is not on the path: its first paint is not compared")
            continue
        ours, theirs = by_turns(
            lambda: _rested([*CGP, "demo"], "", env) - pty,
            lambda peer=peer, arguments=arguments: _rested([peer, *arguments], "", env) - pty,  # type: ignore[misc]
            _PEER_ROUNDS,
        )
        yield Row(f"demo, first paint / {name}'s", ours, theirs, 1 / 2.5)


def _replayed(folder: Path, blank: Path, env: dict[str, str], pty: float) -> Iterator[Row]:
    """A large recording until its first lines stand on the screen."""
    if not MAKER.is_file():
        return
    for name, file, most in (("10k", "cgp-10k.ndjson", 1.4), ("1g", "cgp-1g.ndjson", 1.6)):
        subprocess.run([sys.executable, str(MAKER), str(folder), name], check=True, stdout=subprocess.DEVNULL)
        path = folder / file
        ours, floor = by_turns(
            lambda path=path: _painted([*CGP, "replay", str(path)], "handshake_ack", env) - pty,  # type: ignore[misc]
            lambda: _painted([sys.executable, str(blank)], "blank-app", env) - pty,
            9,
        )
        yield Row(f"replay of {path.stat().st_size / 1e6:,.0f} MB, first lines / a blank Textual app", ours, floor, most)
        if name == "1g" and (lnav := shutil.which("lnav")) is not None:
            ours, theirs = by_turns(
                lambda path=path: _rested([*CGP, "replay", str(path)], "handshake_ack", env) - pty,  # type: ignore[misc]
                lambda lnav=lnav, path=path: _rested([lnav, str(path)], '"type":', env) - pty,  # type: ignore[misc]
                _PEER_ROUNDS,
            )
            yield Row("replay of 1 GB, first lines / lnav's", ours, theirs, 1 / 5)
        path.unlink()


def _whole(argv: list[str]) -> float:
    return seconds(lambda: subprocess.run(argv, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, env=_env(), check=True))


def settled_env(folder: Path) -> dict[str, str]:
    """The environment of a person who has nothing settled, with everything that is kept in `folder`."""
    return {**_env(), "HOME": str(folder), "CGP_TUI_STATE": f"{folder}/state", "CGP_TUI_LEDGER": f"{folder}/ledger"}


def _env() -> dict[str, str]:
    """This environment, with modules compiled once and not at each start, as an installed program has them."""
    return {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}


def _rested(argv: list[str], text: str, env: dict[str, str]) -> float:
    """The same on a machine that has come to rest."""
    time.sleep(_REST_SECONDS)
    return _painted(argv, text, env)


def _painted(argv: list[str], text: str, env: dict[str, str]) -> float:
    """From the start of the process to the bytes that say `text`, or anything at all where it is empty."""
    start = time.perf_counter()
    with Terminal(argv, 40, 120, env=env) as screen:
        return screen.moment(text, 30) - start
