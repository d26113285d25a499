"""`y` copies what is selected, `Y` saves it; what came of it is told."""

from __future__ import annotations

import base64
import json
import shutil
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio

from cgp_tui.ui.screens.copying import CopyScreen, save
from tests.terminal import Terminal
from tests.ui.pilots import Replay, app_over, opened, screen_text, write_bare, write_recording
from tests.ui.sessions import WHY, plan, session
from tests.ui.test_consent_screen import TWO, granted
from tests.ui.test_consent_screen import opened as consent_opened

SCOPES = ["third-party-index", "third-party-model"]


@pytest_asyncio.fixture
async def replay(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Replay]:
    monkeypatch.chdir(tmp_path)
    async with opened(app_over(write_bare(tmp_path / "session.ndjson"))) as pilot:
        yield Replay(pilot)


async def offered(replay: Replay) -> list[str]:
    seen = await replay.press("y")
    assert replay.shows(CopyScreen)
    assert max(map(len, seen.splitlines())) <= 120
    screen = replay.pilot.app.screen
    assert isinstance(screen, CopyScreen)
    return [row.text.split()[0] for row in screen.view.rows]


async def test_a_line_its_envelope_place_and_command(replay: Replay, tmp_path: Path) -> None:
    raw = (tmp_path / "session.ndjson").read_bytes().splitlines()[2].decode()
    path = tmp_path / "session.ndjson"
    wanted = {0: raw, 2: f"{path}:3", 3: f"cgp-tui replay {path} --at 3"}
    await replay.press("j", "j")
    for place, text in wanted.items():
        assert await offered(replay) == ["line", "envelope", "place", "command", "screen"]
        seen = await replay.press(*["j"] * place, "enter")
        assert replay.pilot.app.clipboard == text
        assert f"Copied the {('line', '', 'place', 'command')[place]}: {len(text.encode())} bytes" in seen
    await offered(replay)
    await replay.press("j", "enter")
    assert json.loads(replay.pilot.app.clipboard) == json.loads(raw)


async def test_in_the_detail_the_value_under_the_cursor_comes_first(replay: Replay) -> None:
    await replay.press("j", "tab")
    view = replay.inspector.detail.view
    assert (await offered(replay))[0] == "value"
    await replay.press("enter")
    assert replay.pilot.app.clipboard == " ".join(view.rows[view.cursor].text.split())


async def test_in_the_json_a_member_comes_with_its_pointer(replay: Replay) -> None:
    await replay.press("j", "j", "j", "tab", "]")
    while replay.inspector.detail.tab != "JSON":
        await replay.press("]")
    view = replay.inspector.detail.view
    for at, row in enumerate(view.rows):
        if row.member is not None and (row.member.path or "").endswith("/0/title"):
            view.move_to(at)
    assert (await offered(replay))[:3] == ["value", "text", "path"]
    said = await replay.press("j", "j", "enter")
    pointer = "/result/frames/0/title"
    assert replay.pilot.app.clipboard == pointer and f"Copied the path: {len(pointer)} bytes" in said
    await offered(replay)
    await replay.press("enter")
    raw = json.loads(replay.inspector.source.transcript.raw(3))
    assert json.loads(replay.pilot.app.clipboard) == raw["result"]["frames"][0]["title"]


async def test_in_the_findings_the_finding_and_its_path_come_first(replay: Replay) -> None:
    await replay.press("2")
    assert (await offered(replay))[:3] == ["value", "path", "line"]


async def test_the_whole_list_of_findings_is_taken_along_folded_or_not(replay: Replay) -> None:
    await replay.press("2")
    names = await offered(replay)
    assert names[-2:] == ["list", "screen"]
    await replay.press("G", "k", "enter")
    lines = replay.pilot.app.clipboard.splitlines()
    findings = replay.inspector.source.analysis.findings
    assert sum(line.startswith("  ") for line in lines) == len(findings) > 4
    for finding in findings:
        assert any(line.startswith(finding.anchor) for line in lines)
        assert any(line.startswith(f"  {finding.level}: {finding.line} ") for line in lines)


async def test_a_pane_and_the_screen_are_taken_along_as_text(replay: Replay, tmp_path: Path) -> None:
    await replay.press("2")
    await replay.press("tab")
    findings = replay.inspector.findings
    assert findings is not None
    names = await offered(replay)
    assert names[-2:] == ["pane", "screen"]
    await replay.press("G", "k", "enter")
    pane = replay.pilot.app.clipboard
    assert pane.splitlines() == [row.text.rstrip() for row in findings.about.rows]
    before = screen_text(replay.pilot)
    await offered(replay)
    await replay.press("G", "Y")
    (made,) = tmp_path.glob("cgp-tui-*.txt")
    kept = made.read_text().rstrip("\n").splitlines()
    assert kept[:3] == before.splitlines()[:3]


async def test_escape_and_q_copy_nothing(replay: Replay) -> None:
    for key in ("escape", "q"):
        await offered(replay)
        await replay.press(key)
        assert not replay.shows(CopyScreen) and replay.pilot.app.clipboard == ""


