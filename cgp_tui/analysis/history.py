"""Where a frame was met before, and whether its bytes are still the same (SPEC 6.3, D1, D2).

An identity is declared provider name, frame id and content_digest. Under one digest the bytes cannot change unless one of
the two copies contradicts it: that copy has its own finding, and this module says where the other one is. Without a digest
they may change, and the older copy must not be used again unchecked (D3).

Memory is bounded: an identity keeps its first sighting and the newest few, and the identities met least recently are
forgotten first. A forgotten one is never called new: `forgotten` counts them.
"""

from __future__ import annotations

from array import array
from collections import OrderedDict
from collections.abc import Iterable, Iterator
from hashlib import blake2b
from typing import Final, NamedTuple

import msgspec

from cgp_tui import limits
from cgp_tui.checks.types import Judged
from cgp_tui.protocol.envelope import ContextQueryResult, Frames, HandshakeAck
from cgp_tui.protocol.frame import ContextFrame
from cgp_tui.transcript.reader import Transcript
from cgp_tui.wire.decode import decode
from cgp_tui.wire.line import Line

_KEPT: Final = 8
"""The most sightings reported for one identity: the first and the newest ones."""
_LINES: Final = 1 << 48
"""More than any transcript has lines; 64 bits have room for its transcript too. Greater ones are not remembered."""


class Sighting(msgspec.Struct, frozen=True):
    """A place where the identity was met: a transcript (None for the one being judged), a wire line of it, and whether the
    content there is the same, byte for byte."""

    transcript: str | None
    line: int
    same: bool


class Again(msgspec.Struct, frozen=True):
    """A frame that was met before. `seen` are at most eight of the `times` it was met, oldest first; `changed` says whether
    its bytes differed in any of them."""

    line: int
    frame_id: str
    content_digest: str | None
    times: int
    changed: bool
    seen: tuple[Sighting, ...]


class _Met(NamedTuple):
    transcript: int
    line: int
    content: bytes


class _Memory:
    """What is kept about one identity, packed: an object for each sighting would take ten times the room."""

    __slots__ = ("_contents", "_places", "mixed", "times")

    def __init__(self) -> None:
        self._places = array("Q")
        self._contents: list[bytes] = []
        self.times = 0
        self.mixed = False

    def add(self, one: _Met) -> None:
        self.times += 1
        if len(self._places) == _KEPT:
            del self._places[1], self._contents[1]
        same = bool(self._contents) and self._contents[0] == one.content
        self.mixed = self.mixed or (bool(self._contents) and not same)
        self._places.append(one.transcript * _LINES + one.line)
        self._contents.append(self._contents[0] if same else one.content)  # one object for all

    @property
    def met(self) -> list[_Met]:
        return [_Met(*divmod(place, _LINES), content) for place, content in zip(self._places, self._contents, strict=True)]

    @property
    def first(self) -> bytes:
        """The content of the first sighting."""
        return self._contents[0]


class History:
    """What was met in other transcripts (`learn`) and in the one being judged (`look`)."""

    def __init__(self) -> None:
        self.forgotten = 0
        """The number of identities that were met and are no longer remembered."""
        self._names: list[str | None] = [None]
        self._known: OrderedDict[bytes, _Memory] = OrderedDict()
        self._line = 0

    def learn(self, transcript: Transcript, name: str) -> None:
        """Meet every frame of another transcript, which is called `name`."""
        self._names.append(name)
        place, acks = len(self._names) - 1, dict[int, str]()
        for record in transcript.records():
            if not isinstance(record, Line) or not (b"frames" in record.raw or b"handshake_ack" in record.raw):
                continue
            envelope = decode(record.raw).envelope
            if isinstance(envelope, HandshakeAck):
                acks.setdefault(record.connection, envelope.provider.name)
            elif isinstance(envelope, Frames) and record.connection in acks:
                self._meet(place, record.n, acks[record.connection], envelope.result)

    def look(self, judged: Judged) -> Iterator[Again]:
        """The frames of an answer that were met before, in wire order; from then on they are met here too. An answer counts
        once."""
        exchange = judged.exchange
        answer = None if exchange.reply is None else exchange.reply.decoded.envelope
        if exchange.reply is None or exchange.ack is None or not isinstance(answer, Frames):
            return
        line, provider = exchange.reply.line.n, exchange.ack.provider.name
        if line <= self._line:
            return
        self._line = line
        for frame in answer.result.frames:
            again = self.again(provider, frame, line)
            if again is not None:
                yield again
        self._meet(0, line, provider, answer.result)

    def meet(self, judged: Judged) -> None:
        """Remember the frames of an answer without reporting them."""
        for _ in self.look(judged):
            pass

    def again(self, provider: str, frame: ContextFrame, line: int) -> Again | None:
        """Where this frame was met other than on `line`, as far as is known by now; None where it was not."""
        memory = self._known.get(_identity(provider, frame))
        if memory is None:
            return None
        content = _content(frame)
        met = memory.met
        elsewhere = [one for one in met if (one.transcript, one.line) != (0, line)]
        if not elsewhere:
            return None
        # Our own line comes last: other recordings are taken to be older.
        seen = tuple(
            Sighting(self._names[one.transcript], one.line, one.content == content)
            for one in sorted(elsewhere, key=lambda one: one.transcript == 0)
        )
        here = any((one.transcript, one.line) == (0, line) for one in met)
        changed = memory.mixed or memory.first != content
        return Again(line, frame.id, frame.content_digest, memory.times - here, changed, seen)

    def _meet(self, transcript: int, line: int, provider: str, result: ContextQueryResult) -> None:
        if not 0 < line < _LINES:
            return
        for frame in _once(result.frames):
            name = _identity(provider, frame)
            memory = self._known.get(name)
            if memory is None:
                memory = self._known[name] = _Memory()
                if len(self._known) > limits.HISTORY_FRAMES:
                    self._known.popitem(last=False)
                    self.forgotten += 1
            else:
                self._known.move_to_end(name)
            memory.add(_Met(transcript, line, _content(frame)))


def _once(frames: Iterable[ContextFrame]) -> Iterable[ContextFrame]:
    """Each identity of an answer once: a repeated one is a fault of the answer itself, and reported there."""
    return {(frame.id, frame.content_digest): frame for frame in reversed(tuple(frames))}.values()


def _identity(provider: str, frame: ContextFrame) -> bytes:
    parts = (provider, frame.id, *(() if frame.content_digest is None else (frame.content_digest,)))
    digest = blake2b(digest_size=16)
    for part in parts:
        data = part.encode("utf-8", "surrogatepass")
        digest.update(len(data).to_bytes(8, "big") + data)
    return digest.digest()


def _content(frame: ContextFrame) -> bytes:
    """The content by its hash; empty where there is none inline."""
    return b"" if frame.content is None else blake2b(frame.content.encode("utf-8", "surrogatepass"), digest_size=16).digest()
