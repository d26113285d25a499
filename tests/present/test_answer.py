"""An answer as a table."""

from __future__ import annotations

import pytest

from cgp_tui.present.answer import HEADS, answer_rows
from cgp_tui.present.spans import Jump
from cgp_tui.present.subject import Subject
from cgp_tui.present.symbols import ASCII, Look
from tests.present.samples import HANDSHAKE, LOOK, ack, attested_answer, frame, frames, query, subjects, text, trusted


def drawn(subject: Subject, look: Look = LOOK) -> str:
    assert subject.frames is not None
    return text(answer_rows(subject, subject.frames, look), look.width)


OVER = subjects([HANDSHAKE, ack(), query(1, max_tokens=10), frames(1, frame("a"), frame("b"), frame("c"))])[3]


def test_the_sum_runs_and_the_frame_that_crosses_the_budget_is_marked() -> None:
    lines = drawn(OVER).splitlines()
    assert [line.split()[:6] for line in lines[-3:]] == [
        ["0.50", "doc", "4", "4", "4", "title"],
        ["0.50", "doc", "4", "4", "8", "title"],
        ["0.50", "doc", "4", "4", "12✗", "title"],
    ]
    assert "budget      12 of 10 declared, 12 counted  ✗ OVER by 2" in drawn(OVER)


def test_what_is_wrong_stands_first() -> None:
    first = drawn(OVER).splitlines()[0]
    assert first.startswith("✗ B1 ")


def test_a_dishonest_cost_stands_beside_the_counted_one() -> None:
    answer = subjects([HANDSHAKE, ack(), query(1), frames(1, frame("a", token_cost=1))])[3]
    row = drawn(answer).splitlines()[-1]
    assert row.split()[2:4] == ["1✗", "4"]
    assert row.endswith("✗1")


def test_frames_stand_in_wire_order_with_the_undecoded_ones_among_them() -> None:
    answer = subjects([HANDSHAKE, ack(), query(1), frames(1, frame("a"), frame("bad", score="high"), frame("c"))])[3]
    table = drawn(answer).splitlines()[-3:]
    assert "title of a" in table[0]
    assert table[1].startswith(" ✗ bad  not decoded: ")
    assert "title of c" in table[2]


def test_a_row_leads_to_its_frame() -> None:
    assert OVER.frames is not None
    jumps = [row.jump for row in answer_rows(OVER, OVER.frames, LOOK) if row.jump is not None]
    assert jumps[-3:] == [Jump(place=0), Jump(place=1), Jump(place=2)]


def test_standings_are_counted_in_words() -> None:
    assert "standing    ? 2 uncheckable" in drawn(subjects(attested_answer())[3])
    assert "≠ 2 content mismatch" in drawn(subjects(attested_answer(), [trusted()])[3])


def test_the_signature_over_the_whole_answer_has_its_row() -> None:
    seen = drawn(subjects(attested_answer())[3])
    assert "root        ? uncheckable  one signature over 2 frames, key repo-graph-2026-08" in seen
    assert "root " not in drawn(OVER)


def test_without_its_query_an_answer_has_no_limit() -> None:
    orphan = subjects([frames(1, frame("a"))])[0]
    assert "4 declared, 4 counted; the query was not seen" in drawn(orphan)


def test_an_empty_answer_says_so() -> None:
    empty = subjects([HANDSHAKE, ack(), query(1), frames(1, truncated=True, dropped_estimate=12)])[3]
    assert "The answer holds no frame." in drawn(empty)
    assert "frames      0 of 8 allowed  truncated, about 12 left out" in drawn(empty)


def test_too_many_frames_are_said_to_be_too_many() -> None:
    answer = subjects([HANDSHAKE, ack(), query(1, max_frames=1), frames(1, frame("a"), frame("b"))])[3]
    assert "2 of 1 allowed  ✗ too many" in drawn(answer)


def test_the_citation_has_a_column_where_there_is_room() -> None:
    assert "a.md L1" in drawn(OVER, Look(width=100))
    assert "a.md L1" not in drawn(OVER, Look(width=60)).split("score")[1]


def test_ascii_has_every_sign() -> None:
    look = Look(ASCII, 78)
    assert drawn(OVER, look).isascii()
    assert "X OVER by 2" in drawn(OVER, look)


def test_the_frame_that_crosses_the_budget_is_named_and_led_to() -> None:
    assert "            frame 3 c crosses it: sum 12" in drawn(OVER)
    assert OVER.frames is not None
    row = next(row for row in answer_rows(OVER, OVER.frames, LOOK) if "crosses it" in row.text)
    assert row.jump == Jump(place=2)
    within = subjects([HANDSHAKE, ack(), query(1, max_tokens=8), frames(1, frame("a"), frame("b"))])[3]
    assert "crosses" not in drawn(within)


def test_forms_other_than_full_are_counted() -> None:
    served = [frame("a"), frame("b", representation="compact"), frame("c", representation="new\x1b")]
    assert "as          1 full, 1 compact, 1 new␛" in drawn(subjects([HANDSHAKE, ack(), query(1), frames(1, *served)])[3])
    assert "1 full" not in drawn(OVER)


def test_columns_are_as_wide_as_what_they_hold_and_the_titles_have_the_rest() -> None:
    long, odd = "title " * 20, frame("b", kind="acme:a-kind-of-its-own", token_cost=12345)
    narrow = subjects([HANDSHAKE, ack(), query(1), frames(1, frame("a", title=long))])[3]
    wide = subjects([HANDSHAKE, ack(), query(1, max_tokens=99_999), frames(1, frame("a", title=long), odd)])[3]
    shown = {width: [drawn(answer, Look(width=width)).splitlines() for answer in (narrow, wide)] for width in (60, 100)}
    for width, (few, many) in shown.items():
        assert few[-1].count("title") > many[-2].count("title") > 0
        assert "acme:a-kind…" in many[-1]
        assert "12,345 ✗ 4  12,349" in many[-1] if width == 60 else "12,345✗       4  12,349" in many[-1]
        heads = next(line for line in few if "score" in line)
        assert heads.index("title") == few[-1].index("title")
        assert all(len(line) <= width for line in few + many)


@pytest.mark.parametrize("width", [60, 140])
def test_every_head_of_the_frames_says_what_stands_under_it(width: int) -> None:
    assert OVER.frames is not None
    rows = list(answer_rows(OVER, OVER.frames, Look(width=width)))
    (heads,) = [one.spans for one in rows if one.text.startswith("  score ")]
    assert [one.tip for one in heads] == [HEADS[one.text.split()[0]] for one in heads]
    assert len(heads) == (5 if width == 60 else 7)
