"""What a connection has served, and which keys a transcript has seen: bounded, and forgetting the oldest first.

Answers are only put aside as they pass; they are looked through when somebody asks, each once. What was forgotten is never
held against anybody.
"""

from __future__ import annotations

from collections import OrderedDict, deque
from collections.abc import Callable, Iterable
from typing import Any, Final, NamedTuple, TypeVar

from cgp_tui import limits
from cgp_tui.protocol.envelope import ContextQueryResult, Frames, HandshakeAck, Query, Verified, Verify
from cgp_tui.protocol.frame import ContextFrame
from cgp_tui.protocol.identity import FrameId
from cgp_tui.protocol.query import ContextQuery
from cgp_tui.protocol.timestamp import parse
from cgp_tui.session.exchange import Exchange
from cgp_tui.wire.line import Seen

_Entry = TypeVar("_Entry")

_KINDS: Final = 8
"""How many kinds of frames are remembered for one URI."""

_DIGESTS: Final = 8
"""How many digests are remembered for one frame id; with more, none is called never served."""


class _Frame(NamedTuple):
    """The cheapest frame of its kind that touches a URI."""

    frame_id: str
    cost: int
    valid_from: str | None
    valid_to: str | None


class Served:
    """The frames that one connection has served."""

    def __init__(self) -> None:
        self._waiting: deque[tuple[ContextQueryResult, int]] = deque()
        self._waiting_bytes = 0
        self._by_uri: OrderedDict[str, dict[str, _Frame]] = OrderedDict()
        self._digests: OrderedDict[str, set[str | None]] = OrderedDict()

    def add(self, result: ContextQueryResult, size: int) -> None:
        """Remember an answer whose line had `size` bytes."""
        self._waiting.append((result, size))
        self._waiting_bytes += size
        while self._waiting_bytes > limits.REMEMBERED_BYTES or len(self._waiting) > limits.REMEMBERED:
            self._waiting_bytes -= self._waiting.popleft()[1]

    def gone(self, names: Iterable[FrameId]) -> None:
        """Forget frames that the provider says are there no longer."""
        lost = {name.frame_id for name in names}
        if lost:
            self._look_through()
            for kinds in self._by_uri.values():
                for kind in [kind for kind, frame in kinds.items() if frame.frame_id in lost]:
                    del kinds[kind]

    def anchored(self, query: ContextQuery) -> str | None:
        """The id of a frame that `query` admits and one of its anchors touches (G4); None where none is remembered."""
        self._look_through()
        if not query.max_frames:
            return None
        for anchor in query.anchors[: limits.REMEMBERED]:
            for kind, frame in self._by_uri.get(anchor, {}).items():
                if frame.cost <= query.max_tokens and (not query.kinds or kind in query.kinds) and _holds(frame, query):
                    return frame.frame_id
        return None

    def never_served(self, names: Iterable[FrameId]) -> frozenset[FrameId]:
        """Those of `names` whose frame id was served with a digest each time, but never with that one."""
        self._look_through()
        found = []
        for name in names:
            digests = self._digests.get(name.frame_id)
            if digests is None or len(digests) > _DIGESTS or None in digests:
                continue
            if name.content_digest not in digests:
                found.append(name)
        return frozenset(found)

    def served(self, names: Iterable[FrameId]) -> bool:
        """Whether every one of `names` is remembered as served, under its digest."""
        self._look_through()
        return all(name.content_digest in self._digests.get(name.frame_id, ()) for name in names)

    def _look_through(self) -> None:
        while self._waiting:
            result, _ = self._waiting.popleft()
            for frame in result.frames:
                self._note(frame)
        self._waiting_bytes = 0

    def _note(self, frame: ContextFrame) -> None:
        if len(frame.id) > limits.REMEMBERED_CHARS:
            return
        digests = _recent(self._digests, frame.id, set)
        if len(digests) <= _DIGESTS:
            digests.add(frame.content_digest)
        noted = _Frame(frame.id, frame.token_cost, frame.valid_from, frame.valid_to)
        for uri in (frame.uri, *(relation.target_uri for relation in frame.relations[: limits.REMEMBERED])):
            if uri is None or len(uri) > limits.REMEMBERED_CHARS:
                continue
            kinds = _recent(self._by_uri, uri, dict)
            known = kinds.get(frame.kind)
            if (known is None and len(kinds) < _KINDS) or (known is not None and noted.cost < known.cost):
                kinds[frame.kind] = noted


