"""An answer against its query: Q1, B1, B4, G4, as_of (6.1), names used twice (6.3), and what E1 and P5 ask of a provider.

A row is an anchor, its sentence, and a test that gives breaches with the frame each is about, None for the whole answer.
Sums are exact at any size. Frames that could not be read count as frames (B4) and cost nothing here: their cost is unknown.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from itertools import accumulate
from typing import Final, Literal, NamedTuple, get_args

from cgp_tui.checks.breach import Breach, Charge, said
from cgp_tui.checks.chosen import Chosen, Look
from cgp_tui.checks.query import contradicts_fingerprint, not_offered
from cgp_tui.checks.reply import CALL_IT_BAD
from cgp_tui.protocol.envelope import ContextQueryResult, HandshakeAck
from cgp_tui.protocol.query import ContextQuery
from cgp_tui.protocol.requirements import Finding
from cgp_tui.protocol.timestamp import Instant, parse
from cgp_tui.session.past import NOTHING, Past
from cgp_tui.wire.line import Decoded

Found = tuple[str | None, Breach]


class Answer(NamedTuple):
    """A query, what came back and how it stood on the wire, what the provider declared, and what came before."""

    query: ContextQuery
    result: ContextQueryResult
    decoded: Decoded
    ack: HandshakeAck | None = None
    past: Past = NOTHING


_Part = Literal["kinds", "anchored", "anchors", "as_of", "vector", "preferences"]


class Row(NamedTuple):
    """One check of an answer. Without its `part`, mostly of the query, the test is known to find nothing."""

    anchor: str
    sentence: str
    test: Callable[[Answer], Iterable[Found]]
    part: _Part | None = None


def _kinds(answer: Answer) -> Iterable[Found]:
    kinds, place = answer.query.kinds, answer.decoded.place
    strange = [(index, frame) for index, frame in enumerate(answer.result.frames) if frame.kind not in kinds]
    if not kinds or not strange:
        return ()
    expected = said(" or ".join(kinds))
    return [
        (frame.id, Breach(f"/result/frames/{place(index)}/kind", expected, said(frame.kind))) for index, frame in strange
    ]


def _sum(answer: Answer) -> Iterable[Found]:
    frames, limit = answer.result.frames, answer.query.max_tokens
    total = sum([frame.token_cost for frame in frames])
    if total <= limit:
        return ()
    sums = accumulate(frame.token_cost for frame in frames)
    crossing = next(frame.id for frame, so_far in zip(frames, sums, strict=True) if so_far > limit)
    found = f"{total} in sum, over at frame {said(crossing)}"
    return ((None, Breach("/result/frames", f"at most {limit}", found)),)


def _count(answer: Answer) -> Iterable[Found]:
    count = len(answer.result.frames) + len(answer.decoded.bad_frames)
    if count <= answer.query.max_frames:
        return ()
    return ((None, Breach("/result/frames", f"at most {answer.query.max_frames}", f"{count} frames")),)


def _graph_anchors(answer: Answer) -> frozenset[str]:
    """The anchors that bind: those of a query to a provider with a graph."""
    graph = answer.ack is not None and answer.ack.capabilities.graph
    return frozenset(answer.query.anchors) if graph else frozenset()


def _unanchored(answer: Answer) -> Iterator[Found]:
    if answer.past.anchored is not None and _graph_anchors(answer):
        yield None, Breach("/result/frames", said(f"a frame at an anchor, such as {answer.past.anchored}"), "none")


def _behind(answer: Answer) -> Iterator[Found]:
    """Scores say how a provider ranks its frames; equal ones say nothing."""
    anchors = _graph_anchors(answer)
    if not anchors:
        return
    touched = [frame.anchored_by(anchors) for frame in answer.result.frames]
    if all(touched) or not any(touched):
        return
    lowest = min(frame.score for frame, hit in zip(answer.result.frames, touched, strict=True) if hit)
    for index, frame in enumerate(answer.result.frames):
        if not touched[index] and frame.score > lowest:
            path = f"/result/frames/{answer.decoded.place(index)}/score"
            yield (
                frame.id,
                Breach(
                    path,
                    f"at most {said(lowest)}, the score of a frame at an anchor",
                    said(frame.score),
                    level="advice",
                    fix="Give frames at an anchor higher scores than the others.",
                ),
            )


def _out_of_time(answer: Answer) -> Iterator[Found]:
    at = None if answer.query.as_of is None else parse(answer.query.as_of)
    if at is None:
        return
    for index, frame in enumerate(answer.result.frames):
        name, text = ("valid_from", frame.valid_from) if _later(frame.valid_from, at) else ("valid_to", frame.valid_to)
        if name == "valid_from" or _over(frame.valid_to, at):
            path = f"/result/frames/{answer.decoded.place(index)}/{name}"
            wanted = f"{'not' if name == 'valid_from' else ''} after {answer.query.as_of}".strip()
            yield frame.id, Breach(path, said(wanted), said(text))


def _later(text: str | None, at: Instant) -> bool:
    instant = None if text is None else parse(text)
    return instant is not None and at < instant


def _over(text: str | None, at: Instant) -> bool:
    instant = None if text is None else parse(text)
    return instant is not None and instant <= at


def _names_twice(answer: Answer) -> Iterable[Found]:
    """Once an id, at the second frame that has it."""
    frames = answer.result.frames
    return () if len({frame.id for frame in frames}) == len(frames) else _repeated(answer)


def _repeated(answer: Answer) -> Iterator[Found]:
    frames = answer.result.frames
    counts = Counter(frame.id for frame in frames)
    first: dict[str, str | None] = {}
    for index, frame in enumerate(frames):
        count = counts[frame.id]
        if count < 2:
            continue
        if frame.id not in first:
            first[frame.id] = frame.content_digest
            continue
        same = frame.content_digest == first[frame.id]
        message = "Another frame of this answer has the same identity." if same else ""
        path = f"/result/frames/{answer.decoded.place(index)}/id"
        yield frame.id, Breach(path, "an id of its own", said(f"{count} frames {frame.id}"), message, reference="accepted")
        counts[frame.id] = 1


def _vector_taken(answer: Answer) -> Iterator[Found]:
    if answer.ack is not None and contradicts_fingerprint(answer.query, answer.ack):
        suite = "failed by its suite"
        yield None, Breach("/type", "error bad_request", "frames", level="advice", reference=suite, fix=CALL_IT_BAD)


def _preference_met(answer: Answer) -> Iterator[Found]:
    if answer.ack is None or not answer.query.representation_preferences:
        return
    barred = frozenset(not_offered(answer.query, answer.ack).values())
    for index, frame in enumerate(answer.result.frames):
        if frame.representation in barred:
            path = f"/result/frames/{answer.decoded.place(index)}/representation"
            yield (
                frame.id,
                Breach(
                    path,
                    "full, or error unsupported_representation",
                    said(frame.representation),
                    level="advice",
                    reference="accepted",
                    fix="Fall back to full, or answer error with code unsupported_representation.",
                ),
            )


ROWS: Final = (
    Row("Q1", "The frame is of a kind that was not asked for.", _kinds, "kinds"),
    Row("B1", "The answer costs more than the query allows.", _sum),
    Row("B4", "The answer holds more frames than the query allows.", _count),
    Row("G4", "No frame touches an anchor, though one was served before.", _unanchored, "anchored"),
    Row("G4", "A frame off the anchors ranks above one at an anchor.", _behind, "anchors"),
    Row("6.1", "The frame was not valid at that instant.", _out_of_time, "as_of"),
    Row("6.3", "Another frame of this answer has the same id.", _names_twice),
    Row("E1", "A vector of the wrong length is answered with frames.", _vector_taken, "vector"),
    Row("P5", "The frame is in a representation that is not offered.", _preference_met, "preferences"),
)


_STANDARD: Final = Chosen(ROWS, get_args(_Part))


def _look(answer: Answer) -> Look:
    """Which parts are there, in the order of `_Part`."""
    query = answer.query
    return (
        bool(query.kinds),
        answer.past.anchored is not None,
        bool(query.anchors) and answer.ack is not None and answer.ack.capabilities.graph,
        query.as_of is not None,
        query.embedding is not None,
        bool(query.representation_preferences),
    )


def judge_answer(answer: Answer, charge: Charge, rows: Iterable[Row] = ROWS) -> list[Finding]:
    """The findings about an answer as the reply to its query."""
    chosen = _STANDARD if rows is ROWS else Chosen(rows, get_args(_Part))
    return [
        charge.find(row.anchor, row.sentence, breach, frame_id=frame_id)
        for row in chosen[_look(answer)]
        for frame_id, breach in row.test(answer)
    ]
