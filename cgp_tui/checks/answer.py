"""An answer against its query: Q1, B1, B4.

A row is an anchor, its sentence, and a test that yields breaches with the frame each is about, None for the whole answer.
Sums are exact at any size. Frames that could not be read count as frames (B4) and cost nothing here: their cost is unknown.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Final, NamedTuple

from cgp_tui.checks.breach import Breach, Charge, said
from cgp_tui.protocol.envelope import ContextQueryResult
from cgp_tui.protocol.query import ContextQuery
from cgp_tui.protocol.requirements import Finding
from cgp_tui.wire.line import Decoded

Found = tuple[str | None, Breach]


class Answer(NamedTuple):
    """A query, what came back, and how it stood on the wire."""

    query: ContextQuery
    result: ContextQueryResult
    decoded: Decoded


class Row(NamedTuple):
    """One check of an answer."""

    anchor: str
    sentence: str
    test: Callable[[Answer], Iterable[Found]]


def _kinds(answer: Answer) -> Iterator[Found]:
    wanted = frozenset(answer.query.kinds)
    if not wanted:
        return
    for index, frame in enumerate(answer.result.frames):
        if frame.kind not in wanted:
            path = f"/result/frames/{answer.decoded.place(index)}/kind"
            yield frame.id, Breach(path, said(" or ".join(answer.query.kinds)), said(frame.kind))


def _sum(answer: Answer) -> Iterator[Found]:
    total = sum(frame.token_cost for frame in answer.result.frames)
    if total > answer.query.max_tokens:
        yield None, Breach("/result/frames", f"at most {answer.query.max_tokens}", f"{total} in sum")


def _count(answer: Answer) -> Iterator[Found]:
    count = len(answer.result.frames) + len(answer.decoded.bad_frames)
    if count > answer.query.max_frames:
        yield None, Breach("/result/frames", f"at most {answer.query.max_frames}", f"{count} frames")


ROWS: Final = (
    Row("Q1", "The frame is of a kind that was not asked for.", _kinds),
    Row("B1", "The answer costs more than the query allows.", _sum),
    Row("B4", "The answer holds more frames than the query allows.", _count),
)


def judge_answer(answer: Answer, charge: Charge, rows: Iterable[Row] = ROWS) -> list[Finding]:
    """The findings about an answer as the reply to its query."""
    return [
        charge.find(row.anchor, row.sentence, breach, frame_id=frame_id)
        for row in rows
        for frame_id, breach in row.test(answer)
    ]
