"""The session behind the screen: what it starts, asks, refuses and ends, seen in the recording it leaves."""

from __future__ import annotations

import json
from pathlib import Path

import msgspec
import pytest

from cgp_tui.consent import drafts
from cgp_tui.consent.drafts import Terms
from cgp_tui.consent.ledger import Ledger
from cgp_tui.host.deadlines import Deadlines
from cgp_tui.present.subject import Subject
from cgp_tui.protocol.query import ContextQuery
from tests.ui.pilots import gone
from tests.ui.sessions import WHY, Stage, alive, plan, session

SCOPE = "third-party-model"
UNTIL = "2031-01-01T00:00:00Z"


def subject(stage: Stage, line: int) -> Subject | None:
    """One line as the inspector would hand it to an act; None while it is not there."""
    place = stage.app.inspector.source.transcript.place(line)
    record = None if place is None else stage.app.inspector.source.records.at(place)
    return record if isinstance(record, Subject) else None


async def test_a_plan_is_carried_out_and_recorded_whole(tmp_path: Path) -> None:
    questions = [WHY, ContextQuery(goal="more", max_frames=1, max_tokens=9)]
    async with session(tmp_path, plan("one", "plain", questions=questions, verify=True), plan("two", "plain")) as stage:
        await stage.until(lambda: stage.lines("verified"))
        state = stage.live.state()
        assert (state.word, state.running, state.consent) == ("LIVE", True, None)
        assert state.gate == "gate on, a test's ledger empty"
        assert state.recording == stage.path.stat().st_size
        pids = stage.pids
        assert all(map(alive, pids)) and len(pids) == 2
    assert [line["query"]["goal"] for line in stage.lines("query")] == ["why", "more"]
    assert [record["n"] for record in stage.records if "n" in record] == list(range(1, 13))
    assert stage.path.read_bytes().endswith(b"\n")
    assert not any(map(alive, pids))
    ended = stage.live.state()
    assert (ended.word, ended.running) == ("ENDED", False)
    assert len(stage.lines("shutdown")) == 2


async def test_nothing_reaches_a_provider_before_its_receipt(tmp_path: Path) -> None:
    heard = tmp_path / "heard"
    async with session(tmp_path, plan("far", "egress", f"log={heard}")) as stage:
        await stage.until_told("far waits for your consent: 1 need. c decides")
        stage.live.send(WHY, ["far"])
        await stage.until(lambda: stage.notes("gate"))
        (gate,) = stage.notes("gate")
        assert (gate["allowed"], gate.get("exchange")) == (False, None)
        assert gate["needs"] == [{"basis": "scope", "scope": SCOPE, "reason": "no_receipt"}]
        (case,) = stage.live.deciding.cases()
        payload = stage.live.deciding.payload("far")
        assert payload is not None and payload.names == ("goal", "max_frames", "max_tokens")
        made = stage.live.deciding.drafts(case, [case.open[0].need], UNTIL, Terms())
        said = await stage.live.deciding.grant(case, made)
        assert said.good and f"Granted until {UNTIL}, on record as #1." in said.text
        assert not heard.exists(), "it has read a payload"
        stage.live.send(WHY, ["far"])
        await stage.until(lambda: stage.lines("frames"))
        taken = await stage.live.deciding.revoke("far", [case.needs[0].need])
        assert taken.good and taken.text == "Revoked. Confirmed: no more leaves."
        stale = await stage.live.deciding.grant(case, made)
        assert not stale.good and "Not granted. While this was asked, somebody said no to it: #2, revoke, " in stale.text
        sent = heard.read_bytes()
        stage.live.send(msgspec.structs.replace(WHY, goal="again"), ["far"])
        await stage.until(lambda: len(stage.notes("gate")) == 3)
        assert stage.told.count("far gets nothing: you said no") == 1
        assert heard.read_bytes() == sent
    assert json.loads(sent.splitlines()[0])["query"]["goal"] == "why"
    assert b"again" not in heard.read_bytes()


