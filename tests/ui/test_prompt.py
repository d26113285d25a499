"""The consent prompt: nobody says yes by accident, and what is shown is what is written."""

from __future__ import annotations

import re
from pathlib import Path
from time import monotonic

import pytest
from textual import events
from textual.widget import Widget
from textual.widgets import Button, Input

from cgp_tui.consent import drafts
from cgp_tui.consent.interchange import Offer
from cgp_tui.consent.offers import Offers
from cgp_tui.consent.promise import PROMISE
from cgp_tui.present.marked import marked
from cgp_tui.target import stdio_target
from cgp_tui.ui.live.memory import Memory
from cgp_tui.ui.live.peer import Plan
from cgp_tui.ui.screens import prompt as prompts
from cgp_tui.ui.screens.consent import ConsentScreen
from cgp_tui.ui.screens.prompt import Prompt
from cgp_tui.ui.screens.reader import Reader
from cgp_tui.ui.widgets.bars import KeyLine
from cgp_tui.ui.widgets.fitted import Fitted
from tests.ui.sessions import WHY, Stage, armed_at, plan, session

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
        await stage.until(lambda: monotonic() > armed_at(stage))
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
        assert grant(screen).disabled and "To grant: read" in stage.screen
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


async def test_keys_made_before_the_prompt_was_seen_are_dropped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert prompts.GUARD_SECONDS == 0.5
    # As long as a busy machine may take for the keys below.
    monkeypatch.setattr(prompts, "GUARD_SECONDS", 3600.0)
    async with session(tmp_path, plan("far", "egress")) as stage:
        screen = await prompt(stage, armed=False)
        await stage.pilot.press("enter", "escape", "tab", "x")
        assert stage.app.screen is screen
        assert stage.app.focused is screen.query_one("#deny")
        # A key that waited in a queue counts by the time it was pressed, not by the time it is looked at.
        early = events.Key("enter", "\r")
        await stage.pilot.pause(0.01)
        screen.armed_at = monotonic()
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
        assert grant(screen).disabled and "choose an end" in stage.screen
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


async def test_what_a_new_size_hides_is_unread_even_before_the_text_follows_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with session(tmp_path, plan("far", "egress", TWO), size=(120, 45)) as stage:
        screen = await prompt(stage)
        assert not grant(screen).disabled, "all of it is in view"
        # The clock ticks between the new size and the text that is folded to it.
        ticked: list[int] = []

        def ticks(text: prompts._Text) -> None:
            ticked.append(text.unread)
            screen._say_missing()

        monkeypatch.setattr(prompts._Text, "on_resize", ticks)
        await stage.pilot.resize_terminal(60, 45)
        await stage.until(lambda: screen.text.unread > 0)
        assert ticked[0] == 0
        await stage.until(lambda: grant(screen).disabled)


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
        assert tuple(row.text for row in reader.view.rows if row.text) == tuple(
            "".join(one.text for one in marked(part)) for part in PROMISE
        )
        await stage.pilot.press("escape")
        assert stage.app.screen is screen


async def test_what_the_keys_do_is_said_and_a_click_on_it_does_the_same(tmp_path: Path) -> None:
    async with session(tmp_path, plan("far", "egress", TWO), size=(80, 24)) as stage:
        screen = await prompt(stage)
        keys = screen.query_one(KeyLine)
        words = "pgdn Read on  w What it means  space Tick  tab Next  esc Not now"
        await stage.until(lambda: words in stage.screen)
        line = "".join(part.text for part in keys.line(keys.size.width))
        await stage.pilot.click(keys, offset=(line.index("Next"), 0))
        await stage.until(lambda: not screen.query_one("#deny").has_focus)
        await stage.pilot.press("shift+tab")
        await stage.until(lambda: screen.query_one("#deny").has_focus)
        await read_on(stage, screen)
        await stage.until(lambda: "Read on" not in stage.screen)
        lines = stage.screen.splitlines()
        below = ("✓ Read", "[x]", "Version", "Until", "Deny", "w What")
        columns = [next(line.index(words) for line in lines if words in line) for words in below]
        assert len(set(columns)) == 1, columns
        await stage.pilot.press("escape")
        assert kinds(stage) == []


@pytest.mark.parametrize("columns", [40, 56])
async def test_on_a_narrow_terminal_what_is_missing_and_the_day_of_the_end_are_told(tmp_path: Path, columns: int) -> None:
    async with session(tmp_path, plan("far", "egress", TWO), size=(columns, 24)) as stage:
        await prompt(stage)
        assert re.search(r"To grant: read \d+ more lines \(pgdn\)", stage.screen)
        assert re.search(r"Until +30d +20\d\d-\d\d-\d\d", stage.screen)


