"""A cache of decoded frames, keyed by their exact bytes: a provider with stable identities (D1) serves the same ones again.

What is kept depends on the bytes alone, so an answer reads the same with a memo as without. Two generations bound it: the
young one takes new frames and those met again; once it is full it becomes the old one, and the previous old one is dropped.
Where hardly any frame comes twice, the cache costs more than it saves, so it rests most of the time.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, Final, TypeVar

import msgspec

from cgp_tui import limits
from cgp_tui.protocol.frame import ContextFrame
from cgp_tui.wire import proof, skeleton
from cgp_tui.wire.ranges import U32, within_u32

_KIND: Final = tuple[ContextFrame, ...]
_FRAMES: Final = msgspec.json.Decoder(_KIND).decode

_LEVELS: Final = limits.JSON_DEPTH - 3
"""How deep a frame may nest by itself, as it stands in an array, in a result, in an envelope."""

_WINDOW: Final = 256
"""The number of answers after which the memo decides whether it is worth its cost."""
_WORTH: Final = 16
"""It is worth it where at least one frame in this many was known."""
_REST: Final = 7 * _WINDOW
"""Where it is not, this many answers are read without it before it tries again."""

_BEGIN: Final = 96
"""A frame is looked up by this many of its first bytes; then all its bytes are compared."""
_ALIKE: Final = 8
"""The most frames with the same beginning that are kept at a time."""

_ANSWERS: Final = 256
"""The most answers remembered at a time, for a caller who reads on without asking about them."""

_Told = TypeVar("_Told")
_Generation = dict[bytes, tuple["Kept", ...]]


class Kept(msgspec.Struct, eq=False, gc=False):
    """One frame: its bytes, what they decode to, whether it may hold members that no type knows, and what a check of this
    frame alone found."""

    text: bytes
    frame: ContextFrame
    extras: bool
    asked: object = None
    told: Any = None


class FrameMemo:
    """The frames last read: at most `entries` of them, with `size` bytes of text, in each of two generations."""

    def __init__(self, entries: int = limits.FRAMES_KEPT, size: int = limits.FRAMES_KEPT_BYTES) -> None:
        self._entries = entries
        self._size = size
        self._count = 0
        self._held = 0
        self._answers = 0
        self._asked = 0
        self._fresh = 0
        self._young: _Generation = {}
        self._old: _Generation = {}
        self._answered: dict[int, tuple[Sequence[ContextFrame], list[Kept]]] = {}
        """The last answers, by the address of their frames, as those are the ones that `told` is called with next."""

    def rests(self) -> bool:
        """Whether the next answer is to be read without this memo. To be called once an answer."""
        self._answers += 1
        if self._answers <= 0:
            return True
        if self._answers > _WINDOW:
            useless = (self._asked - self._fresh) * _WORTH < self._asked
            self._answers = -_REST if useless else 0
            self._asked = self._fresh = 0
        return False

    def follow(self, raw: bytes, at: int) -> tuple[list[Kept], int]:
        """The known frames in `raw` from `at` on, each followed by a comma or by the end of its array; and the offset of the
        first unknown one, or of the array's end.

        Nothing is parsed: the same bytes are the same frame.
        """
        found: list[Kept] = []
        startswith = raw.startswith
        while True:
            begin = raw[at : at + _BEGIN]
            for kept in self._young.get(begin, ()):
                if startswith(kept.text, at):
                    break
            else:
                again = next((kept for kept in self._old.get(begin, ()) if startswith(kept.text, at)), None)
                if again is None:
                    break
                kept = again
                self._keep(kept)
            end = at + len(kept.text)
            after = raw[end : end + 1]
            if after == b",":
                found.append(kept)
                at = end + 1
                continue
            if after == b"]":
                found.append(kept)
                at = end
            break
        self._asked += len(found)
        return found, at

    def read(self, raws: Iterable[msgspec.Raw], before: Sequence[Kept] = ()) -> list[Kept] | None:
        """The frames in `before`, known from the same answer, and then those that `raws` decode to; None where one of these
        is not proved to be a frame without a fault."""
        texts = [bytes(raw) for raw in raws]
        found = [self._known(text) for text in texts]
        self._asked += len(found)
        missing = [text for text, kept in zip(texts, found, strict=True) if kept is None]
        fresh: list[Kept] = []
        for part in _parts(missing) if missing else ():
            read = _read(part)
            if read is None:
                return None
            fresh += read
        self._fresh += len(fresh)
        for kept in fresh:
            self._keep(kept)
        left = iter(fresh)
        return [*before, *(next(left) if kept is None else kept for kept in found)]

    def answer(self, kept: list[Kept]) -> tuple[ContextFrame, ...]:
        """The frames of an answer. They may be passed to `told` until the answers are forgotten."""
        frames = tuple([one.frame for one in kept])
        if len(self._answered) >= _ANSWERS:
            self.forget_answers()
        self._answered[id(frames)] = frames, kept
        return frames

    def forget_answers(self) -> None:
        """Forget the answers, but not the frames."""
        self._answered.clear()

    def told(self, frames: Sequence[ContextFrame], ask: Callable[[ContextFrame], _Told]) -> list[_Told]:
        """What `ask` returns for each frame of an answer, called once while a frame is kept. Its result must depend on the
        frame alone."""
        answer = self._answered.get(id(frames))
        if answer is None or answer[0] is not frames:
            return [ask(frame) for frame in frames]
        return [kept.told if kept.asked is ask else _told(kept, ask) for kept in answer[1]]

    def _known(self, text: bytes) -> Kept | None:
        """The frame with these bytes; one found in the old generation moves to the young one."""
        begin = text[:_BEGIN]
        for kept in self._young.get(begin, ()):
            if kept.text == text:
                return kept
        for kept in self._old.get(begin, ()):
            if kept.text == text:
                self._keep(kept)
                return kept
        return None

    def _keep(self, kept: Kept) -> None:
        size = len(kept.text)
        if self._count >= self._entries or self._held + size > self._size:
            self._old = self._young
            self._young, self._count, self._held = {}, 0, 0
        if size > self._size:
            return
        begin = kept.text[:_BEGIN]
        alike = self._young.get(begin, ())
        if len(alike) >= _ALIKE:
            self._held -= len(alike[0].text)
            self._count -= 1
            alike = alike[1:]
        self._young[begin] = (*alike, kept)
        self._held += size
        self._count += 1


def _told(kept: Kept, ask: Callable[[ContextFrame], _Told]) -> _Told:
    """Ask about a frame, and keep the answer."""
    kept.asked, kept.told = ask, ask(kept.frame)
    told: _Told = kept.told
    return told


def _parts(texts: list[bytes]) -> Iterator[list[bytes]]:
    """The same texts in portions, since no other thread runs while one is read."""
    if sum(map(len, texts)) <= limits.FRAMES_AT_ONCE_BYTES:
        yield texts
        return
    part: list[bytes] = []
    held = 0
    for text in texts:
        part.append(text)
        held += len(text)
        if held > limits.FRAMES_AT_ONCE_BYTES:
            yield part
            part, held = [], 0
    if part:
        yield part


def _read(texts: list[bytes]) -> list[Kept] | None:
    """These frames, decoded; None where one of them is not proved to be a frame without a fault."""
    joined = b"[%b]" % b",".join(texts)
    try:
        frames = _FRAMES(joined)
    except (msgspec.DecodeError, RecursionError):
        return None
    for frame in frames:
        if (frame.canonical_token_cost is not None or not 0 <= frame.token_cost <= U32) and not within_u32(frame):
            return None
    if skeleton.holds_only_known_members(_KIND, joined):
        return [Kept(text, frame, False) for text, frame in zip(texts, frames, strict=True)]
    found = [proof.extras(ContextFrame, text, _LEVELS) for text in texts]
    if None in found:
        return None
    return [Kept(text, frame, bool(more)) for text, frame, more in zip(texts, frames, found, strict=True)]
