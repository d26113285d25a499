"""The inspector: every key once, the ladder out, growth, width, and a session behind it."""

from __future__ import annotations

import asyncio
import gzip
from pathlib import Path
from time import monotonic

import pytest

from cgp_tui.present.subject import Subject
from cgp_tui.text import own
from cgp_tui.ui.actor import ActorState
from cgp_tui.ui.app import CgpApp
from cgp_tui.ui.keys import KEYS, Key
from cgp_tui.ui.pace import LARGE_BYTES, LOOK_SECONDS
from cgp_tui.ui.screens.help import HelpScreen
from cgp_tui.ui.screens.inspector import InspectorScreen
from cgp_tui.ui.screens.leave import HELD_SECONDS, LeaveScreen
from tests.present.samples import frame, frames, query, raw_lines
from tests.ui.pilots import (
    Replay,
    app_over,
    chosen,
    gone,
    inspector_of,
    opened,
    records,
    screen_text,
    settled,
    until,
    write_bare,
    write_recording,
)


async def test_a_replay_stands_on_its_first_line_and_says_what_it_is(replay: Replay) -> None:
    seen = screen_text(replay.pilot)
    assert replay.line == 1
    assert "REPLAY offline" in seen
    assert "no gate" in seen
    assert "[Handshake] JSON  Raw" in seen


async def test_rows_are_walked_by_both_names_of_a_key(replay: Replay) -> None:
    await replay.press("j", "down")
    assert replay.line == 3
    await replay.press("k", "up")
    assert replay.line == 1


async def test_both_ends_are_reached_by_both_names_of_a_key(replay: Replay) -> None:
    for last, first in (("G", "g"), ("end", "home"), ("pagedown", "pageup"), ("ctrl+f", "ctrl+b")):
        await replay.press(last)
        assert replay.line == 11
        await replay.press(first)
        assert replay.line == 1


async def test_half_a_page_is_half_of_what_is_in_view(replay: Replay) -> None:
    await replay.pilot.resize_terminal(100, 16)
    await replay.press("z", "pagedown")
    page = replay.line - 1
    await replay.press("g", "ctrl+d")
    assert 2 < page // 2 <= replay.line - 1 <= (page + 1) // 2 + 1 < page
    await replay.press("ctrl+u")
    assert replay.line == 1


async def test_enter_goes_into_the_line_and_then_into_the_frame(replay: Replay) -> None:
    await replay.press("j", "j", "j", "enter")
    assert replay.in_detail()
    seen = await replay.press("enter")
    assert "4 ← frames q1 > repo-graph:retry-doc" in seen
    assert "[Frame] Chain  Proof  JSON  Raw" in seen


async def test_escape_leads_out_one_step_a_press(replay: Replay) -> None:
    await replay.press("j", "j", "j", "enter", "enter", "z")
    assert replay.zoomed()
    await replay.press("escape")
    assert not replay.zoomed()
    assert "[Answer]" in await replay.press("escape")
    assert replay.in_detail()
    await replay.press("escape")
    assert not replay.in_detail()
    assert "q leaves" in await replay.press("escape")
    assert replay.pilot.app.is_running


async def test_findings_are_hopped_to_and_back(replay: Replay) -> None:
    for line in (4, 6, 7):
        await replay.press("e")
        assert replay.line == line
    assert "No further finding. E leads back to one." in await replay.press("e")
    for line in (6, 4):
        await replay.press("E")
        assert replay.line == line
    assert "No finding before this line. e leads on to one." in await replay.press("E")


async def test_a_pair_leads_both_ways(replay: Replay) -> None:
    await replay.press("j", "j", "p")
    assert replay.line == 4
    await replay.press("p")
    assert replay.line == 3
    assert "This line has no pair." in await replay.press("G", "p")


async def test_tabs_turn_both_ways_and_stay_from_line_to_line(replay: Replay) -> None:
    await replay.press("right_square_bracket")
    assert replay.tab == "JSON"
    await replay.press("j")
    assert replay.tab == "JSON"
    await replay.press("left_square_bracket")
    assert replay.tab == "Provider"
    await replay.press("left_square_bracket")
    assert replay.tab == "Raw"


async def test_panes_change_both_ways(replay: Replay) -> None:
    for name in ("tab", "shift+tab"):
        await replay.press(name)
        assert replay.in_detail()
        await replay.press(name)
        assert not replay.in_detail()


