"""Why something is judged as it is: one form for findings, standings, refusals, drops and failures."""

from __future__ import annotations

from typing import Any, get_args

import pytest

from cgp_tui.checks.types import Appraisal, Standing
from cgp_tui.present.subject import Subject
from cgp_tui.present.symbols import Look
from cgp_tui.present.why import MOST, Because, because_rows, of_finding, of_line, of_note, of_one, of_standing
from cgp_tui.protocol.identity import FrameId
from cgp_tui.protocol.requirements import REQUIREMENTS, finding
from cgp_tui.text import hidden_codes, own
from cgp_tui.wire import note as notes
from tests.present.samples import KEYS, attested_answer, frame, frames, query, subjects, text

LOUD = "x\x1b[2J\r\u202e[/]"
LOOK = Look(width=78, keys=KEYS)
START = attested_answer()[:2]


def said(because: Because | None) -> str:
    assert because is not None
    return text(because_rows(because, LOOK), 78)


def asked(*messages: dict[str, Any]) -> Subject:
    """The last line of a dialogue that begins with a handshake."""
    return subjects([*START, *messages])[-1]


def over() -> Subject:
    return asked(query(1, max_tokens=5), frames(1, frame("a"), frame("b", token_cost=9)))


def gate(*needs: notes.NeedNote, allowed: bool = False) -> notes.GateNote:
    return notes.GateNote(t=0, connection=1, allowed=allowed, bytes=164, needs=needs)


SCOPE = notes.NeedNote("scope", "third-party-index", "no_receipt")


def test_a_finding_tells_its_rule_its_evidence_and_its_fix() -> None:
    one = finding("B1", line=8, expected="at most 60", found="91", path="/result/frames")
    seen = said(of_one(one, LOOK))
    assert " ".join(seen.split()).startswith(f"B1 {REQUIREMENTS['B1'].meaning}")
    for words in ("expected  at most 60", "found     91", "where     /result/frames", "next      Stop adding frames"):
        assert words in seen, words
    assert "cgp-tui check --explain B1  (y copies it)" in seen


@pytest.mark.parametrize("anchor", REQUIREMENTS)
def test_every_rule_has_an_answer(anchor: str) -> None:
    verdict = of_finding(finding(anchor, line=1), LOOK)
    assert verdict.meaning and verdict.next and verdict.said


@pytest.mark.parametrize("standing", get_args(Standing))
def test_every_standing_has_a_rule_and_a_next_step(standing: Standing) -> None:
    appraisal = Appraisal(FrameId("p", "frm_a"), 0, "valid", "", standing, key_id="k1")
    seen = said(Because(own("x"), (of_standing(appraisal, LOOK),)))
    assert seen.splitlines()[0].split("  ")[0] in REQUIREMENTS
    assert "frm_a: " in seen and "next" in seen and "key       k1" in seen


def test_an_answer_that_is_dropped_says_so_by_b2() -> None:
    seen = said(of_line(over(), None, LOOK))
    assert f"B2  {REQUIREMENTS['B2'].meaning}"[:40] in seen
    assert "budget lie: all 2 frames are dropped" in seen
    flood = asked(query(1, max_frames=1), frames(1, frame("a"), frame("b")))
    assert "frame flood: all 2 frames are dropped" in said(of_line(flood, None, LOOK))


def test_violations_come_before_advice_and_what_they_lead_to() -> None:
    because = of_line(over(), None, LOOK)
    assert because is not None
    levels = [verdict.mark.text for verdict in because.verdicts]
    assert levels[0] == "✗"
    assert because.anchor in ("B1", "B3")


def test_a_frame_is_asked_about_alone() -> None:
    subject = over()
    seen = said(of_line(subject, 1, LOOK))
    assert "frame b" in str(of_line(subject, 1, LOOK).title)  # type: ignore[union-attr]
    assert "B3" in seen and "dropped" not in seen and "unattested" in seen


def test_frames_that_stand_alike_are_told_once() -> None:
    seen = said(of_line(asked(query(1), frames(1, frame("a"), frame("b"))), None, LOOK))
    assert seen.count("F9  ") == 1 and "2 frames: unattested" in seen


def test_an_error_tells_what_a_host_does() -> None:
    failed = asked(query(1), {"type": "error", "id": "q1", "code": "unavailable", "message": "busy"})
    seen = said(of_line(failed, None, LOOK))
    assert "busy" in seen and "next      Retry with back-off." in seen
    assert "code      unavailable" in seen


def test_what_nobody_asked_for_is_told_by_its_rule() -> None:
    orphan = asked(frames(9, frame("a")))
    assert f"3.2  {REQUIREMENTS['3.2'].meaning}"[:30] in said(of_line(orphan, None, LOOK))


