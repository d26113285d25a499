"""The question form, driven by keys: what it says before it sends, what it sends, what it keeps."""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
from textual.widgets import Input

from cgp_tui.consent.drafts import Terms
from cgp_tui.present.form import Form
from cgp_tui.protocol.query import ContextQuery
from cgp_tui.store.queries import Queries
from cgp_tui.ui.live.memory import Memory
from cgp_tui.ui.screens.composer import Composer
from cgp_tui.ui.screens.copying import CopyScreen
from cgp_tui.ui.screens.presets import PresetScreen
from tests.ui.sessions import WHY, Stage, plan, session


async def compose(stage: Stage) -> Composer:
    """The form, opened by its key."""
    await stage.until_ready()
    await stage.pilot.press("a")
    await stage.until(lambda: isinstance(stage.app.screen, Composer))
    await stage.pilot.pause()
    screen = stage.app.screen
    assert isinstance(screen, Composer)
    return screen


def field(screen: Composer, name: str) -> Input:
    return screen.query_one(f"#{name}", Input)


async def test_a_typed_query_is_sent_by_enter(tmp_path: Path) -> None:
    async with session(tmp_path, plan("one", "plain")) as stage:
        screen = await compose(stage)
        assert stage.app.focused is field(screen, "goal")
        await stage.pilot.press(*"why")
        assert "Sends 82 bytes to 1 of 1 provider." in stage.screen
        await stage.pilot.press("enter")
        await stage.until(lambda: stage.lines("frames"))
        assert stage.lines("query") == [
            {"type": "query", "query": {"goal": "why", "max_frames": 8, "max_tokens": 2000}, "id": "q1"}
        ]
        gate = stage.notes("gate")[0]
        assert gate["bytes"] == 82, "what was said before is what was sent"
        await stage.until(lambda: stage.app.inspector.traffic.following)
        assert not isinstance(stage.app.screen, Composer)


async def test_every_field_is_sent_as_typed(tmp_path: Path) -> None:
    async with session(tmp_path, plan("one", "plain")) as stage:
        screen = await compose(stage)
        values = Form("why", "retry loop", "doc", "file:///a urn:b", "3", "60", "2026-07-01T00:00:00Z")
        for name in Form.__struct_fields__:
            field(screen, name).value = getattr(values, name)
        await stage.pilot.press("enter")
        await stage.until(lambda: stage.lines("query"))
        assert stage.lines("query")[0]["query"] == {
            "goal": "why",
            "query_text": "retry loop",
            "kinds": ["doc"],
            "anchors": ["file:///a", "urn:b"],
            "max_frames": 3,
            "max_tokens": 60,
            "as_of": "2026-07-01T00:00:00Z",
        }


async def test_what_is_wrong_stands_beside_its_field_and_nothing_is_sent(tmp_path: Path) -> None:
    async with session(tmp_path, plan("one", "plain")) as stage:
        screen = await compose(stage)
        assert "Nothing to send yet. goal: say what the context is for" in stage.screen
        field(screen, "max_frames").value = "many"
        field(screen, "as_of").value = "yesterday"
        await stage.pilot.pause()
        assert "✗ a whole number up to 4294967295" in stage.screen
        assert "✗ UTC, as 2026-07-01T00:00:00Z (F4)" in stage.screen
        await stage.pilot.press("enter")
        await stage.pilot.pause()
        assert "✗ say what the context is for" in stage.screen
        assert "Nothing to send yet: see goal, max frames, as of." in stage.screen, "why, is said beside the fields"
        assert stage.app.screen is screen
        assert stage.app.focused is field(screen, "goal")
        assert stage.lines("query") == []


async def test_who_would_refuse_is_told_before_and_gets_nothing(tmp_path: Path) -> None:
    heard = tmp_path / "heard"
    async with session(tmp_path, plan("near", "plain"), plan("far", "egress", f"log={heard}")) as stage:
        await compose(stage)
        await stage.pilot.press(*"why")
        assert "would be refused: 1 need (c decides): third-party-model" in stage.screen
        assert "Sends 82 bytes to 1 of 2 providers; nothing to far." in stage.screen
        await stage.pilot.press("enter")
        await stage.until(lambda: stage.lines("frames"))
        await stage.until(lambda: len(stage.notes("gate")) == 2)
        assert len(stage.lines("query")) == 1
    assert heard.read_bytes() == b'{"type":"shutdown"}\n'


async def test_a_provider_is_left_out_by_the_space_bar_and_by_a_click(tmp_path: Path) -> None:
    async with session(tmp_path, plan("one", "plain"), plan("two", "plain")) as stage:
        screen = await compose(stage)
        await stage.pilot.press(*"why")
        screen.ticks["one"].focus()
        await stage.pilot.pause()
        await stage.pilot.press("space")
        assert "[ ] one" in stage.screen
        assert "Sends 82 bytes to 1 of 2 providers." in stage.screen
        await stage.pilot.click(screen.ticks["two"])
        await stage.pilot.pause()
        assert "No provider is ticked: nothing would be sent." in stage.screen
        await stage.pilot.press("enter")
        assert stage.app.screen is screen
        await stage.pilot.press("space")
        assert screen.ticks["two"].value
        await stage.pilot.press("enter")
        await stage.until(lambda: stage.lines("frames"))
        assert {record["connection"] for record in stage.records if record.get("note") == "gate"} == {2}