async def test_zoom_gives_the_screen_to_one_pane_and_back(replay: Replay) -> None:
    seen = await replay.press("z")
    assert "[Traffic]" in seen
    assert "[Handshake]" not in seen
    assert "[Handshake]" in await replay.press("z")


async def test_steps_are_lines_in_the_list_and_hashes_in_a_proof(replay: Replay) -> None:
    await replay.press("full_stop", "full_stop")
    assert replay.line == 3
    await replay.press("comma")
    assert replay.line == 2
    await replay.press("j", "j", "enter", "enter", "right_square_bracket", "right_square_bracket")
    assert replay.tab == "Proof"
    at = replay.inspector.detail.place.step
    await replay.press("comma")
    assert replay.inspector.detail.place.step == at - 1
    await replay.press("full_stop")
    assert replay.inspector.detail.place.step == at
    assert replay.line == 4


async def test_playing_moves_the_cursor_and_a_move_ends_it(replay: Replay) -> None:
    assert "playing" in await replay.press("space")
    await until(replay.pilot, lambda: replay.line >= 3)
    assert "paused" in await replay.press("k")
    here = replay.line
    await replay.pilot.pause(0.6)
    assert replay.line == here
    await replay.press("g", *["minus"] * 5, "space")
    assert "paused" in await replay.press("space"), "long before the end"


async def test_plus_and_minus_change_the_pace(replay: Replay) -> None:
    assert " x  " not in await replay.press("plus", "minus", "minus", "plus")
    assert "speed 4 x" in await replay.press("plus", "plus")
    assert "speed 0.25 x" in await replay.press(*["minus"] * 5)


async def test_follow_goes_to_the_end(replay: Replay) -> None:
    seen = await replay.press("f")
    assert replay.line == 11
    assert "following" in seen
    assert "following" not in await replay.press("k")


async def test_help_lists_the_keys_and_closes(replay: Replay) -> None:
    for name, back in (("question_mark", "escape"), ("f1", "q")):
        seen = await replay.press(name)
        assert replay.shows(HelpScreen)
        assert "One row down." in seen
        await replay.press(back)
        assert replay.shows(InspectorScreen)


@pytest.mark.parametrize("name", ["colon", "ctrl+p"])
async def test_commands_are_found_by_name(replay: Replay, name: str) -> None:
    await replay.press(name)
    await replay.pilot.press(*"pair")
    await chosen(replay.pilot, "hop.pair")
    await replay.pilot.press("enter")
    await until(replay.pilot, lambda: replay.line == 2)


async def test_a_theme_is_a_command(replay: Replay) -> None:
    await replay.press("colon")
    for letter in "theme: nord":
        await replay.pilot.press("space" if letter == " " else "colon" if letter == ":" else letter)
    await chosen(replay.pilot, "theme: nord")
    await replay.pilot.press("enter")
    await until(replay.pilot, lambda: replay.pilot.app.theme == "nord")


@pytest.mark.parametrize("name", ["q", "ctrl+q", "ctrl+c"])
async def test_leaving_a_replay_asks_nothing(replay: Replay, name: str) -> None:
    await replay.pilot.press(name)
    await gone(replay.pilot)
    assert replay.pilot.app.return_code == 0


async def test_a_recording_says_that_nothing_can_be_sent(replay: Replay) -> None:
    for name in ("a", "r", "x", "c"):
        replay.inspector.foot.tell(own("-"))
        assert "Nothing can be sent here: this is a recording." in await replay.press(name)


class Session:
    """A session that only takes down what it is asked."""

    def __init__(self, state: ActorState) -> None:
        self.said = state
        self.asked: list[tuple[str, int | None]] = []
        self.log: list[str] = []

    async def begin(self, app: CgpApp) -> None:
        self.log.append("begin")

    def state(self) -> ActorState:
        return self.said

    async def act(self, action: str, subject: Subject | None) -> None:
        self.asked.append((action, None if subject is None else subject.line.n))

    async def end(self) -> None:
        self.log.append("end")


STATE = ActorState(
    word="LIVE",
    gate=own("gate on, ledger #42 ok"),
    waiting=own("q4 pending 2.1 of 30 s"),
    recording=18_842,
    consent=own("acme-search waits for your consent: 2 needs. c decides; the rest goes on."),
    hint=own("a asks, c decides"),
    empty=own("No line yet: started 3 s ago."),
)


