"""What stands in front is answered once, however often a key is pressed."""

from __future__ import annotations

from pathlib import Path

from textual.app import App
from textual.events import Key
from textual.screen import ModalScreen

from cgp_tui.ui import screens
from cgp_tui.ui.screens.composer import Composer
from cgp_tui.ui.screens.modal import Modal
from cgp_tui.ui.screens.prompt import Prompt
from tests.ui.sessions import plan, session
from tests.ui.test_composer import compose
from tests.ui.test_prompt import TWO, kinds, prompt, read_on, to


async def test_a_second_answer_is_none_and_takes_nothing_else_away() -> None:
    app: App[None] = App()
    heard: list[bool | None] = []
    async with app.run_test() as pilot:
        behind: Modal[bool] = Modal()
        front: Modal[bool] = Modal()
        await app.push_screen(behind)
        await app.push_screen(front, heard.append)
        front.dismiss(True)
        front.dismiss(False)
        await pilot.pause()
        assert heard == [True]
        assert app.screen is behind and front.answered and not behind.answered


async def test_a_key_that_repeats_sends_one_query_and_ends_nothing(tmp_path: Path) -> None:
    async with session(tmp_path, plan("one", "plain")) as stage:
        await compose(stage)
        await stage.pilot.press(*"why")
        for _ in range(3):
            stage.app.post_message(Key("enter", "\r"))
        await stage.until(lambda: stage.lines("frames"))
        await stage.pilot.pause(0.2)
        assert len(stage.lines("query")) == 1
        assert not isinstance(stage.app.screen, Composer) and stage.app.is_running


async def test_a_yes_that_repeats_is_written_once(tmp_path: Path) -> None:
    async with session(tmp_path, plan("far", "egress", TWO), size=(80, 24)) as stage:
        screen = await prompt(stage)
        await read_on(stage, screen)
        await to(stage, "grant")
        for _ in range(3):
            stage.app.post_message(Key("enter", "\r"))
        await stage.until(lambda: kinds(stage))
        await stage.until(lambda: not isinstance(stage.app.screen, Prompt))
        await stage.pilot.pause(0.2)
        assert [kind for kind, _ in kinds(stage)] == ["grant"]
        assert stage.app.is_running


def test_everything_that_stands_in_front_is_answered_once() -> None:
    folder = Path(next(iter(screens.__path__)))
    for path in folder.glob("*.py"):
        if path.name != "modal.py":
            assert ModalScreen.__name__ not in path.read_text("utf-8"), path.name
