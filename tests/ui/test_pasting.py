"""A paste of several lines into a line: joined, or the first of them with a word on the others; it answers nothing."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from time import monotonic

import pytest
from textual.command import CommandPalette
from textual.events import Key, Paste
from textual.pilot import Pilot
from textual.widgets import Input

from cgp_tui.store.marks import Marks
from cgp_tui.text import Shown
from cgp_tui.ui.pasting import one_line
from cgp_tui.ui.screens import prompt as prompts
from cgp_tui.ui.screens.composer import Composer
from cgp_tui.ui.screens.jumping import JumpScreen
from cgp_tui.ui.screens.marking import CommentScreen
from cgp_tui.ui.screens.presets import NameScreen
from cgp_tui.ui.screens.prompt import Prompt
from cgp_tui.ui.widgets.bars import PaneTitle
from tests.terminal import Terminal
from tests.ui.pilots import app_over, inspector_of, opened, screen_text, settled, until, write_bare
from tests.ui.sessions import PROVIDER, plan, session
from tests.ui.test_composer import compose, field
from tests.ui.test_consent_screen import TWO
from tests.ui.test_endings import inspect, leave
from tests.ui.test_outlasting import asked


@pytest.mark.parametrize(
    ("text", "joined", "first", "dropped"),
    [
        ("one", "one", "one", 0),
        (" one\n", " one", " one", 0),
        ("", "", "", 0),
        ("\n\n", "", "", 0),
        ("\none\r\n\n", "one", "one", 0),
        ("one\r\n  two\rthree \n", "one two three", "one", 2),
        ("one\x0btwo\u2028three\x85", "one two three", "one", 2),
    ],
)
def test_lines_become_one(text: str, joined: str, first: str, dropped: int) -> None:
    assert one_line(text, joins=True) == (joined, 0)
    assert one_line(text, joins=False) == (first, dropped)


async def paste(pilot: Pilot[object], text: str) -> str:
    """Paste as a terminal hands it over, and return the screen."""
    pilot.app.post_message(Paste(text))
    for _ in range(3):
        await pilot.pause()
    return screen_text(pilot)


async def test_a_filter_is_joined_and_a_text_that_is_searched_for_is_its_first_line(tmp_path: Path) -> None:
    async with opened(app_over(write_bare(tmp_path / "s.ndjson"))) as pilot:
        inspector = inspector_of(pilot)
        await pilot.press("slash")
        await paste(pilot, "type:frames\n  finding:B3\n")
        assert inspector.find.field.value == "type:frames finding:B3" and inspector.find.field.has_focus
        await pilot.press("escape", "escape", "tab", "slash")
        seen = await paste(pilot, "frames\nq1\nq2")
        assert inspector.find.field.value == "frames" and "3 lines pasted: only the first is taken" in seen
        await pilot.press("escape", "escape", "slash")
        await paste(pilot, "\nid:q1")
        assert inspector.find.field.value == "id:q1"


async def test_what_does_not_fit_is_told_and_nothing_of_it_is_taken(tmp_path: Path) -> None:
    async with opened(app_over(write_bare(tmp_path / "s.ndjson"))) as pilot:
        await pilot.press("semicolon", *"ab")
        seen = await paste(pilot, "x" * 600)
        assert isinstance(pilot.app.focused, Input) and pilot.app.focused.value == "ab"
        assert "not pasted: 602 characters, at most 512" in seen
        pilot.app.focused.select_all()
        await paste(pilot, "x" * 512 + "\ny")
        assert pilot.app.focused.value == "x" * 512


async def test_a_target_is_the_first_line_and_waits_for_enter(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("cgp_tui.ui.pasting.TOLD_SECONDS", 0.05)
    said: list[str] = []
    say = PaneTitle.say

    def noted(title: PaneTitle, words: Shown, aside: Shown) -> None:
        said.append(aside)
        say(title, words, aside)

    monkeypatch.setattr(PaneTitle, "say", noted)
    async with opened(app_over(write_bare(tmp_path / "s.ndjson"))) as pilot:
        await pilot.press("semicolon")
        pilot.app.post_message(Paste("6\n7\n"))
        await until(pilot, lambda: any("2 lines pasted" in aside for aside in said))
        await until(pilot, lambda: "2 lines pasted" not in screen_text(pilot))
        assert isinstance(pilot.app.screen, JumpScreen) and pilot.app.screen.offered[0] == "6"
        await pilot.press("enter")
        await settled(pilot)
        assert inspector_of(pilot).source.line_of(inspector_of(pilot).traffic.cursor) == 6


async def test_a_comment_is_joined(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CGP_TUI_STATE", str(tmp_path / "state"))
    path = write_bare(tmp_path / "s.ndjson")
    async with opened(app_over(path)) as pilot:
        await pilot.press("M")
        await until(pilot, lambda: isinstance(pilot.app.focused, Input))
        await paste(pilot, "seen before\nask them\n")
        assert isinstance(pilot.app.screen, CommentScreen) and Marks.of(path).comment(1) is None
        await pilot.press("enter")
        await until(pilot, lambda: Marks.of(path).comment(1) == "seen before ask them")


async def test_a_command_is_joined(tmp_path: Path) -> None:
    async with opened(app_over(write_bare(tmp_path / "s.ndjson"))) as pilot:
        await pilot.press("colon")
        await until(pilot, lambda: isinstance(pilot.app.screen, CommandPalette))
        await until(pilot, lambda: isinstance(pilot.app.focused, Input))
        await paste(pilot, "next\nmark\n")
        assert isinstance(pilot.app.focused, Input) and pilot.app.focused.value == "next mark"
        assert isinstance(pilot.app.screen, CommandPalette)


async def test_what_is_pasted_while_a_line_opens_is_of_that_line(tmp_path: Path) -> None:
    async with opened(app_over(write_bare(tmp_path / "s.ndjson"))) as pilot:
        for event in (Key("semicolon", ";"), Paste("frm_\nq1"), Key("g", "g")):
            pilot.app.post_message(event)
        await until(pilot, lambda: isinstance(pilot.app.focused, Input) and pilot.app.focused.value == "frm_g")


async def test_a_paste_where_nothing_is_typed_does_nothing(tmp_path: Path) -> None:
    async with opened(app_over(write_bare(tmp_path / "s.ndjson"))) as pilot:
        inspector, before = inspector_of(pilot), screen_text(pilot)
        assert await paste(pilot, "q\nX\nj\n") == before
        assert pilot.app.screen is inspector and inspector.traffic.cursor == 0


async def test_the_question_form_joins_what_is_one_text_or_one_list_and_sends_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("cgp_tui.ui.pasting.TOLD_SECONDS", 3600.0)
    async with session(tmp_path, plan("one", "plain")) as stage:
        screen = await compose(stage)
        for name, wanted in (
            ("goal", "a b"),
            ("query_text", "a b"),
            ("kinds", "a b"),
            ("anchors", "a b"),
            ("max_frames", "a"),
            ("max_tokens", "a"),
            ("as_of", "a"),
        ):
            one = field(screen, name)
            one.value = ""
            one.focus()
            await stage.pilot.pause()
            seen = await paste(stage.pilot, "a\nb\n")
            assert one.value == wanted, name
            assert ("2 lines pasted: only the first is taken" in seen) == (wanted == "a"), name
            screen._say()
        assert isinstance(stage.app.screen, Composer) and not stage.lines("query")
        field(screen, "goal").focus()
        for name in ("max_frames", "max_tokens", "as_of"):
            field(screen, name).value = {"max_frames": "3", "max_tokens": "60"}.get(name, "")
        await stage.pilot.press("f3")
        await stage.until(lambda: isinstance(stage.app.screen, NameScreen))
        await stage.until(lambda: isinstance(stage.app.focused, Input))
        await paste(stage.pilot, "mine\nyours\n")
        assert isinstance(stage.app.focused, Input) and stage.app.focused.value == "mine"
        assert isinstance(stage.app.screen, NameScreen)


async def test_a_paste_answers_no_prompt(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # As long as a busy machine may take for the first of the pastes below.
    monkeypatch.setattr(prompts, "GUARD_SECONDS", 3600.0)
    async with session(tmp_path, plan("far", "egress", TWO)) as stage:
        await stage.until_ready()
        await stage.pilot.press("c")
        await stage.until(lambda: "third-party-index" in stage.screen)
        await stage.pilot.press("enter")
        await stage.until(lambda: isinstance(stage.app.screen, Prompt))
        prompt = stage.app.screen
        assert isinstance(prompt, Prompt)
        prompt.until.focus()
        prompt.until.select_all()
        await paste(stage.pilot, "7d\n\nyes\n")
        assert prompt.until.value != "7d" and "pasted" not in stage.screen, "it was not seen yet"
        prompt.armed_at = monotonic()
        await stage.until(lambda: prompt.armed_at < monotonic())
        seen = await paste(stage.pilot, "7d\n\nyes\n")
        assert prompt.until.value == "7d" and "2 lines pasted: only the first is taken" in seen
        await stage.pilot.press("shift+tab")
        await paste(stage.pilot, "\n y\n")
        assert stage.app.screen is prompt and not stage.ledger.open().receipts


@pytest.mark.skipif(os.name == "nt", reason="a pty is needed")
def test_a_terminal_pastes_lines_into_the_form_and_only_enter_sends(tmp_path: Path) -> None:
    with inspect(tmp_path, [sys.executable, str(PROVIDER), "plain"]) as screen:
        screen.wait("handshake_ack")
        screen.press("a")
        screen.wait("esc Back")
        assert isinstance(screen, Terminal)
        screen.send("\x1b[200~why does it\r\nretry\r\n\x1b[201~")
        screen.wait("why does it retry")
        assert "esc Back" in screen.text and asked(tmp_path) == []
        screen.press("\r")
        screen.wait("← frames")
        leave(screen)
    assert asked(tmp_path) == ["why does it retry"]