async def test_escape_keeps_the_text(tmp_path: Path) -> None:
    async with session(tmp_path, plan("one", "plain")) as stage:
        screen = await compose(stage)
        await stage.pilot.press(*"half a thought")
        await stage.pilot.press("escape")
        assert stage.app.screen is not screen
        again = await compose(stage)
        assert field(again, "goal").value == "half a thought"
        assert stage.lines("query") == []


async def test_up_and_down_go_through_what_was_asked(tmp_path: Path) -> None:
    asked = [WHY, ContextQuery(goal="how", max_frames=2, max_tokens=50, kinds=("doc",))]
    async with session(tmp_path, plan("one", "plain", questions=asked)) as stage:
        await stage.until(lambda: len(stage.lines("frames")) == 2)
        screen = await compose(stage)
        seen = []
        for key in ("up", "up", "up", "down", "down", "down"):
            await stage.pilot.press(key)
            seen.append((field(screen, "goal").value, field(screen, "max_frames").value, field(screen, "kinds").value))
        how, why, blank = ("how", "2", "doc"), ("why", "8", ""), ("", "8", "")
        assert seen == [how, why, why, how, blank, blank]


async def test_the_form_starts_with_the_selected_query(tmp_path: Path) -> None:
    async with session(tmp_path, plan("one", "plain", questions=[WHY])) as stage:
        await stage.until(lambda: stage.lines("frames"))
        await stage.until(lambda: stage.app.inspector.source.lines >= 4)
        stage.app.inspector.traffic.action_nav_bottom()
        await stage.pilot.pause()
        screen = await compose(stage)
        assert field(screen, "goal").value == "why"


async def test_a_grant_elsewhere_changes_what_is_said(tmp_path: Path) -> None:
    async with session(tmp_path, plan("far", "egress")) as stage:
        await compose(stage)
        await stage.pilot.press(*"why")
        assert "Sends nothing to far: asking puts the refusal on record." in stage.screen
        (case,) = stage.live.deciding.cases()
        await stage.live.deciding.grant(case, stage.live.deciding.drafts(case, [case.open[0].need], "never", Terms()))
        await stage.until(lambda: "granted by #1" in stage.screen)
        assert "Sends 82 bytes to 1 of 1 provider." in stage.screen


def kept(path: Path) -> Memory:
    """What the person asked before, in a file."""
    (path / "state").mkdir(mode=0o700, exist_ok=True)
    return Memory(queries=Queries(path / "state" / "queries.json"))


async def test_history_goes_on_from_the_session_before(tmp_path: Path) -> None:
    kept(tmp_path).queries.asked(WHY)  # type: ignore[union-attr]
    async with session(tmp_path, plan("one", "plain"), memory=kept(tmp_path)) as stage:
        screen = await compose(stage)
        await stage.pilot.press("up")
        assert field(screen, "goal").value == "why"
        field(screen, "goal").value = "how"
        await stage.pilot.press("enter")
        await stage.until(lambda: stage.lines("frames"))
    assert [one.goal for one in kept(tmp_path).queries.history] == ["why", "how"]  # type: ignore[union-attr]


async def test_a_query_is_saved_by_f3_filled_in_by_f2_and_forgotten_by_x(tmp_path: Path) -> None:
    async with session(tmp_path, plan("one", "plain"), memory=kept(tmp_path), size=(80, 24)) as stage:
        screen = await compose(stage)
        await stage.pilot.press("f3")
        assert "say what the context is for" in stage.screen, "nothing is saved that could not be sent"
        for name, text in (("goal", "why"), ("kinds", "doc"), ("max_tokens", "60")):
            field(screen, name).value = text
        await stage.pilot.press("f3", *"mine", "enter")
        await stage.until(lambda: "saved as mine" in stage.screen)
        await stage.pilot.press("f3", "escape")
        await stage.until(lambda: stage.app.screen is screen)
        screen._fill(Form())
        await stage.pilot.press("f2")
        await stage.until(lambda: isinstance(stage.app.screen, PresetScreen))
        await stage.until(lambda: "mine" in stage.screen)
        assert "why  [doc]" in stage.screen and "x Forget" in stage.screen
        await stage.pilot.press("enter")
        await stage.until(lambda: stage.app.screen is screen)
        assert (field(screen, "goal").value, field(screen, "max_tokens").value) == ("why", "60")
        assert list(kept(tmp_path).queries.presets) == ["mine"]  # type: ignore[union-attr]
        await stage.pilot.press("f2")
        await stage.until(lambda: isinstance(stage.app.screen, PresetScreen))
        await stage.pilot.press("x")
        await stage.until(lambda: "No query is saved" in stage.screen)
        await stage.until(lambda: "x Forget" not in stage.screen)
        await stage.pilot.press("enter", "x", "escape")
        await stage.until(lambda: stage.app.screen is screen)
    assert kept(tmp_path).queries.presets == {}  # type: ignore[union-attr]