async def test_reading_on_and_back_by_keys(tmp_path: Path) -> None:
    async with session(tmp_path, plan("far", "egress", TWO), size=(80, 24)) as stage:
        screen = await prompt(stage)
        places = []
        for key in ("pagedown", "pageup", "down", "up", "j", "k", "ctrl+f", "ctrl+b"):
            await stage.pilot.press(key)
            places.append(screen.text.scroll_offset.y > 0)
        assert places == [True, False] * 4


async def test_a_page_on_shows_the_rest_where_one_page_holds_it_and_skips_no_line(tmp_path: Path) -> None:
    async with session(tmp_path, plan("far", "egress", TWO), size=(80, 24)) as stage:
        screen = await prompt(stage)
        exactly = 0
        for rows in range(20, 28):
            await stage.pilot.resize_terminal(80, rows)
            await stage.pilot.pause()
            screen.text.scroll_home(animate=False, immediate=True)
            unread, height = screen.text.unread, screen.text.scrollable_content_region.height
            exactly += unread == height
            await stage.pilot.press("pagedown")
            assert screen.text.scroll_offset.y <= height
            assert (screen.text.unread == 0) == (unread <= height)
        assert exactly, "among these heights is one at which the rest just fits"


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


def record(stage: Stage) -> tuple[str, str, str]:
    written = stage.ledger.open().receipts[-1]
    return written.uses, written.code_policy, written.version_policy


async def test_what_is_chosen_is_shown_and_written(tmp_path: Path) -> None:
    async with session(tmp_path, plan("far", "egress", "version=2.4.1"), size=(120, 50)) as stage:
        screen = await prompt(stage)
        assert "(o) exactly 2.4.1  ( ) 2.4 and later 2.x  ( ) any" in stage.screen
        assert "exactly this version" in stage.screen and "one query or verify until" not in stage.screen
        await to(stage, "choice-version")
        await stage.pilot.press("right")
        assert (screen.terms.version, screen.terms.code) == ("minor", "path"), "another version has other files"
        assert "(o) whatever is at these paths" in stage.screen
        assert "this version and later ones of the same major" in stage.screen
        await stage.pilot.press("tab", "left")
        assert (screen.terms.version, screen.terms.code) == ("exact", "exact"), "these files are this version"
        await stage.pilot.press("space", "tab", "space")
        assert "one query or verify until" in stage.screen
        assert [(one.uses, one.code_policy, one.version_policy) for one in screen.drafts] == [("once", "path", "exact")]
        await read_on(stage, screen)
        await to(stage, "grant")
        await stage.pilot.press("enter")
        await stage.until(lambda: kinds(stage))
        assert record(stage) == ("once", "path", "exact")


async def test_a_choice_without_room_leaves_a_mark(tmp_path: Path) -> None:
    async with session(tmp_path, plan("far", "egress"), size=(60, 20)) as stage:
        await prompt(stage)
        for columns in range(50, 76):
            await stage.pilot.resize_terminal(columns, 20)
            await stage.pilot.pause()
            line = next(line for line in stage.screen.splitlines() if "Version (o)" in line)
            assert "( ) any" in line or "…" in line, line


async def test_the_mouse_chooses_nothing(tmp_path: Path) -> None:
    async with session(tmp_path, plan("far", "egress"), size=(120, 50)) as stage:
        screen = await prompt(stage)
        await stage.pilot.click("#choice-uses", offset=(40, 0), times=2)
        await stage.pilot.pause()
        assert screen.terms.uses == "unlimited"
        assert stage.app.focused is screen.query_one("#choice-uses")


def swapped(folder: Path, line: str) -> list[str]:
    """A provider of the person's own whose file can be changed."""
    script = folder / "own.py"
    body = (plan("x", "egress").target.argv[3], line)
    script.write_text(f"import runpy, sys\n# {body[1]}\nrunpy.run_path({body[0]!r}, run_name='__main__')\n")
    return ["-I", "-S", str(script), "egress"]


async def test_a_swapped_script_is_told_with_old_and_new(tmp_path: Path) -> None:
    python = plan("far", "egress").target.argv[0]
    first = stdio_target([python, *swapped(tmp_path, "as it was")])
    async with session(tmp_path, Plan(first, "far")) as stage:
        await stage.until(stage.live.deciding.cases)
        (case,) = stage.live.deciding.cases()
        made = stage.live.deciding.drafts(case, [case.open[0].need], "never", drafts.Terms())
        assert (await stage.live.deciding.grant(case, made)).good
    (tmp_path / "state" / "session.ndjson").unlink()
    second = stdio_target([python, *swapped(tmp_path, "swapped")])
    async with session(tmp_path, Plan(second, "far"), size=(120, 50)) as stage:
        await prompt(stage)
        assert f"#1 is for another code: {first.code[:12]}, this is {second.code[:12]}" in stage.screen
        assert f" {first.code[:12]} → {second.code[:12]}" in stage.screen


