"""Filter, search, hops and the strip of the whole session, with the keys a person would press."""

from __future__ import annotations

from pathlib import Path

import pytest

from cgp_tui.ui import pace
from tests.present.samples import frame, frames, query, raw_lines
from tests.ui.pilots import DIALOGUE, Replay, app_over, opened, records, settled, until, write_bare, write_recording
from tests.ui.sessions import plan, session


def shown(replay: Replay) -> list[int]:
    """The wire lines in the list."""
    traffic = replay.inspector.traffic
    return [traffic.record_at(row) + 1 for row in range(traffic.rows)]


def typed(text: str) -> list[str]:
    names = {":": "colon", "~": "tilde", "/": "slash", " ": "space", "|": "vertical_line", "!": "exclamation_mark"}
    return [names.get(char, char) for char in text]


async def test_a_filter_holds_while_it_is_typed_and_after(replay: Replay) -> None:
    await replay.press("slash")
    assert replay.inspector.find.field.has_focus
    seen = await replay.press(*typed("type:frames"))
    assert shown(replay) == [4, 6] and replay.line == 4
    assert "2 of 11  100 % ✓" in seen
    await replay.press("enter")
    assert replay.inspector.traffic.has_focus and shown(replay) == [4, 6]
    await replay.press("j", "j")
    assert replay.line == 6
    await replay.press("g")
    assert replay.line == 4


async def test_the_last_good_filter_holds_while_the_next_says_nothing(replay: Replay) -> None:
    await replay.press("slash", *typed("type:frames"))
    replay.inspector.find.set("type:frames latency>")
    seen = await replay.press()
    assert shown(replay) == [4, 6]
    assert "✗ latency> needs a time, as 200ms; still the 2" in seen


async def test_escape_leaves_the_line_then_the_filter_then_hints(replay: Replay) -> None:
    await replay.press("slash", *typed("type:error"))
    await replay.press("escape")
    assert replay.inspector.traffic.has_focus and shown(replay) == [10]
    await replay.press("escape")
    assert len(shown(replay)) == 11 and replay.line == 10 and not replay.inspector.find.shown
    assert "q leaves" in await replay.press("escape")


async def test_a_filter_is_set_aside_and_taken_up_again(replay: Replay) -> None:
    assert "There is no filter" in await replay.press("backslash")
    await replay.press("slash", *typed("is:line type:query"), "enter")
    assert shown(replay) == [3, 5, 9]
    assert "off: all 11 are shown" in await replay.press("backslash")
    assert len(shown(replay)) == 11
    await replay.press("backslash")
    assert shown(replay) == [3, 5, 9]


async def test_what_is_wrong_with_a_filter_is_read_whole_in_a_narrow_window(tmp_path: Path) -> None:
    async with opened(app_over(write_bare(tmp_path / "s.ndjson")), (80, 24)) as pilot:
        seen = await Replay(pilot).press("slash", *typed("latency>2"))
        assert "latency> needs a time, as 200ms; still the 0" in seen


async def test_what_is_hidden_is_shown_before_the_cursor_goes_there(replay: Replay) -> None:
    await replay.press("slash", *typed("type:query"), "enter")
    seen = await replay.press("p")  # its reply is no query
    assert replay.line == 4 and len(shown(replay)) == 11
    assert "The filter hides that line, so it is off." in seen


async def test_a_word_that_only_a_column_shows_is_answered_with_the_filter_for_it(replay: Replay) -> None:
    seen = await replay.press("slash", *typed("violat"))
    assert shown(replay) == [] and "No line matches. \\ shows all of them." in seen
    assert "Did you mean" in seen and "level:violation?" in seen
    replay.inspector.find.set("level:violation")
    await replay.press("enter")
    assert shown(replay) != []


async def test_nothing_taken_is_said_and_the_detail_stays(replay: Replay) -> None:
    seen = await replay.press("slash", *typed("type:none"))
    assert shown(replay) == [] and "No line matches." in seen and "0 of 11" in seen
    assert "[Handshake]" in seen and "Did you mean" not in seen
    for key in ("enter", "j", "k", "G", "g", "pagedown", "pageup", "enter"):
        await replay.press(key)
    assert replay.line == 1


