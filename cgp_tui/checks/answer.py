"""An answer against its query: Q1, B1, B4, G4, as_of (6.1), repeated identities (6.3), and what E1 and P5 ask of a provider.

A row is an anchor, its sentence, and a test that yields each breach with the id of its frame, None for the whole answer.
Sums are exact at any size. A frame that could not be read whole still counts as a frame (B4); so do its kind, cost and
times wherever they can be read.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from operator import itemgetter
from typing import Final, Literal, NamedTuple, get_args

from cgp_tui.checks.breach import Breach, Charge, said
from cgp_tui.checks.chosen import Chosen, Look
from cgp_tui.checks.mended import Mended
from cgp_tui.checks.query import contradicts_fingerprint, not_offered
from cgp_tui.checks.reply import CALL_IT_BAD
from cgp_tui.protocol.envelope import ContextQueryResult, HandshakeAck
from cgp_tui.protocol.frame import ContextFrame
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
    mended: tuple[Mended, ...] = ()

    def at(self, index: int) -> Mended:
        """A frame that was read, in the form that `mended` gives to those that could not be."""
        frame = self.result.frames[index]
        return Mended(self.decoded.place(index), frame.id, frame, frozenset())


_Part = Literal["kinds", "anchored", "anchors", "as_of", "vector", "preferences"]


class Row(NamedTuple):
    """One check of an answer. `part` names what (mostly of the query) must be present for the test to find anything."""

    anchor: str
    sentence: str
    test: Callable[[Answer], Iterable[Found]]
    part: _Part | None = None


def _kinds(answer: Answer) -> Iterable[Found]:
    kinds = answer.query.kinds
    if not kinds:
        return ()
    frames, mended = answer.result.frames, answer.mended
    strange = [index for index, frame in enumerate(frames) if frame.kind not in kinds]
    unread = [one for one in mended if one.frame.kind not in kinds and one.tells(_path(one, "kind"))] if mended else []
    if not strange and not unread:
        return ()
    place, expected = answer.decoded.place, said(" or ".join(kinds))
    found: list[Found] = [
        (frames[index].id, Breach(f"/result/frames/{place(index)}/kind", expected, said(frames[index].kind)))
        for index in strange
    ]
    return found + [(one.frame_id, Breach(_path(one, "kind"), expected, said(one.frame.kind))) for one in unread]


def _path(one: Mended, name: str) -> str:
    return f"/result/frames/{one.place}/{name}"


def _sum(answer: Answer) -> Iterable[Found]:
    frames, limit = answer.result.frames, answer.query.max_tokens
    total = sum([frame.token_cost for frame in frames])
    if answer.mended:
        total += sum([one.frame.token_cost for one in answer.mended])
    if total <= limit:
        return ()
    return ((None, Breach("/result/frames", f"at most {limit}", f"{total} in sum, over at {_crossing(answer)}")),)


def _crossing(answer: Answer) -> str:
    """The frame, in wire order, at which the costs go over the limit."""
    left, frames = answer.query.max_tokens, iter(_in_order(answer))
    while left >= 0:
        at, name, frame = next(frames)
        left -= frame.token_cost
    return f"frame {said(name)}" if name is not None else f"the frame at {at}, which has no id"


def _in_order(answer: Answer) -> Iterable[tuple[int, str | None, ContextFrame]]:
    """Every frame of which something can be read, with its place and its id, in wire order."""
    place = answer.decoded.place
    frames = ((place(index), frame.id, frame) for index, frame in enumerate(answer.result.frames))
    if not answer.mended:
        return frames
    return sorted((*frames, *((one.place, one.frame_id, one.frame) for one in answer.mended)), key=itemgetter(0))


def _count(answer: Answer) -> Iterable[Found]:
    count = len(answer.result.frames) + len(answer.decoded.bad_frames)
    if count <= answer.query.max_frames:
        return ()
    return ((None, Breach("/result/frames", f"at most {answer.query.max_frames}", f"{count} frames")),)


def _graph_anchors(answer: Answer) -> frozenset[str]:
    """The query's anchors, which bind only a provider that declares a graph."""
    graph = answer.ack is not None and answer.ack.capabilities.graph
    return frozenset(answer.query.anchors) if graph else frozenset()


def _unanchored(answer: Answer) -> Iterator[Found]:
    if answer.past.anchored is not None and _graph_anchors(answer):
        yield None, Breach("/result/frames", said(f"an anchored frame, such as {answer.past.anchored}"), "none")


def _behind(answer: Answer) -> Iterator[Found]:
    """Scores say how a provider ranks its frames; equal ones say nothing."""
    anchors = _graph_anchors(answer)
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
                    f"at most {said(lowest)}, the score of an anchored frame",
                    said(frame.score),
                    level="advice",
                    fix="Score anchored frames higher than the others.",
                ),
            )


def _out_of_time(answer: Answer) -> Iterator[Found]:
    at = None if answer.query.as_of is None else parse(answer.query.as_of)
    if at is None:
        return
    for index, frame in enumerate(answer.result.frames):
        if _later(frame.valid_from, at) or _over(frame.valid_to, at):
            yield _untimely(answer, answer.at(index), at)
    # A time that cannot be read was taken out, so it says nothing here.
    yield from (
        _untimely(answer, one, at)
        for one in answer.mended
        if _later(one.frame.valid_from, at) or _over(one.frame.valid_to, at)
    )


def _untimely(answer: Answer, one: Mended, at: Instant) -> Found:
    early = _later(one.frame.valid_from, at)
    name, text = ("valid_from", one.frame.valid_from) if early else ("valid_to", one.frame.valid_to)
    wanted = f"{'not ' if early else ''}after {answer.query.as_of}"
    return one.frame_id, Breach(_path(one, name), said(wanted), said(text))


def _later(text: str | None, at: Instant) -> bool:
    instant = None if text is None else parse(text)
    return instant is not None and at < instant


def _over(text: str | None, at: Instant) -> bool:
    instant = None if text is None else parse(text)
    return instant is not None and instant <= at


def _names_twice(answer: Answer) -> Iterable[Found]:
    """Each repeated id is reported once, at the second frame that has it."""
    frames = answer.result.frames
    alone = not answer.mended and len({frame.id for frame in frames}) == len(frames)
    return () if alone else _repeated(answer)


def _repeated(answer: Answer) -> Iterator[Found]:
    counts = Counter(name for _, name, _ in _in_order(answer))
    first: dict[str, str | None] = {}
    for place, name, frame in _in_order(answer):
        count = counts[name]
        if count < 2 or name is None:
            continue
        if name not in first:
            first[name] = frame.content_digest
            continue
        same = frame.content_digest == first[name]
        message = "Another frame of this answer has the same identity." if same else ""
        path = f"/result/frames/{place}/id"
        yield name, Breach(path, "an id of its own", said(f"{count} frames {name}"), message, reference="accepted")
        counts[name] = 1


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
    Row("G4", "No frame is anchored, though an anchored one was served before.", _unanchored, "anchored"),
    Row("G4", "An unanchored frame ranks above an anchored one.", _behind, "anchors"),
    Row("6.1", "The frame was not valid at that instant.", _out_of_time, "as_of"),
    Row("6.3", "Another frame of this answer has the same id.", _names_twice),
    Row("E1", "An embedding of the wrong length is answered with frames.", _vector_taken, "vector"),
    Row("P5", "The frame's representation was not advertised.", _preference_met, "preferences"),
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
