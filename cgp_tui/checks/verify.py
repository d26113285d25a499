"""Asking whether frames still hold, and the answer: V1, V2, V3, V4, and the prose of SPEC 9.

A row is an anchor, its sentence, the line it charges, and a test that yields breaches with the frame each is about. Members
that no type of ours keeps are read from the raw line, and only where it may hold some. What a verdict must repeat is
charged to the request: a body in a requested identity about is no fault of the echo.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from functools import cached_property
from typing import Final, Literal, NamedTuple

import msgspec

from cgp_tui.checks.breach import Breach, Charge, said
from cgp_tui.protocol.digest import is_digest
from cgp_tui.protocol.envelope import ErrorReply, Verified, Verify
from cgp_tui.protocol.identity import FrameId
from cgp_tui.protocol.requirements import Finding
from cgp_tui.protocol.verify import STATUSES, FrameVerdict
from cgp_tui.session.exchange import ANSWERED, Exchange
from cgp_tui.session.spoken import sender
from cgp_tui.wire import surrogates
from cgp_tui.wire.line import Seen

Found = tuple[str | None, Breach]

_BODIES: Final = frozenset(
    ("body", "bodies", "content", "contents", "text", "texts", "fulltext", "plaintext", "frame", "frames")
)
"""The last word of a member's name that carries a body; `content_type` and `context_id` only describe one."""

_WRITTEN_AS: Final = frozenset(("base64", "b64", "html", "markdown", "md", "raw", "utf8"))
"""Words after it that say how the body is encoded."""

_WORD: Final = re.compile(r"[A-Z]*[a-z0-9]+|[A-Z]+")

_COMPARE: Final = "Compare each requested digest with what you serve now: valid, stale or gone."

_NAME_CHARS: Final = 256
"""How much of a member's name is looked at, from its end."""

_NAMED: Final = 3
"""The most missing identities that a finding names."""

_IDENTITY: Final = frozenset(FrameId.__struct_fields__)
_VERDICT: Final = frozenset(FrameVerdict.__struct_fields__)


class _Asked(msgspec.Struct):
    frames: list[dict[str, msgspec.Raw]]


class _VerifyLine(msgspec.Struct):
    request: _Asked


class _Answered(msgspec.Struct):
    verdicts: list[msgspec.Raw]


class _VerifiedLine(msgspec.Struct):
    response: _Answered


_VERIFY: Final = msgspec.json.Decoder(_VerifyLine).decode
_VERIFIED: Final = msgspec.json.Decoder(_VerifiedLine).decode
_MEMBERS: Final = msgspec.json.Decoder(dict[str, msgspec.Raw]).decode
_TEXT: Final = msgspec.json.Decoder(str).decode


class Pair:
    """A verify exchange, whichever of its lines can be read."""

    def __init__(self, exchange: Exchange) -> None:
        self.exchange = exchange
        self.ack = exchange.ack
        asked = None if exchange.request is None else exchange.request.decoded.envelope
        answered = None if exchange.reply is None else exchange.reply.decoded.envelope
        self.asked: tuple[FrameId, ...] = asked.request.frames if isinstance(asked, Verify) else ()
        self.verdicts: tuple[FrameVerdict, ...] = answered.response.verdicts if isinstance(answered, Verified) else ()
        self.refused = answered if isinstance(answered, ErrorReply) and isinstance(asked, Verify) else None
        self.paired = exchange.state in ANSWERED and isinstance(asked, Verify)
        self.whole = isinstance(answered, Verified) and not self._unread

    @cached_property
    def _unread(self) -> frozenset[int]:
        """The places of verdicts that could not be read and are missing from `verdicts`."""
        reply = self.exchange.reply
        paths = [] if reply is None else [fault.path.split("/") for fault in reply.decoded.faults]
        return frozenset(int(path[3]) for path in paths if path[2:3] == ["verdicts"] and "".join(path[3:4]).isdecimal())

    def place(self, index: int) -> int:
        """The wire position of verdict `index`."""
        return self._places[index] if self._unread else index

    @cached_property
    def _places(self) -> tuple[int, ...]:
        count = len(self.verdicts) + len(self._unread)
        return tuple(place for place in range(count) if place not in self._unread)

    @cached_property
    def wanted(self) -> frozenset[FrameId]:
        return frozenset(self.asked)

    @cached_property
    def judged(self) -> frozenset[FrameId]:
        return frozenset(verdict.frame for verdict in self.verdicts)

    @cached_property
    def bodies_asked(self) -> dict[str, str | None]:
        """The members of asked identities that look like bodies: each path with the id of its frame."""
        text = _text(self.exchange.request, Verify)
        return {
            f"/request/frames/{place}/{name}": self.asked[place].frame_id
            for place, members in enumerate(() if text is None else _VERIFY(text.text).request.frames)
            for name in _bodies(members, _IDENTITY)
        }

    @cached_property
    def bodies_answered(self) -> dict[str, str | None]:
        """The same for verdicts and the identities in them, less what the asked identity already had."""
        text = _text(self.exchange.reply, Verified)
        if text is None:
            return {}
        echoed = {(frame_id, path.rpartition("/")[2]) for path, frame_id in self.bodies_asked.items()}
        found: dict[str, str | None] = {}
        for place, raw in enumerate(_VERIFIED(text.text).response.verdicts):
            members = _members(raw)
            identity = _members(members.get("frame", b""))
            frame_id = _frame_id(identity, text.stand_in)
            base = f"/response/verdicts/{place}"
            found |= {f"{base}/{name}": frame_id for name in _bodies(members, _VERDICT)}
            names = (name for name in _bodies(identity, _IDENTITY) if (frame_id, name) not in echoed)
            found |= {f"{base}/frame/{name}": frame_id for name in names}
        return found