async def test_a_record_is_the_draft_that_was_shown(tmp_path: Path) -> None:
    async with session(tmp_path, plan("far", "egress")) as stage:
        await stage.until(stage.live.deciding.cases)
        (case,) = stage.live.deciding.cases()
        made = stage.live.deciding.drafts(case, [case.open[0].need], "never", Terms())
        await stage.live.deciding.grant(case, made)
        (written,) = stage.ledger.open().receipts
    kept = {name: getattr(written, name) for name in type(made[0]).__struct_fields__}
    assert type(made[0])(**kept) == made[0]
    assert (written.grantor.kind, written.provider_name, written.expires_at) == ("human", "odd", "never")
    assert written.payload == drafts.PAYLOAD


async def test_a_denial_is_a_record_of_its_own(tmp_path: Path) -> None:
    async with session(tmp_path, plan("far", "egress")) as stage:
        await stage.until(stage.live.deciding.cases)
        (case,) = stage.live.deciding.cases()
        said = await stage.live.deciding.deny(case, [case.open[0].need])
        assert said.good and said.text == "Denied. Confirmed: no more leaves."
        assert [receipt.kind for receipt in stage.ledger.open().receipts] == ["deny"]
        assert "you said no" in stage.told


async def test_a_no_to_what_no_record_can_name_is_told_and_ends_nothing(tmp_path: Path) -> None:
    """A name or a scope may be of any length; neither keeps a person from saying no, or the app from going on."""
    far = plan("far", "egress", f"name={'n' * 300}", f"scopes=a:b,v:{'y' * 300}")
    async with session(tmp_path, far) as stage:
        await stage.until(stage.live.deciding.cases)
        (case,) = stage.live.deciding.cases()
        short, long = (answered.need for answered in case.needs)
        said = await stage.live.deciding.deny(case, [long])
        assert (said.good, said.withdrawn, said.text.startswith("Not recorded. ")) == (False, None, True)
        said = await stage.live.deciding.revoke("far", [long])
        assert (said.good, said.text.startswith("Not recorded. ")) == (False, True)
        assert stage.ledger.open().receipts == ()
        assert (await stage.live.deciding.deny(case, [short, long])).good
        (denied,) = stage.ledger.open().receipts
        assert (denied.kind, denied.scope, denied.provider_name, denied.target) == ("deny", "a:b", "", far.target.digest)


async def test_what_another_process_writes_is_seen(tmp_path: Path) -> None:
    async with session(tmp_path, plan("far", "egress")) as stage:
        await stage.until_told("waits for your consent")
        (case,) = stage.live.deciding.cases()
        made = stage.live.deciding.drafts(case, [case.open[0].need], UNTIL, Terms())
        other = Ledger(stage.ledger.path, tmp_path / "ledger" / "head")
        other.grant(made)
        await stage.until(lambda: stage.live.state().consent is None)
        assert "ledger #1 ok" in stage.told
        other.revoke(drafts.revoke_drafts(other.open().receipts, "far", (), drafts.human()))
        await stage.until_told("far gets nothing: you said no")


async def test_records_that_nobody_acknowledged_are_told_of(tmp_path: Path) -> None:
    async with session(tmp_path, plan("far", "egress")) as stage:
        await stage.until(stage.live.deciding.cases)
        (case,) = stage.live.deciding.cases()
        made = stage.live.deciding.drafts(case, [case.open[0].need], UNTIL, Terms())
        other = Ledger(stage.ledger.path, tmp_path / "ledger" / "head")
        other.grant(made)
        before = (tmp_path / "ledger" / "head").read_bytes()
        other.grant([*made, *made])
        (tmp_path / "ledger" / "head").write_bytes(before)
        await stage.until(lambda: "look at the history" in (stage.live.deciding.ledger().own or ""))