@pytest.mark.parametrize("live", [row for row in KEYS if row.where == "live"], ids=lambda row: row.id)
async def test_what_a_session_can_do_is_asked_of_it_with_the_selected_line(tmp_path: Path, live: Key) -> None:
    session = Session(STATE)
    async with opened(app_over(write_bare(tmp_path / "session.ndjson"), session)) as pilot:
        inspector_of(pilot).traffic.move_to(5)
        await settled(pilot)
        if live.keys:
            await pilot.press(live.keys[0])
        else:
            assert isinstance(pilot.app, CgpApp)
            await pilot.app.run_row(live)
        await pilot.pause()
        assert session.asked == [(live.id, 6)]


async def test_a_session_says_its_state_in_the_bars(tmp_path: Path) -> None:
    async with opened(app_over(write_bare(tmp_path / "session.ndjson"), Session(STATE))) as pilot:
        seen = screen_text(pilot)
        assert " LIVE  ✗" in seen
        assert "q4 pending 2.1 of 30 s" in seen
        assert "recording 18.4K" in seen
        assert "gate on, ledger #42 ok" in seen
        assert " ! acme-search waits for your consent" in seen
        assert "a asks, c decides" in seen
        assert "REPLAY" not in seen


async def test_an_ended_session_says_why_once_and_keeps_gate_and_ledger_in_view(tmp_path: Path) -> None:
    why = own("repo-graph-0123456789-0123456789 ended by signal 9. 214 lines not recorded")
    ended = ActorState("ENDED", own("gate on, ledger #42 ok"), recording=18_842, warning=why, running=False)
    async with opened(app_over(write_bare(tmp_path / "session.ndjson"), Session(ended)), (80, 24)) as pilot:
        seen = screen_text(pilot)
        assert seen.count("ended by signal 9") == 1
        assert " ENDED  ✗" in seen
        assert "recording 18.4K  gate on, ledger #42 ok" in seen
        assert "a Query" not in seen, "nobody is there to be asked"
    async with opened(app_over(write_bare(tmp_path / "live.ndjson"), Session(STATE)), (80, 24)) as pilot:
        assert "a Query" in screen_text(pilot)


async def test_a_session_that_runs_is_not_left_by_one_key(tmp_path: Path) -> None:
    session = Session(STATE)
    async with opened(app_over(write_bare(tmp_path / "session.ndjson"), session)) as pilot:
        await pilot.press("q")
        await pilot.pause()
        assert Replay(pilot).shows(LeaveScreen)
        assert pilot.app.focused is not None
        assert pilot.app.focused.id == "stay"
        await pilot.press("enter")
        await pilot.pause()
        assert Replay(pilot).shows(InspectorScreen)
        await pilot.press("q")
        await pilot.pause()
        await pilot.press("right", "left")
        assert pilot.app.focused.id == "stay"
        await pilot.press("right", "enter")
        await gone(pilot)
        assert session.log[:2] == ["begin", "end"]


@pytest.mark.parametrize("key", ["q", "ctrl+c"])
async def test_the_key_that_asks_leaves_when_it_is_pressed_again(tmp_path: Path, key: str) -> None:
    session = Session(STATE)
    async with opened(app_over(write_bare(tmp_path / "session.ndjson"), session)) as pilot:
        await pilot.press(key)
        await until(pilot, lambda: Replay(pilot).shows(LeaveScreen))
        await pilot.press(key)
        await gone(pilot)
        assert session.log[:2] == ["begin", "end"]


async def test_a_key_that_is_held_down_does_not_answer_its_own_question(tmp_path: Path) -> None:
    session = Session(STATE)
    async with opened(app_over(write_bare(tmp_path / "session.ndjson"), session)) as pilot:
        await pilot.press("q")
        await until(pilot, lambda: Replay(pilot).shows(LeaveScreen))
        asked = pilot.app.screen
        assert isinstance(asked, LeaveScreen)
        for _ in range(5):
            asked.action_app_leave()
        await asyncio.sleep(2 * HELD_SECONDS)
        await pilot.pause()
        assert not asked.answered
        assert session.log == ["begin"]
        await pilot.press("q")
        await gone(pilot)