class Row(NamedTuple):
    """One check of a verify exchange; `at` is the line it charges."""

    anchor: str
    sentence: str
    at: Literal["request", "reply"]
    test: Callable[[Pair], Iterable[Found]]


def _bodies_asked(pair: Pair) -> Iterator[Found]:
    for path, frame_id in pair.bodies_asked.items():
        yield frame_id, Breach(path, "provider_id, frame_id and content_digest", said(path.rpartition("/")[2]))


def _without_digest(pair: Pair) -> Iterator[Found]:
    for place, name in enumerate(pair.asked):
        if name.content_digest is None:
            path = f"/request/frames/{place}/content_digest"
            yield name.frame_id, Breach(path, "a digest", "nothing", level="advice", reference="splits such frames off")


def _other_name(pair: Pair) -> Iterator[Found]:
    declared = None if pair.ack is None else pair.ack.provider.name
    for place, name in enumerate(pair.asked if declared is not None else ()):
        if name.provider_id != declared:
            path = f"/request/frames/{place}/provider_id"
            yield name.frame_id, Breach(path, said(declared), said(name.provider_id), level="advice")


def _undeclared(pair: Pair) -> Iterator[Found]:
    if pair.ack is not None and not pair.ack.capabilities.verify and pair.exchange.request is not None:
        yield None, Breach("/type", "a query", "verify", fix="Query again instead: verify is not declared.")


def _hollow(pair: Pair) -> Iterator[Found]:
    if pair.paired and pair.whole and pair.wanted and not pair.wanted & pair.judged:
        yield None, Breach("/response/verdicts", f"a verdict for each of {len(pair.wanted)}", "none of them")


def _refused(pair: Pair) -> Iterator[Found]:
    declared = pair.ack is not None and pair.ack.capabilities.verify
    if declared and pair.refused is not None and pair.paired:
        yield None, Breach("/type", "verified", said(f"error {pair.refused.code or ''}".strip()), level="advice")


def _unasked(pair: Pair) -> Iterator[Found]:
    for index, verdict in enumerate(pair.verdicts if pair.paired else ()):
        if verdict.frame not in pair.wanted:
            path = f"/response/verdicts/{pair.place(index)}/frame"
            found = Breach(
                path,
                "a requested identity",
                said(_spelled(verdict.frame)),
                level="advice",
                reference="ignored",
                fix="Give verdicts for the requested identities only, each repeated as received.",
            )
            yield verdict.frame.frame_id, found


def _rubber_stamp(pair: Pair) -> Iterator[Found]:
    """A malformed digest can belong to no frame; one that this connection never served for that frame is only doubtful."""
    for index, verdict in enumerate(pair.verdicts if pair.paired else ()):
        digest = verdict.frame.content_digest
        if verdict.status != "valid" or digest is None or verdict.frame not in pair.wanted:
            continue
        path = f"/response/verdicts/{pair.place(index)}/status"
        if not is_digest(digest):
            found = Breach(path, "stale, gone or unknown", said(f"valid, for {digest}"), fix=_COMPARE)
            yield verdict.frame.frame_id, found
        elif verdict.frame in pair.exchange.past.never_served:
            expected = "stale: another digest was served here"
            found = Breach(path, expected, said(f"valid, for {digest}"), level="advice", fix=_COMPARE)
            yield verdict.frame.frame_id, found


def _disowned(pair: Pair) -> Iterator[Found]:
    if pair.exchange.past.disowned:
        expected = "valid, stale or gone: all of them were served here"
        yield None, Breach("/response/verdicts/0/status", expected, "unknown, for all", level="advice", fix=_COMPARE)