async def test_what_the_gate_read_on_its_own_is_seen_too(tmp_path: Path) -> None:
    async with session(tmp_path, plan("far", "egress")) as stage:
        await stage.until(stage.live.deciding.cases)
        (case,) = stage.live.deciding.cases()
        await stage.live.deciding.grant(case, stage.live.deciding.drafts(case, [case.open[0].need], UNTIL, Terms()))
        other = Ledger(stage.ledger.path, tmp_path / "ledger" / "head")
        other.revoke(drafts.revoke_drafts(other.open().receipts, "far", (), drafts.human()))
        stage.live._host.gate.refresh()
        await stage.until_told("far gets nothing: you said no")
        assert len(stage.live.deciding.ledger().receipts) == 2


async def test_a_damaged_ledger_shuts_the_gate_and_names_the_way_out(tmp_path: Path) -> None:
    async with session(tmp_path, plan("far", "egress")) as stage:
        await stage.until(stage.live.deciding.cases)
        (case,) = stage.live.deciding.cases()
        await stage.live.deciding.grant(case, stage.live.deciding.drafts(case, [case.open[0].need], UNTIL, Terms()))
        raw = stage.ledger.path.read_bytes()
        stage.ledger.path.write_bytes(raw.replace(b"2031-01-01", b"2039-01-01"))
        await stage.until_told("ledger tampered")
        stage.live.send(WHY, ["far"])
        await stage.until(lambda: stage.notes("gate"))
        assert stage.notes("gate")[0]["needs"][0]["reason"] == "tampered"
        assert stage.lines("query") == []
        view = stage.live.deciding.ledger()
        assert view.state == "tampered" and "consent recover" in view.fix
        refused = await stage.live.deciding.grant(
            case, stage.live.deciding.drafts(case, [case.needs[0].need], UNTIL, Terms())
        )
        assert not refused.good and refused.text.startswith("Not granted. The ledger is tampered.")


@pytest.mark.parametrize(
    ("mode", "why"),
    [
        ("dies-at-once", "odd ended with exit code 9. The provider ended before it answered."),
        ("wrong-version", "odd stopped. The provider speaks contextgraph/2.0, cgp-tui contextgraph/1.0 (H1). "),
        ("contradiction", "odd stopped: its scopes contradict what it says of egress (C5). "),
        ("garbage", "odd failed: not json. "),
    ],
)
async def test_a_provider_that_cannot_be_used_is_named_and_the_app_lives(tmp_path: Path, mode: str, why: str) -> None:
    async with session(tmp_path, plan("odd", mode), plan("good", "plain")) as stage:
        await stage.until_told(why)
        await stage.until_ready()
        assert stage.live.state().word == "LIVE"
        stage.live.send(WHY, ["odd"])
        assert "Not sent to odd." in stage.told
        stage.live.send(WHY, ["good"])
        await stage.until(lambda: stage.lines("frames"))


async def test_all_ended_is_said_and_a_restart_is_a_new_connection(tmp_path: Path) -> None:
    async with session(tmp_path, plan("one", "exits", questions=[WHY])) as stage:
        await stage.until_told("one ended with exit code 0")
        assert stage.live.state().word == "ENDED"
        await stage.live.act("session.restart", None)
        await stage.until(lambda: len(stage.lines("handshake_ack")) == 2)
        assert stage.live.state().word == "LIVE"
        assert [note["connection"] for note in stage.notes("connect")] == [1, 2]
        assert len(stage.lines("query")) == 1, "a plan is carried out once"


async def test_a_request_in_flight_has_a_clock_and_can_be_given_up(tmp_path: Path) -> None:
    async with session(tmp_path, plan("one", "hangs")) as stage:
        await stage.until_ready()
        stage.live.send(WHY, ["one"])
        await stage.until_told("q1 pending")
        assert " of 30 s" in stage.told
        await stage.live.act("item.withdraw", None)
        await stage.until(lambda: stage.notes("gave_up"))
        assert stage.live.state().waiting is None
        await stage.live.act("item.withdraw", None)
        assert "Nothing is in flight." in stage.told