async def test_one_kind_less_by_f5(tmp_path: Path) -> None:
    async with session(tmp_path, plan("one", "plain")) as stage:
        screen = await compose(stage)
        await stage.pilot.press("f5")
        assert "only one kind" in stage.screen, "the provider declares one"
        field(screen, "kinds").value = "doc, symbol"
        seen = []
        for _ in range(4):
            await stage.pilot.press("f5")
            seen.append(field(screen, "kinds").value)
        assert seen == ["doc", "symbol", "doc symbol", "doc"]
        assert "without symbol" in stage.screen
        field(screen, "kinds").value = "fact"
        await stage.pilot.press("f5")
        assert field(screen, "kinds").value == "fact"
        assert "only one kind" in stage.screen


async def test_where_there_is_no_clipboard_f4_writes_the_command_to_a_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with session(tmp_path, plan("one", "plain", "token=s3cr3t")) as stage:
        screen = await compose(stage)
        field(screen, "goal").value = "why"

        async def told(key: str, folder: Path, words: str) -> None:
            monkeypatch.chdir(folder)
            await stage.pilot.press("f4")
            await stage.until(lambda: isinstance(stage.app.screen, CopyScreen))
            await stage.pilot.press(key)
            await stage.until(lambda: stage.app.screen is screen and words in stage.screen)

        await told("escape", tmp_path, "earlier queries")
        assert not list(tmp_path.glob("cgp-tui-*.txt"))
        await told("Y", tmp_path, "; put what *** hides back in")
        (made,) = tmp_path.glob("cgp-tui-*.txt")
        await told("Y", Path("/proc"), "cannot be written")
        assert "***" not in stage.screen
        command = made.read_text()
        assert shlex.split(command)[:3] == ["cgp-tui", "query", "why"] and "s3cr3t" not in command
        assert stage.app.clipboard == "" and field(screen, "goal").has_focus


async def test_the_command_copied_by_f4_asks_the_same(tmp_path: Path) -> None:
    async with session(tmp_path, plan("one", "plain", "token=s3cr3t"), plan("far", "egress")) as stage:
        screen = await compose(stage)
        for name in Form.__struct_fields__:
            value = Form("it's -why", "$(reboot)", "doc", "file:///a urn:b", "3", "60", "2026-07-01T00:00:00Z")
            field(screen, name).value = getattr(value, name)
        screen.ticks["far"].value = False
        await stage.pilot.press("f4")
        await stage.until(lambda: isinstance(stage.app.screen, CopyScreen))
        assert "cgp-tui query" in stage.screen
        await stage.pilot.press("enter")
        await stage.until(lambda: stage.app.screen is screen)
        copied = stage.app.clipboard
        assert "Copied the command" in stage.screen
        assert "put what *** hides back in" in stage.screen
        await stage.pilot.press("enter")
        await stage.until(lambda: stage.lines("query"))
        asked = stage.lines("query")[0]["query"]
    assert "s3cr3t" not in copied
    assert "\n" not in copied
    words = shlex.split(copied)
    assert words[:2] == ["cgp-tui", "query"]
    record = tmp_path / "again.ndjson"
    at = words.index("--")
    environment = {**os.environ, "CGP_TUI_STATE": str(tmp_path / "s"), "CGP_TUI_LEDGER": str(tmp_path / "l" / "r.toml")}
    ran = subprocess.run(
        [sys.executable, "-m", "cgp_tui", *words[1:at], "--record", str(record), *words[at:]],
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.returncode == 0, ran.stderr
    lines = [json.loads(line).get("line", {}) for line in record.read_text().splitlines()]
    assert [line["query"] for line in lines if line.get("type") == "query"] == [asked]


async def test_help_opens_over_the_form_by_f1(tmp_path: Path) -> None:
    async with session(tmp_path, plan("one", "plain")) as stage:
        screen = await compose(stage)
        await stage.pilot.press("f1")
        assert stage.app.screen is not screen
        await stage.pilot.press("escape")
        assert stage.app.screen is screen


async def test_hostile_text_in_the_form_is_shown_inert(tmp_path: Path) -> None:
    loud = "x\x1b]52;c;aGk=\x07[@click=app.quit]y[/]\u202e"
    async with session(
        tmp_path, plan("one", "plain", questions=[ContextQuery(goal=loud, max_frames=1, max_tokens=1)])
    ) as stage:
        await stage.until(lambda: stage.lines("frames"))
        await compose(stage)
        await stage.pilot.press("up")
        await stage.until(lambda: "[@click=app.quit]y[/]" in stage.screen)
        assert stage.app.is_running


async def test_it_fits_a_small_terminal(tmp_path: Path) -> None:
    async with session(tmp_path, plan("one", "plain"), plan("far", "egress"), size=(80, 24)) as stage:
        await compose(stage)
        await stage.pilot.press(*"why")
        for words in ("goal", "max tokens", "as of", "[x] one", "[x] far", "Sends 82 bytes", "enter Send", "esc Back"):
            assert words in stage.screen