async def test_a_terminal_without_a_clipboard_gets_a_file(replay: Replay, tmp_path: Path) -> None:
    await offered(replay)
    seen = await replay.press("j", "j", "Y")
    (made,) = tmp_path.glob("cgp-tui-*.txt")
    assert made.read_text() == f"{tmp_path / 'session.ndjson'}:1" and made.name in seen


async def test_the_screen_is_saved_as_a_picture(replay: Replay, tmp_path: Path) -> None:
    seen = await replay.press("Y")
    (made,) = tmp_path.glob("cgp-tui-*.svg")
    assert made.name in seen and "handshake" in made.read_text()


def test_a_second_file_of_the_same_second_gets_a_number(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    said = {save("a", "txt") for _ in range(3)}
    assert len(said) == 3 and len(list(tmp_path.iterdir())) == 3
    monkeypatch.chdir("/proc")
    assert "cannot be written" in save("a", "txt")


async def test_where_the_current_folder_was_removed_the_path_stays_as_it_was_given(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    gone = tmp_path / "gone"
    gone.mkdir()
    monkeypatch.chdir(gone)
    write_bare(gone / "s.ndjson")
    async with opened(app_over(Path("s.ndjson"))) as pilot:
        replay = Replay(pilot)
        shutil.rmtree(gone)
        assert await offered(replay) == ["line", "envelope", "place", "command", "screen"]
        await replay.press("j", "j", "enter")
        assert pilot.app.clipboard == "s.ndjson:1"
        assert "cannot be written: No such file or directory" in save("a", "txt")


async def test_a_note_is_copied_as_it_was_recorded(tmp_path: Path) -> None:
    path = write_recording(tmp_path / "s.ndjson")
    async with opened(app_over(path)) as pilot:
        replay = Replay(pilot)
        await replay.press("g")
        assert await offered(replay) == ["record", "screen"]
        await replay.press("enter")
        assert replay.pilot.app.clipboard == path.read_bytes().splitlines()[1].decode()
        assert "Copied the record" in screen_text(pilot)


def test_the_terminal_is_told_by_its_own_sequence_alone(tmp_path: Path, cgp: list[str]) -> None:
    hostile = {"type": "error", "message": "\x1b]52;c;ZXZpbA==\x07", "id": "q1"}
    path = tmp_path / "s.ndjson"
    path.write_bytes(json.dumps(hostile).encode().replace(b"\\u001b", b"\\u001b") + b"\n")
    with Terminal([*cgp, "replay", str(path)]) as terminal:
        terminal.wait("REPLAY")
        terminal.send("y")
        terminal.wait("clipboard")
        terminal.send("\r")
        terminal.wait("Copied the line")
        sent = terminal.raw.split(b"\x1b]52;c;")[1:]
        assert len(sent) == 1
        assert base64.b64decode(sent[0].split(b"\x07")[0]) == path.read_bytes().rstrip(b"\n")
        terminal.send("q")
        assert terminal.ended() == 0


async def test_on_the_consent_screen_an_entry_its_record_and_the_command_that_decides(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    async with session(tmp_path, plan("far", "egress", TWO)) as stage:
        await granted(stage, 0)
        await consent_opened(stage)

        async def taken(wanted: str) -> str:
            await stage.pilot.press("y")
            await stage.until(lambda: isinstance(stage.app.screen, CopyScreen) and stage.app.screen.view.rows)
            screen = stage.app.screen
            assert isinstance(screen, CopyScreen)
            names = [row.text.split()[0] for row in screen.view.rows]
            screen.view.move_to(names.index(wanted))
            await stage.pilot.press("enter")
            await stage.until(lambda: f"Copied the {wanted}" in stage.screen)
            return stage.app.clipboard

        assert (await taken("value")).split()[:3] == ["third-party-model", "not", "decided"]
        assert (await taken("decide")).startswith("cgp-tui consent grant --scope third-party-model --id far ")
        await stage.pilot.press("k")
        (record,) = stage.ledger.open().receipts
        assert await taken("receipt") == record.receipt_id
        assert await taken("command") == "cgp-tui consent show 1"
        assert json.loads(await taken("record"))["scope"] == "third-party-index"
        assert [line.split()[0] for line in (await taken("list")).splitlines()] == ["far", *SCOPES]
        assert "ledger #1 ok" in await taken("screen")
        await stage.pilot.press("tab")
        await stage.until(lambda: stage.app.screen.focused is not None and stage.app.screen.focused.id == "history")
        assert "granted" in await taken("value")
        await stage.pilot.press("Y")
        await stage.until(lambda: "bytes in cgp-tui-" in stage.screen)
        (picture,) = tmp_path.glob("cgp-tui-*.svg")
        assert b"third-party-index" in picture.read_bytes()


async def test_a_use_leads_to_the_recording_that_has_it(tmp_path: Path) -> None:
    async with session(tmp_path, plan("far", "egress", TWO, questions=[WHY])) as stage:
        await consent_opened(stage)
        await stage.pilot.press("tab")
        await stage.until(lambda: "refused   query" in stage.screen)
        await stage.pilot.press("y")
        await stage.until(lambda: isinstance(stage.app.screen, CopyScreen))
        assert str(stage.path)[:40] in next(line for line in stage.screen.splitlines() if " place " in line)
