"""Settings and views on a real terminal: read before the first paint, kept at the end, whatever the end is."""

from __future__ import annotations

import os
import signal
from pathlib import Path

import pytest

from cgp_tui.analysis.filter import FilterError
from cgp_tui.cli.preferences import compiled, kept_views, person_settings, saved_filters
from cgp_tui.store import paths
from cgp_tui.store.settings import Settings
from tests.terminal import Terminal
from tests.ui.pilots import write_bare


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("CGP_TUI_STATE", str(tmp_path / "state"))
    monkeypatch.setenv("CGP_TUI_CONFIG", str(tmp_path / "config"))
    (tmp_path / "config").mkdir(mode=0o700)
    return tmp_path


def settle(home: Path, text: str) -> None:
    path = home / "config" / "settings.toml"
    path.write_text(text, "utf-8")
    path.chmod(0o600)


def test_they_are_read_from_the_persons_folders(home: Path) -> None:
    assert person_settings() == Settings()
    settle(home, 'time = "delta"\n')
    assert person_settings() == Settings(time="delta")
    assert kept_views(Path("a")).target != kept_views("a").target


@pytest.mark.parametrize("end", ["q", signal.SIGTERM], ids=["q", "TERM"])
def test_what_was_settled_holds_and_how_it_was_left_comes_back(home: Path, cgp: list[str], end: str | int) -> None:
    path = write_bare(home / "s.ndjson")
    settle(home, 'symbols = "ascii"\ncolour = 1\n[keys]\n"nav.down" = "f5,j"\n')
    argv = [*cgp, "replay", str(path)]
    with Terminal(argv) as terminal:
        screen = terminal.wait("Ignored in settings.toml: colour. ? says why.")
        assert all(ord(char) < 128 for char in screen)
        terminal.wait(">   1 -> handshake")
        terminal.send("\x1b[15~jj")
        terminal.wait(">   4 <- frames")
        terminal.send("v")
        terminal.wait(
            lambda seen: "4 <- frames" in seen.text and "> [4 <-" not in seen.text and "[Answer]" in seen.text.split("\n")[2]
        )
        if isinstance(end, str):
            terminal.send(end)
            assert terminal.ended() == 0
        else:
            os.kill(terminal.process.pid, end)
            assert terminal.ended() == 128 + end
    view, why = kept_views(path).get()
    assert why == "" and view is not None and view.line == 4 and view.panes == "beside"
    with Terminal(argv) as terminal:
        terminal.wait(">   4 <- frames")


def test_of_the_demo_nothing_is_kept(home: Path, cgp: list[str]) -> None:
    with Terminal([*cgp, "demo"]) as terminal:
        terminal.wait("handshake_ack", 60)
        os.kill(terminal.process.pid, signal.SIGTERM)
        assert terminal.ended(60) == 128 + signal.SIGTERM
    assert not (home / "state" / "views").exists()


def test_a_saved_filter_that_is_not_known_says_why_the_saved_ones_are_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CGP_TUI_STATE", str(tmp_path / "state"))
    assert saved_filters().save("slow", "latency>1s")
    assert compiled("@slow").fields == {"latency"}
    path = paths.filters_path()
    path.write_text("{")
    with pytest.raises(FilterError) as caught:
        compiled("@slow")
    assert caught.value.message.startswith("There is no saved filter @slow. The saved filters cannot be read: ")
    assert str(path) in caught.value.message