async def test_filters_used_before_come_back_and_tab_completes(replay: Replay) -> None:
    await replay.press("slash", *typed("type:error"), "enter", "escape")
    await replay.press("slash", *typed("type:query"), "enter", "escape")
    field = replay.inspector.find.field
    await replay.press("slash", "up")
    assert field.value == "type:query"
    await replay.press("up", "up")
    assert field.value == "type:error"
    await replay.press("down")
    assert field.value == "type:query" and shown(replay) == [3, 5, 9]
    replay.inspector.find.set("")
    await replay.press(*typed("ty"), "tab")
    assert field.value == "type"
    await replay.press("tab")
    assert field.value == "type:"
    await replay.press(*typed("han"), "tab")
    assert field.value == "type:handshake"


async def test_hops_stay_among_what_is_shown(replay: Replay) -> None:
    await replay.press("slash", *typed("line>5"), "enter", "g")
    for line in (7,):
        await replay.press("e")
        assert replay.line == line
    await replay.press("E")
    assert replay.line == 6
    assert "No finding before this line." in await replay.press("E")


async def test_failed_exchanges_and_slow_replies_are_hopped_to(tmp_path: Path) -> None:
    path = tmp_path / "s.ndjson"
    messages = [
        *DIALOGUE[:2],
        query(1, "a"),
        frames(1, frame("f")),
        frames(1, frame("f")),
        query(2, "b"),
        frames(2, frame("g")),
    ]
    lines = records(messages)
    lines[-2] = lines[-2].replace(b'"t":0.7', b'"t":4.7')
    path.write_bytes(b"".join(line + b"\n" for line in lines))
    async with opened(app_over(path)) as pilot:
        replay = Replay(pilot)

        def here() -> int | None:
            return replay.inspector.source.transcript.row(replay.inspector.traffic.cursor).n

        await replay.press("u")
        assert here() == 5  # the second reply to the same query
        seen = await replay.press("u")
        assert "No further failure." in seen and "leads" not in seen
        await replay.press("s")
        assert here() == 7
        assert "No further slow reply." in await replay.press("s")
        await replay.press("U")
        assert here() == 5
        await replay.press("G", "S")
        assert here() == 7
        assert "No slow reply before this line." in await replay.press("S")


async def test_an_error_reply_and_a_refusal_are_hopped_to_and_stand_in_the_overview(tmp_path: Path) -> None:
    async with opened(app_over(write_recording(tmp_path / "s.ndjson"))) as pilot:
        replay = Replay(pilot)
        refused, error = 11, 14
        await replay.press("u")
        assert replay.inspector.traffic.cursor == refused
        await replay.press("u")
        assert replay.inspector.traffic.cursor == error
        assert "No further failure. U leads back to one." in await replay.press("u")
        await replay.press("U")
        assert replay.inspector.traffic.cursor == refused
        worst = replay.inspector.source.worst
        assert [at for at in range(17) if worst(at, at + 1) == "failed"] == [refused, error]


async def test_a_filter_that_is_still_looking_is_asked_about_the_line_one_goes_to(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pace, "SLICE_SECONDS", 0.0)
    monkeypatch.setattr(pace, "BRIEF_SECONDS", 0.0)
    path = write_bare(tmp_path / "s.ndjson", [one for n in range(100) for one in (query(n), frames(n))])
    async with opened(app_over(path, growing=True)) as pilot:
        replay = Replay(pilot)
        inspector = replay.inspector

        def off() -> bool:
            return inspector.list_filter.suspended

        def said() -> str:
            return "".join(part.text for part in inspector.foot.hint.spans)

        inspector.filter_by("type:frames")
        assert inspector.go_to_line(150) and not off()
        assert "The filter is still looking" in said() and inspector.traffic.cursor < 149
        await until(pilot, lambda: replay.line == 150)
        inspector.filter_by("type:query")
        assert inspector.go_to_line(150) and off() and replay.line == 150
        assert "The filter hides that line, so it is off." in said()
        inspector.filter_by("state:answered")
        with path.open("ab") as file:
            file.writelines(line + b"\n" for line in raw_lines([query(100)]))
        inspector.source.refresh()
        assert inspector.go_to_line(201) and off()
        assert "Whether the filter hides that line is not known yet, so it is off." in said()
        await until(pilot, lambda: replay.line == 201)


