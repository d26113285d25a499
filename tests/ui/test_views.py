"""The views of one session: each key once, one selection in all of them, and what is told of a session that grows."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from pathlib import Path

import pytest
import pytest_asyncio
from textual.pilot import Pilot

from cgp_tui import limits
from cgp_tui.present.symbols import ASCII
from cgp_tui.store.settings import parse
from cgp_tui.ui.screens.inspector import InspectorScreen
from cgp_tui.ui.screens.why import Why
from cgp_tui.ui.widgets.findings import FindingsList
from tests.present.samples import frame, frames, query, raw_lines
from tests.ui.pilots import (
    DIALOGUE,
    app_over,
    inspector_of,
    opened,
    records,
    screen_text,
    settled,
    until,
    write_bare,
    write_recording,
)


class Views:
    """A recording to press keys in. Lines 4, 6 and 7 have findings."""

    def __init__(self, pilot: Pilot[object]) -> None:
        self.pilot = pilot
        self.inspector: InspectorScreen = inspector_of(pilot)

    async def press(self, *keys: str) -> str:
        """Press keys and return the screen once it is quiet."""
        for key in keys:
            await self.pilot.press(key)
            await self.pilot.pause()
        if self.pilot.app.screen is self.inspector:
            await settled(self.pilot)
        return screen_text(self.pilot)

    async def why(self, *keys: str) -> str:
        """Press keys and `w`, and return what is answered."""
        await self.press(*keys)
        await self.pilot.press("w")
        await self.until(lambda: isinstance(self.pilot.app.screen, Why) and "esc Back" in screen_text(self.pilot))
        return screen_text(self.pilot)

    async def until(self, met: Callable[[], object]) -> None:
        await until(self.pilot, met)

    @property
    def line(self) -> int:
        """The wire line that is selected."""
        source = self.inspector.source
        return source.line_of(self.inspector.traffic.cursor)

    @property
    def view(self) -> str:
        return self.inspector.view

    @property
    def list(self) -> FindingsList:
        assert self.inspector.findings is not None
        return self.inspector.findings.list

    @property
    def finding(self) -> tuple[str, int] | None:
        """Anchor and line of the finding under the cursor."""
        at = self.list.cursor
        return None if at is None or at.finding is None else (at.finding.anchor, at.finding.line)


@pytest_asyncio.fixture
async def views(tmp_path: Path) -> AsyncIterator[Views]:
    async with opened(app_over(write_recording(tmp_path / "session.ndjson"))) as pilot:
        yield Views(pilot)


async def test_each_view_opens_by_its_number_and_says_so(views: Views) -> None:
    await views.until(lambda: "[1 Traffic] 2 Findings 5  7 Provider" in screen_text(views.pilot))
    assert "[2 Findings 5]" in await views.press("2")
    assert "[7 Provider]" in await views.press("7")
    assert "[1 Traffic]" in await views.press("1")


async def test_a_person_who_has_another_key_for_a_view_sees_it(tmp_path: Path) -> None:
    settings = parse({"keys": {"view.findings": "f6", "tab.next": "f7"}})
    async with opened(app_over(write_recording(tmp_path / "s.ndjson"), settings=settings)) as pilot:
        views = Views(pilot)
        await views.until(lambda: "[1 Traffic] f6 Findings 5  7 Provider" in screen_text(pilot))
        await views.press("f6")
        assert views.view == "findings"
        assert "Next tab is for Traffic" in await views.press("f7")
        await pilot.click("#title", offset=(30, 0))
        await settled(pilot)
        assert views.view == "provider"


async def test_findings_begin_with_the_first_violation(views: Views) -> None:
    seen = await views.press("2")
    assert views.finding == ("B1", 6)
    assert "✗4 !1 ·1 of 11 lines, all checked, by rule (o)" in seen
    assert "expected  at most 10" in seen and "found     17 in sum" in seen and "fix       Stop adding" in seen


async def test_on_a_wide_screen_a_finding_is_told_beside_the_list(tmp_path: Path) -> None:
    async with opened(app_over(write_recording(tmp_path / "session.ndjson")), (200, 50)) as pilot:
        views = Views(pilot)
        lines = (await views.press("2")).splitlines()
        heading = next(line for line in lines if "[Findings]" in line)
        assert "B1, line 6, the provider" in heading
        rows = views.list.size.height
        assert rows > 40 and any("▾ ✗ B1" in line and "costs more than the query allows" in line for line in lines)
        await pilot.resize_terminal(159, 50)
        await views.until(lambda: views.list.size.height < rows)
        title = next(line for line in screen_text(pilot).splitlines() if "B1, line 6" in line)
        assert title.startswith("─ B1")


async def test_on_a_terminal_of_a_few_rows_the_half_with_the_focus_is_there(views: Views) -> None:
    await views.press("2")
    await views.pilot.resize_terminal(20, 5)
    await views.until(lambda: ">         6" in screen_text(views.pilot))
    assert "B1, line" not in screen_text(views.pilot)
    await views.press("tab")
    await views.until(lambda: ">✗ The answer" in screen_text(views.pilot) and "[Findings]" not in screen_text(views.pilot))
    await views.press("1", "2")
    await views.until(lambda: views.list.has_focus and "[Findings]" in screen_text(views.pilot))
    await views.press("tab")
    await views.pilot.resize_terminal(120, 40)
    await views.until(lambda: views.list.display and views.list.size.height > 4)


async def test_findings_begin_with_the_worst_of_the_selected_line(views: Views) -> None:
    await views.press("e", "2")
    assert (views.line, views.finding) == (4, ("D1", 4))


async def test_the_selection_is_one(views: Views) -> None:
    await views.press("2", "G", "l", "l")
    assert views.finding == ("6.5.4", 4)
    assert views.line == 4
    await views.press("e")
    assert (views.line, views.finding) == (6, ("B1", 6))
    await views.press("E")
    assert (views.line, views.finding) == (4, ("D1", 4))


async def test_enter_goes_to_the_line_of_a_finding(views: Views) -> None:
    await views.press("2", "o")
    assert views.finding == ("B1", 6)
    seen = await views.press("enter")
    assert "[1 Traffic]" in seen and "6 ← frames q2" in seen
    assert views.line == 6
    assert views.inspector.traffic.has_focus


async def test_enter_on_a_group_opens_and_folds_it(views: Views) -> None:
    await views.press("2", "g")
    rows = len(views.list.grouped)
    await views.press("enter")
    assert len(views.list.grouped) == rows - 1
    await views.press("enter")
    assert len(views.list.grouped) == rows


async def test_the_list_of_findings_is_searched_with_next_previous_and_count(views: Views) -> None:
    seen = await views.press("2", "h", "h", "slash", *"frm_")
    assert "/ Search" not in seen and "2 Findings" in seen
    found = [at.finding for at in views.list.matches]
    assert all(found) and len(found) > 1, "frames are named by findings, not by rules"
    places = []
    assert f"1 of {len(found)}" in seen and "/ Search" in await views.press("enter")
    for _ in found:
        assert views.list.has_focus and views.list.cursor is not None
        assert views.list.grouped.is_open(views.list.cursor.key), "what was folded away is opened"
        assert views.finding is not None and views.line == views.finding[1], "the selection is one"
        places.append(views.list.match_place)
        await views.press("n")
    assert places == list(range(len(found))) and views.list.match_place == 0, "round the end"
    assert f"{len(found)} of {len(found)}" in await views.press("N")


@pytest.mark.parametrize(
    ("turns", "text", "first"), [(0, "b1", None), (1, "LINE 6", None), (1, "b1", ("B1", 6)), (2, "b3", ("B3", 6))]
)
async def test_findings_are_searched_as_they_are_grouped(
    views: Views, turns: int, text: str, first: tuple[str, int] | None
) -> None:
    await views.press("2", *["o"] * turns, "g", "slash", *[{" ": "space"}.get(char, char) for char in text], "enter")
    assert (views.finding, views.list.match_place) == (first, 0), "a heading is found by what its findings share"
    assert len(views.list.matches) == 1


async def test_a_search_of_the_findings_that_finds_nothing_says_so_and_moves_nothing(views: Views) -> None:
    await views.press("2")
    before = views.finding
    assert "not found" in await views.press("slash", *"zzz")
    await views.press("enter")
    assert "The text is not found here." in await views.press("n") and views.finding == before
    await views.press("slash", "ctrl+u", "enter")
    assert "There is no search." in await views.press("N")


async def test_what_comes_to_light_is_found_too_and_the_cursor_stays(tmp_path: Path) -> None:
    path = write_bare(tmp_path / "s.ndjson", DIALOGUE[:6])
    async with opened(app_over(path, growing=True)) as pilot:
        views = Views(pilot)
        await views.press("2", "slash", *"frm_config", "enter")
        before, cursor = len(views.list.matches), views.list.cursor
        with path.open("ab") as file:
            more = raw_lines([query(9, "more"), frames(9, frame("frm_config", token_cost=9))])
            file.write(b"".join(line + b"\n" for line in more))
        await views.until(lambda: len(views.list.matches) > before)
        assert views.list.cursor == cursor


async def test_a_search_of_many_findings_lets_keys_be_answered(views: Views, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("cgp_tui.ui.widgets.findings.SLICE", 0.0)
    await views.press("2")
    views.list.search("frm_")
    assert len(views.list.matches) <= 1, "a row at a time"
    await views.until(lambda: views.list.match_place == 0)
    views.list.search("zzz")
    views.list.search("frm_")
    await views.until(lambda: len(views.list.matches) > 1)
    await views.until(lambda: next(views.list._unseen, None) is None)
    found = [(at.key, id(at.finding)) for at in views.list.matches]
    assert len(set(found)) == len(found), "only the last search goes on"


@pytest.mark.parametrize(("fold", "unfold"), [("h", "l"), ("left", "right")])
async def test_groups_are_folded_and_unfolded(views: Views, fold: str, unfold: str) -> None:
    await views.press("2")
    await views.press(fold)
    assert views.list.cursor is not None and views.list.cursor.finding is None
    rows = len(views.list.grouped)
    await views.press(fold)
    assert len(views.list.grouped) == rows - 1
    await views.press(unfold, unfold)
    assert (len(views.list.grouped), views.finding) == (rows, ("B1", 6))


async def test_the_order_turns_and_the_cursor_stays_on_its_finding(views: Views) -> None:
    await views.press("2")
    for by in ("by line (o)", "by level (o)", "by rule (o)"):
        seen = await views.press("o")
        assert by in seen
        assert views.finding == ("B1", 6)
    assert "line 6" not in seen.splitlines()[2]


async def test_lists_are_walked_by_every_key(views: Views) -> None:
    await views.press("2", "o", "g")
    assert views.list.row == 0
    for down, up in (("j", "k"), ("down", "up")):
        await views.press(down)
        assert views.list.row == 1
        await views.press(up)
        assert views.list.row == 0
    last = len(views.list.grouped) - 1
    for down, up in (("G", "g"), ("end", "home"), ("pagedown", "pageup"), ("ctrl+f", "ctrl+b"), ("ctrl+d", "ctrl+u")):
        await views.press(down)
        assert views.list.row == last
        await views.press(up)
        assert views.list.row == 0


async def test_a_click_selects_and_a_second_one_opens(views: Views) -> None:
    await views.press("2", "o", "g")
    await views.pilot.click(FindingsList, offset=(10, 1))
    await settled(views.pilot)
    assert views.list.row == 1 and views.view == "findings"
    await views.pilot.click(FindingsList, offset=(10, 1), times=2)
    await settled(views.pilot)
    assert (views.line, views.view) == (4, "traffic")


async def test_a_click_on_its_name_opens_a_view(views: Views) -> None:
    await views.pilot.click("#title", offset=(16, 0))
    await settled(views.pilot)
    assert views.view == "findings"
    await views.pilot.click("#title", offset=(2, 0))
    await settled(views.pilot)
    assert views.view == "traffic"


async def test_tab_leads_to_the_lower_half_and_escape_back_a_step_a_press(views: Views) -> None:
    await views.press("2", "tab")
    assert views.inspector.findings is not None and views.inspector.findings.about.has_focus
    await views.press("escape")
    assert views.list.has_focus
    await views.press("shift+tab", "tab")
    assert views.list.has_focus
    await views.press("escape")
    assert views.view == "traffic"
    assert "q leaves" in await views.press("escape")


async def test_a_filter_goes_before_the_view(views: Views) -> None:
    await views.press("slash", *"type:query", "enter", "2", "escape")
    assert views.inspector.list_filter.filter is None and views.view == "findings"
    await views.press("escape")
    assert views.view == "traffic"


async def test_a_finding_that_the_filter_hides_moves_nothing_until_it_is_opened(views: Views) -> None:
    await views.press("slash", *"type:query", "enter")
    before = views.line
    await views.press("2", "o", "g", "j")
    assert views.finding == ("D1", 4) and views.line == before
    seen = await views.press("enter")
    assert views.line == 4 and "The filter hides that line, so it is off." in seen


@pytest.mark.parametrize("key", ["z", "f", "right_square_bracket", "full_stop", "T"])
async def test_a_key_of_the_traffic_does_nothing_elsewhere_and_says_so(views: Views, key: str) -> None:
    before = (views.line, views.inspector.zoomed, views.inspector.traffic.following, views.inspector.detail.tab)
    seen = await views.press("7", key)
    assert "is for Traffic: 1 goes there." in seen
    now = (views.line, views.inspector.zoomed, views.inspector.traffic.following, views.inspector.detail.tab)
    assert now == before and views.view == "provider"


async def test_the_key_line_offers_what_answers_in_the_view(views: Views) -> None:
    keys = (await views.press("2")).splitlines()[-1]
    assert "o Order  / Search  h Fold" in keys and "Filter" not in keys
    assert "Filter" in (await views.press("1")).splitlines()[-1]


async def test_the_provider_is_that_of_the_selection(views: Views) -> None:
    seen = await views.press("7")
    for words in ("Provider: repo-graph-1", "exit code 0", "repo-graph 0.2.0", "pid 4711", "serve", "│ index: 80 %"):
        assert words in seen, words


async def test_what_it_declares_is_opened_on_its_line(views: Views) -> None:
    assert views.inspector.provider is None
    await views.press("7", "j", "j", "enter")
    assert (views.line, views.view) == (2, "traffic")


async def test_leaving_to_the_traffic_ends_no_following(tmp_path: Path) -> None:
    async with opened(app_over(write_recording(tmp_path / "s.ndjson"))) as pilot:
        views = Views(pilot)
        views.inspector.traffic.following = True
        await views.press("2", "1")
        assert views.inspector.traffic.following


async def test_findings_come_live_and_the_cursor_stays(tmp_path: Path) -> None:
    lines = [line + b"\n" for line in records()]
    path = tmp_path / "s.ndjson"
    path.write_bytes(b"".join(lines[:8]))
    async with opened(app_over(path, growing=True)) as pilot:
        views = Views(pilot)
        await views.press("2")
        assert views.finding == ("D1", 4)
        row = views.list.row or 0
        with path.open("ab") as file:
            file.write(b"".join(lines[8:]))
        await views.until(lambda: views.list.grouped.count == 6)
        assert views.finding == ("D1", 4)
        assert (views.list.row or 0) > row  # rules that come before it have come to light
        await views.until(lambda: "2 Findings 5" in screen_text(pilot))


async def test_what_comes_above_moves_nothing_on_the_screen(tmp_path: Path) -> None:
    asked = {"type": "verify", "request": {"frames": [{"provider_id": "repo-graph", "frame_id": "frm_retry"}]}}
    over = [one for n in range(1, 31) for one in (query(n, max_tokens=1), frames(n, frame("a")))]
    lines = [line + b"\n" for line in raw_lines([*DIALOGUE[:2], asked, *over, {"type": "shutdown"}])]
    path = tmp_path / "s.ndjson"
    path.write_bytes(b"".join(lines[:44]))
    async with opened(app_over(path, growing=True), (80, 24)) as pilot:
        views = Views(pilot)
        await views.press("2", "o", "o")
        views.list.stand_on_line(3)
        stands = (views.list.row or 0) - views.list.scroll_offset.y
        assert views.finding is not None and views.list.scroll_offset.y > 0
        before = views.list.row
        with path.open("ab") as file:
            file.write(b"".join(lines[44:]))
        await views.until(lambda: views.list.row == (before or 0) + 10)
        await views.until(lambda: (views.list.row or 0) - views.list.scroll_offset.y == stands)


async def test_a_file_without_findings_says_what_that_means(tmp_path: Path) -> None:
    async with opened(app_over(write_bare(tmp_path / "s.ndjson", DIALOGUE[:2]))) as pilot:
        views = Views(pilot)
        seen = await views.press("2", "j", "enter", "h", "l", "o", "G")
        assert "Nothing found. This is not a certificate" in seen
        assert "2 Findings]" in seen


async def test_what_is_counted_and_not_held_is_said(tmp_path: Path) -> None:
    app = app_over(write_recording(tmp_path / "s.ndjson"), keep=2)
    async with opened(app) as pilot:
        views = Views(pilot)
        await views.press("2")
        await views.until(lambda: "2 findings are listed, 4 more are counted" in screen_text(pilot))
    assert limits.FINDINGS_KEPT >= 20_000


async def test_a_replaced_file_is_listed_anew(tmp_path: Path) -> None:
    path = write_recording(tmp_path / "s.ndjson")
    async with opened(app_over(path, growing=True)) as pilot:
        views = Views(pilot)
        await views.press("2", "7", "2")
        other = [*DIALOGUE[:2], query(1, max_tokens=1), frames(1, frame("a"))]
        path.unlink()
        path.write_bytes(b"".join(line + b"\n" for line in raw_lines(other)))
        await views.until(lambda: views.list.grouped.count == 1)
        assert views.finding == ("B1", 4)


@pytest.mark.parametrize("size", [(80, 24), (80, 12), (200, 50)])
async def test_both_views_fit_every_screen(tmp_path: Path, size: tuple[int, int]) -> None:
    async with opened(app_over(write_recording(tmp_path / "s.ndjson"), symbols=ASCII), size) as pilot:
        views = Views(pilot)
        assert "B1, line 6, the provider" in await views.press("2")
        assert "Provider: repo-graph-1" in await views.press("7")
        assert all(len(line) <= size[0] for line in screen_text(pilot).splitlines())


# Why


async def test_why_answers_from_the_list_the_detail_and_the_findings(views: Views) -> None:
    for keys, words in (
        (("e", "e"), "budget lie: all 3 frames are dropped"),
        (("enter",), "frame frm_config"),
        (("2",), "Why: B"),
    ):
        seen = await views.why(*keys)
        assert words in seen and "next" in seen
        await views.press("escape")


async def test_why_a_frame_stands_as_it_does(views: Views) -> None:
    seen = await views.why("e", "enter", "enter")
    assert "Why: line 4, frame repo-graph:retry-doc" in seen and "F8  " in seen


async def test_why_nothing_was_sent(views: Views) -> None:
    gate = next(
        at for at in range(views.inspector.source.count) if "refused" in str(views.inspector.source.entry(at).state.text)
    )
    views.inspector.go_to(gate)
    seen = await views.why()
    assert "Why: query to repo-graph-1 refused" in seen and "no_receipt" in seen
    assert "c Decide" not in seen and "c decides" not in seen


async def test_where_nothing_is_judged_w_says_so(views: Views) -> None:
    assert "Nothing is judged here" in await views.press("w")
    assert not isinstance(views.pilot.app.screen, Why)


async def test_the_command_that_tells_more_is_copied(views: Views) -> None:
    await views.why("2")
    await views.press("y")
    assert views.pilot.app.clipboard == "cgp-tui check --explain B1"


async def test_the_counts_stay_where_the_name_of_a_transcript_is_too_long(tmp_path: Path) -> None:
    path = tmp_path / "session-of-a-long-afternoon-with-everybody.ndjson"
    async with opened(app_over(write_recording(path)), (80, 24)) as pilot:
        (first, *_) = screen_text(pilot).splitlines()
        assert first.endswith(".ndjson  11 lines, 6 notes") and "session" in first and len(first) <= 80
        await pilot.resize_terminal(120, 40)
        await until(pilot, lambda: f"{path.name}  11 lines, 6 notes" in screen_text(pilot))