def test_a_line_that_nothing_is_said_of_has_no_answer() -> None:
    assert of_line(asked(query(1)), None, LOOK) is None
    assert of_line(subjects(START)[0], None, LOOK) is None


def test_a_refusal_names_each_need_with_its_reason() -> None:
    seen = said(of_note(gate(SCOPE), "acme", LOOK, live=True))
    assert seen.startswith("C6  ")
    assert "query of 164 bytes not sent: nothing of it left this machine." in seen
    assert "third-party-index: no_receipt: no receipt covers this scope (C6)" in " ".join(seen.split())
    assert "c decides here." in seen


def test_a_refusal_in_a_recording_is_not_decided_there() -> None:
    because = of_note(gate(SCOPE), "acme", LOOK, live=False)
    assert because is not None and because.decidable
    assert "c decides here" not in said(because) and "cgp-tui consent" in said(because)


@pytest.mark.parametrize("reason", ["tampered", "scope_malformed", "a reason of later"])
def test_what_no_prompt_mends_is_not_offered_to_it(reason: str) -> None:
    because = of_note(gate(notes.NeedNote("scope", "s", reason)), "acme", LOOK, live=True)
    assert because is not None and because.decidable == (reason == "a reason of later")


def test_a_permission_is_told_by_what_it_rests_on() -> None:
    assert "nothing leaves" in said(of_note(gate(allowed=True), "acme", LOOK, live=True))
    assert "1 receipt in force" in said(of_note(gate(notes.NeedNote("scope", "s"), allowed=True), "a", LOOK, live=True))


@pytest.mark.parametrize(
    ("note", "words"),
    [
        (notes.GaveUp(t=0, connection=1, exchange=3, after_s=30), "exchange 3 was given up after 30.0 s."),
        (notes.Cut(t=0, connection=1, exchange=3, bytes=10), "stopped after 10 bytes: consent ended"),
        (notes.AnsweredAfterRevoke(t=0, connection=1, line=9), "line 9 came after consent was taken back: dropped."),
        (notes.Refused(t=0, connection=1, line=2, fault="version_mismatch"), "another major version"),
        (notes.Refused(t=0, connection=1, fault="of later"), "It is not known to this version."),
        (notes.Poisoned(t=0, connection=1, reason="timeout"), "nothing more is read: No reply came in time."),
        (notes.SendFailed(t=0, connection=1, reason="stalled"), "not sent: The provider does not read its stdin."),
        (notes.Exit(t=0, connection=1, signal=9), "the provider ended with signal 9."),
        (notes.Exit(t=0, connection=1, code=3), "the provider ended with exit code 3."),
        (notes.Dropped(t=0, connection=1, lines=3), "3 lines not recorded."),
    ],
)
def test_what_was_ended_withheld_or_lost_has_an_answer(note: notes.KnownNote, words: str) -> None:
    seen = " ".join(said(of_note(note, "acme", LOOK, live=False)).split())
    assert words in seen and " next " in seen


@pytest.mark.parametrize(
    "note",
    [
        notes.Exit(t=0, connection=1, code=0),
        notes.Spawn(t=0, connection=1, pid=1, sandbox="none"),
        notes.Stderr(t=0, connection=1, text="x"),
        notes.UnknownNote("later", 0, 1, b"{}"),
    ],
)
def test_a_note_that_judges_nothing_has_no_answer(note: notes.AnyNote) -> None:
    assert of_note(note, "acme", LOOK, live=True) is None


def test_a_rule_stands_once_over_all_that_broke_it_and_the_rest_is_counted() -> None:
    verdicts = tuple(of_finding(finding("B3", line=line), LOOK) for line in range(1, MOST + 4))
    seen = said(Because(own("x"), verdicts))
    assert seen.count("B3  ") == 1
    assert "3 more are not shown here" in seen


def test_hostile_words_stay_inert() -> None:
    loud = finding("B3", line=1, found=LOUD, expected=LOUD, message=LOUD, frame_id=LOUD, fix=LOUD, path=LOUD, reference=LOUD)
    many = [
        of_one(loud, LOOK),
        of_note(gate(notes.NeedNote(LOUD, LOUD, LOUD, LOUD)), LOUD, LOOK, live=True),
        of_note(notes.Refused(t=0, connection=1, fault=LOUD), LOUD, LOOK, live=True),
        of_line(asked(query(1), {"type": "error", "id": "q1", "code": LOUD, "message": LOUD}), None, LOOK),
        of_line(asked(query(1), frames(1, frame(LOUD, kind=LOUD))), 0, LOOK),
    ]
    for because in many:
        assert because is not None
        texts = [because.title, *(row.text for row in because_rows(because, LOOK))]
        assert [one for one in texts if hidden_codes(one)] == []
