"""What a command judges evidence by: whose recording it is decides which time counts."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from cgp_tui.cli.trusted import recorded_here, this_moment
from cgp_tui.protocol.timestamp import epoch


@pytest.fixture
def recordings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("CGP_TUI_STATE", str(tmp_path / "state"))
    folder = tmp_path / "state" / "transcripts"
    folder.mkdir(parents=True, mode=0o700)
    return folder


def recording(folder: Path, mode: int = 0o600) -> Path:
    path = folder / "a.ndjson"
    path.touch()
    path.chmod(mode)
    return path


def test_our_own_folder_holds_what_was_recorded_here(recordings: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = recording(recordings)
    assert recorded_here(path)
    monkeypatch.chdir(recordings)
    assert recorded_here(Path("a.ndjson"))
    assert recorded_here(recordings / ".." / "transcripts" / "a.ndjson")


def test_anything_else_could_have_been_written_by_anybody(recordings: Path, tmp_path: Path) -> None:
    path = recording(recordings)
    elsewhere = recording(tmp_path)
    below = recordings / "below"
    below.mkdir()
    link = recordings / "link.ndjson"
    link.symlink_to(elsewhere)
    for other in (elsewhere, recording(below), link, recordings / "none", recordings):
        assert not recorded_here(other), other
    os.link(path, tmp_path / "twice")
    assert not recorded_here(path)


@pytest.mark.parametrize("mode", [0o666, 0o620])
def test_a_recording_that_others_may_write_to_is_nobodys(mode: int, recordings: Path) -> None:
    assert not recorded_here(recording(recordings, mode))


def test_without_a_folder_of_recordings_none_was_made_here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CGP_TUI_STATE", str(tmp_path / "none"))
    assert not recorded_here(recording(tmp_path))


def test_a_folder_behind_links_in_a_circle_holds_nothing_of_ours(
    recordings: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "circle").symlink_to(tmp_path / "circle")
    monkeypatch.setenv("CGP_TUI_STATE", str(tmp_path / "circle" / "state"))
    assert not recorded_here(recordings / "session.ndjson")


def test_this_moment_is_now() -> None:
    import time

    moment = this_moment()
    assert moment is not None
    assert abs(epoch(moment) - time.time()) < 60
