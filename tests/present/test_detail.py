"""What the detail pane holds for each record."""

from __future__ import annotations

import msgspec

from cgp_tui.present import detail
from cgp_tui.present.subject import Place, Subject
from cgp_tui.present.symbols import ASCII, Look
from cgp_tui.wire.note import Spawn
from tests.present.samples import HANDSHAKE, LOOK, ack, attested_answer, frame, frames, query, subjects, text, trusted

DIALOGUE = subjects([HANDSHAKE, ack(), query(1), frames(1, frame("a", token_cost=9), frame("bad", score="high"))])
ANSWER = DIALOGUE[3]


def test_every_type_has_its_own_first_tab() -> None:
    types = [*DIALOGUE, *subjects([{"type": "error", "message": "no"}, {"type": "shutdown"}, {"type": "cursor"}, b"{"])]
    assert [detail.tabs(subject, Place())[0] for subject in types] == [
        "Handshake",
        "Provider",
        "Query",
        "Answer",
        "Error",
        "Shutdown",
        "Line",
        "Line",
    ]


def test_findings_have_a_tab_with_their_number_where_there_are_any() -> None:
    assert detail.tabs(ANSWER, Place()) == ("Answer", "Findings", "JSON", "Raw")
    assert detail.tab_span("Findings", ANSWER).text == f"Findings {len(ANSWER.findings)}"
    assert detail.tabs(DIALOGUE[0], Place()) == ("Handshake", "JSON", "Raw")


def test_a_frame_has_its_tabs_and_an_undecoded_one_fewer() -> None:
    assert detail.tabs(ANSWER, Place(0)) == ("Frame", "Chain", "Proof", "JSON", "Raw")
    assert detail.tabs(ANSWER, Place(1)) == ("Frame", "JSON", "Raw")


def test_the_title_names_line_direction_type_id_and_frame() -> None:
    assert detail.title(ANSWER, Place(), LOOK) == "4 ← frames q1"
    assert detail.title(ANSWER, Place(0), LOOK) == "4 ← frames q1 > a"
    assert detail.title(DIALOGUE[2], Place(), Look(ASCII, 78)) == "3 -> query q1"
    assert detail.title(subjects([b"{"])[0], Place(), LOOK) == "1 ← no type"


def test_the_aside_tells_size_pair_and_place() -> None:
    assert detail.aside(ANSWER, Place(), LOOK) == f"{len(ANSWER.line.raw):,} bytes, reply to 3 (p)"
    assert detail.aside(DIALOGUE[2], Place(), LOOK).endswith("answered by 4 (p)")
    assert detail.aside(ANSWER, Place(1), LOOK) == "2 of 2"


def test_every_tab_of_every_line_and_frame_draws_something() -> None:
    for subject in (*DIALOGUE, *subjects(attested_answer(), [trusted()])):
        for place in (Place(), *(Place(at) for at in subject.places)):
            for tab in detail.tabs(subject, place):
                assert text(detail.rows(subject, place, tab, LOOK)).strip(), (subject.line.n, place, tab)


def test_the_proof_opens_at_its_end_or_where_it_fails() -> None:
    good = subjects(attested_answer(), [trusted()])[3]
    steps = good.appraisal(1)
    assert steps is not None
    assert detail.last_step(good, 1) == len(steps.steps) - 1
    unknown = subjects(attested_answer())[3]
    failing = unknown.appraisal(1)
    assert failing is not None
    assert failing.steps[detail.last_step(unknown, 1)].ok is False


def test_a_proof_that_is_not_appraised_yet_says_so() -> None:
    unjudged = msgspec.structs.replace(ANSWER, judged=None)
    assert "not been appraised yet" in text(detail.rows(unjudged, Place(0), "Proof", LOOK))


def test_a_step_beyond_the_last_is_the_last() -> None:
    good = subjects(attested_answer(), [trusted()])[3]
    far = text(detail.rows(good, Place(1, 99), "Proof", LOOK))
    assert far == text(detail.rows(good, Place(1, detail.last_step(good, 1)), "Proof", LOOK))


def test_a_frame_that_is_not_there_is_no_crash() -> None:
    assert text(detail.rows(ANSWER, Place(7), "Frame", LOOK)) == "This answer has no such frame."


def test_notes_have_two_tabs() -> None:
    note = Spawn(t=0.5, connection=1, pid=7, sandbox="none")
    assert detail.note_title(note) == "note spawn"
    assert text(detail.note_tab(note, "Note", LOOK)) == "spawn  pid 7, sandbox none"
    assert '"pid": 7' in text(detail.note_tab(note, "JSON", LOOK))


def test_a_subject_finds_frames_and_what_is_said_of_them() -> None:
    assert ANSWER.places == (0, 1)
    assert ANSWER.provider_name == "repo-graph"
    assert ANSWER.asked is not None
    assert DIALOGUE[2].asked is not None
    assert {finding.anchor for finding in ANSWER.findings_at(0)} == {"B3"}
    assert ANSWER.findings_at(1) != ()
    assert Subject(ANSWER.line, ANSWER.decoded).provider_name is None


def test_a_finding_without_a_path_is_found_by_its_frame() -> None:
    finding = msgspec.structs.replace(ANSWER.findings[0], path="", frame_id="a")
    assert ANSWER.place_of(finding) == 0
    assert ANSWER.place_of(msgspec.structs.replace(finding, frame_id="nobody")) is None
    assert ANSWER.place_of(msgspec.structs.replace(finding, frame_id=None)) is None
