"""The consent prompt: nobody says yes by accident, and what is shown is what is written."""

from __future__ import annotations

from pathlib import Path

import pytest
from textual import events
from textual.widgets import Button, Input

from cgp_tui.consent.promise import PROMISE
from cgp_tui.ui.screens.consent import ConsentScreen
from cgp_tui.ui.screens.prompt import Prompt
from cgp_tui.ui.screens.reader import Reader
from tests.ui.sessions import WHY, Stage, plan, session

TWO = "scopes=third-party-index,third-party-model"


async def prompt(stage: Stage, *, armed: bool = True) -> Prompt:
    """The prompt, opened by its keys; `armed` waits until keys count."""
    await stage.until_ready()
    await stage.until(stage.live.deciding.cases)
    await stage.pilot.press("c")
    await stage.until(lambda: isinstance(stage.app.screen, ConsentScreen) and stage.app.screen.needs.item)
    await stage.pilot.press("enter")
    await stage.until(lambda: isinstance(stage.app.screen, Prompt))
    screen = stage.app.screen
    assert isinstance(screen, Prompt)
    await stage.until(lambda: screen.armed_at < float("inf"))
    if armed:
        await stage.pilot.pause(0.6)
    return screen


def grant(screen: Prompt) -> Button:
    return screen.query_one("#grant", Button)


async def read_on(stage: Stage, screen: Prompt) -> None:
    for _ in range(40):
        if not screen.text.unread:
            return
        await stage.pilot.press("pagedown")


async def to(stage: Stage, name: str) -> None:
    """Move the focus by tab until it stands on a widget."""
    for _ in range(12):
        focused = stage.app.focused
        if focused is not None and focused.id == name:
            return
        await stage.pilot.press("tab")
    raise AssertionError(f"{name} is not to be reached by tab: {stage.screen}")


def kinds(stage: Stage) -> list[tuple[str, str]]:
    return [(receipt.kind, receipt.scope) for receipt in stage.ledger.open().receipts]


async def test_a_yes_takes_reading_a_tick_and_a_key(tmp_path: Path) -> None:
    async with session(tmp_path, plan("far", "egress", TWO), size=(80, 24)) as stage:
        screen = await prompt(stage)
        assert screen.text.unread > 0
        assert grant(screen).disabled and "To grant: read to the end" in stage.screen
        await read_on(stage, screen)
        assert "Read to its end" in stage.screen, "the need whose row led here is ticked"
        assert not grant(screen).disabled
        shown = screen.drafts
        await to(stage, "grant")
        await stage.pilot.press("enter")
        await stage.until(lambda: kinds(stage))
        assert kinds(stage) == [("grant", "third-party-index")]
        (written,) = stage.ledger.open().receipts
        assert {name: getattr(written, name) for name in type(shown[0]).__struct_fields__} == {
            name: getattr(shown[0], name) for name in type(shown[0]).__struct_fields__
        }
        assert (written.grantor.kind, written.grantor.id.startswith("tty:")) == ("human", True)
        await stage.until(lambda: "Granted until" in stage.screen)


async def test_the_focus_stands_on_deny_and_a_stray_enter_says_no(tmp_path: Path) -> None:
    async with session(tmp_path, plan("far", "egress")) as stage:
        screen = await prompt(stage)
        assert stage.app.focused is screen.query_one("#deny")
        await stage.pilot.press("enter")
        await stage.until(lambda: kinds(stage))
        assert kinds(stage) == [("deny", "third-party-model")]
        await stage.until(lambda: "Denied." in stage.screen)


async def test_keys_made_before_the_prompt_was_seen_are_dropped(tmp_path: Path) -> None:
    async with session(tmp_path, plan("far", "egress")) as stage:
        screen = await prompt(stage, armed=False)
        await stage.pilot.press("enter", "escape", "tab", "x")
        assert stage.app.screen is screen
        assert stage.app.focused is screen.query_one("#deny")
        # A key that waited in a queue counts by the time it was pressed, not by the time it is looked at.
        early = events.Key("enter", "\r")
        await stage.pilot.pause(0.6)
        stage.app.post_message(early)
        await stage.pilot.pause()
        assert stage.app.screen is screen
        assert kinds(stage) == []
        await stage.pilot.press("escape")
        assert stage.app.screen is not screen
        assert kinds(stage) == [], "esc is no answer"


async def test_the_mouse_never_grants(tmp_path: Path) -> None:
    async with session(tmp_path, plan("far", "egress", TWO)) as stage:
        screen = await prompt(stage)
        await read_on(stage, screen)
        assert not grant(screen).disabled
        await stage.pilot.click(grant(screen), times=2)
        await stage.pilot.pause(0.1)
        assert stage.app.screen is screen
        assert kinds(stage) == []
        await stage.pilot.click(screen.ticks[1])
        await stage.pilot.pause()
        assert not screen.ticks[1].value
        await stage.pilot.click(screen.query_one("#later"))
        await stage.until(lambda: stage.app.screen is not screen)
        assert kinds(stage) == []