def _holds(frame: _Frame, query: ContextQuery) -> bool:
    """Whether what the frame says was true at the instant the query is pinned to."""
    at = None if query.as_of is None else parse(query.as_of)
    if at is None:
        return True
    begin = None if frame.valid_from is None else parse(frame.valid_from)
    end = None if frame.valid_to is None else parse(frame.valid_to)
    return (begin is None or begin <= at) and (end is None or at < end)


def _recent(table: OrderedDict[str, _Entry], name: str, make: Callable[[], _Entry]) -> _Entry:
    """The entry of `name`, made where there is none; the one not asked for longest goes where there are too many."""
    entry = table.get(name)
    if entry is None:
        entry = table[name] = make()
        if len(table) > limits.REMEMBERED:
            table.popitem(last=False)
    else:
        table.move_to_end(name)
    return entry


class Keys:
    """The keys that the acks of one transcript have published, by declared name and key id."""

    def __init__(self) -> None:
        self._keys: OrderedDict[tuple[str, str], str] = OrderedDict()

    def changed(self, ack: HandshakeAck) -> tuple[str, ...]:
        """The ids of this ack's keys that an earlier one published under the same name with other bytes."""
        found: list[str] = []
        fresh: dict[tuple[str, str], str] = {}
        for key in ack.attester_keys[: limits.REMEMBERED]:
            if len(ack.provider.name) + len(key.key_id) + len(key.public_key) > limits.REMEMBERED_CHARS:
                continue
            # Another case of the digits is no other key, though a strict verifier takes one of them only.
            name, public = (ack.provider.name, key.key_id), key.public_key.lower()
            if self._keys.get(name, public) != public and key.key_id not in found:
                found.append(key.key_id)
            fresh.setdefault(name, public)
        for name, public in fresh.items():
            self._keys[name] = public
            self._keys.move_to_end(name)
            if len(self._keys) > limits.REMEMBERED:
                self._keys.popitem(last=False)
        return tuple(found)


def passed(exchange: Exchange, seen: Seen, served: Served, keys: Keys) -> dict[str, Any]:
    """What came before bears on this reply to `exchange`, by the members of `Past`; it is remembered for those to come."""
    asked, answer = exchange.request, seen.decoded.envelope
    question = None if asked is None else asked.decoded.envelope
    offers = None if exchange.ack is None else exchange.ack.capabilities
    found: dict[str, Any] = {}
    if isinstance(answer, HandshakeAck) and answer.attester_keys:
        found["changed_keys"] = keys.changed(answer)
    elif isinstance(answer, Frames) and offers is not None and (offers.graph or offers.verify):
        if offers.graph and isinstance(question, Query) and question.query.anchors and not seen.decoded.bad_frames:
            anchors = frozenset(question.query.anchors)
            if not any(frame.anchored_by(anchors) for frame in answer.result.frames):
                found["anchored"] = served.anchored(question.query)
        served.add(answer.result, len(seen.line.raw))
    elif isinstance(answer, Verified):
        verdicts = answer.response.verdicts
        found["never_served"] = served.never_served(one.frame for one in verdicts if one.status == "valid")
        if isinstance(question, Verify) and verdicts and exchange.ack is not None:
            name, asked_for = exchange.ack.provider.name, question.request.frames
            ours = all(frame.provider_id == name and frame.content_digest is not None for frame in asked_for)
            hollow = ours and all(one.status == "unknown" for one in verdicts)
            found["disowned"] = hollow and served.served(asked_for)
        served.gone(one.frame for one in verdicts if one.status == "gone")
    return found