async def test_what_is_no_longer_declared_is_set_aside_by_who_saw_both(tmp_path: Path) -> None:
    async with session(tmp_path, plan("far", "egress", TWO), size=(120, 50)) as stage:
        await stage.until(stage.live.deciding.cases)
        (case,) = stage.live.deciding.cases()
        await stage.live.deciding.deny(case, [one.need for one in case.needs])
    (tmp_path / "state" / "session.ndjson").unlink()
    index = "scopes=third-party-index"
    async with session(tmp_path, plan("far", "egress", index), size=(120, 50)) as stage:
        await stage.until(stage.live.deciding.cases)
        (case,) = stage.live.deciding.cases()
        assert [(one.need.scope, one.declared) for one in case.needs] == [
            ("third-party-index", True),
            ("third-party-model", False),
        ]
        screen = await prompt(stage)
        assert "third-party-model  another company's model reads it  on record, not declared any more" in stage.screen
        assert "not declared any more: tick to set it aside" in stage.screen
        screen.ticks[1].focus()
        await stage.pilot.pause()
        await stage.pilot.press("space")
        assert "narrow third-party-model: what was said of it here counts no longer" in stage.screen
        await read_on(stage, screen)
        await to(stage, "grant")
        await stage.pilot.press("enter")
        await stage.until(lambda: len(kinds(stage)) == 4)
        assert kinds(stage)[2:] == [("grant", "third-party-index"), ("narrow", "third-party-model")]
        written = stage.ledger.open().receipts[-1]
        assert (written.target, written.provider_id, written.grantor.kind) == (case.binding.target.digest, "far", "human")
        await stage.until(lambda: stage.live.state().consent is None)


async def test_an_import_fills_the_prompt_in_and_grants_nothing(tmp_path: Path) -> None:
    offers = Offers(tmp_path / "offers")
    far = [
        Offer("far", ("third-party-model",), False, "2031-05-01T00:00:00Z"),
        Offer("far", ("third-party-index",), False, "never"),
    ]
    offers.keep(far, "store.json", 0)
    memory = Memory(offers=offers)
    async with session(tmp_path, plan("far", "egress", TWO), size=(120, 50), memory=memory) as stage:
        await stage.until(lambda: stage.live.deciding.cases() and stage.live.deciding.cases()[0].offered)
        assert kinds(stage) == []
        await stage.pilot.press("c")
        await stage.until(lambda: isinstance(stage.app.screen, ConsentScreen) and stage.app.screen.needs.item)
        await stage.pilot.press("g", "enter")
        await stage.until(lambda: isinstance(stage.app.screen, Prompt))
        screen = stage.app.screen
        assert isinstance(screen, Prompt)
        assert [tick.value for tick in screen.ticks] == [True, True]
        assert screen.until.value == "2031-05-01T00:00:00Z", "no end is only ever typed"
        assert "third-party-model until 2031-05-01T00:00:00Z, as store.json" in stage.screen
        assert "nothing of it is granted" in stage.screen
        await stage.until(lambda: monotonic() > armed_at(stage))
        await stage.pilot.press("escape")
        assert kinds(stage) == []


@pytest.mark.parametrize("size", [(20, 5), (40, 12), (80, 16)], ids=lambda size: f"{size[0]}x{size[1]}")
async def test_the_answer_that_has_the_focus_is_in_view_at_every_size_beside_the_text(
    tmp_path: Path, size: tuple[int, int]
) -> None:
    async with session(tmp_path, plan("far", "egress", TWO), size=(80, 24)) as stage:
        screen = await prompt(stage)
        await stage.pilot.resize_terminal(*size)

        def stands(widget: Widget | None) -> bool:
            seen = None if widget is None else screen.find_widget(widget)
            return seen is not None and seen.visible_region.size == seen.region.size

        await stage.until(lambda: stands(stage.app.focused))
        assert stage.app.focused is screen.query_one("#deny")
        assert screen.text.size.height >= 2
        await stage.until(lambda: stands(screen.query_one(KeyLine)))
        assert "pgdn Read on" in stage.screen
        for _ in range(len(list(screen.query("Button, Tick, OneOf, Input"))) + 1):
            await stage.pilot.press("tab")
            await stage.until(lambda: stands(stage.app.focused))
        before = screen.text.unread
        await stage.pilot.press("pagedown")
        await stage.until(lambda: screen.text.unread < before)


async def test_it_is_as_tall_as_its_text_and_no_taller_than_the_screen(tmp_path: Path) -> None:
    async with session(tmp_path, plan("far", "egress", TWO), size=(120, 60)) as stage:
        screen = await prompt(stage)
        frame = screen.query_one(Fitted)
        await stage.until(lambda: screen.text.size.height == screen.text.virtual_size.height)
        assert frame.region.height < 40 and "pgdn" not in stage.screen
        await stage.pilot.resize_terminal(80, 24)
        await stage.until(lambda: frame.region.height == 23 and screen.text.unread)
        await stage.pilot.resize_terminal(120, 60)
        await stage.until(lambda: screen.text.size.height == screen.text.virtual_size.height)
