"""The bars at the foot: those that have nothing to say are not there, and each has its place once it speaks."""

from __future__ import annotations

from pathlib import Path

from textual.app import ComposeResult

from cgp_tui.present.spans import span
from cgp_tui.present.symbols import UNICODE
from cgp_tui.text import own
from cgp_tui.ui.stylesheets import stylesheet
from cgp_tui.ui.tokens import TokenApp
from cgp_tui.ui.widgets.foot import Foot
from tests.ui.pilots import app_over, inspector_of, settled, write_bare

ORDER = ["warning", "hang", "consent", "hint", "replay", "status", "keys"]


def ids(foot: Foot) -> list[str | None]:
    return [bar.id for bar in foot.children]


class Footed(TokenApp):
    CSS = stylesheet("app") + stylesheet("inspector")

    def __init__(self) -> None:
        super().__init__()
        self.foot = Foot(UNICODE)
        self.foot.ask(own("somebody waits"))

    def compose(self) -> ComposeResult:
        yield self.foot


async def test_a_bar_is_there_once_it_has_said_something() -> None:
    app = Footed()
    async with app.run_test() as pilot:
        foot = app.foot
        assert ids(foot) == ["consent", "status", "keys"]
        foot.play(((span("line 1"),),))
        foot.report(own("it hangs"))
        foot.warn(own("the disk is full"))
        foot.suggest(own("try this"))
        await pilot.pause()
        assert ids(foot) == ORDER
        assert all(bar.display for bar in foot.children)
        foot.warn(None)
        foot.ask(None)
        await pilot.pause()
        assert ids(foot) == ORDER
        assert [bar.id for bar in foot.children if not bar.display] == ["warning", "consent"]
        foot.warn(own("it is full again"))
        await pilot.pause()
        assert foot.warning.display


async def test_a_recording_stands_with_the_bars_that_it_has_words_for(tmp_path: Path) -> None:
    async with app_over(write_bare(tmp_path / "s.ndjson")).run_test() as pilot:
        await settled(pilot)
        foot = inspector_of(pilot).foot
        assert ids(foot) == ["replay", "status", "keys"]
        foot.tell(own("a word"))
        await pilot.pause()
        assert ids(foot) == ["hint", "replay", "status", "keys"]


def test_what_is_said_to_a_foot_that_is_nowhere_does_no_harm() -> None:
    foot = Foot(UNICODE)
    foot.warn(own("the disk is full"))
    foot.warn(None)
    assert not foot.warning.has_class("-shown")