async def test_scopes_are_ticked_one_by_one(tmp_path: Path) -> None:
    async with session(tmp_path, plan("far", "egress", TWO)) as stage:
        screen = await prompt(stage)
        await read_on(stage, screen)
        assert [tick.value for tick in screen.ticks] == [True, False]
        screen.ticks[0].focus()
        await stage.pilot.pause()
        await stage.pilot.press("space")
        assert grant(screen).disabled and "tick a scope" in stage.screen
        await stage.pilot.press("space", "tab", "space")
        assert not grant(screen).disabled
        await to(stage, "grant")
        await stage.pilot.press("enter")
        await stage.until(lambda: kinds(stage))
        assert kinds(stage) == [("grant", "third-party-index"), ("grant", "third-party-model")]
        assert stage.live.state().consent is None


@pytest.mark.parametrize(("typed", "end"), [("never", "never"), ("2031-01-01", "2031-01-01T23:59:59Z")])
async def test_the_end_that_is_named_is_shown_and_written(tmp_path: Path, typed: str, end: str) -> None:
    async with session(tmp_path, plan("far", "egress")) as stage:
        screen = await prompt(stage)
        await to(stage, "until")
        field = screen.query_one("#until", Input)
        assert field.value == "30d"
        await stage.pilot.press("end", "backspace", "backspace", "backspace")
        assert grant(screen).disabled and "name an end" in stage.screen
        await stage.pilot.press(*typed)
        await read_on(stage, screen)
        assert {draft.expires_at for draft in screen.drafts} == {end}
        screen.text.action_nav_top()
        await stage.pilot.pause()
        assert ("with no end" if end == "never" else f"until {end}") in stage.screen
        await stage.pilot.press("enter")
        assert stage.app.focused is grant(screen)
        await stage.pilot.press("enter")
        await stage.until(lambda: kinds(stage))
        assert stage.ledger.open().receipts[0].expires_at == end


async def test_a_prompt_that_no_longer_fits_is_read_anew(tmp_path: Path) -> None:
    async with session(tmp_path, plan("far", "egress", TWO), size=(120, 50)) as stage:
        screen = await prompt(stage)
        assert not grant(screen).disabled, "all of it is in view"
        await stage.pilot.resize_terminal(80, 24)
        await stage.until(lambda: screen.text.unread > 0)
        await stage.until(lambda: grant(screen).disabled)
        await read_on(stage, screen)
        assert not grant(screen).disabled
        await stage.pilot.press("pageup")
        assert not grant(screen).disabled, "what was read to its end stays read"


async def test_the_refused_query_stands_in_the_prompt(tmp_path: Path) -> None:
    async with session(tmp_path, plan("far", "egress")) as stage:
        await stage.until_ready()
        stage.live.send(WHY, ["far"])
        await stage.until(lambda: stage.notes("gate"))
        screen = await prompt(stage)
        assert "this one, 82 bytes:" in stage.screen
        assert "goal        why" in stage.screen
        assert screen.drafts[0].payload == ("goal", "max_frames", "max_tokens")


async def test_what_consent_promises_is_told_word_for_word(tmp_path: Path) -> None:
    async with session(tmp_path, plan("far", "egress"), size=(120, 50)) as stage:
        screen = await prompt(stage)
        await stage.pilot.press("w")
        await stage.until(lambda: isinstance(stage.app.screen, Reader))
        reader = stage.app.screen
        assert isinstance(reader, Reader)
        assert tuple(row.text for row in reader.view.rows if row.text) == PROMISE
        await stage.pilot.press("escape")
        assert stage.app.screen is screen


async def test_reading_on_and_back_by_keys(tmp_path: Path) -> None:
    async with session(tmp_path, plan("far", "egress", TWO), size=(80, 24)) as stage:
        screen = await prompt(stage)
        places = []
        for key in ("pagedown", "pageup", "down", "up", "j", "k"):
            await stage.pilot.press(key)
            places.append(screen.text.scroll_offset.y > 0)
        assert places == [True, False] * 3


async def test_a_name_that_would_hide_or_mislead_is_marked(tmp_path: Path) -> None:
    loud = "name=\u0430cme\u202e\x1b]52;c;aGk=\x07[@click=app.quit]x[/]"
    async with session(tmp_path, plan("far", "egress", loud, "version=1\r2"), size=(120, 50)) as stage:
        await prompt(stage)
        assert "mixes Cyrillic and Latin letters" in stage.screen
        assert "<U+202E>" in stage.screen and "␛]52;c;aGk=␇" in stage.screen
        assert "[@click=app.quit]x[/]" in stage.screen
        assert "1␍2" in stage.screen


async def test_what_nothing_can_grant_is_explained_and_not_asked(tmp_path: Path) -> None:
    long = "name=" + "n" * 300
    async with session(tmp_path, plan("far", "egress", long)) as stage:
        await stage.until(stage.live.deciding.cases)
        await stage.pilot.press("c")
        await stage.until(lambda: isinstance(stage.app.screen, ConsentScreen) and stage.app.screen.needs.item)
        await stage.pilot.press("enter")
        await stage.until(lambda: isinstance(stage.app.screen, Reader))
        assert "identity_unrepresentable: its name, version or scopes are too long" in stage.screen
        assert "c decides here" not in stage.screen