async def test_a_session_without_a_line_says_what_it_waits_for(tmp_path: Path) -> None:
    path = tmp_path / "session.ndjson"
    path.write_bytes(records()[0] + b"\n")
    app = app_over(path, Session(STATE), growing=True)
    async with app.run_test(size=(120, 40)) as pilot:
        await until(pilot, lambda: "No line yet: started 3 s ago." in screen_text(pilot))


# -- a transcript that grows


async def test_a_held_list_stays_put_and_counts_and_a_following_one_goes_along(tmp_path: Path) -> None:
    lines = records()
    path = tmp_path / "session.ndjson"
    path.write_bytes(b"".join(line + b"\n" for line in lines[:8]))
    async with opened(app_over(path, Session(STATE), growing=True)) as pilot:
        inspector = inspector_of(pilot)
        assert inspector.traffic.cursor == 6
        await pilot.press("k")
        await settled(pilot)
        with path.open("ab") as file:
            file.write(lines[8] + b"\n" + lines[9] + b"\n" + lines[10][:20])
        await until(pilot, lambda: "held, 2 new (f)" in screen_text(pilot))
        await settled(pilot)
        assert inspector.traffic.cursor == 5
        await pilot.press("f")
        with path.open("ab") as file:
            file.write(lines[10][20:] + b"\n")
        await until(pilot, lambda: inspector.traffic.cursor == 9)
        await settled(pilot)
        assert inspector.traffic.cursor == 9
        assert "following" in screen_text(pilot)


async def test_a_reply_that_comes_later_is_seen_on_the_line_that_waits(tmp_path: Path) -> None:
    lines = records()
    path = tmp_path / "session.ndjson"
    path.write_bytes(b"".join(line + b"\n" for line in lines[:6]))
    async with opened(app_over(path, Session(STATE), growing=True)) as pilot:
        await pilot.press("G")
        await settled(pilot)
        assert "pending" in screen_text(pilot)
        with path.open("ab") as file:
            file.write(lines[6] + b"\n")
        await until(pilot, lambda: "answered by 4 (p)" in screen_text(pilot))


async def test_a_file_that_is_replaced_is_read_anew(tmp_path: Path) -> None:
    path = write_bare(tmp_path / "session.ndjson")
    async with opened(app_over(path)) as pilot:
        other = tmp_path / "other.ndjson"
        other.write_bytes(b"".join(line + b"\n" for line in raw_lines([query(7, "another file")])))
        other.replace(path)
        await until(pilot, lambda: "another file" in screen_text(pilot))
        await settled(pilot)
        assert "The file was replaced: it is read again." in screen_text(pilot)


async def test_a_file_that_goes_or_becomes_something_else_is_said_and_no_crash(tmp_path: Path) -> None:
    path = write_bare(tmp_path / "session.ndjson")
    async with opened(app_over(path)) as pilot:
        other = tmp_path / "other"
        other.write_bytes(b"\x89PNG\r\n")
        other.replace(path)
        await until(pilot, lambda: " ! The file is gone or no longer a transcript" in screen_text(pilot))
        path.unlink()
        await pilot.pause(3 * LOOK_SECONDS)
        await pilot.press("G", "enter")
        await settled(pilot)
        assert inspector_of(pilot).traffic.cursor == 10


async def test_a_long_line_is_announced_and_then_shown(tmp_path: Path) -> None:
    long = frames(1, frame("big", content="x" * (8 * LARGE_BYTES)))
    async with opened(app_over(write_bare(tmp_path / "session.ndjson", [query(1), long]))) as pilot:
        inspector_of(pilot).traffic.move_to(1)
        seen: list[str] = []
        for _ in range(1000):
            await asyncio.sleep(0.005)
            seen.append(screen_text(pilot))
            if "2,000,000 of 2,000 declared" in seen[-1]:
                break
        assert "2,000,000 of 2,000 declared" in seen[-1]
        assert any("decoding 7.6M" in screen for screen in seen)


# -- width


