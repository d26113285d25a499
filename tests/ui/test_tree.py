"""The JSON tab under keys: folded and unfolded, a page further, to a finding's member and from it to the finding."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from textual.app import ComposeResult
from textual.events import Key
from textual.pilot import Pilot

from cgp_tui.present.symbols import UNICODE
from cgp_tui.present.tree import Tree
from cgp_tui.ui.tokens import TokenApp
from cgp_tui.ui.widgets.rows import RowsView
from tests.present.samples import HANDSHAKE, ack, frame, frames, query
from tests.ui.pilots import app_over, inspector_of, opened, screen_text, settled, until, write_bare

LONG = [frame(f"frm_{n}", f"word {n} " * 40) for n in range(150)]
MESSAGES: list[dict[str, Any]] = [
    HANDSHAKE,
    ack(),
    query(1, max_frames=200, max_tokens=100_000),
    frames(1, frame("frm_first", token_cost=9), *LONG),
]


class Tab:
    """The JSON tab of an answer, and its keys."""

    def __init__(self, pilot: Pilot[object]) -> None:
        self.pilot = pilot
        self.detail = inspector_of(pilot).detail

    async def press(self, *keys: str) -> str:
        for key in keys:
            await self.pilot.press(key)
            await self.pilot.pause()
        await settled(self.pilot)
        return screen_text(self.pilot)

    async def go(self, words: str) -> None:
        """Put the cursor on the first row that holds some words."""
        view = self.detail.view
        view.move_to(next(at for at, row in enumerate(view.rows) if words in row.text))

    @property
    def here(self) -> str:
        return self.detail.view.rows[self.detail.view.cursor].text.strip()

    @property
    def height(self) -> int:
        """The line of the view that the cursor is on."""
        view = self.detail.view
        return int(view._starts[view.cursor]) - view.scroll_offset.y


@asynccontextmanager
async def json_tab(path: Path, messages: list[dict[str, Any]], size: tuple[int, int] = (80, 24)) -> AsyncIterator[Tab]:
    app = app_over(write_bare(path / "session.ndjson", messages), at=len(messages))
    async with opened(app, size) as pilot:
        tab = Tab(pilot)
        await tab.press("tab", "z")
        while tab.detail.tab != "JSON":
            await tab.press("right_square_bracket")
        yield tab


async def test_h_and_l_fold_and_unfold_and_the_row_stays_where_it_is(tmp_path: Path) -> None:
    async with json_tab(tmp_path, MESSAGES) as tab:
        await tab.go('▸ 60: {"id": "frm_59"')
        await tab.press("k", "k", "k", "k", "k")
        before = tab.height
        assert 5 < before < 18
        seen = await tab.press("l")
        assert '"title": "title of frm_54"' in seen
        assert tab.here.startswith("▾ 55: {")
        assert tab.height == before
        await tab.press("j", "j", "h")
        assert tab.here.startswith("▾ 55: {"), "from a member to what it is in"
        seen = await tab.press("left")
        assert '"title": "title of frm_54"' not in seen
        assert tab.here.startswith("▸ 55: {")
        await tab.press("right", "enter")
        assert tab.here.startswith("▸ 55: {"), "enter does either"
        await tab.press("h", "h")
        assert tab.here.startswith('▸ "frames": [')


async def test_a_page_more_by_enter(tmp_path: Path) -> None:
    async with json_tab(tmp_path, MESSAGES) as tab:
        assert not [row for row in tab.detail.view.rows if " 100: {" in row.text]
        await tab.go("more: enter shows the next 100")
        await tab.press("enter")
        assert tab.here.startswith("▸ 100: {")
        assert [row for row in tab.detail.view.rows if " 150: {" in row.text]


async def test_a_finding_leads_to_its_member_and_the_member_to_the_finding(tmp_path: Path) -> None:
    async with json_tab(tmp_path, MESSAGES) as tab:
        while tab.detail.tab != "Findings":
            await tab.press("left_square_bracket")
        await tab.go("at /result/frames/0/token_cost")
        await tab.press("enter")
        assert tab.detail.tab == "JSON"
        assert tab.here.startswith('"token_cost": 9  ✗ B3 ')
        await tab.press("enter")
        assert tab.detail.tab == "Findings"
        assert "/result/frames/0/token_cost" in tab.here


async def test_on_the_card_of_a_frame_a_finding_leads_into_the_json_of_the_frame(tmp_path: Path) -> None:
    async with json_tab(tmp_path, MESSAGES) as tab:
        while tab.detail.tab != "Answer":
            await tab.press("left_square_bracket")
        await tab.go("title of frm_f")
        await tab.press("enter")
        assert tab.detail.tab == "Frame"
        await tab.go("✗ B3")
        await tab.press("enter")
        assert (tab.detail.tab, tab.detail.place.frame) == ("JSON", 0)
        assert tab.here.startswith('"token_cost": 9  ✗ B3 ')
        await tab.press("enter")
        assert tab.detail.tab == "Frame"
        assert tab.here.startswith("✗ B3")


async def test_folding_where_nothing_folds_does_nothing(tmp_path: Path) -> None:
    async with json_tab(tmp_path, MESSAGES) as tab:
        await tab.press("left_square_bracket")
        assert tab.detail.tab != "JSON"
        before = tab.here
        await tab.press("h", "l")
        assert tab.here == before


async def test_what_is_folded_is_kept_until_another_line_is_selected(tmp_path: Path) -> None:
    async with json_tab(tmp_path, MESSAGES) as tab:
        await tab.go('▾ "frames"')
        await tab.press("h", "right_square_bracket", "left_square_bracket")
        assert [row.text.strip()[:12] for row in tab.detail.view.rows if "frames" in row.text][1:] == ['▸ "frames": ']
        await tab.press("tab", "k", "j", "tab")
        assert tab.detail.tab == "JSON"
        assert [row for row in tab.detail.view.rows if '▾ "frames"' in row.text]


class OneView(TokenApp):
    def __init__(self) -> None:
        super().__init__()
        self.view = RowsView(symbols=UNICODE)

    def compose(self) -> ComposeResult:
        yield self.view


async def test_a_key_is_answered_while_a_long_line_is_gone_over() -> None:
    served = json.dumps(LONG[0])
    whole = ('{"result":{"frames":[' + ",".join([served] * 20_000) + '],"truncated":false}}').encode()
    app = OneView()
    async with app.run_test(size=(80, 24)) as pilot:
        view = app.view
        view.show(Tree(whole).rows)
        assert view.busy, "the rest of the line is still to be gone over"
        await until(pilot, lambda: len(view.rows) > 20)
        view.focus()
        pilot.app.post_message(Key("j", "j"))
        await until(pilot, lambda: view.cursor == 1)
        assert view.busy, "the key was answered meanwhile"
        await until(pilot, lambda: not view.busy, 300)
        assert [row.text.strip() for row in view.rows[-4:]] == ["]", '"truncated": false', "}", "}"]
        assert view.cursor == 1


async def test_a_search_opens_what_is_folded_and_goes_on_from_the_cursor(tmp_path: Path) -> None:
    async with json_tab(tmp_path, MESSAGES) as tab:
        view = tab.detail.view
        await tab.go('▸ 60: {"id": "frm_59"')
        at = view.cursor
        seen = await tab.press("slash", *"TITLE", "space", *"of", "enter")
        assert '"title": "title of frm_59"' in seen and view.cursor > at
        first = view.cursor
        await tab.press("n")
        assert '"title": "title of frm_60"' in tab.here and view.cursor > first
        await tab.press("N", "N")
        assert '"title": "title of frm_58"' in tab.here
        await tab.press("g", "slash", "ctrl+u", *"zzz", "enter")
        assert view.cursor == 0, "what is nowhere moves nothing"
