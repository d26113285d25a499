"""The consent screen: what stands for each need, every receipt, and the keys that grant, deny and revoke."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from time import monotonic

import pytest

from cgp_tui.consent import drafts
from cgp_tui.consent.drafts import Terms
from cgp_tui.consent.ledger import Ledger
from cgp_tui.store.seen import Sightings
from cgp_tui.ui.live.memory import Memory
from cgp_tui.ui.screens.confirm import ConfirmScreen
from cgp_tui.ui.screens.consent import ConsentScreen
from cgp_tui.ui.screens.prompt import Prompt
from cgp_tui.ui.screens.reader import Reader
from cgp_tui.ui.screens.why import Why
from tests.ui.sessions import WHY, Stage, armed_at, plan, session

TWO = "scopes=third-party-index,third-party-model"
UNTIL = "2031-01-01T00:00:00Z"


async def opened(stage: Stage) -> ConsentScreen:
    await stage.until_ready()
    await stage.until(stage.live.deciding.cases)
    await stage.pilot.press("c")
    await stage.until(lambda: isinstance(stage.app.screen, ConsentScreen) and stage.app.screen.needs.item)
    screen = stage.app.screen
    assert isinstance(screen, ConsentScreen)
    return screen


async def granted(stage: Stage, *places: int) -> None:
    """Put grants on record, as the prompt would."""
    await stage.until(stage.live.deciding.cases)
    (case,) = stage.live.deciding.cases()
    needs = [case.needs[place].need for place in places]
    assert (await stage.live.deciding.grant(case, stage.live.deciding.drafts(case, needs, UNTIL, Terms()))).good


def row(stage: Stage, word: str) -> str:
    """The first line of the screen that holds a word."""
    return next((line for line in stage.screen.splitlines() if word in line), "")


async def test_needs_stand_with_their_decisions(tmp_path: Path) -> None:
    async with session(tmp_path, plan("far", "egress", TWO)) as stage:
        await granted(stage, 0)
        screen = await opened(stage)
        assert "far" in row(stage, "1 of 2 not granted")
        assert row(stage, "third-party-index").split() == ["third-party-index", "granted", UNTIL, "#1", "never"]
        assert "not decided" in row(stage, "third-party-model")
        assert screen.needs.item is not None and screen.needs.item.need is not None
        assert screen.needs.item.need.scope == "third-party-model", "it stands on what is open"
        assert "granted   third-party-index" in stage.screen
        head = stage.ledger.open().head
        assert head is not None and "shuts the gate" not in stage.screen
        assert f"ledger #1 ok, ledger head {head.hash[:8]}…{head.hash[-4:]}" in stage.screen
        assert "last 7 days: 0 sends, 0 bytes; 0 refused" in row(stage, "Timeline: far")


async def test_a_local_provider_needs_nothing(tmp_path: Path) -> None:
    async with session(tmp_path, plan("near", "plain")) as stage:
        await opened(stage)
        assert "says nothing leaves this machine" in row(stage, "near")
        assert "No receipt yet" in stage.screen
        for key, said in (("d", "nothing to deny"), ("x", "nothing to revoke")):
            await stage.pilot.press(key)
            await stage.pilot.pause()
            assert said in stage.screen
        await stage.pilot.press("enter")
        assert isinstance(stage.app.screen, ConsentScreen)


async def test_enter_decides_and_reads(tmp_path: Path) -> None:
    async with session(tmp_path, plan("far", "egress", TWO)) as stage:
        await granted(stage, 0)
        screen = await opened(stage)
        await stage.pilot.press("enter")
        await stage.until(lambda: isinstance(stage.app.screen, Prompt))
        await stage.until(lambda: monotonic() > armed_at(stage))
        await stage.pilot.press("escape")
        await stage.pilot.press("k", "enter")
        await stage.until(lambda: isinstance(stage.app.screen, Reader))
        assert "Receipt #1" in stage.screen and "holds for   unlimited, version exact, code exact" in stage.screen
        await stage.pilot.press("escape", "tab", "enter")
        await stage.until(lambda: isinstance(stage.app.screen, Reader))
        await stage.pilot.press("q")
        assert stage.app.screen is screen
        assert stage.app.focused is screen.history
        await stage.pilot.press("tab")
        assert stage.app.focused is screen.needs


async def test_d_denies_one_need_and_on_the_provider_all_open_ones(tmp_path: Path) -> None:
    async with session(tmp_path, plan("far", "egress", TWO)) as stage:
        await opened(stage)
        await stage.pilot.press("d")
        await stage.until(lambda: "Denied. Confirmed: no more leaves." in stage.screen)
        assert "denied" in row(stage, "third-party-index") and "not decided" in row(stage, "third-party-model")
        await stage.pilot.press("g", "d")
        await stage.until(lambda: len(stage.ledger.open().receipts) == 3)
        assert [receipt.kind for receipt in stage.ledger.open().receipts] == ["deny"] * 3


async def test_x_asks_once_and_revokes(tmp_path: Path) -> None:
    async with session(tmp_path, plan("far", "egress", TWO)) as stage:
        await granted(stage, 0, 1)
        screen = await opened(stage)
        await stage.pilot.press("x")
        await stage.until(lambda: isinstance(stage.app.screen, ConfirmScreen))
        assert "third-party-index  from far" in stage.screen
        await stage.pilot.press("escape")
        assert [receipt.kind for receipt in stage.ledger.open().receipts] == ["grant", "grant"]
        await stage.pilot.press("x")
        await stage.until(lambda: isinstance(stage.app.screen, ConfirmScreen))
        focused = stage.app.focused
        assert focused is not None and focused.id == "yes"
        await stage.pilot.press("enter")
        await stage.until(lambda: "Revoked. Confirmed: no more leaves." in stage.screen)
        assert stage.app.screen is screen
        assert "revoked" in row(stage, "third-party-index") and "granted" in row(stage, "third-party-model")
        last = stage.ledger.open().receipts[-1]
        assert (last.kind, last.scope, last.target) == ("revoke", "third-party-index", "")
        assert last.acts_on == stage.ledger.open().receipts[0].receipt_id


async def test_x_on_a_provider_revokes_all_it_has(tmp_path: Path) -> None:
    async with session(tmp_path, plan("far", "egress", TWO)) as stage:
        await granted(stage, 0, 1)
        await opened(stage)
        await stage.pilot.press("g", "x")
        await stage.until(lambda: isinstance(stage.app.screen, ConfirmScreen))
        await stage.pilot.press("enter")
        await stage.until(lambda: len(stage.ledger.open().receipts) == 4)
        assert [receipt.kind for receipt in stage.ledger.open().receipts[2:]] == ["revoke", "revoke"]
        assert "far gets nothing: you said no" in stage.told


async def test_what_is_on_record_for_others_can_be_revoked_not_granted(tmp_path: Path) -> None:
    async with session(tmp_path, plan("far", "egress")) as stage:
        await granted(stage, 0)
    (tmp_path / "state" / "session.ndjson").unlink()
    async with session(tmp_path, plan("near", "plain")) as stage:
        await opened(stage)
        await stage.until(lambda: "not connected here" in stage.screen)
        await stage.pilot.press("G", "d")
        await stage.pilot.pause()
        assert "It is not connected" in stage.screen
        await stage.pilot.press("x")
        await stage.until(lambda: isinstance(stage.app.screen, ConfirmScreen))
        await stage.pilot.press("enter")
        await stage.until(lambda: "revoked" in row(stage, "third-party-model"))


async def test_what_another_process_writes_appears(tmp_path: Path) -> None:
    async with session(tmp_path, plan("far", "egress")) as stage:
        await granted(stage, 0)
        await opened(stage)
        other = Ledger(stage.ledger.path, tmp_path / "ledger" / "head")
        other.revoke(drafts.revoke_drafts(other.open().receipts, "far", (), drafts.human()))
        await stage.until(lambda: "revoked" in row(stage, "third-party-model"))
        assert "revoked   (everything)" in stage.screen


async def test_a_ledger_that_does_not_answer_says_what_leads_out(tmp_path: Path) -> None:
    async with session(tmp_path, plan("far", "egress")) as stage:
        await granted(stage, 0)
        stage.ledger.path.write_bytes(stage.ledger.path.read_bytes().replace(b"2031", b"2039"))
        await stage.until_told("ledger tampered")
        await opened(stage)
        assert "The ledger shuts the gate: a record is not what was written." in stage.screen
        assert "No receipt can be read until the ledger answers." in stage.screen
        assert stage.screen.count("cgp-tui consent recover") == 1
        assert "nothing that needs consent has left" not in stage.screen, "nobody knows what has"
        await stage.pilot.press("enter")
        await stage.until(lambda: isinstance(stage.app.screen, Reader))
        assert "✗ tampered: the ledger gives no answer" in stage.screen
        assert "next  cgp-tui consent recover" in stage.screen


@pytest.mark.parametrize("columns", [80, 120])
async def test_the_way_out_of_a_shut_ledger_is_never_cut(tmp_path: Path, columns: int) -> None:
    deep = tmp_path / ("folder-" * 9)
    deep.mkdir()
    async with session(deep, plan("far", "egress"), size=(columns, 24)) as stage:
        await granted(stage, 0)
        stage.ledger.path.write_bytes(stage.ledger.path.read_bytes().replace(b"2031", b"2039"))
        await stage.until_told("ledger tampered")
        await opened(stage)
        fix = stage.live.deciding.ledger().fix
        assert len(fix) > columns
        drawn = "".join(line.strip() for line in stage.screen.splitlines())
        assert fix.replace(" ", "") in drawn.replace(" ", "")


async def test_w_tells_what_consent_promises_and_esc_leads_back(tmp_path: Path) -> None:
    async with session(tmp_path, plan("far", "egress")) as stage:
        screen = await opened(stage)
        await stage.pilot.press("w")
        await stage.until(lambda: isinstance(stage.app.screen, Reader))
        await stage.pilot.press("escape", "escape")
        assert stage.app.screen is not screen
        assert stage.app.screen is stage.app.inspector


async def test_q_leads_back_too_and_stops_nothing(tmp_path: Path) -> None:
    async with session(tmp_path, plan("far", "egress")) as stage:
        await opened(stage)
        await stage.pilot.press("q")
        assert stage.app.screen is stage.app.inspector
        assert stage.live.state().running


async def test_at_forty_columns_what_goes_on_is_indented_and_the_foot_is_whole(tmp_path: Path) -> None:
    async with session(tmp_path, plan("far", "egress", TWO), size=(40, 24)) as stage:
        await opened(stage)
        lines = stage.screen.splitlines()
        at = next(place for place, line in enumerate(lines) if line.startswith(" far  "))
        assert lines[at].endswith("! 2 of 2 not granted: no query is") and lines[at + 1] == "     sent"
        assert " ".join(" ".join(lines[-4:-1]).split()).endswith("Nothing is granted without its prompt.")
        await stage.pilot.press("d")
        await stage.until(lambda: "Denied." in stage.screen)
        assert stage.screen.splitlines()[-1].startswith(" enter Open")


@pytest.mark.parametrize("size", [(20, 5), (40, 12), (80, 15)], ids=lambda size: f"{size[0]}x{size[1]}")
async def test_a_shut_ledger_leaves_room_for_the_needs_and_the_keys(tmp_path: Path, size: tuple[int, int]) -> None:
    async with session(tmp_path, plan("far", "egress", TWO), size=(80, 24)) as stage:
        await granted(stage, 0)
        stage.ledger.path.write_bytes(stage.ledger.path.read_bytes().replace(b"2031", b"2039"))
        await stage.until_told("ledger tampered")
        screen = await opened(stage)
        await stage.pilot.resize_terminal(*size)
        await stage.until(lambda: screen.needs.size.height and "Help" in stage.screen.splitlines()[-1])
        await stage.until(lambda: any(line.startswith(">") for line in stage.screen.splitlines()))
        assert "✗ The ledger" in stage.screen and "…" in stage.screen, "what has no room leaves a mark"
        assert not screen.history.display
        await stage.pilot.press("tab")
        await stage.until(lambda: screen.history.has_focus and ">No receipt" in stage.screen)
        assert not screen.needs.display
        await stage.pilot.press("shift+tab")
        await stage.until(lambda: screen.needs.has_focus and screen.needs.display)
        await stage.pilot.press("tab")
        await stage.pilot.resize_terminal(80, 24)
        await stage.until(lambda: screen.needs.display and screen.history.display)
        assert screen.history.has_focus


async def test_it_fits_a_small_terminal(tmp_path: Path) -> None:
    async with session(tmp_path, plan("far", "egress", TWO), size=(80, 24)) as stage:
        await granted(stage, 0)
        await opened(stage)
        assert "a test's" not in stage.screen
        assert row(stage, "third-party-index").split() == ["third-party-index", "granted", UNTIL, "#1"]
        for words in ("Timeline: far", "enter Open", "d Deny", "x Revoke", "w Why", "X Revoke all"):
            assert words in stage.screen


async def test_uses_stand_in_the_timeline_and_open_as_they_left(tmp_path: Path) -> None:
    async with session(tmp_path, plan("far", "egress")) as stage:
        await stage.until_ready()
        stage.live.send(WHY, ["far"])
        await stage.until(lambda: stage.notes("gate"))
        await granted(stage, 0)
        stage.live.send(WHY, ["far"])
        await stage.until(lambda: stage.lines("frames"))
        screen = await opened(stage)
        await stage.until(lambda: "sent      query  82 bytes  under #1" in stage.screen)
        assert "refused   query  1 need: no_receipt" in stage.screen
        assert "last 7 days: 1 send, 82 bytes; 1 refused" in row(stage, "Timeline: far")
        assert ", 1 send" in row(stage, "third-party-model"), "when it was used last"
        await stage.pilot.press("tab", "g", "enter")
        await stage.until(lambda: "query to far: line" in stage.screen and '"goal"' in stage.screen)
        await stage.pilot.press("escape")
        await stage.pilot.press(*["j"] * refusal_at(screen), "enter")
        await stage.until(lambda: isinstance(stage.app.screen, Why))
        assert "Why: query to far refused" in stage.screen and "82 bytes, none left" in stage.screen
        assert "next  Nothing: it may receive queries now." in stage.screen
        assert "c Decide" not in stage.screen
        await stage.pilot.press("c")
        assert isinstance(stage.app.screen, Why), "there is nothing to decide"
        await stage.pilot.press("escape", "w")
        await stage.until(lambda: isinstance(stage.app.screen, Why))
        await stage.pilot.press("escape")
        top: object = stage.app.screen
        assert top is screen


def refusal_at(screen: ConsentScreen) -> int:
    items = screen.history._items
    return next(place for place, item in enumerate(items) if item.used is not None and not item.used.allowed)


async def test_the_timeline_is_of_whom_the_cursor_is_on(tmp_path: Path) -> None:
    async with session(tmp_path, plan("far", "egress"), plan("near", "plain")) as stage:
        await stage.until_ready()
        stage.live.send(WHY, ["near"])
        await stage.until(lambda: stage.lines("frames"))
        await granted_to(stage, "far")
        screen = await opened(stage)
        await stage.until(lambda: "Timeline: far" in stage.screen)
        assert "granted   third-party-model" in stage.screen and "no consent needed" not in stage.screen
        await stage.pilot.press("G")
        await stage.until(lambda: "Timeline: near" in stage.screen)
        await stage.until(lambda: "no consent needed" in stage.screen)
        assert screen.needs.item is not None and screen.needs.item.provider_id == "near"
        assert "granted   third-party-model" not in stage.screen


async def granted_to(stage: Stage, provider_id: str) -> None:
    await stage.until(lambda: any(one.binding.provider_id == provider_id for one in stage.live.deciding.cases()))
    case = next(one for one in stage.live.deciding.cases() if one.binding.provider_id == provider_id)
    made = stage.live.deciding.drafts(case, [one.need for one in case.open], UNTIL, Terms())
    assert (await stage.live.deciding.grant(case, made)).good


async def test_w_says_why_and_leads_to_the_prompt_or_copies_the_command(tmp_path: Path) -> None:
    async with session(tmp_path, plan("far", "egress", TWO)) as stage:
        screen = await opened(stage)
        await stage.pilot.press("w")
        await stage.until(lambda: isinstance(stage.app.screen, Why))
        assert "C6: every scope a provider declares" in stage.screen
        assert "third-party-index ✗ no_receipt" in stage.screen
        assert "or    cgp-tui consent grant --scope third-party-index" in stage.screen
        await stage.pilot.press("y")
        assert stage.app.clipboard.startswith("cgp-tui consent grant --scope third-party-index --scope third-party-model")
        await stage.pilot.press("c")
        await stage.until(lambda: isinstance(stage.app.screen, Prompt))
        await stage.until(lambda: monotonic() > armed_at(stage))
        await stage.pilot.press("escape")
        assert stage.app.screen is screen


async def test_w_where_nothing_is_refused_says_what_consent_promises(tmp_path: Path) -> None:
    async with session(tmp_path, plan("near", "plain")) as stage:
        await opened(stage)
        await stage.pilot.press("w")
        await stage.until(lambda: isinstance(stage.app.screen, Reader))
        assert "Before each query or verify that needs consent" in stage.screen


async def test_what_was_seen_to_change_is_not_in_force_and_says_why(tmp_path: Path) -> None:
    memory = Memory(seen=Sightings(tmp_path / "seen"))
    async with session(tmp_path, plan("far", "egress"), memory=memory) as stage:
        await granted(stage, 0)
    (tmp_path / "state" / "session.ndjson").unlink()
    async with session(tmp_path, plan("far", "egress", "version=2.0.0"), memory=memory) as stage:
        await stage.until_ready()
    (tmp_path / "state" / "session.ndjson").unlink()
    async with session(tmp_path, plan("near", "plain"), memory=memory) as stage:
        await opened(stage)
        await stage.until(lambda: "not connected here, last seen" in stage.screen)
        assert "not in force" in row(stage, "third-party-model")
        assert "#1 is for another program or arguments" in stage.screen
        await stage.pilot.press("G", "w")
        await stage.until(lambda: isinstance(stage.app.screen, Why))
        assert "Why this is not in force for far" in stage.screen
        assert "next  Start it again: what it is then can be decided." in stage.screen


async def test_capital_x_takes_everything_back_after_one_question(tmp_path: Path) -> None:
    async with session(tmp_path, plan("far", "egress", TWO)) as stage:
        await granted(stage, 0, 1)
        await opened(stage)
        await stage.pilot.press("X")
        await stage.until(lambda: isinstance(stage.app.screen, ConfirmScreen))
        for words in ("Revoke everything, from every provider?", "third-party-index  from far  #1", "third-party-model"):
            assert words in stage.screen
        await stage.pilot.press("enter")
        await stage.until(lambda: "Revoked, all of it. Confirmed: no more leaves." in stage.screen)
        last = stage.ledger.open().receipts[-1]
        assert (last.kind, last.provider_id, last.basis, last.grantor.kind) == ("revoke", "*", "all", "human")
        assert "revoked" in row(stage, "third-party-index")


async def test_capital_x_works_in_the_inspector_and_can_be_thought_better_of(tmp_path: Path) -> None:
    async with session(tmp_path, plan("far", "egress")) as stage:
        await stage.until_ready()
        await stage.pilot.press("X")
        await stage.until(lambda: isinstance(stage.app.screen, ConfirmScreen))
        assert "Nothing is in force. Revoke everything anyway?" in stage.screen
        await stage.pilot.press("escape")
        assert stage.ledger.open().receipts == ()
        await granted(stage, 0)
        await stage.pilot.press("X")
        await stage.until(lambda: isinstance(stage.app.screen, ConfirmScreen))
        await stage.pilot.press("enter")
        await stage.until_told("Revoked, all of it. Confirmed: no more leaves.")
        assert stage.ledger.open().receipts[-1].provider_id == "*"


@pytest.mark.parametrize("way", ["question_mark", "y", "2", "7", "c", "c w"])
async def test_capital_x_works_from_every_screen_where_letters_are_keys(tmp_path: Path, way: str) -> None:
    async with session(tmp_path, plan("far", "egress")) as stage:
        await granted(stage, 0)
        for key in way.split():
            before = stage.screen
            await stage.pilot.press(key)
            await stage.until(lambda before=before: stage.screen != before)  # type: ignore[misc]
        await stage.pilot.press("X")
        await stage.until(lambda: isinstance(stage.app.screen, ConfirmScreen))
        await stage.pilot.press("enter")
        await stage.until(lambda: "Revoked, all of it. Confirmed: no more leaves." in stage.screen)
        assert stage.ledger.open().receipts[-1].provider_id == "*"


async def test_a_question_is_told_whole_on_a_narrow_screen(tmp_path: Path) -> None:
    async with session(tmp_path, plan("far", "egress"), size=(60, 20)) as stage:
        await stage.until_ready()
        await stage.pilot.press("X")
        await stage.until(lambda: isinstance(stage.app.screen, ConfirmScreen))
        await stage.pilot.pause()
        drawn = " ".join(stage.screen.replace("│", " ").split())
        assert "Nothing is in force. Revoke everything" in drawn and "anyway?" in drawn


def holding(path: Path, how: str) -> subprocess.Popen[bytes]:
    """Another process that holds a lock until it is killed."""
    code = "import fcntl, sys, time; f = open(sys.argv[1]); fcntl.flock(f, getattr(fcntl, sys.argv[2]))"
    line = [sys.executable, "-c", f"{code}; print(1, flush=True); time.sleep(60)", str(path), how]
    other = subprocess.Popen(line, stdout=subprocess.PIPE)
    assert other.stdout is not None and other.stdout.readline() == b"1\n"
    return other


def end(other: subprocess.Popen[bytes]) -> None:
    other.kill()
    other.communicate()


async def test_a_sender_that_does_not_end_is_named(tmp_path: Path) -> None:
    async with session(tmp_path, plan("far", "egress")) as stage:
        await granted(stage, 0)
        await opened(stage)
        sender = holding(stage.ledger.send_lock, "LOCK_SH")
        try:
            await stage.pilot.press("x")
            await stage.until(lambda: isinstance(stage.app.screen, ConfirmScreen))
            await stage.pilot.press("enter")
            await stage.until(lambda: isinstance(stage.app.screen, Reader))
            assert f"Recorded, not confirmed: PID {sender.pid}." in stage.screen
            assert "next        End that process." in stage.screen
            assert stage.ledger.open().receipts[-1].kind == "revoke"
        finally:
            end(sender)


async def test_what_cannot_be_written_stops_everything_and_says_so(tmp_path: Path) -> None:
    async with session(tmp_path, plan("far", "egress")) as stage:
        await granted(stage, 0)
        await opened(stage)
        holder = holding(stage.ledger.append_lock, "LOCK_EX")
        try:
            await stage.pilot.press("X")
            await stage.until(lambda: isinstance(stage.app.screen, ConfirmScreen))
            await stage.pilot.press("enter")
            await stage.until(lambda: isinstance(stage.app.screen, Reader))
            assert "Emergency stop: nothing leaves until" in stage.screen
            assert "next        cgp-tui consent recover" in stage.screen
        finally:
            end(holder)


async def test_both_lists_are_searched_with_next_previous_and_count(tmp_path: Path) -> None:
    async with session(tmp_path, plan("far", "egress", TWO), size=(80, 24)) as stage:
        await granted(stage, 0)
        await granted(stage, 1)
        screen = await opened(stage)
        assert stage.screen.splitlines()[-1].rstrip().endswith("X Revoke all  / Search  : Commands  ? Help")
        await stage.pilot.press("g", "slash", *"PARTY-", "enter")
        assert screen.needs.has_focus and f"1 of {len(screen.needs.matches)}" in stage.screen
        first = screen.needs.cursor
        await stage.pilot.press("n")
        assert screen.needs.cursor > first and "2 of 2" in stage.screen
        await stage.pilot.press("N")
        assert screen.needs.cursor == first
        await stage.pilot.press("tab", "slash", *"granted")
        assert "1 of 2" in stage.screen
        await stage.pilot.press("enter", "n")
        assert screen.history.has_focus and screen.history.match_place == 1 and screen.needs.cursor == first
        await stage.pilot.press("escape")
        assert not screen.search.shown and stage.app.screen is screen, "the search is left before the screen"
        assert [receipt.kind for receipt in stage.ledger.open().receipts] == ["grant", "grant"]
        await stage.pilot.press("escape")
        await stage.until(lambda: stage.app.screen is not screen)
