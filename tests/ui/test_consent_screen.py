"""The consent screen: what stands for each need, every receipt, and the keys that grant, deny and revoke."""

from __future__ import annotations

from pathlib import Path

import pytest

from cgp_tui.consent import drafts
from cgp_tui.consent.drafts import Terms
from cgp_tui.consent.ledger import Ledger
from cgp_tui.ui.screens.consent import ConsentScreen
from cgp_tui.ui.screens.prompt import Prompt
from cgp_tui.ui.screens.reader import Reader
from cgp_tui.ui.screens.sure import Sure
from tests.ui.sessions import Stage, plan, session

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
    assert (await stage.live.deciding.grant(stage.live.deciding.drafts(case, needs, UNTIL, Terms()))).good


def row(stage: Stage, word: str) -> str:
    """The first line of the screen that holds a word."""
    return next((line for line in stage.screen.splitlines() if word in line), "")


async def test_needs_stand_with_their_decisions(tmp_path: Path) -> None:
    async with session(tmp_path, plan("far", "egress", TWO)) as stage:
        await granted(stage, 0)
        screen = await opened(stage)
        assert "far" in row(stage, "1 of 2 not granted")
        assert row(stage, "third-party-index").split() == ["third-party-index", "granted", UNTIL, "#1"]
        assert "not decided" in row(stage, "third-party-model")
        assert screen.needs.item is not None and screen.needs.item.need is not None
        assert screen.needs.item.need.scope == "third-party-model", "it stands on what is open"
        assert "granted   third-party-index  far" in stage.screen
        assert "ledger #1 ok" in stage.screen
        assert "1 receipt" in row(stage, "History")


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
        await stage.pilot.pause(0.6)
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
        await stage.until(lambda: isinstance(stage.app.screen, Sure))
        assert "third-party-index  from far" in stage.screen
        await stage.pilot.press("escape")
        assert [receipt.kind for receipt in stage.ledger.open().receipts] == ["grant", "grant"]
        await stage.pilot.press("x")
        await stage.until(lambda: isinstance(stage.app.screen, Sure))
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
        await stage.until(lambda: isinstance(stage.app.screen, Sure))
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
        await stage.until(lambda: "on record, not connected here" in stage.screen)
        await stage.pilot.press("G", "d")
        await stage.pilot.pause()
        assert "It is not connected" in stage.screen
        await stage.pilot.press("x")
        await stage.until(lambda: isinstance(stage.app.screen, Sure))
        await stage.pilot.press("enter")
        await stage.until(lambda: "revoked" in row(stage, "third-party-model"))


async def test_what_another_process_writes_appears(tmp_path: Path) -> None:
    async with session(tmp_path, plan("far", "egress")) as stage:
        await granted(stage, 0)
        await opened(stage)
        other = Ledger(stage.ledger.path, tmp_path / "ledger" / "head")
        other.revoke(drafts.revoke_drafts(other.open().receipts, "far", (), drafts.human()))
        await stage.until(lambda: "2 receipts" in stage.screen)
        assert "revoked" in row(stage, "third-party-model")


async def test_a_ledger_that_does_not_answer_says_what_leads_out(tmp_path: Path) -> None:
    async with session(tmp_path, plan("far", "egress")) as stage:
        await granted(stage, 0)
        stage.ledger.path.write_bytes(stage.ledger.path.read_bytes().replace(b"2031", b"2039"))
        await stage.until_told("ledger tampered")
        await opened(stage)
        assert "The ledger shuts the gate: a record is not what was written." in stage.screen
        assert "No receipt can be read. Next: cgp-tui consent recover" in stage.screen
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


async def test_it_fits_a_small_terminal(tmp_path: Path) -> None:
    async with session(tmp_path, plan("far", "egress", TWO), size=(80, 24)) as stage:
        await granted(stage, 0)
        await opened(stage)
        assert "a test's" not in stage.screen
        assert row(stage, "third-party-index").split() == ["third-party-index", "granted", UNTIL, "#1"]
        for words in ("History", "enter Open", "d Deny", "x Revoke", "w What it means"):
            assert words in stage.screen
