"""One connection or all, which time, and all of it as it was left the next time."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from cgp_tui.analysis import Analysis
from cgp_tui.present.symbols import UNICODE
from cgp_tui.present.traffic import COLUMNS
from cgp_tui.store.settings import Settings
from cgp_tui.store.views import View, Views, of_file
from cgp_tui.transcript.reader import Transcript
from cgp_tui.ui.app import CgpApp
from cgp_tui.ui.screens.inspector import InspectorScreen
from cgp_tui.ui.source import Source
from tests.ui.pilots import DIALOGUE, Replay, app_over, opened, records, screen_text, until, write_bare, write_recording
from tests.ui.test_travel import shown, typed


def two_connections(path: Path) -> Path:
    """Lines 1 to 11 of connection 1, 12 to 22 of connection 2."""
    first, second = records(), records()[1:]
    for number, raw in enumerate(second):
        record = json.loads(raw)
        record["connection"] = 2
        if "n" in record:
            record["n"] += len(DIALOGUE)
        record["t"] += 5
        second[number] = json.dumps(record, separators=(",", ":")).encode()
    path.write_bytes(b"".join(one + b"\n" for one in (*first, *second)))
    return path


def connections(replay: Replay) -> set[int | None]:
    traffic, source = replay.inspector.traffic, replay.inspector.source
    return {source.transcript.row(traffic.record_at(row)).connection for row in range(traffic.rows)}


async def test_one_connection_after_the_other_then_all(tmp_path: Path) -> None:
    async with opened(app_over(two_connections(tmp_path / "s.ndjson"))) as pilot:
        replay = Replay(pilot)
        assert connections(replay) == {1, 2}
        assert "Only connection 1 of 2." in await replay.press("right_curly_bracket")
        assert connections(replay) == {1}
        assert "Only connection 2 of 2." in await replay.press("right_curly_bracket")
        assert connections(replay) == {2}
        assert "All 2 connections." in await replay.press("right_curly_bracket")
        assert connections(replay) == {1, 2}
        await replay.press("left_curly_bracket")
        assert connections(replay) == {2}
        assert "Traffic: 2 repo-graph-1" in await replay.press()


async def test_a_filter_and_a_connection_hold_together_and_are_left_one_by_one(tmp_path: Path) -> None:
    async with opened(app_over(two_connections(tmp_path / "s.ndjson"))) as pilot:
        replay = Replay(pilot)
        await replay.press("slash", *typed("type:frames"), "enter", "right_curly_bracket")
        assert len(shown(replay)) == 2 and connections(replay) == {1}
        await replay.press("right_curly_bracket")
        assert len(shown(replay)) == 2 and connections(replay) == {2}
        await replay.press("backslash")
        assert connections(replay) == {1, 2}
        await replay.press("backslash", "escape")
        assert len(shown(replay)) > 2 and connections(replay) == {2}
        await replay.press("escape")
        assert connections(replay) == {1, 2}
        assert "q leaves" in await replay.press("escape")


async def test_of_one_connection_it_says_so(tmp_path: Path) -> None:
    async with opened(app_over(write_bare(tmp_path / "s.ndjson"))) as pilot:
        assert "There is one connection." in await Replay(pilot).press("right_curly_bracket")


async def test_time_is_told_in_three_ways(tmp_path: Path) -> None:
    async with opened(app_over(write_recording(tmp_path / "s.ndjson")), (80, 24)) as pilot:
        replay = Replay(pilot)
        assert "Time since the recording began." in await replay.press("t")
        (row,) = [line for line in screen_text(pilot).split("\n") if "handshake_ack      " in line]
        assert "200 ms" in row
        assert "Time since the record before." in await replay.press("t")
        assert "+100 ms" in screen_text(pilot)
        assert "Time of day, in UTC; this pane is too narrow to show it." in await replay.press("t")
        await pilot.resize_terminal(140, 30)
        await replay.press("v")
        assert "12:04:31.200" in screen_text(pilot)


async def test_columns_are_taken_out_and_put_back_and_stay_so(tmp_path: Path) -> None:
    path, folder = write_recording(tmp_path / "s.ndjson"), tmp_path / "views"
    async with opened(kept(path, folder), (100, 24)) as pilot:
        replay = Replay(pilot)
        assert "handshake_ack      " in await replay.press()
        seen = await replay.press("C", "space", *["j"] * 4, "enter")
        assert "[ ] number" in seen and "[ ] type" in seen and "[x] size" in seen
        assert "handshake_ack      " not in await replay.press("escape")
        assert replay.inspector.traffic.hidden == {"number", "type"}
        await pilot.press("C", "space", "escape", "q")
    async with opened(kept(path, folder)) as pilot:
        assert Replay(pilot).inspector.traffic.hidden == {"type"}


async def test_columns_hidden_for_all_hold_until_one_is_ticked_here(tmp_path: Path) -> None:
    path, folder, settings = write_recording(tmp_path / "s.ndjson"), tmp_path / "views", Settings(hidden_columns=("type",))
    async with opened(kept(path, folder, settings=settings)) as pilot:
        replay = Replay(pilot)
        assert "[ ] type" in await replay.press("C") and "handshake_ack      " not in await replay.press("escape")
        await pilot.press("C", "j", "space", *["j"] * 3, "space", "escape", "q")
    async with opened(kept(path, folder, settings=settings)) as pilot:
        assert Replay(pilot).inspector.traffic.hidden == {"time"}


async def test_over_a_column_it_is_told_what_it_says(tmp_path: Path) -> None:
    async with opened(app_over(write_recording(tmp_path / "s.ndjson"))) as pilot:
        traffic = Replay(pilot).inspector.traffic
        await pilot.hover(traffic, offset=(4, 3))
        assert str(traffic.tooltip) == COLUMNS["number"]


def kept(path: Path, folder: Path, *, at: int | None = None, where: str = "", settings: Settings | None = None) -> CgpApp:
    transcript = Transcript.open(path)
    screen = InspectorScreen(Source(transcript, Analysis(transcript), UNICODE), at=at, where=where)
    screen.views = Views(folder, of_file(path))
    return CgpApp(screen, theme="cgp", settings=settings)


async def test_it_opens_again_as_it_was_left(tmp_path: Path) -> None:
    path, folder = two_connections(tmp_path / "s.ndjson"), tmp_path / "views"
    async with opened(kept(path, folder)) as pilot:
        await Replay(pilot).press(
            "v", "greater_than_sign", "t", "right_curly_bracket", "slash", *typed("type:query"), "enter", "G"
        )
        await pilot.press("q")
    assert [file.stat().st_mode & 0o777 for file in folder.iterdir()] == [0o600]
    async with opened(kept(path, folder)) as pilot:
        replay = Replay(pilot)
        inspector = replay.inspector
        assert not inspector.beside and inspector.shares == {True: 50, False: 45} and inspector.traffic.time == "start"
        assert inspector.find.field.value == "type:query" and connections(replay) == {1}
        assert inspector.source.line_of(inspector.traffic.cursor) == 9
        await replay.press("backslash")
        await pilot.press("q")
    async with opened(kept(path, folder)) as pilot:
        replay = Replay(pilot)
        assert replay.inspector.list_filter.suspended and connections(replay) == {1, 2}
    other = write_bare(tmp_path / "other.ndjson")
    async with opened(kept(other, folder)) as pilot:
        assert Replay(pilot).inspector.beside and not Replay(pilot).inspector.find.shown


async def test_a_filter_that_waits_for_the_checks_holds_and_its_line_is_found_again(tmp_path: Path) -> None:
    path, folder = write_bare(tmp_path / "s.ndjson"), tmp_path / "views"
    views = Views(folder, of_file(path))
    views.put(View(views.target, filter="level:violation", line=6))
    async with opened(kept(path, folder)) as pilot:
        replay = Replay(pilot)
        await until(pilot, lambda: shown(replay) == [4, 6])
        assert not replay.inspector.list_filter.suspended and replay.line == 6
    views.put(View(views.target, filter="level:violation", line=2))
    async with opened(kept(path, folder)) as pilot:
        replay = Replay(pilot)
        await until(pilot, lambda: shown(replay) == [4, 6])
        assert replay.line == 4, "the next one that it shows"


async def test_what_is_asked_for_on_the_command_line_comes_first(tmp_path: Path) -> None:
    path = write_bare(tmp_path / "s.ndjson")
    views = Views(tmp_path / "views", of_file(path))
    views.put(View(views.target, filter="type:query", line=9))
    async with opened(kept(path, tmp_path / "views", at=4)) as pilot:
        assert Replay(pilot).line == 4 and len(shown(Replay(pilot))) == 11
    async with opened(kept(path, tmp_path / "views", where="type:frames")) as pilot:
        assert shown(Replay(pilot)) == [4, 6]


async def test_a_place_that_is_gone_is_not_missed(tmp_path: Path) -> None:
    path = write_bare(tmp_path / "s.ndjson")
    views = Views(tmp_path / "views", of_file(path))
    views.put(View(views.target, connection=7, line=900))
    async with opened(kept(path, tmp_path / "views")) as pilot:
        replay = Replay(pilot)
        assert replay.line == 1 and len(shown(replay)) == 11 and "There is no line" not in screen_text(pilot)


@pytest.mark.parametrize("data", ["{", '{"target":"x"}'])
async def test_a_damaged_view_is_named_and_nothing_else_happens(tmp_path: Path, data: str) -> None:
    path = write_bare(tmp_path / "s.ndjson")
    folder = tmp_path / "views"
    views = Views(folder, of_file(path))
    views.put(View(views.target))
    (file,) = folder.iterdir()
    file.write_text(data)
    async with opened(kept(path, folder)) as pilot:
        assert "The last view is not known:" in screen_text(pilot)
        await pilot.press("t")
        await pilot.press("q")
    assert views.get()[0] == View(views.target, time="start", line=1)