async def test_a_hop_under_a_filter_that_is_still_looking_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pace, "SLICE_SECONDS", 0.0)
    monkeypatch.setattr(pace, "BRIEF_SECONDS", 0.0)
    path = write_bare(tmp_path / "s.ndjson", [one for n in range(100) for one in (query(n), frames(n))])
    async with opened(app_over(path)) as pilot:
        replay = Replay(pilot)
        inspector = replay.inspector
        await until(pilot, lambda: inspector.source.done == inspector.source.count)
        inspector.filter_by("type:frames")
        inspector.action_hop_failed()
        said = "".join(part.text for part in inspector.foot.hint.spans)
        assert "No failure so far: the filter has not come to the end yet." in said
        taken = inspector.list_filter.taken
        assert taken is not None
        await until(pilot, lambda: taken.seen == taken.known)
        assert "No further failure." in await replay.press("u")


async def test_the_detail_is_searched_with_next_previous_and_count(replay: Replay) -> None:
    await replay.press("j", "j", "j", "tab")
    while replay.tab != "JSON":
        await replay.press("right_square_bracket")
    assert replay.in_detail()
    seen = await replay.press("slash", *typed("sha256"))
    view = replay.inspector.detail.view
    count = len(view.matches)
    assert count > 3 and f"1 of {count}" in seen
    first = view.cursor
    await replay.press("enter")
    assert replay.in_detail() and view.cursor == first
    await replay.press("n")
    assert view.cursor == view.matches[1]
    await replay.press("N", "N")
    assert view.cursor == view.matches[-1]  # round the end
    await replay.press("slash", *typed("zzz"), "escape")
    assert "The text is not found here." in await replay.press("n")
    view.search("")
    assert "There is no search." in await replay.press("n")


async def test_the_text_of_another_view_is_searched_and_the_filter_stays(replay: Replay) -> None:
    await replay.press("slash", *typed("type:frames"), "enter", "7")
    provider = replay.inspector.provider
    assert provider is not None
    seen = await replay.press("slash", *typed("repo"))
    count = len(provider.rows.matches)
    assert count and f" of {count}" in seen
    seen = await replay.press("enter")
    assert provider.rows.has_focus and "type:frames" in seen, "the bar shows the filter again"
    assert f" of {count}" in await replay.press("n")
    await replay.press("1")
    assert shown(replay) == [4, 6]
    seen = await replay.press("2", "tab", "slash", *typed("fix"))
    assert replay.inspector.findings is not None
    assert f"1 of {len(replay.inspector.findings.about.matches)}" in seen


async def test_following_shows_the_newest_that_the_filter_takes(tmp_path: Path) -> None:
    path = write_bare(tmp_path / "s.ndjson", DIALOGUE[:4])
    whole = write_bare(tmp_path / "whole.ndjson").read_bytes()
    async with opened(app_over(path, growing=True)) as pilot:
        replay = Replay(pilot)
        await replay.press("slash", *typed("type:query"), "enter", "f")
        path.write_bytes(whole)
        await until(pilot, lambda: len(shown(replay)) == 3 and replay.line == 9)
        await settled(pilot)
        assert shown(replay) == [3, 5, 9] and replay.line == 9
        assert "following" in await replay.press()


@pytest.mark.parametrize("size", [(80, 24), (120, 40)])
async def test_the_strip_shows_what_is_wrong_and_is_clicked(tmp_path: Path, size: tuple[int, int]) -> None:
    async with opened(app_over(write_bare(tmp_path / "s.ndjson")), size) as pilot:
        replay = Replay(pilot)
        await until(pilot, lambda: "✗" in "".join(span.text for span in replay.inspector.overview.line(40)))
        await settled(pilot)
        strip = "".join(span.text for span in replay.inspector.overview.line(40))
        assert len(strip) == 11 and strip[3] in "!✗" and strip[5] == "✗" and strip[0] in "▁▂▃▄▅▆▇█"
        await pilot.click("#overview", offset=(5, 0))
        await settled(pilot)
        assert replay.line == 6
        await pilot.click("#overview", offset=(60, 0))
        assert replay.line == 6
        await replay.press("L")
        assert replay.line == 7
        await replay.press("H", "H")
        assert replay.line == 5
        assert "This is the first cell." in await replay.press("g", "H")
        assert "This is the last cell." in await replay.press("G", "L")


