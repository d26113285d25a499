"""The playhead of a recording, moved by a clock that the test holds."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from cgp_tui.analysis import Analysis
from cgp_tui.present.symbols import UNICODE
from cgp_tui.transcript.reader import Transcript
from cgp_tui.ui.player import Player
from cgp_tui.ui.source import Source
from tests.ui.pilots import write_bare, write_recording


@pytest.fixture
def player(tmp_path: Path) -> Iterator[Player]:
    transcript = Transcript.open(write_recording(tmp_path / "s.ndjson"))
    yield Player(Source(transcript, Analysis(transcript), UNICODE))
    transcript.close()


def test_records_appear_after_the_gaps_that_were_recorded(player: Player) -> None:
    player.toggle(100.0)
    assert player.tick(100.0) == 1
    assert player.tick(100.05) is None, "the first line was seen a tenth of a second in"
    assert player.tick(100.12) == 2
    assert player.tick(100.52) == 7


def test_at_another_pace_the_gaps_are_shorter_or_longer(player: Player) -> None:
    player.faster()
    player.toggle(100.0)
    assert player.tick(100.0) == 1
    assert (player.tick(100.04), player.tick(100.06)) == (None, 2)
    player.slower()
    player.slower()
    assert player.place(0).speed == player.speed == 0.5
    player.play_at(16.0)
    player.faster()
    assert player.speed == 16.0


def test_a_person_who_moves_takes_the_playhead_along_and_ends_playing(player: Player) -> None:
    player.toggle(100.0)
    assert player.take_along(9)
    assert not player.playing
    assert not player.take_along(9)
    player.toggle(200.0)
    assert player.tick(200.0) == 10


def test_steps_stop_at_both_ends(player: Player) -> None:
    assert player.step(-1) == 0
    assert player.step(1) == 1
    assert player.step(-1) == 0
    player.take_along(16)
    assert player.step(1) == 16


def test_from_the_end_it_plays_from_the_start(player: Player) -> None:
    player.take_along(16)
    player.toggle(100.0)
    assert player.tick(100.0) is not None
    assert player.place(0).playing


def test_the_place_is_told_in_lines_and_seconds(player: Player) -> None:
    place = player.place(8)
    assert (place.line, place.lines, place.at, place.whole) == (6, 11, 0.6, 2.5)
    assert player.place(0).line == 0


def test_a_bare_file_has_lines_and_no_times(tmp_path: Path) -> None:
    transcript = Transcript.open(write_bare(tmp_path / "s.ndjson"))
    place = Player(Source(transcript, Analysis(transcript), UNICODE)).place(3)
    assert (place.line, place.lines, place.at, place.whole) == (4, 11, None, None)
    transcript.close()


def test_a_spoilt_end_leaves_the_recording_its_times(tmp_path: Path) -> None:
    path = write_recording(tmp_path / "s.ndjson")
    path.write_bytes(path.read_bytes() + b'{"n":12,"t":2.6,"conn')
    with Transcript.open(path) as transcript:
        spoilt = Player(Source(transcript, Analysis(transcript), UNICODE))
        head = spoilt.place(spoilt._source.count - 1)
    assert (head.at, head.whole) == (None, 2.5)