async def test_a_silent_provider_is_told_of(tmp_path: Path) -> None:
    async with session(tmp_path, plan("one", "mute")) as stage:
        await stage.until(lambda: stage.lines("handshake"))
        assert "one: started" in (stage.live.state().empty or "")
        assert "handshake pending" in (stage.live.state().waiting or "")


async def test_what_a_silent_provider_says_on_stderr_stands_beside_its_silence(tmp_path: Path) -> None:
    async with session(tmp_path, plan("one", "grumbles")) as stage:
        await stage.until(lambda: "stderr: loading␛[2J the model" in (stage.live.state().empty or ""))


async def test_again_and_verify_act_on_what_is_selected(tmp_path: Path) -> None:
    async with session(tmp_path, plan("one", "plain", questions=[WHY])) as stage:
        await stage.until(lambda: stage.lines("frames"))
        await stage.until(lambda: getattr(subject(stage, 4), "asked", None))
        answer = subject(stage, 4)
        await stage.live.act("query.again", answer)
        await stage.until(lambda: len(stage.lines("frames")) == 2)
        await stage.live.act("session.verify", answer)
        await stage.until(lambda: stage.lines("verified"))
        asked = stage.lines("verify")[0]["request"]["frames"]
        assert [(frame["provider_id"], frame["frame_id"]) for frame in asked] == [("odd", "f0")]
        assert list(stage.live.asked()) == [WHY], "the same question twice is one in the history"
        await stage.live.act("session.verify", None)
        assert "Select an answer first" in stage.told
        await stage.live.act("query.again", None)
        assert "can be sent again" in stage.told


async def test_unrecorded_is_unsent(tmp_path: Path) -> None:
    async with session(tmp_path, plan("one", "plain"), cap=1500) as stage:
        await stage.until_ready()
        for _ in range(4):
            stage.live.send(WHY, ["one"])
        await stage.until_told("not recorded, nothing is sent")
        assert stage.live.state().recording is None
        assert stage.path.stat().st_size <= 1500


async def test_a_defect_beside_the_screen_ends_the_app_like_any_other(tmp_path: Path) -> None:
    async def broken() -> None:
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        async with session(tmp_path, plan("one", "plain")) as stage:
            await stage.until_ready()
            stage.live._go(broken())
            await gone(stage.pilot)
            assert stage.app.return_code == 70


async def test_the_end_comes_once_for_all_who_wait(tmp_path: Path) -> None:
    async with session(tmp_path, plan("one", "plain")) as stage:
        await stage.until_ready()
        await stage.live.end()
        size = stage.path.stat().st_size
        await stage.live.end()
        await stage.live.act("query.compose", None)
        assert not stage.app.covered
        assert stage.path.stat().st_size == size


async def test_an_answer_that_does_not_come_is_told(tmp_path: Path) -> None:
    async with session(tmp_path, plan("one", "slow"), deadlines=Deadlines(exchange=0.5)) as stage:
        await stage.until_ready()
        stage.live.send(msgspec.structs.replace(WHY, goal="60 s"), ["one"])
        await stage.until_told("one: No reply came within 0.5 s. Look at its stderr")


async def test_after_a_timeout_the_next_question_goes_to_a_new_connection(tmp_path: Path) -> None:
    async with session(tmp_path, plan("one", "slow", "correlation=no")) as stage:
        await stage.until_ready()
        stage.live.send(msgspec.structs.replace(WHY, goal="60 s"), ["one"])
        await stage.until_told("query pending")
        await stage.live.act("item.withdraw", None)
        await stage.until(lambda: stage.notes("poisoned"))
        stage.live.send(WHY, ["one"])
        await stage.until(lambda: stage.lines("frames"))
        assert [note["connection"] for note in stage.notes("connect")] == [1, 2]
        await stage.until(lambda: stage.live.state().word == "LIVE")
        assert [one.sends for one in stage.live.addressees()] == [True]
        assert "No reply came" not in stage.told, "who gave up knows that"
