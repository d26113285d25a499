"""What the frames of an answer add up to."""

from __future__ import annotations

from typing import Any

from cgp_tui.present.answer import answer_rows
from cgp_tui.present.spans import WAIT
from cgp_tui.present.subject import Subject
from cgp_tui.present.sums import Crossing, Sums, sums
from tests.present.samples import HANDSHAKE, LOOK, ack, frame, frames, query, subjects

MANY = 2_000


def answered(*served: dict[str, Any], asked: dict[str, Any] | None = None) -> Subject:
    return subjects([HANDSHAKE, ack(), query(1, **(asked or {})), frames(1, *served)])[3]


def added(subject: Subject) -> tuple[Sums, int]:
    """The sums, and how often whoever takes them may pause."""
    steps, pauses = sums(subject), 0
    while True:
        try:
            assert next(steps) is WAIT
        except StopIteration as done:
            assert isinstance(done.value, Sums)
            return done.value, pauses
        pauses += 1


def test_costs_forms_and_widths_are_of_all_decoded_frames() -> None:
    served = frame("a", token_cost=1_200), frame("bad", score="high"), frame("b", kind="symbol"), frame("c", token_cost=7)
    made, pauses = added(answered(*served))
    assert (made.declared, made.counted, dict(made.forms)) == (1_211, 12, {"full": 3})
    assert (made.kind, made.declared_cells, made.counted_cells, made.wrong) == (6, len("1,200"), 1, len("1,200") + 1)
    assert pauses == 0


def test_the_first_frame_over_the_budget_crosses_it_by_its_place_on_the_wire() -> None:
    served = frame("a"), frame("bad", score="high"), frame("b"), frame("c")
    assert added(answered(*served, asked={"max_tokens": 7}))[0].crossing == Crossing(2, "b", 8)
    assert added(answered(*served, asked={"max_tokens": 12}))[0].crossing is None
    assert added(answered(*served))[0].crossing is None


def test_an_answer_without_frames_adds_up_to_nothing() -> None:
    made, _ = added(answered())
    assert made[:3] == (0, 0, None)
    assert (made.kind, made.declared_cells, made.counted_cells, made.wrong) == (0, 1, 1, 0)


def test_a_large_answer_can_be_paused_and_only_so_many_kinds_are_measured() -> None:
    served = [frame(f"f{n}", kind=f"k{n:02}" if n < 100 else f"a-longer-one-{n}") for n in range(MANY)]
    made, pauses = added(answered(*served, asked={"max_tokens": 10**6}))
    assert made.declared == made.counted == 4 * MANY
    assert made.kind == len("k99")
    assert pauses >= MANY // 256


def test_nothing_is_said_of_a_large_answer_before_its_frames_were_gone_through_in_slices() -> None:
    answer = answered(*(frame(f"f{n}") for n in range(MANY)), asked={"max_tokens": 10**6})
    assert answer.frames is not None
    rows = list(answer_rows(answer, answer.frames, LOOK))
    said = next(at for at, row in enumerate(rows) if "counted" in row.text)
    assert sum(row is WAIT for row in rows[:said]) >= MANY // 256
    assert sum(row.jump is not None for row in rows[said:]) == MANY
