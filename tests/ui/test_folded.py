"""A sentence that takes the lines it needs."""

from __future__ import annotations

import pytest
from textual.app import ComposeResult

from cgp_tui.present.spans import span
from cgp_tui.present.symbols import UNICODE
from cgp_tui.ui.tokens import TokenApp
from cgp_tui.ui.widgets.folded import Folded

WORDS = "q4 waits 12.4 of 30 s. Running (pid 4711), last byte 11.9 s ago, 312 bytes of an unfinished line."


class Shown(TokenApp):
    CSS = TokenApp.CSS + "\nFolded { height: auto; }"

    def compose(self) -> ComposeResult:
        yield Folded(UNICODE)

    @property
    def lines(self) -> list[str]:
        folded = self.query_one(Folded)
        return [folded.render_line(y).text.rstrip() for y in range(folded.size.height)]


async def test_what_has_no_room_leaves_a_mark() -> None:
    app = Shown()
    async with app.run_test(size=(40, 20)) as pilot:
        folded = app.query_one(Folded)
        folded.styles.max_height = 2
        folded.say(span(WORDS))
        await pilot.pause()
        assert app.lines == [" ! q4 waits 12.4 of 30 s. Running (pid", "   4711), last byte 11.9 s ago, 312…"]


@pytest.mark.parametrize(("width", "height"), [(120, 1), (80, 2), (40, 3)])
async def test_it_is_as_high_as_its_words(width: int, height: int) -> None:
    app = Shown()
    async with app.run_test(size=(width, 20)) as pilot:
        app.query_one(Folded).say(span("short"))
        await pilot.pause()
        assert app.lines == [" ! short"]
        app.query_one(Folded).say(span(WORDS))
        await pilot.pause()
        assert len(app.lines) == height
        assert " ".join(" ".join(app.lines).split()) == f"! {WORDS}"
        app.query_one(Folded).say(span("short"))
        await pilot.pause()
        assert app.lines == [" ! short"]