@pytest.mark.parametrize(("size", "beside"), [((80, 24), False), ((109, 40), False), ((110, 40), True), ((200, 50), True)])
async def test_panes_stand_side_by_side_from_110_columns(tmp_path: Path, size: tuple[int, int], beside: bool) -> None:
    async with opened(app_over(write_bare(tmp_path / "session.ndjson")), size) as pilot:
        inspector = inspector_of(pilot)
        assert (inspector.traffic.region.y == inspector.detail.region.y + 1) is beside
        assert all(len(line) <= size[0] for line in screen_text(pilot).splitlines())
        assert len(screen_text(pilot).splitlines()) == size[1]


async def test_a_low_screen_shows_only_the_pane_with_the_focus(tmp_path: Path) -> None:
    async with opened(app_over(write_bare(tmp_path / "session.ndjson")), (80, 19)) as pilot:
        assert "[Handshake]" not in screen_text(pilot)
        await pilot.press("tab")
        await settled(pilot)
        seen = screen_text(pilot)
        assert "[Handshake] JSON  Raw" in seen
        assert "Traffic]━" not in seen


async def test_a_resize_keeps_selection_tab_and_focus(tmp_path: Path) -> None:
    async with opened(app_over(write_bare(tmp_path / "session.ndjson"))) as pilot:
        await pilot.press("e")
        await settled(pilot)
        await pilot.press("enter", "right_square_bracket")
        await settled(pilot)
        inspector = inspector_of(pilot)
        for size in ((20, 5), (120, 40)):
            await pilot.resize_terminal(*size)
            await until(pilot, lambda size=size: inspector.size == size)  # type: ignore[misc]
            await settled(pilot)
        assert inspector.traffic.cursor == 3
        assert inspector.detail.tab == "Chain"
        assert inspector.detail.view.has_focus


async def test_a_line_is_stood_on_first_where_it_is_asked_for(tmp_path: Path) -> None:
    async with opened(app_over(write_recording(tmp_path / "s.ndjson"), at=6)) as pilot:
        assert inspector_of(pilot).source.line_of(inspector_of(pilot).traffic.cursor) == 6
        assert "line 6 of 11" in screen_text(pilot)


async def test_a_line_that_is_not_there_is_said_to_be_missing(tmp_path: Path) -> None:
    async with opened(app_over(write_bare(tmp_path / "s.ndjson"), at=99)) as pilot:
        assert "There is no line 99." in screen_text(pilot)
        assert inspector_of(pilot).traffic.cursor == 0


async def test_a_recording_plays_by_its_own_gaps_to_its_end(tmp_path: Path) -> None:
    async with opened(app_over(write_recording(tmp_path / "s.ndjson"))) as pilot:
        began = monotonic()
        await pilot.press("space")
        await until(pilot, lambda: "paused" in screen_text(pilot))
        assert inspector_of(pilot).traffic.cursor == 16
        assert monotonic() - began >= 2.3, "the recording is two and a half seconds long"


async def test_a_click_selects_and_a_second_one_opens(tmp_path: Path) -> None:
    async with opened(app_over(write_bare(tmp_path / "s.ndjson"))) as pilot:
        inspector = inspector_of(pilot)
        await pilot.click(inspector.traffic, offset=(10, 5))
        await settled(pilot)
        assert inspector.traffic.cursor == 5
        assert inspector.focused is inspector.traffic
        await pilot.click(inspector.traffic, offset=(10, 5), times=2)
        await until(pilot, Replay(pilot).in_detail)
        await pilot.click("TabStrip", offset=(14, 0))
        await until(pilot, lambda: inspector.detail.tab == "Findings")


async def test_the_key_line_can_be_clicked(tmp_path: Path) -> None:
    async with opened(app_over(write_bare(tmp_path / "s.ndjson"))) as pilot:
        keys = inspector_of(pilot).foot.keys
        text = "".join(span.text for span in keys.line(120))
        await pilot.click(keys, offset=(text.index("e Finding"), 0))
        await settled(pilot)
        assert inspector_of(pilot).traffic.cursor == 3


async def test_a_packed_file_that_was_cut_shows_its_whole_lines_and_says_so(tmp_path: Path) -> None:
    plain = write_bare(tmp_path / "session.ndjson").read_bytes()
    path = tmp_path / "session.ndjson.gz"
    path.write_bytes(gzip.compress(plain)[:-12])
    async with opened(app_over(path)) as pilot:
        await until(pilot, lambda: "session.ndjson.gz (gzip) ends in the middle" in " ".join(screen_text(pilot).split()))
        assert "handshake_ack" in screen_text(pilot)