async def test_the_strip_says_what_is_where_under_the_pointer_and_on_the_way(tmp_path: Path) -> None:
    messages = [one for n in range(200) for one in (query(n), frames(n))]
    async with opened(app_over(write_bare(tmp_path / "s.ndjson", messages)), (80, 24)) as pilot:
        replay = Replay(pilot)
        await until(pilot, lambda: replay.inspector.source.done == 400)
        await settled(pilot)
        await pilot.hover("#overview", offset=(1, 0))
        said = str(replay.inspector.overview.tooltip)
        assert said.startswith("Records 6 to 10 of 400: 3 frames, 2 query; ") and said.endswith("; a click goes to it")
        told = await replay.press("L")
        assert "Records 6 to 10 of 400: 3 frames, 2 query; " in told and "a click" not in told
        assert replay.line in range(6, 11)
        assert "Records 1 to 5 of 400: 3 query, 2 frames; " in await replay.press("H")


async def test_in_a_live_session_the_strip_says_which_line_the_cursor_is_on(tmp_path: Path) -> None:
    async with session(tmp_path, plan("one", "plain")) as stage:
        await stage.until_ready()
        await stage.until(lambda: stage.lines("handshake_ack"))
        overview, traffic = stage.app.inspector.overview, stage.app.inspector.traffic

        def shown(width: int) -> str:
            return "".join(part.text for part in overview.line(width))

        records = stage.records[1:]
        await stage.until(lambda: stage.app.inspector.source.count >= len(records))
        seen: list[str] = []
        for _ in records:
            await stage.pilot.press("j" if seen else "g")
            overview.look(traffic.cursor)
            assert len(shown(60)) == 60
            seen.append(shown(60).split(" ", 1)[1].strip())
        assert seen == [f"{record['n']} of 2" if "n" in record else "2 lines" for record in records]
        assert " " not in shown(39), "no room for it"
        await stage.until(lambda: f" {seen[-1]}" in stage.screen)
        await stage.pilot.hover("#overview", offset=(0, 0))
        assert str(overview.tooltip).startswith("Record 1 of ")


async def test_from_a_hop_to_a_finding_enter_leads_into_its_frame(replay: Replay) -> None:
    detail = replay.inspector.detail

    def place() -> tuple[int, int | None]:
        assert detail.view.has_focus
        return replay.line, detail.place.frame

    await replay.press("e", "enter")
    assert place() == (4, 0)
    await replay.press("escape")
    assert place() == (4, None)
    await replay.press("escape", "j", "k", "enter")
    assert place() == (4, None), "who came another way sees the line"
    await replay.press("escape", "e", "e", "enter")
    assert place() == (7, None), "what is found there is about no frame"
    await replay.press("escape", "E", "enter")
    assert place() == (6, 1)


async def test_where_no_finding_is_the_way_to_what_came_to_nothing_is_named(tmp_path: Path) -> None:
    path = tmp_path / "s.ndjson"
    lines = records([*DIALOGUE[:2], query(1, "a"), frames(1, frame("f")), query(2, "b")])
    lines.append(b'{"note":"exit","t":0.9,"connection":1,"code":0}')
    path.write_bytes(b"".join(line + b"\n" for line in lines))
    async with opened(app_over(path)) as pilot:
        replay = Replay(pilot)
        assert "No further finding. u leads to a failure." in await replay.press("e")
        assert "No finding before this line. u leads to a failure." in await replay.press("E")
        await replay.press("G")
        assert "No further finding. U leads to a failure." in await replay.press("e")
        seen = await replay.press("U", "e")
        assert "No further finding." in seen and "leads" not in seen