def _incomplete(pair: Pair) -> Iterator[Found]:
    missing = [name for name in dict.fromkeys(pair.asked) if name not in pair.judged]
    if pair.paired and pair.whole and 0 < len(missing) < len(pair.wanted):
        names = ", ".join(name.frame_id for name in missing[:_NAMED])
        more = ", …" if len(missing) > _NAMED else ""
        expected = f"a verdict for each of {len(pair.wanted)}"
        yield None, Breach("/response/verdicts", expected, said(f"none for {len(missing)}: {names}{more}"))


def _twice(pair: Pair) -> Iterator[Found]:
    first: dict[FrameId, str] = {}
    for index, verdict in enumerate(pair.verdicts):
        status = first.setdefault(verdict.frame, verdict.status)
        if status != verdict.status:
            path = f"/response/verdicts/{pair.place(index)}/status"
            yield verdict.frame.frame_id, Breach(path, said(f"{status}, as before"), said(verdict.status))


def _status(pair: Pair) -> Iterator[Found]:
    for index, verdict in enumerate(pair.verdicts):
        if verdict.status not in STATUSES:
            path = f"/response/verdicts/{pair.place(index)}/status"
            yield verdict.frame.frame_id, Breach(path, " or ".join(STATUSES), said(verdict.status))


def _replacement(pair: Pair) -> Iterator[Found]:
    for index, verdict in enumerate(pair.verdicts):
        digest = verdict.replacement_digest
        if digest is not None and not is_digest(digest):
            path = f"/response/verdicts/{pair.place(index)}/replacement_digest"
            yield verdict.frame.frame_id, Breach(path, "sha256: and 64 lower-case hex digits", said(digest))


def _bodies_answered(pair: Pair) -> Iterator[Found]:
    for path, frame_id in pair.bodies_answered.items():
        yield frame_id, Breach(path, "the identity, a status and a digest", said(path.rpartition("/")[2]))


ROWS: Final = (
    Row("V1", "The identity carries what looks like a body.", "request", _bodies_asked),
    Row("V1", "A frame without a digest cannot be verified.", "request", _without_digest),
    Row("V1", "The identity does not use the declared name.", "request", _other_name),
    Row("9", "The provider does not declare verify.", "request", _undeclared),
    Row("V2", "No requested identity has a verdict.", "reply", _hollow),
    Row("V2", "The verify is refused, though verify is declared.", "reply", _refused),
    Row("V2", "Nobody asked for this verdict.", "reply", _unasked),
    Row("V2", "An identity that was never served is called valid.", "reply", _rubber_stamp),
    Row("V2", "Every identity served here is called unknown.", "reply", _disowned),
    Row("9", "Some requested identities have no verdict.", "reply", _incomplete),
    Row("9", "One identity has two verdicts.", "reply", _twice),
    Row("V3", "The verdict's status is not one of the four.", "reply", _status),
    Row("V4", "The replacement_digest is malformed.", "reply", _replacement),
    Row("V4", "The verdict carries what looks like a body.", "reply", _bodies_answered),
)


def judge_verify(exchange: Exchange, rows: Iterable[Row] = ROWS) -> list[Finding]:
    """The findings about a verify and what came back."""
    pair = Pair(exchange)
    findings = []
    for row in rows:
        seen = exchange.request if row.at == "request" else exchange.reply
        if seen is not None:
            charge = Charge(seen.line.n, exchange.number, sender(seen))
            findings += [charge.find(row.anchor, row.sentence, breach, frame_id=name) for name, breach in row.test(pair)]
    return findings


def _spelled(name: FrameId) -> str:
    return " ".join(filter(None, (name.provider_id, name.frame_id, name.content_digest)))


def _bodies(members: Iterable[str], known: frozenset[str]) -> list[str]:
    return [name for name in members if name not in known and _is_body(name)]


def _is_body(name: str) -> bool:
    words = [word.lower() for word in _WORD.findall(name[-_NAME_CHARS:])]
    while len(words) > 1 and words[-1] in _WRITTEN_AS:
        words.pop()
    return bool(words) and words[-1] in _BODIES


def _text(seen: Seen | None, kind: type) -> surrogates.Replaced | None:
    """The text of a line of this kind, where it may hold members that no type of ours keeps. A lone surrogate in one string
    hides nothing in the others."""
    told = seen is not None and seen.decoded.extras and isinstance(seen.decoded.envelope, kind)
    return surrogates.replace(seen.line.raw) if told and seen is not None else None


def _frame_id(identity: dict[str, msgspec.Raw], stand_in: bytes) -> str | None:
    raw = bytes(identity.get("frame_id", b""))
    try:
        return None if stand_in and stand_in in raw else _TEXT(raw)
    except msgspec.DecodeError:
        return None


def _members(raw: bytes | msgspec.Raw) -> dict[str, msgspec.Raw]:
    """The members of an object; empty where it is none, which is a fault of its own and must hide nothing beside it."""
    try:
        return _MEMBERS(raw)
    except msgspec.DecodeError:
        return {}
